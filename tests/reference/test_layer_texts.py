"""How layers print themselves: what `print(net)` shows of each, and whose children they are."""

import re

import mindspore as ms
import mindspore.nn.probability.bijector as msb
import mindspore.nn.probability.distribution as msd
from mindspore import mint, nn

from tests.reference.judge import case

MINT = """
AdaptiveAvgPool1d(2) AdaptiveAvgPool2d(2) AdaptiveAvgPool3d(2) AdaptiveMaxPool1d(2) AdaptiveMaxPool2d(2)
AvgPool1d(2,1) AvgPool2d(2,1) AvgPool3d(2,1) BCELoss() BCEWithLogitsLoss() BatchNorm1d(2) BatchNorm2d(2)
BatchNorm3d(2) ConstantPad1d(1,0.5) ConstantPad2d(1,0.5) ConstantPad3d(1,0.5) Conv1d(2,4,3) Conv2d(2,4,3,bias=False)
Conv3d(2,4,3,groups=2) ConvTranspose2d(2,4,3,2) CosineEmbeddingLoss() CrossEntropyLoss() Dropout(0.3) Dropout2d(0.3)
ELU() Embedding(3,2) Flatten() Fold((2,2),1) GELU() GLU() GroupNorm(1,2) Hardshrink() Hardsigmoid() Hardswish()
Hardtanh() Identity() KLDivLoss() L1Loss() LayerNorm((2,)) Linear(2,3) LogSigmoid() LogSoftmax(0) MSELoss()
MaxPool2d(2) MaxUnpool2d(2) Mish() NLLLoss() PReLU() PixelShuffle(2) ReLU() ReLU6() ReflectionPad1d(1)
ReflectionPad2d(1) ReflectionPad3d(1) ReplicationPad1d(1) ReplicationPad2d(1) ReplicationPad3d(1) SELU() SiLU()
Sigmoid() SmoothL1Loss() SoftMarginLoss() Softmax(0) Softshrink() Tanh() Threshold(1,2) Unfold(2)
Upsample(2) UpsamplingBilinear2d(2) UpsamplingNearest2d(2) ZeroPad1d(1) ZeroPad2d(1) ZeroPad3d(1)
"""
NN = """
AdaptiveAvgPool1d(2) AdaptiveAvgPool2d(2) AdaptiveAvgPool3d(2) AdaptiveMaxPool1d(2) AdaptiveMaxPool2d(2)
AdaptiveMaxPool3d(2) AvgPool1d(2) AvgPool2d(2) AvgPool3d(2) BCELoss() BCEWithLogitsLoss() BatchNorm1d(2) BatchNorm2d(2)
BatchNorm3d(2) BiDense(2,2,2) CELU() CTCLoss() CentralCrop(0.5) ChannelShuffle(2) ClipByNorm() ConstantPad1d(1,0.5)
Conv1d(2,4,3) Conv1dTranspose(2,4,3) Conv2d(2,4,3) Conv2dBnAct(2,4,3) Conv2dTranspose(2,4,3) Conv3d(2,4,3)
Conv3dTranspose(2,4,3) CosineEmbeddingLoss() CrossEntropyLoss() Dense(2,3) Dense(2,3,activation="relu")
DenseBnAct(2,3,activation="relu") DiceLoss() Dropout(p=0.3) Dropout1d() Dropout2d() Dropout3d() ELU() Embedding(3,2)
EmbeddingLookup(3,2) FastGelu() Flatten() FocalLoss() FractionalMaxPool3d(2,output_size=2) GELU() GLU()
GRU(2,3) GRUCell(2,3) GaussianNLLLoss() GroupNorm(1,2) HShrink() HSigmoid() HSwish() Hardtanh() HingeEmbeddingLoss()
HuberLoss() Identity() ImageGradients() InstanceNorm2d(2) KLDivLoss() L1Loss() L1Regularizer(0.1) LPPool1d(2,2)
LPPool2d(2,2) LRN() LSTM(2,3) LSTMCell(2,3) LayerNorm((2,)) LeakyReLU() LogSigmoid() LogSoftmax() MAELoss() MSELoss()
MarginRankingLoss() MaxPool1d(2) MaxPool2d(2) MaxPool3d(2) MaxUnpool1d(2) MaxUnpool2d(2) MaxUnpool3d(2) Mish()
MultiClassDiceLoss() MultiLabelSoftMarginLoss() MultiMarginLoss() MultiheadAttention(2,1) MultilabelMarginLoss() NLLLoss()
Norm() PReLU() PSNR() Pad(((1,1),)) PixelShuffle(2) PixelUnshuffle(2) PoissonNLLLoss() RMSELoss() RNN(2,3) RNNCell(2,3)
RReLU() ReLU() ReLU6() ReflectionPad1d(1) ReflectionPad2d(1) ReflectionPad3d(1) ReplicationPad1d(1) ReplicationPad2d(1)
ReplicationPad3d(1) SSIM() SeLU() SequentialCell(nn.ReLU()) CellList([nn.ReLU()])
CellDict([["a",nn.ReLU()]]) SiLU() Sigmoid() SmoothL1Loss() SoftMarginLoss() SoftShrink() Softmax() Softmax2d()
SoftmaxCrossEntropyWithLogits() Softmin() Softsign() SyncBatchNorm(2) Tanh() Tanhshrink() Threshold(1,2)
TimeDistributed(nn.Dense(2,3),1,0) TransformerDecoderLayer(2,1,3) TransformerEncoderLayer(2,1,3) Tril() TripletMarginLoss()
Triu() Unflatten(0,(1,2)) Unfold([1,2,2,1],[1,1,1,1],[1,1,1,1]) Upsample(2) ZeroPad2d(1) SparseToDense()
SparseTensorDenseMatmul() IGamma() LBeta() LGamma() DiGamma() MatInverse() MatDet() ReduceLogSumExp(0) Moments()
Roll(1,0) Range(1,2) OneHot() get_activation("relu")
AvgPool2dExt(2) AvgPool1dExt(2) AvgPool3dExt(2) MaxPool2dExt(2) DropoutExt() Dropout2dExt()
LogSoftmaxExt() L1LossExt() PReLUExt() EmbeddingExt(3,2) Linear(2,3)

"""
DISTRIBUTIONS = """
Bernoulli(0.5) Beta([1.],[2.]) Categorical([0.5,0.5]) Cauchy(0.,1.) Exponential(0.5) Gamma([1.],[2.]) Geometric(0.5)
Gumbel(0.,1.) HalfNormal(0.,1.) Laplace(0.,1.) LogNormal(0.,1.) Logistic(0.,1.) Normal(0.,1.) Normal(dtype=ms.float32)
Poisson([1.]) StudentT(1.,0.,1.) Uniform(0.,1.) TransformedDistribution(msb.Exp(),msd.Normal(0.,1.))
"""
BIJECTORS = "PowerTransform(0.5) Exp() ScalarAffine(1.,2.) Softplus(2.) GumbelCDF(1.,2.) Invert(msb.Exp())"


def printed_of(module, listed: str) -> dict:
    """What each layer prints, addresses cut out."""
    names = {"nn": nn, "ms": ms, "msb": msb, "msd": msd}
    shown = {}
    for made in listed.split():
        layer = eval(f"module.{made}", {**names, "module": module})
        shown[made] = re.sub("0x[0-9a-f]+", "0x", repr(layer))
    return shown


@case(each={"name": ["MINT", "NN", "DISTRIBUTIONS", "BIJECTORS"]})
def test_printed(name):
    module = {"MINT": mint.nn, "NN": nn, "DISTRIBUTIONS": msd, "BIJECTORS": msb}[name]
    return printed_of(module, {"MINT": MINT, "NN": NN, "DISTRIBUTIONS": DISTRIBUTIONS, "BIJECTORS": BIJECTORS}[name])


@case()
def test_windows_are_parameters():
    nets = nn.SSIM(), nn.MSSSIM(power_factors=(0.5, 0.5))
    return [[(name, p.requires_grad, p) for name, p in net.parameters_dict().items()] for net in nets]


@case()
def test_bases():
    asked = {
        "_PoolNd": nn.MaxPool2d(2), "_ConstantPadNd": nn.ZeroPad2d(1), "_ReflectionPadNd": nn.ReflectionPad1d(1),
        "_ReplicationPadNd": nn.ReplicationPad1d(1), "_CellListBase": nn.CellList(), "_CellDictBase": nn.CellDict(),
        "ConstantPadNd_": mint.nn.ZeroPad1d(1), "ReflectionPadNd_": mint.nn.ReflectionPad2d(1),
        "ReplicationPadNd_": mint.nn.ReplicationPad3d(1), "_NormBase": mint.nn.BatchNorm1d(2),
        "LossBase": mint.nn.L1Loss(), "_ConvTranspose": mint.nn.ConvTranspose2d(1, 1, 1)}
    paddings = [getattr(mint.nn, f"{kind}Pad3d")(*args).padding for kind, *args in (
        ("Zero", 1), ("Constant", 2, 0.5), ("Reflection", 1), ("Replication", (1, 2, 3, 4, 5, 6)))]
    same = [mint.nn.Hardshrink is nn.HShrink, mint.nn.Hardsigmoid is nn.HSigmoid, mint.nn.Hardswish is nn.HSwish,
            mint.nn.Softshrink is nn.SoftShrink]
    return [name in [c.__name__ for c in type(layer).__mro__] for name, layer in asked.items()], paddings, same


@case()
def test_held_operators():
    asked = {
        "nn.Embedding(3,2)": "reshape expand one_hot get_shp", "nn.SSIM()": "concat reduce_mean",
        "nn.BatchNorm2d(2)": "shape reshape sqrt sub_mean reduce_mean", "nn.MaxPool1d(2)": "expand squeeze",
        "nn.LSTMCell(2,3)": "support_non_tensor_inputs", "nn.LogSigmoid()": "mul exp add rec log",
        "nn.Momentum([ms.Parameter(1.0)],0.1,0.9)": "opt enable_tuple_broaden",
        "nn.Adam([ms.Parameter(1.0)])": "opt sparse_opt", "nn.WarmUpLR(0.1,2)": "min",
        "nn.DynamicLossScaleUpdateCell(8,2,3)": "select max logic_or less_equal",
        "msd.Normal(0.,1.)": "cast_base exp_base sq expm1 shape squeeze", "msb.Exp()": "dtypeop pow expm1"}
    made = {text: eval(text) for text in asked}
    return {text: [type(getattr(made[text], name)).__name__ for name in names.split()]
            for text, names in asked.items()}


@case(raises=True)
def test_a_subclass_has_what_its_class_has():
    class Conv1d(nn.Cell):
        pass

    return Conv1d().shape
