"""Each rule by running both sides: MindSpore's words on ms2torch, what they become on plain torch."""

import re

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch._core import torch_private
from ms2torch._naming import generation

pytest.importorskip("libcst")
from ms2torch.translate import translate_source
from ms2torch.translate.facts import Fact, Facts, Kind
from ms2torch.translate.rewriting.binding import form_of
from ms2torch.translate.rules import load
from ms2torch.translate.rules.table import CALLS

HEAD = """
import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor, mint, nn, ops
from mindspore.common import dtype as mstype
from mindspore.common.initializer import Normal, TruncatedNormal, initializer
from mindspore.ops import functional as F
from mindspore.ops import operations as P

"""
# Over a and b (2, 3) of float32, c (2, 3, 4), i (2,) of int32 in [0, 3), m (2, 3) of bool.
EXPRESSIONS = """
ops.pad(c, (1, 2, 0, 1))
ops.pad(c, (1, 1), mode="reflect")
P.Pad(((0, 0), (1, 2)))(a)
a.swapaxes(0, 1).contiguous() + a.is_floating_point()
P.Dropout(keep_prob=1.0)(a)[0] + P.Dropout(1.0)(a)[1]
P.StridedSlice()(c, (0, 1, 0), (2, 3, 4), (1, 1, 2))
P.Slice()(c, (0, 1, 1), (2, -1, 2))
ops.slice(a, (1, 0), (1, 2))
P.AvgPool(kernel_size=2, strides=2)(c.expand_dims(0))
P.MaxPool(2, (1, 2))(c.expand_dims(1))
ops.strided_slice(a, (0, 1), (2, 3), (1, 1))
ops.interpolate(c, scale_factor=2.0, mode="nearest", recompute_scale_factor=True)
ops.interpolate(c, size=(7,), mode="linear", align_corners=True)
ops.huber_loss(a, b, delta=0.5)
ops.scatter_nd(i.expand_dims(1), a, (3, 3))
ops.tensor_scatter_update(a, i.expand_dims(1)[1:], b[:1])
a.ptp(axis=1)
ms.jacrev(ops.sin)(a[0])
ops.vmap(lambda x, y: (x * y).sum(), (0, None))(a, b[0])
ms.grad(ms.grad(lambda x: (x ** 3).sum()))(a)
ops.GradOperation(sens_param=True)(lambda x: x * x)(a, b)
ops.GradOperation(get_all=True)(lambda x, y: x * y)(a, b)
mnp.sin(a) + mnp.arctan2(a, b) - mnp.log1p(mnp.square(a)) * mnp.sign(b)
mnp.divide(mnp.power(a, 2), mnp.add(mnp.multiply(b, b), mnp.subtract(1, mnp.tanh(a))))
mnp.hstack((mnp.floor(a), mnp.ceil(b))) + mnp.linspace(0, 1, 6)
mnp.vstack((mnp.tril(a, 1), mnp.triu(b)))
mnp.moveaxis(c, 0, 2) + mnp.swapaxes(mnp.swapaxes(c, 0, 1), 1, 2)
mnp.outer(a[0], b[0])
mnp.max(a) + mnp.amax(c, (0, 2)) - mnp.min(a, 0, keepdims=True) * mnp.amin(b)
mnp.std(a, 1) - mnp.var(c, (0, 2))[:2] + mnp.argmax(a, axis=1) * mnp.argmin(b)
mnp.norm(a) + mnp.norm(c, axis=2, keepdims=True) + mnp.norm(a[0], 1)
mnp.tensordot(c, a, ((1, 0), (1, 0))) * mnp.inner(a, b)[0, 0] + mnp.diag(a[0])[0, 0] + mnp.diagonal(c)[0, 0]
mnp.roll(a, 1) + mnp.roll(b, 2, axis=1) + mnp.identity(3)[:2] + mnp.full_like(a, 2)
mnp.column_stack((mnp.ravel(a), mnp.ravel(b))) * mnp.split(c, 2, axis=2)[1][0, 0, 0]
mnp.array_split(a, 2)[0] + mnp.arcsin(mnp.tanh(a)) + mnp.arccos(mnp.tanh(b))
mnp.where(mnp.logical_and(mnp.greater(a, 0), mnp.less_equal(b, a)), mnp.negative(a), b)
mnp.equal(a, a) & mnp.not_equal(a, b) | mnp.logical_not(mnp.less(a, 0)) ^ mnp.greater_equal(0.5, b)
mnp.isfinite(mnp.log2(a)) | mnp.logical_or(mnp.isinf(mnp.log10(b)), m)
mnp.mod(a, 0.3) + mnp.remainder(b, 0.7) + mnp.floor_divide(a, 0.2) + mnp.round(a, 1)
mnp.arctan(a) + mnp.sinh(a) * mnp.cosh(b) - mnp.exp2(a) / mnp.expm1(b)
a * mnp.pi + ops.where(a > mnp.inf, mnp.nan, b)
P.SmoothL1Loss(0.5)(a, b) + P.BinaryCrossEntropy()(ops.sigmoid(a), ops.sigmoid(b), ops.exp(a))
P.Einsum("ij,kj->ik")((a, b)) + P.Size()(a) + P.Meshgrid(indexing="ij")((a[0], b[0]))[1][0, 0]
ops.binary_cross_entropy_with_logits(a, ops.sigmoid(b), ops.exp(b), ops.exp(a), "none")
ops.concat((a, b), 1)
P.Concat(axis=1)((a, b))
ops.cat([a, b])
mint.cat((a, b), dim=1)
ops.stack((a, b), axis=1)
P.Stack(1)([a, b])
ops.reshape(a, (3, 2))
a.view(3, 2)
a.view((-1,))
a.reshape((3, -1))
ops.expand_dims(a, 0)
a.expand_dims(-1)
ops.transpose(c, (2, 0, 1))
c.transpose(0, 2, 1)
c.transpose((2, 1, 0))
c.transpose()
a.T
c.permute(1, 0, 2)
c.swapaxes(0, 2)
ops.squeeze(a.expand_dims(1), 1)
ops.tile(a, (2, 1))
P.Tile()(a, (1, 3))
ops.broadcast_to(a.expand_dims(0), (4, 2, 3))
c.flatten(start_dim=1)
P.Flatten()(c)
ops.flatten(c)
P.ReduceSum()(c, 1)
P.ReduceSum(keep_dims=True)(c, (0, 2))
P.ReduceMean()(c)
P.ReduceMean(True)(c, -1)
P.ReduceMax()(c, 1)
ops.mean(c, 1)
c.mean(1)
c.mean((0, 1), keep_dims=True)
c.sum(axis=-1)
c.sum()
c.max(axis=1)
c.max()
c.min(axis=(0, 1))
c.std()
c.var(axis=1)
c.argmax(axis=1)
ops.argmax(c, 2)
P.Cast()(i, mstype.float32)
ops.cast(a, ms.int32)
a.astype(ms.float16)
a.astype("int32")
a.astype(np.float32)
a.to(ms.float64)
P.MatMul(transpose_b=True)(a, b)
P.BatchMatMul(transpose_a=True)(c, c)
ops.matmul(a, b.T)
a * b + ops.add(a, b) - P.Sub()(a, b) / P.RealDiv()(a, b + 9)
ops.pow(a, 2) + P.Pow()(a, 3.0)
P.Mul()(ops.exp(a), ops.tanh(b))
ops.minimum(a, 0.1) + ops.maximum(a, b)
ops.clip_by_value(a, -0.5, 0.5)
ops.clip_by_value([a, a * 2], -0.5, 0.5)[1]
ops.clamp(a, min=0.0)
ops.clip_by_value(a, clip_value_max=0.5)
ops.norm(a, dim=1)
a.clip(-0.1, 0.1)
ops.softmax(a)
P.Softmax(axis=0)(a)
ops.log_softmax(a, axis=1)
ops.gelu(a)
P.GeLU()(a)
ops.relu(a) + ops.sigmoid(b) + ops.silu(a)
ops.leaky_relu(a)
ops.elu(a)
ops.softplus(a)
ops.select(m, a, b)
ops.where(m, a, ops.zeros_like(b))
ops.equal(a, b)
ops.logical_not(m)
ops.greater(a, 0.0)
P.Gather()(c, i, 1)
ops.gather(c, i % 2, 0)
P.GatherD()(a, 1, ops.tile(i.expand_dims(1), (1, 2)))
ops.gather_elements(a, 1, i.expand_dims(1))
ops.gather_nd(a, ops.stack((i % 2, i), 1))
P.OneHot()(i, 4, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32))
ops.one_hot(i, 3, Tensor(2.0, ms.float32), Tensor(-1.0, ms.float32))
ops.one_hot(i, 3, Tensor(2.0, ms.float32), Tensor(-1.0, ms.float32), 0)
P.OneHot(axis=0)(i, 4, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32))
ops.zeros((2, 2), ms.float32) + ops.ones((2, 2), mstype.float32) + ops.eye(2)
P.Fill()(ms.float32, (2, 2), 3)
ops.full((2,), 1.5)
ops.ones_like(a) + P.ZerosLike()(b)
ops.unstack(c, axis=1)[1]
ops.split(c, 2, axis=2)[0]
P.Split(2, 2)(c)[1]
a.split(1, axis=0)[1]
ops.chunk(c, 2, 2)[1]
ops.topk(c, 2)[0]
P.TopK()(a, 2)[0]
ops.sort(a, 1)[0]
ops.norm(a)
P.L2Normalize(axis=1)(a)
P.L2Loss()(a)
ops.cumsum(a, 1)
a.cumsum(axis=0)
ops.flip(a, (1,))
ops.tril(a) + ops.triu(b, 1)
ops.masked_fill(a, m, 7.0)
a.masked_fill(m, 7.0)
ops.addn([a, b, a])
ops.stop_gradient(a) + F.identity(b)
P.SigmoidCrossEntropyWithLogits()(a, ops.sigmoid(b))
P.SoftmaxCrossEntropyWithLogits()(a, ops.softmax(b))[0]
ops.cross_entropy(a, i)
ops.mse_loss(a, b)
ops.clip_by_global_norm([a, b], 1.0)[1]
ops.clip_by_norm([a, b], 0.5)[0]
ops.l1_loss(a, b)
P.ResizeNearestNeighbor((4, 6))(c.expand_dims(0))
P.ResizeBilinear((5, 3))(c.expand_dims(0))
ops.lerp(a, b, 0.5)
a.lerp(b, b)
mnp.squeeze(a.expand_dims(0), 0)
mnp.concatenate((a, b), axis=1)
mnp.full((2, 3), 4, ms.int32)
a.repeat(2, axis=1)
a.copy().asnumpy()
a.expand_as(c[0].T[:2, :3])
ops.ArgMaxWithValue(axis=1)(a)[1]
ops.hardshrink(a)
ops.lerp(a, b, 0.3)
-a[:, 1:] ** 2
ops.Square()(a) - ops.Sqrt()(ops.Abs()(b))
ops.einsum("ij,kj->ik", a, b)
ops.HyperMap()(ops.square, (a, b))[1]
Tensor([1, 2]) + Tensor(np.array([3, 4], np.int64))
Tensor(a, ms.float64)
a.shape[0] + ops.shape(c)[2] + c.ndim + a.size
mint.nn.functional.relu(mint.sub(a, b, alpha=2)) + mint.nn.functional.gelu(a, approximate="tanh")
mint.max(a, 1)[0] + mint.mean(b, dim=1)
mint.gather(a, 1, i.expand_dims(1))
mint.where(mint.gt(a, 0), mint.exp(a), mint.zeros_like(a))
mint.nn.functional.cross_entropy(a, i, label_smoothing=0.1)
mint.nn.functional.kl_div(mint.nn.functional.log_softmax(a, dim=1), mint.softmax(b, dim=1), "batchmean")
mint.nn.functional.one_hot(i, 3)
mint.matmul(a, mint.transpose(b, 0, 1)) @ mint.linalg.inv(mint.eye(2))
mint.nn.functional.pad(a, (1, 2)) * mint.full((2, 6), 0.5)
mint.cumsum(mint.flatten(c, start_dim=1), 1)
mint.topk(a, 2, dim=1)[0] + mint.sort(b, dim=1)[0][:, :2]
mint.nn.functional.layer_norm(c, (4,)) + mint.special.erfc(c)
list(map(mint.nn.functional.relu, (a, b)))[1]
ops.argmin(a, 1)
ops.std(a, 1) + ops.var(b, axis=0)[:2] + ops.amax(a, 1)
ops.median(a)[0]
ops.cummax(a, 1)[0] + P.CumSum()(b, 1)
ops.argsort(a, descending=True)
ops.addmm(a, b @ b.T, a, beta=0.5)
ops.cdist(a, b)
ops.index_select(c, 2, i) + ops.diff(c)[:, :, :1]
ops.nan_to_num(ops.log2(a), 0.5) * ops.hypot(a, b) + ops.subtract(a, b)
ops.tensor_split(c, 2, axis=2)[1] + ops.permute(c, (0, 1, 2))[:, :, 2:]
ops.isclose(a, b) | ops.isneginf(a)
ops.floor_mod(a, 0.3) + ops.trunc(a) + ops.logaddexp(a, b)
ops.vector_norm(a, ord=1, axis=1) + ops.inner(a, b)[0]
ops.det(ops.matmul(a, b.T)) + ops.trace(a) + ops.count_nonzero(i)
ops.fft(a)
ops.conv2d(c.expand_dims(1), ops.ones((2, 1, 3, 3)), padding=1, pad_mode="pad", stride=2)
P.Conv2D(2, 3, pad_mode="same")(c.expand_dims(1), ops.ones((2, 1, 3, 3)))
ops.max_pool2d(c.expand_dims(1), 2, stride=1, padding=1)
ops.avg_pool2d(c.expand_dims(1), 2)
ops.unfold(c.expand_dims(0), 2)
ops.layer_norm(c, (4,), ops.ones((4,)), ops.zeros((4,))) + ops.hardswish(c) * ops.selu(c) - ops.mish(c)
ops.grid_sample(c.expand_dims(1), ops.tanh(ops.stack((c, c), -1)), align_corners=True)
ops.cosine_similarity(a, b) + ops.triplet_margin_loss(a, b, a + 1)
ops.kl_div(ops.log_softmax(a, 1), ops.softmax(b, 1), "batchmean") + ops.smooth_l1_loss(a, b, reduction="mean")
ops.margin_ranking_loss(a[0], b[0], ops.sign(a[1])) + ops.gaussian_nll_loss(a, b, ops.exp(a))
a.sort(axis=1)[0] + b.prod(axis=0)
a.new_ones((2, 3)).add_(b).mul_(2).where(m, a)
c.gather(i, 2) + c.diff(1, axis=2)[:, :, :2]
a.gather(1, i.expand_dims(1)) + a.sign().double().amax(1, keepdims=True)
ops.tensor_scatter_elements(a, Tensor([[0]]), Tensor([[5.0]], ms.float32), 1)
ops.tensor_scatter_elements(a, ops.zeros((3, 3), ms.int32), ops.ones((3, 3)), axis=0, reduction="add")
P.ReduceAny()(m, 1) & P.ReduceAll()(m) | P.ReduceAny(True)(m)[0]
P.EmbeddingLookup()(a, i % 2, 0) + P.BCEWithLogitsLoss()(a, ops.sigmoid(b), ops.exp(b), ops.exp(a))
P.KLDivLoss("sum")(ops.log_softmax(a, 1), ops.softmax(b, 1)) + P.SparseSoftmaxCrossEntropyWithLogits()(a, i)
P.NLLLoss()(ops.log_softmax(a, 1), i, ops.exp(a[0]))
P.NLLLoss("none")(ops.log_softmax(a, 1), i, ops.exp(a[0]))[0]
P.LayerNorm(begin_norm_axis=2, begin_params_axis=2)(c, ops.ones((4,)), ops.zeros((4,)))
P.LayerNorm(1, 1, 1e-3)(c, ops.ones((3, 4)), ops.zeros((3, 4)))[0]
ops.sequence_mask(i, 4) | ops.sequence_mask(i + 2)
ops.prod(c, 1) + ops.fills(c, 2.0)[:, 0] - ops.diag_embed(a)[:, :1, :1] + ops.truncate_div(c, 0.3)[:, 1]
P.TruncateMod()(a, b) + F.scalar_add(1, 2) * F.scalar_pow(2, 3)
tuple(F.make_range(1, 6, 2))[1] * a
ms.jvp(lambda x, y: x * ops.sin(y), (a, b), (b, a))
ms.jvp(ops.exp, a, b)[1] + ms.vjp(lambda x, y: x * y, a, b)[1](b)[1]
mnp.dot(a[0], b[0]) + mnp.dot(a, c[0]) + mnp.dot(c, c[0].T[:, :1])[0, 0]
mnp.cumsum(a) + mnp.cumprod(b, 0)[1, 0] + mnp.repeat(a, 2)[:6] + mnp.absolute(mnp.reciprocal(b))[0, 0]
mnp.trace(a) + mnp.diff(c, axis=1)[0] + mnp.kron(a, b)[0, 0] + mnp.take_along_axis(a, i.expand_dims(1), 1)
mnp.fmod(a, 0.3) + mnp.hypot(a, b) - mnp.true_divide(a, b) * mnp.trunc(b) + mnp.count_nonzero(i)
a.max(1)[0] + a.max(dim=0)[0][0] + a.min(1, True)[0][0] + a.max(axis=1, keepdims=True)[0]
c.gather(i, -1) + a.fills(2.0)[0, 0] + a.addcdiv(a, b, 0.5)[0, 0]
ops.Map()(P.Partial()(lambda k, x: k * x, 3), (a, b))[1]
a.reshape(2, *((1,) * 2), 3) + c.transpose(0, *(2, 1))[:, :1, None]
ops.bessel_j0(a)
""".strip().splitlines()
# A layer, and the shape of its input.
LAYERS = [
    ("nn.Dense(3, 4)", (2, 3)),
    ("nn.Dense(3, 4, has_bias=False)", (2, 3)),
    ('nn.Dense(3, 4, activation="relu")', (2, 3)),
    ('nn.Dense(3, 4, weight_init="normal", bias_init="zeros")', (2, 3)),
    ("nn.Conv2d(2, 3, 3)", (1, 2, 6, 6)),
    ("nn.Conv2d(2, 3, 4)", (1, 2, 6, 6)),
    ("nn.Conv2d(2, 3, 3, 2)", (1, 2, 7, 6)),
    ("nn.Conv2d(2, 3, (3, 5), stride=2, dilation=2)", (1, 2, 9, 12)),
    ("nn.Conv2d(2, 3, kernel_size=3, stride=2, pad_mode='pad', padding=1, has_bias=True)", (1, 2, 6, 6)),
    ("nn.Conv2d(2, 3, 3, pad_mode='valid', weight_init=TruncatedNormal(0.02))", (1, 2, 6, 6)),
    ("nn.Conv2d(2, 2, 3, pad_mode='pad', padding=(1, 1, 2, 2), group=2)", (1, 2, 6, 6)),
    ("nn.Conv1d(2, 3, 3)", (1, 2, 8)),
    ("nn.Conv1d(2, 3, 4, stride=3, dilation=2)", (1, 2, 14)),
    ("nn.Conv3d(2, 3, (3, 2, 1), stride=(2, 3, 2))", (1, 2, 7, 8, 5)),
    ("nn.Conv2dTranspose(2, 3, 2, 2)", (1, 2, 4, 4)),
    ("nn.Conv2dTranspose(2, 3, 3, 2, pad_mode='pad', padding=1)", (1, 2, 4, 4)),
    ("nn.MaxPool2d(2, 2)", (1, 2, 6, 6)),
    ("nn.MaxPool2d(3, 2, 'same')", (1, 2, 6, 7)),
    ("nn.MaxPool2d(kernel_size=3, pad_mode='same')", (1, 2, 6, 6)),
    ("nn.MaxPool2d(3)", (1, 2, 6, 6)),
    ("nn.AvgPool2d(3, 1, 'same')", (1, 2, 6, 6)),
    ("nn.AvgPool2d(2, 2)", (1, 2, 6, 6)),
    ("nn.MaxPool3d(2, 2)", (1, 2, 4, 6, 4)),
    ("nn.AvgPool3d((1, 2, 3), 1)", (1, 2, 4, 6, 4)),
    ('nn.Unfold([1, 2, 3, 1], [1, 1, 2, 1], [1, 2, 1, 1], "valid")', (2, 3, 5, 6)),
    ("nn.BatchNorm2d(2)", (3, 2, 4, 4)),
    ("nn.BatchNorm2d(2, eps=1e-3, momentum=0.99)", (3, 2, 4, 4)),
    ("nn.BatchNorm1d(3)", (5, 3)),
    ("nn.LayerNorm((3,))", (2, 3)),
    ("nn.LayerNorm([3], epsilon=1e-5)", (2, 3)),
    ("nn.GroupNorm(2, 4)", (2, 4, 3, 3)),
    ("nn.InstanceNorm2d(2)", (2, 2, 4, 4)),
    ("nn.Dropout(p=0.0)", (2, 3)),
    ("nn.Dropout(keep_prob=1.0)", (2, 3)),
    ("nn.GELU()", (2, 3)),
    ("nn.GELU(approximate=False)", (2, 3)),
    ("nn.LeakyReLU()", (2, 3)),
    ("nn.PReLU(2)", (2, 2, 3)),
    ("nn.Softmax()", (2, 3)),
    ("nn.Flatten()", (2, 3, 4)),
    ("nn.HSwish()", (2, 3)),
    ("nn.SequentialCell([nn.Dense(3, 2), nn.ReLU()])", (2, 3)),
    ("nn.SequentialCell(nn.Dense(3, 2), nn.Tanh(), nn.Dense(2, 2))", (2, 3)),
    ("nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)", (2, 5, 3)),
    ("nn.GRU(3, 4)", (5, 2, 3)),
    ("nn.Pad(((0, 0), (1, 2)))", (2, 3)),
    ("nn.AdaptiveAvgPool2d(2)", (1, 2, 6, 6)),
    ("nn.Identity()", (2, 3)),
    ("nn.SeLU()", (2, 3)),
    ("nn.HShrink()", (2, 3)),
    ("nn.Softmin()", (2, 3)),
    ("nn.LPPool2d(2, 2)", (1, 2, 6, 6)),
    ("nn.ReplicationPad1d((1, 2))", (2, 3, 4)),
    ("nn.AdaptiveMaxPool1d(2)", (2, 3, 4)),
    ("nn.ChannelShuffle(2)", (1, 4, 3, 3)),
    ("mint.nn.Linear(3, 4, bias=False)", (2, 3)),
    ("mint.nn.Conv2d(2, 3, 3, padding=1, groups=1)", (1, 2, 6, 6)),
    ("mint.nn.MaxPool2d(2)", (1, 2, 6, 6)),
    ("nn.SequentialCell(mint.nn.Linear(3, 2), mint.nn.SiLU())", (2, 3)),
]
# A loss, and what it is called with.
LOSSES = [
    ("nn.DiceLoss()", "ops.sigmoid(a), ops.sigmoid(b)"),
    ("nn.RMSELoss()", "a, b"),
    ("nn.FocalLoss(gamma=1.5)", "a, i.expand_dims(1)"),
    ("nn.FocalLoss(Tensor([0.2, 0.3, 0.5]), reduction='none')", "c, ops.softmax(c, 1)"),
    ("nn.MultiMarginLoss(margin=0.5)", "a, ops.cast(i, ms.int64)"),
    ("nn.TripletMarginLoss(margin=0.3)", "a, b, a + 1"),
    ("nn.CosineEmbeddingLoss(0.1)", "a, b, ops.sign(a[:, 0])"),
    ("nn.PoissonNLLLoss()", "a, ops.exp(b)"),
    ("mint.nn.CrossEntropyLoss(label_smoothing=0.1)", "a, i"),
    ("mint.nn.MSELoss('sum')", "a, b"),
]
# An optimizer over the parameters p.
OPTIMIZERS = """
nn.AdaMax(p, 0.1, weight_decay=0.01)
nn.AdaMax(p, learning_rate=nn.natural_exp_decay_lr(0.1, 0.5, 4, 2, 1))
nn.Adadelta(p, 0.5)
nn.ASGD(p)
nn.Rprop(p)
nn.Lamb(p, nn.InverseDecayLR(0.1, 0.5, 2))
nn.RMSProp(p, 0.01, centered=True, momentum=0.5)
nn.FTRL(p, l1=0.01)
mint.optim.AdamW(p, lr=0.1)
optim.SGD(p, 0.1, momentum=0.9)
optim.Adam(p, lr=0.1, weight_decay=0.1)
""".strip().splitlines()
NAMES = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
    "w": "weight",
}


def both(body: str) -> tuple[dict, dict, object]:
    """A module's names on ms2torch and, translated, on torch."""
    text = HEAD + body
    ours, theirs = {}, {}
    exec(text.replace("mindspore", "ms2torch"), ours)
    translation = translate_source(text)
    exec(compile(translation.text, "translated", "exec"), theirs)
    return ours, theirs, translation


def plain(value):
    """Arrays for either side's tensors."""
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if isinstance(value, torch.Tensor):
        return value.numpy(force=True)
    return value.asnumpy() if isinstance(value, ms.Tensor) else np.asarray(value)


def assert_same(ours, theirs, what, integers=True):
    if isinstance(ours, list):
        assert len(ours) == len(theirs), what
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other, what)
        return
    assert ours.shape == theirs.shape, what
    np.testing.assert_allclose(ours, theirs, 2e-6, 2e-6, err_msg=what)


def test_expressions():
    functions = "\n".join(f"def f{k}(a, b, c, i, m):\n    return {e}\n" for k, e in enumerate(EXPRESSIONS))
    functions = (
        f"class Values(nn.Cell):\n    def construct(self, a, b, c, i, m):\n        return a\n\n\n{functions}"
    )
    calls = "\n".join(f"    f{k}(a, b, c, i, m)" for k in range(len(EXPRESSIONS)))
    # What the functions are called with tells what their arguments are.
    typed = (
        f"\n\ndef every(a, b, c, i, m):\n{calls}\n\n\nclass Every(nn.Cell):\n"
        "    def construct(self, a, b, c, i, m):\n        return every(a, b, c, i, m)\n"
    )
    ours, theirs, translation = both(functions + typed)
    random = np.random.RandomState(0)
    arrays = [
        random.randn(2, 3).astype(np.float32),
        random.randn(2, 3).astype(np.float32),
        random.randn(2, 3, 4).astype(np.float32),
        np.array([2, 0], np.int32),
        np.array([[True, False, True], [False, True, False]]),
    ]
    wrong = []
    for k, expression in enumerate(EXPRESSIONS):
        try:
            assert_same(
                plain(ours[f"f{k}"](*map(ms.Tensor, arrays))),
                plain(theirs[f"f{k}"](*map(torch.tensor, arrays))),
                expression,
            )
        except Exception as error:
            wrong.append(f"{expression}: {type(error).__name__} {str(error).strip()[:200]}")
    kept = [site.name for site in translation.sites if not site.settled]
    assert not wrong, "\n".join(wrong)
    assert kept == ["mindspore.ops.bessel_j0"]


def test_layers():
    body = "".join(
        f"\nclass N{k}(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.layer = {layer}\n\n    def construct(self, x):\n        return self.layer(x)\n\n"
        for k, (layer, _) in enumerate(LAYERS)
    )
    ours, theirs, translation = both(body)
    wrong = []
    for k, (layer, shape) in enumerate(LAYERS):
        if layer.startswith("nn.ChannelShuffle") and torch_private.RELEASE < (2, 5):
            continue                            # (torch 2.4's own has no gradient)
        cell, module = ours[f"N{k}"](), theirs[f"N{k}"]()
        try:
            _compare(cell, module, shape, layer)
        except Exception as error:
            wrong.append(f"{layer}: {type(error).__name__} {str(error).strip()[:300]}")
    assert not wrong, "\n".join(wrong)
    assert [site for site in translation.sites if not site.settled] == []


def test_losses():
    body = "".join(
        f"\nloss{k} = {loss}\n\n\ndef f{k}(a, b, c, i):\n    return loss{k}({given})\n"
        for k, (loss, given) in enumerate(LOSSES)
    )
    ours, theirs, translation = both(body)
    random = np.random.RandomState(2)
    arrays = [random.randn(*shape).astype(np.float32) for shape in ((2, 3), (2, 3), (2, 3, 4))]
    arrays.append(np.array([2, 0], np.int32))
    for k, (loss, _) in enumerate(LOSSES):
        mine, other = ours[f"f{k}"](*map(ms.Tensor, arrays)), theirs[f"f{k}"](*map(torch.tensor, arrays))
        assert_same(plain(mine), plain(other), loss)
    assert [site for site in translation.sites if not site.settled] == []


def test_a_loss_that_is_given_classes_and_shares():
    text = f"{HEAD}loss = nn.CrossEntropyLoss()\n\n\ndef f(x, y):\n    return loss(x, y)\n"
    facts, place = Facts(), (text.count("\n"), text.splitlines()[-1].index("loss"))
    for labels in (Kind("Tensor", "Int32", (2,)), Kind("Tensor", "Float32", (2, 3))):
        facts.add(place, Fact("mindspore.nn.CrossEntropyLoss()", (Kind("Tensor", "Float32", (2, 3)), labels)))
    space = {}
    exec(translate_source(text, facts=facts).text, space)
    x, classes = torch.randn(2, 3), torch.tensor([2, 0], dtype=torch.int32)
    shares = torch.nn.functional.one_hot(classes.long(), 3).float()
    assert torch.allclose(space["f"](x, classes), space["f"](x, shares))


@pytest.mark.parametrize(("optimizer", "manager", "reason"), [
    (", 0.0, 1024.0", "1024, False", ""),
    (", loss_scale=1024", "1024.0, drop_overflow_update=False", ""),
    ("", "1024", ""),
    ("", "1024, False", ""),
    (", loss_scale=2.0", "1024, False", "its gradients are multiplied by 1024.0 and divided by 2.0"),
    (", loss_scale=2.0", "1024", "its gradients are multiplied by 1.0 and divided by 2.0"),
])  # fmt: skip
def test_a_loss_scale_that_moves_weights_is_kept(optimizer, manager, reason):
    translation = translate_source(
        f"{HEAD}scale = ms.FixedLossScaleManager({manager})\nnet = nn.Dense(2, 2)\n"
        f"optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9{optimizer})\n"
        f"model = ms.Model(net, nn.MSELoss(), optimizer, loss_scale_manager=scale)\n"
    )
    kept = [site.reason for site in translation.sites if not site.settled]
    # what the Model is given stays with it
    assert kept == [f"its Model stays: {reason}", reason] * bool(reason)


def test_optimizers():
    body = "from mindspore.experimental import optim\n\n\n"
    body += "layer = nn.Dense(3, 2)\np = layer.trainable_params()\n"
    body += "".join(f"o{k} = {optimizer}\n" for k, optimizer in enumerate(OPTIMIZERS))
    body += "".join(f"\n\ndef f{k}(gradients):\n    o{k}(gradients)\n" for k in range(len(OPTIMIZERS)))
    ours, theirs, translation = both(body)
    random = np.random.RandomState(3)
    start = [random.randn(2, 3).astype(np.float32), random.randn(2).astype(np.float32)]
    steps = [[random.randn(*p.shape).astype(np.float32) for p in start] for _ in range(4)]
    for k, optimizer in enumerate(OPTIMIZERS):
        for values in zip(ours["p"], theirs["layer"].parameters(), start, strict=True):
            values[0].set_data(ms.Tensor(values[2]))
            values[1].data.copy_(torch.tensor(values[2]))
        for gradients in steps:
            ours[f"f{k}"](tuple(map(ms.Tensor, gradients)))
            theirs[f"f{k}"](tuple(map(torch.tensor, gradients)))
        mine = [p.asnumpy() for p in ours["p"]]
        other = [p.numpy(force=True) for p in theirs["layer"].parameters()]
        assert_same(mine, other, optimizer)
        assert not np.array_equal(mine[0], start[0]), optimizer
    assert [site for site in translation.sites if not site.settled] == []


@pytest.mark.parametrize(("made", "given"), [
    ("", "size=(7, 5)"), ("", "scale_factor=2"), ("", "size=(3, 9), align_corners=True"),
    ("True", "size=(7, 5)"), ("True", "scale_factor=2"),
])  # fmt: skip
def test_resizing_from_corners(made, given):
    body = f"resize = nn.ResizeBilinear({made})\n\n\ndef f(x):\n    return resize(x, {given})\n"
    ours, theirs, translation = both(body)
    assert [site for site in translation.sites if not site.settled] == []
    x = np.random.RandomState(5).randn(2, 3, 5, 4).astype(np.float32)
    assert_same(ours["f"](ms.Tensor(x)).asnumpy(), theirs["f"](torch.tensor(x)).numpy(), given)


def _compare(cell, module, shape, layer):
    random = np.random.RandomState(1)
    mine = [
        (name.replace("running_", "moving_").replace("moving_var", "moving_variance"), t)
        for name, t in module.state_dict().items()
        if "num_batches" not in name
    ]
    for parameter in cell.get_parameters():
        value = random.rand(*parameter.shape).astype(np.float32)
        parameter.set_data(ms.Tensor(value))
        name = parameter.name.rpartition(".")[2]
        for at, (other, tensor) in enumerate(mine):
            leaf = other.rpartition(".")[2]
            if tensor.numel() == value.size and leaf in (name, NAMES.get(name, name)):
                tensor.copy_(torch.tensor(value).reshape(tensor.shape))
                mine.pop(at)
                break
        else:
            assert "InstanceNorm" in layer and "moving" in name, (
                f"no partner for {parameter.name} {parameter.shape}"
            )
    assert mine == []
    x = random.randn(*shape).astype(np.float32)
    cell.set_train()
    module.train()
    assert_same(plain(cell(ms.Tensor(x))), plain(module(torch.tensor(x))), layer)
    cell.set_train(False)
    module.eval()
    given = torch.tensor(x, requires_grad=True)
    out = module(given)
    assert_same(plain(cell(ms.Tensor(x))), plain(out), layer)
    first = out[0] if isinstance(out, tuple) else out
    first.sum().backward()
    gradient = ms.grad(lambda v: (lambda r: r[0] if isinstance(r, tuple) else r)(cell(v)).sum())(ms.Tensor(x))
    np.testing.assert_allclose(plain(gradient), given.grad.numpy(), 1e-4, 1e-5, err_msg=layer)


def test_a_call_of_an_earlier_meaning_is_kept(monkeypatch):
    monkeypatch.setattr(generation, "_set", (1, 9))
    text = "from mindspore import nn, ops\nfc = nn.Dense(3, 2)\ny = ops.split(x, 1, 2)\nz = ops.relu(x)\n"
    translation = translate_source(text)
    assert [s.reason for s in translation.sites if not s.settled] == [
        "split(x, axis, output_num) cuts into equal parts before 2.0"]
    assert "nn.Linear(3, 2)" in translation.text and "F.relu(x)" in translation.text
    monkeypatch.undo()
    assert "torch.split(x, 1, dim=2)" in translate_source(text).text


def test_every_form_names_arguments_that_its_call_has():
    load()
    for name, one in CALLS.items():
        form = form_of(name)
        if one.write is not None or form is None:
            continue
        places = set(re.findall(r"(?<!\{)\{(\w+)\??\}", one.form))
        has = {*form.order, *form.made, *form.defaults, form.rest, "self"}
        assert places <= has, name
        if name.startswith("mindspore.Tensor."):  # or its own Tensor would be an argument without a rule
            assert places >= {*form.order[:1]}, name
