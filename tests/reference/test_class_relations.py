"""Which public classes are subclasses of which, and how layers and optimizers print themselves."""

import importlib
import inspect
import re
from pathlib import Path

import mindspore as ms
from mindspore import nn

from tests.reference.judge import case

# Layers with what they are made of; the others need nothing.
MADE_OF = {
    "AdaptiveAvgPool1d": (2,), "AdaptiveAvgPool2d": (2,), "AdaptiveAvgPool3d": (2,),
    "AdaptiveMaxPool1d": (2,), "AdaptiveMaxPool2d": (2,), "AvgPool1d": (2, 1), "AvgPool2d": (2, 1),
    "BatchNorm1d": (3,), "BatchNorm2d": (3,), "BatchNorm3d": (3,), "BiDense": (2, 3, 4),
    "ChannelShuffle": (2,), "ConstantPad1d": (1, 0.5), "ConstantPad2d": (1, 0.5), "Conv1d": (1, 2, 3),
    "Conv2d": (1, 2, 3), "Conv3d": (1, 2, 3), "Conv1dTranspose": (1, 2, 3), "Conv2dTranspose": (1, 2,
    3), "Conv3dTranspose": (1, 2, 3), "Dense": (3, 4), "Embedding": (5, 2), "EmbeddingLookup": (5, 2),
    "GRU": (2, 3), "GRUCell": (2, 3), "GroupNorm": (2, 4), "InstanceNorm1d": (3,), "InstanceNorm2d":
    (3,), "InstanceNorm3d": (3,), "LRN": (2,), "LSTM": (2, 3), "LSTMCell": (2, 3), "LayerNorm": ((3,),),
    "MaxPool1d": (2, 1), "MaxPool2d": (2, 1), "MaxPool3d": (2, 1), "MultiheadAttention": (4, 2),
    "PixelShuffle": (2,), "PixelUnshuffle": (2,), "RNN": (2, 3), "RNNCell": (2, 3), "ReflectionPad1d":
    (1,), "ReflectionPad2d": (1,), "ReplicationPad1d": (1,), "ReplicationPad2d": (1,), "Threshold":
    (0.5, 1.0), "TransformerEncoderLayer": (4, 2), "Unflatten": (1, (2, 2)), "ZeroPad2d": (1,),
    "SequentialCell": ([],), "CellList": ([],), "Upsample": (None, 2.0),
}
ALONE = (
    "CELU", "DiceLoss", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "ELU", "FastGelu", "Flatten",
    "GELU", "GLU", "HShrink", "HSigmoid", "HSwish", "Hardtanh", "HuberLoss", "Identity", "KLDivLoss",
    "L1Loss", "LeakyReLU", "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss", "Mish",
    "NLLLoss", "PReLU", "PoissonNLLLoss", "RReLU", "ReLU", "ReLU6", "SeLU", "SiLU", "Sigmoid",
    "SmoothL1Loss", "SoftShrink", "SoftmaxCrossEntropyWithLogits", "Softmax", "Softmax2d", "Softmin",
    "Softsign", "Tanh", "Tanhshrink", "TripletMarginLoss"
)
OPTIMIZERS = (
    "ASGD", "Adadelta", "Adagrad", "Adam", "AdamOffload", "AdamWeightDecay", "AdaMax", "FTRL", "LARS",
    "Lamb", "LazyAdam", "Momentum", "ProximalAdagrad", "RMSProp", "Rprop", "SGD"
)


# Refused here with a reason, or hidden behind a base of their own in MindSpore.
LEFT_OUT = (
    "GradAccumulationCell", "GraphKernel", "MultiFieldEmbeddingLookup", "OptTFTWrapper", "PipelineCell",
    "ResizeBilinear", "RootMeanSquareDistance"
)


def classes():
    return {name: found for name in sorted(nn.__all__)
            if name not in LEFT_OUT and inspect.isclass(found := getattr(nn, name))}


# All that signatures are on record for; but what is in the profiler's classes of modules' names, operators (Primitives, of
# whatever kind MindSpore's are) and the bases of transforms, which say by what MindSpore computes them.
LISTED = Path(__file__).parents[1] / "signatures_2_10.tsv"
# Not here, with a reason that using them tells, or MindSpore's own machinery.
ABSENT = [
    "AdaSum", "AkgCpuRegOp", "AllreduceGraph", "AmpDecorator", "AutoBoost", "BoostTrainOneStepCell",
    "BoostTrainOneStepWithLossScaleCell", "Bucket", "CompoundOperation", "CtxBase", "CustomOpBuilder",
    "CustomPassType", "DataAccessAdapter", "DecodeParams", "DeviceInfo", "DimReduce",
    "DistributedDataParallel", "DtypeToEnum", "DynamicProfilerMonitor", "Eig", "EnvProfiler", "ExitByRequest",
    "FileDataAccessAdapter", "FlattenGradBuffer", "FreezeOpt", "GradientFreeze",
    "GradientOptimizationAlgorithm", "GradientOptimizationResults", "GroupLossScaleManager",
    "IODataAccessAdapter", "JitContext", "LU", "LessBN", "LineSearch", "LinearSumAssignment", "MGridClass",
    "MapParameter", "ModelThor", "MsDispatchMode", "NdGrid", "OGridClass", "OptTFTWrapper",
    "OptimizerProcess", "ParamDictFuture", "ParameterProcess", "Plugin", "RSCPluginHandle", "RegOp",
    "RestrictedUnpickler", "Shard", "SolveTriangular", "StringDict", "TFTCommValue", "ThorAscend", "ThorGpu",
    "TraceJitContext", "UniqueNet", "VideoFrameDvpp", "VideoTensorOperation",
    "mindspore.train.train_thor.dataset_helper.DatasetHelper"]
# Read by way of GeneratorDataset in MindSpore, by readers of their own here; a Tensor for isinstance alone in
# MindSpore, which asks its metaclass; other names of COOTensor, RowTensor and AdamW here.
OTHERWISE = [
    "Caltech101Dataset", "Flowers102Dataset", "SBDataset", "SVHNDataset", "Parameter", "SparseTensor",
    "RowTensorInner", "SpeedAdamW"]


def public_classes():
    found = {}
    for line in LISTED.read_text().splitlines():
        path, _, name = line.split("\t")[0].rpartition(".")
        if path.startswith(("mindspore.ops", "mindspore.profiler.")) or name.endswith("TensorOperation"):
            continue
        if {name, f"{path}.{name}"} & {*ABSENT, *OTHERWISE}:
            continue
        try:
            one = getattr(importlib.import_module(path), name)
        except (ImportError, AttributeError):
            continue
        if inspect.isclass(one):
            found[f"{path}.{name}"] = one
    return found


def printed(cell):
    return re.sub("0x[0-9a-f]+", "0x", repr(cell))


@case()
def test_subclasses():
    found = classes()
    return {name: [other for other, base in found.items() if other != name and issubclass(cls, base)]
            for name, cls in found.items()}


@case(raises=True, each={"path": ["mindspore.Tensor", "mindspore.nn.Cell", "mindspore.dataset.Dataset"]})
def test_a_class_is_no_module(path):
    return importlib.import_module(path)


@case()
def test_subclasses_everywhere():
    found = public_classes()
    return {name: [other for other, base in found.items() if cls is not base and issubclass(cls, base)]
            for name, cls in found.items()}


@case(each={"name": ["GradAccumulationCell", "MicroBatchInterleaved", "PipelineCell"]})
def test_cells_that_cut_a_batch(name):
    cut = getattr(nn, name)
    wrong = []
    for args in ((nn.Dense(1, 1), "x"), (nn.Dense(1, 1), 0), (3, 0)):
        try:
            cut(*args)
        except (TypeError, ValueError) as err:
            wrong.append((type(err).__name__, str(err)))
    net = cut(nn.Dense(1, 1, "ones", has_bias=False), 2)
    return repr(net), [n for n, _ in net.cells_and_names()], net(ms.ops.ones((4, 1))), wrong


@case(raises=True)
def test_a_batch_that_does_not_divide():
    return nn.PipelineCell(nn.Dense(1, 1), 2)(ms.ops.ones((3, 1)))


@case()
def test_cells_that_hold_others():
    net = nn.Dense(2, 3)
    windows = nn.MSSSIM(power_factors=(0.5, 0.5))
    made = nn.Jvp(net), nn.PipelineGradReducer(ms.ParameterTuple([net.weight])), ms.mint.nn.SyncBatchNorm(2)
    return ([repr(one) for one in made], [p.name for p in net.get_parameters()],
            [(name, type(cell).__name__) for name, cell in windows.cells_and_names()])


@case()
def test_layers_print():
    return {name: printed(getattr(nn, name)(*MADE_OF.get(name, ()))) for name in sorted({*MADE_OF, *ALONE})}


@case()
def test_optimizers_print():
    def made(name):
        net = nn.Dense(2, 1)
        if name == "LARS":
            return repr(nn.LARS(nn.Momentum(net.trainable_params(), 0.1, 0.9)))
        rates = (0.1, 0.9) if name == "Momentum" else (0.1,)
        return repr(getattr(nn, name)(net.trainable_params(), *rates))

    return {name: made(name) for name in OPTIMIZERS}


@case(each={"path": [
    "mindspore.run_check", "mindspore.ops.op_info_register", "mindspore.ops.vm_impl_registry",
    "mindspore.ops.function.grad", "mindspore.nn.optim.thor", "mindspore.common.seed",
    "mindspore.profiler.schedule", "mindspore.profiler.mstx", "mindspore.train.data_sink",
    "mindspore.utils.stress_detect"]})
def test_a_module_leaves_its_namesake_in_place(path):
    """What MindSpore has in a package under the name of a module there, after that module is imported."""
    package, _, name = path.rpartition(".")
    importlib.import_module(path)
    return inspect.ismodule(getattr(importlib.import_module(package), name))


@case()
def test_the_module_of_lazy_inline_is_called():
    importlib.import_module("mindspore.common.lazy_inline")
    decorator = importlib.import_module("mindspore.common").lazy_inline
    return callable(decorator), inspect.isfunction(decorator.lazy_inline)
