"""One kind of wrong input through many names: what MindSpore says of it."""

import mindspore as ms
import mindspore.numpy as mnp
import mindspore.scipy as msp
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

from tests.reference.judge import case, data
from tests.reference.test_wrong_calls import said


def f(*shape):
    return Tensor(data(shape))


# Kernels for a CPU, whose dtypes MindSpore lists, have no bfloat16 in these.
WITHOUT_BFLOAT16 = {
    "adaptive_avg_pool1d": lambda x: ops.adaptive_avg_pool1d(x[0], 2),
    "adaptive_avg_pool2d": lambda x: ops.adaptive_avg_pool2d(x, 2),
    "adaptive_max_pool3d": lambda x: ops.adaptive_max_pool3d(x, 2),
    "AdaptiveAvgPool2d": lambda x: nn.AdaptiveAvgPool2d(2)(x),
    "argsort": lambda x: x.argsort(),
    "AvgPool2d with pads": lambda x: nn.AvgPool2d(2, pad_mode="pad", padding=1)(x),
    "BatchNorm2d": lambda x: nn.BatchNorm2d(3)(x),
    "celu": lambda x: ops.celu(x, 1.0),
    "CELU": lambda x: nn.CELU()(x),
    "ConjugateTranspose": lambda x: ops.ConjugateTranspose()(x, (0, 1, 3, 2)),
    "diagonal_scatter": lambda x: ops.diagonal_scatter(x[0, 0], x[0, 0, 0]),
    "dist": lambda x: ops.dist(x, x),
    "DivNoNan": lambda x: ops.DivNoNan()(x, x),
    "gumbel_softmax": ops.gumbel_softmax,
    "imag": ops.imag,
    "max_pool2d": lambda x: ops.max_pool2d(x, 2),
    "MaxPool2d with pads": lambda x: nn.MaxPool2d(2, pad_mode="pad", padding=1)(x),
    "MaxPool3d": lambda x: nn.MaxPool3d(2)(x[None]),
    "mirror_pad": lambda x: ops.mirror_pad(x[0, 0], Tensor([[1, 1], [1, 1]]), "REFLECT"),
    "mish": ops.mish,
    "Mish": lambda x: nn.Mish()(x),
    "nansum": ops.nansum,
    "pad": lambda x: ops.pad(x, (1, 1), "reflect"),
    "prelu": lambda x: ops.prelu(x, f(3).astype(ms.bfloat16)),
    "PReLU": lambda x: nn.PReLU()(x),
    "ReflectionPad2d": lambda x: nn.ReflectionPad2d(1)(x),
    "relu6": ops.relu6,
    "ReLU6": lambda x: nn.ReLU6()(x),
    "renorm": lambda x: ops.renorm(x, 1, 0, 1.0),
    "ReplicationPad2d": lambda x: nn.ReplicationPad2d(1)(x),
    "searchsorted": lambda x: ops.searchsorted(x, x),
    "softplus": ops.softplus,
    "Softplus": lambda x: ops.Softplus()(x),
    "softsign": ops.softsign,
    "Softsign": lambda x: nn.Softsign()(x),
    "xdivy": lambda x: ops.xdivy(x, x),
}


@case(each={"name": list(WITHOUT_BFLOAT16)})
def test_bfloat16_on_a_cpu(name):
    ms.set_context(pynative_synchronize=True)
    return said(WITHOUT_BFLOAT16[name], (f(2, 3, 4, 4).astype(ms.bfloat16),), {})


CALLS = {
    "attributes are told as they are kept": lambda: ops.Conv2D(3, 2)(1, 2),
    "MaxPool's too": lambda: ops.MaxPool(2, 2, "same")(1),
    "arrays are numpy's": lambda: nn.MaxPool2d(2)(np.ones((1, 1, 2, 2), np.float32)),
    "HyperMap of a function": lambda: ops.HyperMap(abs),
    "Map of a function": lambda: ops.Map(abs),
    "MultitypeFuncGraph of an array": lambda: ops.MultitypeFuncGraph("one")(np.ones(2)),
    "Conv3d's sizes": lambda: nn.Conv3d(1, 1, (1, 2)),
    "MaxPool2d's rank with pads": lambda: nn.MaxPool2d(2, pad_mode="pad", padding=1)(f(2)),
    "AvgPool2d's rank with pads": lambda: nn.AvgPool2d(2, pad_mode="pad", padding=1)(f(2)),
    "AvgPool2d of nothing": lambda: nn.AvgPool2d(2, pad_mode="pad", padding=1)(f(0, 1, 4, 4)),
    "Embedding of small integers": lambda: nn.Embedding(4, 2)(Tensor([1, 0], ms.int8)),
    "Embedding with rows of ones": lambda: nn.Embedding(4, 2, use_one_hot=True)(Tensor([1, 0], ms.int8)),
    "Embedding of nothing": lambda: nn.Embedding(4, 2, use_one_hot=True)(Tensor(np.ones((0, 3)), ms.int32)),
    "a common dtype that is none": lambda: ops.Mul()(Tensor([1], ms.uint16), Tensor([1], ms.int32)),
    "MatMul of two dtypes": lambda: ops.MatMul()(f(2, 2), f(2, 2).astype(ms.float16)),
    "matmul of two dtypes": lambda: ops.matmul(f(2, 2), f(2, 2).astype(ms.float16)),
    "TopK of a number": lambda: ops.TopK()(Tensor(1.0), 1),
    "logits of one axis": lambda: ops.SoftmaxCrossEntropyWithLogits()(f(3), f(3)),
    "BiasAdd of one axis": lambda: ops.BiasAdd()(f(3), f(3)),
    "LayerNorm of nothing": lambda: nn.LayerNorm((3,))(f(0, 3)),
    "unsigned weights": lambda: ops.bincount(Tensor([1, 0], ms.int32), Tensor([1, 1], ms.uint16)),
}


@case(each={"what": list(CALLS)})
def test_words(what):
    ms.set_context(pynative_synchronize=True)
    return said(CALLS[what], (), {})


@case
def test_bincount_of_negatives():
    return ops.bincount(Tensor([1, -1, 1, 0]), Tensor([1.0, 2.0, 3.0, 4.0])), ops.bincount(Tensor([-1, 2, 2]))


NOTHING = {
    "ConstantPad1d": lambda x: nn.ConstantPad1d(1, 0.5)(x),
    "ZeroPad2d": lambda x: nn.ZeroPad2d(1)(x),
    "pad": lambda x: ops.pad(x, (1, 1)),
    "pad by nothing": lambda x: ops.pad(x, ()),
    "AdaptiveMaxPool1d": lambda x: nn.AdaptiveMaxPool1d(2)(x),
    "fractional_max_pool3d": lambda x: ops.fractional_max_pool3d(f(0, 1, 2, 2, 2), 1, (1, 1, 1)),
    "OneHot": lambda x: ops.OneHot()(x.astype(ms.int32), 3, Tensor(1.0), Tensor(0.0)),
    "Bernoulli": lambda x: ops.Bernoulli()(x, x),
    "digamma": ops.digamma,
    "Zeta": lambda x: ops.Zeta()(x, x),
    "InplaceAdd": lambda x: ops.InplaceAdd((0,))(x, f(1, 3, 4)),
    "LayerNorm": lambda x: ops.LayerNorm(2, 2)(x, f(4), f(4)),
    "random_poisson": lambda x: ops.random_poisson(Tensor([2], ms.int32), x),
    "masked_scatter": lambda x: f(4).masked_scatter(x.astype(ms.bool_), f(4)),
}


@case(each={"name": list(NOTHING)})
def test_empty_tensors(name):
    ms.set_context(pynative_synchronize=True)
    return said(NOTHING[name], (f(0, 3, 4),), {})


RANKS = {
    "Cross": lambda x: ops.Cross()(x, x),
    "MaxPool": lambda x: ops.MaxPool(1, 1)(x),
    "MaxUnpool2D": lambda x: ops.MaxUnpool2D(1)(x, (x * 0).astype(ms.int32)),
    "Padding": lambda x: ops.Padding(4)(x),
    "RandomCategorical": lambda x: ops.RandomCategorical()(x, 2, 0),
    "choice_with_mask": lambda x: ops.choice_with_mask(x > 9)[0].shape,
    "cdist": lambda x: ops.cdist(x, x),
    "batch_dot": lambda x: ops.batch_dot(x, x[:1]),
    "baddbmm": lambda x: ops.baddbmm(x, x, f(3)),
    "outer": lambda x: ops.outer(x, x),
    "outer with a number": lambda x: ops.outer(x, Tensor(2.0)),
}


@case(each={"name": list(RANKS), "rank": [0, 1, 2, 3, 4]})
def test_ranks(name, rank):
    ms.set_context(pynative_synchronize=True)
    return said(RANKS[name], (f(*(2, 3, 3, 3)[:rank]),), {})


def p(seed):
    return Parameter(Tensor(data((2, 2), seed=seed)), name=f"p{seed}")


UPDATES = {
    "ApplyAdaMax": lambda r: ops.ApplyAdaMax()(p(0), p(1), p(2), Tensor(0.9), r, Tensor(0.9), Tensor(0.9),
                                               Tensor(1e-8), f(2, 2)),
    "ApplyAdagrad": lambda r: ops.ApplyAdagrad()(p(0), p(1), r, f(2, 2)),
    "ApplyPowerSign": lambda r: ops.ApplyPowerSign()(p(0), p(1), r, 0.9, 0.1, 0.9, f(2, 2)),
    "ApplyAddSign": lambda r: ops.ApplyAddSign()(p(0), p(1), r, 0.9, 0.1, 0.9, f(2, 2)),
    "ApplyGradientDescent": lambda r: ops.ApplyGradientDescent()(p(0), r, f(2, 2)),
    "ApplyProximalGradientDescent": lambda r: ops.ApplyProximalGradientDescent()(p(0), r, 0.1, 0.1, f(2, 2)),
    "Adam": lambda r: ops.Adam()(p(0), p(1), p(2), 0.9, 0.99, r, 0.9, 0.99, 1e-8, f(2, 2)),
    "SGD": lambda r: ops.SGD()(p(0), f(2, 2), r, p(1), Tensor(0.9), p(2)),
}


@case(each={"name": list(UPDATES), "shape": [(), (1,), (2,)]})
def test_shapes_of_rates(name, shape):
    ms.set_context(pynative_synchronize=True)
    return said(UPDATES[name], (Tensor(np.full(shape, 0.1, np.float32)),), {})


def of_tuples(x):
    return tuple(map(tuple, x.asnumpy().tolist()))


TUPLES = {
    "dot": lambda x: mnp.dot(of_tuples(x), x),
    "inner": lambda x: mnp.inner(x, of_tuples(x)),
    "tensordot": lambda x: mnp.tensordot(of_tuples(x), x, 1),
    "moveaxis": lambda x: mnp.moveaxis(of_tuples(x), 0, 1),
    "broadcast_to": lambda x: mnp.broadcast_to(of_tuples(x), (1, 2, 2)),
    "isneginf": lambda x: mnp.isneginf(of_tuples(x)),
    "count_nonzero": lambda x: mnp.count_nonzero(of_tuples(x)),
    "diagonal": lambda x: mnp.diagonal(of_tuples(x)),
    "trace": lambda x: mnp.trace(of_tuples(x)),
    "matmul": lambda x: mnp.matmul(x, of_tuples(x)),
    "nancumsum": lambda x: mnp.nancumsum(of_tuples(x)),
    "zeros_like": lambda x: ops.zeros_like(True),
    "signbit": lambda x: ops.signbit(1.0),
    "zeta": lambda x: ops.zeta((x,), x),
    "OneHot": lambda x: ops.OneHot()(Tensor([0], ms.int32), 2, of_tuples(x), Tensor(0.0)),
}


@case(each={"name": list(TUPLES)})
def test_sequences_for_tensors(name):
    ms.set_context(pynative_synchronize=True)
    return said(TUPLES[name], (f(2, 2),), {})


UNSIGNED = {
    "index_add": lambda x, u: x.index_add(Tensor([0, 1], ms.int32), u, 0),
    "inplace_index_add": lambda x, u: ops.inplace_index_add(p(0), Tensor([0], ms.int32), u[:1], 0),
    "diagonal_scatter": lambda x, u: ops.diagonal_scatter(x, u[0]),
    "exp2": lambda x, u: ops.exp2(u),
    "normal": lambda x, u: ops.normal((2, 2), u, Tensor(1.0)),
    "clip_by_norm": lambda x, u: ops.clip_by_norm(u, 1.0),
    "lp_pool1d": lambda x, u: ops.lp_pool1d(u[None], 1.0, 2),
    "margin_ranking_loss": lambda x, u: ops.margin_ranking_loss(u, u, x),
    "MarginRankingLoss": lambda x, u: nn.MarginRankingLoss()(u, u, u),
    "DiceLoss": lambda x, u: nn.DiceLoss()(u, u),
    "frac": lambda x, u: ops.frac(u),
    "threshold": lambda x, u: ops.threshold(u, 1, 2),
    "vander": lambda x, u: ops.vander(u[0]),
    "bidense": lambda x, u: ops.bidense(x, u, f(3, 2, 2)),
    "multilabel_soft_margin_loss": lambda x, u: ops.multilabel_soft_margin_loss(x, u),
    "searchsorted": lambda x, u: ops.searchsorted(x, u),
    "searchsorted of one dtype": lambda x, u: ops.searchsorted(u, u),
}


@case(each={"name": list(UNSIGNED), "dtype": ["uint16", "uint32", "uint64"]})
def test_unsigned_integers(name, dtype):
    ms.set_context(pynative_synchronize=True)
    return said(UNSIGNED[name], (f(2, 2), Tensor([[1, 2], [3, 4]], getattr(ms, dtype))), {})


@case(each={"dtype": ["int32", "bool_", "uint8", "float16", "float64", "complex64"]})
def test_dtypes_of_draws(dtype):
    ms.set_context(pynative_synchronize=True)
    dtype = getattr(ms, dtype)
    calls = (lambda: ops.LogSpace(3, 10, dtype)(Tensor(0.0), Tensor(1.0)),
             lambda: ops.random_poisson(Tensor([2]), Tensor([1.0]), seed=1, dtype=dtype),
             lambda: ops.RandomCategorical()(f(2, 2).astype(dtype), 2, 0),
             lambda: ops.prelu(f(2, 3), f(3).astype(dtype)))
    return [said(one, (), {}) for one in calls]


NUMBERS = {
    "GumbelCDF": lambda: nn.probability.bijector.GumbelCDF((1.0, 2.0)),
    "ScalarAffine": lambda: nn.probability.bijector.ScalarAffine(1.0, (1.0, 2.0)),
    "SparseApplyFtrl": lambda: ops.SparseApplyFtrl(float("inf"), 0.0, 0.0, -0.5),
    "Im2Col": lambda: ops.Im2Col(2, 1, (1, 1, 1)),
    "MaxPool3DWithArgmax": lambda: ops.MaxPool3DWithArgmax((2, 2), 1, 0),
    "MaxUnpool2D": lambda: ops.MaxUnpool2D(2, (1, 1, 1)),
    "max_unpool1d": lambda: ops.max_unpool1d(f(1, 1, 2), f(1, 1, 2).astype(ms.int64), 2, (2, 2)),
    "max_unpool2d": lambda: ops.max_unpool2d(f(1, 1, 2, 2), f(1, 1, 2, 2).astype(ms.int64), 2, -1),
    "lp_pool1d": lambda: ops.lp_pool1d(f(1, 2, 4), 1.0, 2, (1, 1)),
    "lp_pool2d": lambda: ops.lp_pool2d(f(1, 2, 4, 4), 1.0, 2, (1, 1, 1)),
    "RandomCategorical": lambda: ops.RandomCategorical()(f(2, 2), 0.5, 0),
    "random_categorical": lambda: ops.random_categorical(f(2, 2), -1),
    "ScalarCast": lambda: ops.ScalarCast()(Tensor(1.0), ms.float64),
    "conv3d": lambda: ops.conv3d(f(1, 1, 2, 2, 2), f(1, 1, 1, 1, 1), groups=np.int64(1)),
    "gumbel_softmax": lambda: ops.gumbel_softmax(f(2, 3), float("inf")),
    "reverse_sequence": lambda: ops.reverse_sequence(f(2, 3), Tensor([1, 2]), -1),
    "sequence_mask": lambda: ops.sequence_mask(Tensor([1, 2]), 0),
    "baddbmm of integers": lambda: ops.baddbmm(*(Tensor(np.ones((1, 2, 2)), ms.int32),) * 3, beta=0.5),
    "baddbmm of bfloat16": lambda: ops.baddbmm(*(f(1, 2, 2).astype(ms.bfloat16),) * 3, alpha=2.0),
    "cdist": lambda: ops.cdist(f(2, 3).astype(ms.bfloat16), f(2, 3).astype(ms.bfloat16)),
    "concatenate": lambda: mnp.concatenate((f(2, 2), f(2, 2)), 2),
    "dropout": lambda: ops.dropout(f(2, 2), 2),
    "renorm": lambda: ops.renorm(f(2, 2), 0.5, 0, 1.0),
    "renorm to less than nothing": lambda: ops.renorm(f(2, 2), 1, 0, -0.5),
    "AdaptiveAvgPool3D": lambda: ops.AdaptiveAvgPool3D((2, -1, 2))(f(1, 1, 4, 4, 4)),
    "fill": lambda: ops.fill(ms.float32, [2, 2], 1),
    "MaxPool2d of a set": lambda: nn.MaxPool2d(2, pad_mode="pad", padding=1)({1}),
    "dct": lambda: msp.fft.dct(f(2, 3), 2.0),
    "idct": lambda: msp.fft.idct(f(2, 3), None),
    "block_diag": lambda: ops.block_diag(),
    "block_diag of two dtypes": lambda: ops.block_diag(f(2, 2), f(2, 2).astype(ms.uint16)),
    "a Primitive's name": lambda: ops.ReLU().set_prim_instance_name(1),
    "an attribute's name": lambda: ops.ReLU().add_prim_attr(None, 1),
    "an attribute's name in bytes": lambda: ops.ReLU().add_prim_attr(b"a", 1),
}


@case(each={"name": list(NUMBERS)})
def test_numbers_and_sizes(name):
    ms.set_context(pynative_synchronize=True)
    return said(NUMBERS[name], (), {})


@case(each={"labels": [[0, -1, 2], [0, 5, 2], [-1, -1, -1], [0, 1, 2], []]})
def test_labels_that_are_no_class(labels):
    ms.set_context(pynative_synchronize=True)
    x, y = f(len(labels), 4), Tensor(np.array(labels, np.int32))
    return [said(one, (x, y), {}) for one in (ops.SparseSoftmaxCrossEntropyWithLogits(),
                                              ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True),
                                              nn.SoftmaxCrossEntropyWithLogits(True, "mean"),
                                              nn.SoftmaxCrossEntropyWithLogits(True))]
