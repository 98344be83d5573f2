"""Nones that are not what was left out, arguments of two forms at once, attributes that the call refuses."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor, mint, nn, ops
from mindspore.train import CheckpointConfig

from tests.reference.judge import case
from tests.reference.test_wrong_calls import said


def x():
    return Tensor(np.arange(1, 5).reshape(2, 2).astype(np.float32))


def whole():
    return Tensor(np.arange(1, 5).reshape(2, 2).astype(np.int32))


FORMS = {
    "prod, None behind an axis": lambda: x().prod(1, None),
    "prod, two Nones": lambda: x().prod(None, None),
    "prod, keepdim None": lambda: x().prod(1, keepdim=None),
    "prod of a Tensor and a dim": lambda: x().prod(x(), dim=0),
    "prod, a dtype third": lambda: x().prod(0, False, None),
    "sum, keepdim None": lambda: x().sum(0, keepdim=None),
    "sum, keepdims None": lambda: x().sum(0, keepdims=None),
    "sum of a Tensor and a dim": lambda: x().sum(x(), dim=0),
    "sum, two Nones behind": lambda: x().sum(0, None, None),
    "min, dim None": lambda: x().min(dim=None),
    "max, axis None": lambda: x().max(axis=None),
    "max, keepdims None": lambda: x().max(1, keepdims=None),
    "to, device None": lambda: x().to(ms.int32, device=None),
    "to another's, dtype None": lambda: x().to(x(), dtype=None),
    "argmax, keepdim None": lambda: x().argmax(keepdim=None),
    "median, dim None": lambda: x().median(dim=None),
    "mean, keepdim None": lambda: x().mean(keepdim=None),
    "std, correction None": lambda: x().std(correction=None),
    "topk, largest None": lambda: x().topk(1, largest=None),
    "add, alpha None": lambda: x().add(1, alpha=None),
    "add, the Tensor by name": lambda: x().add(input=1),
    "add, the Tensor by name too": lambda: x().add(1, input=1),
    "add of nothing": lambda: Tensor.add(),
    "add of a Tensor by name": lambda: Tensor.add(input=x()),
    "any, the Tensor by name": lambda: x().any(input=1),
    "diag, None": lambda: x().diag(None),
    "diag, a fraction": lambda: x().diag(0.0),
    "tile, a number by name": lambda: x().tile(dims=2),
    "tile, a pair by name": lambda: x().tile(dims=(2, 1)),
    "flatten, a word and a number": lambda: x().flatten("C", 1),
    "flatten, two numbers": lambda: x().flatten(0, 1),
    "var of integers, correction 0": lambda: whole().var(correction=0),
    "var of integers, dim None": lambda: whole().var(dim=None),
    "var of integers": lambda: whole().var(0, 0, True),
    "mint.where, condition by name": lambda: mint.where(condition=x()),
    "mint.where of no axis": lambda: mint.where(Tensor(0)),
    "mint.where of three by name": lambda: mint.where(condition=x() > 2, input=x(), other=0),
    "mint.max, dim None": lambda: mint.max(x(), dim=None),
    "mint.max, a dim of a Tensor": lambda: mint.max(x(), dim=Tensor(0)),
    "mint.max, a truth for dim": lambda: mint.max(x(), dim=True),
    "mint.any, dim None": lambda: mint.any(x(), dim=None),
}


@case(each={"given": list(FORMS)})
def test_forms(given):
    return said(FORMS[given], (), {})


CALLS = {
    "CeLU of an int": lambda: ops.CeLU(1)(x()),
    "CeLU of numpy's int": lambda: ops.CeLU(np.int64(1))(x()),
    "CeLU made of an int": lambda: type(ops.CeLU(1)).__name__,
    "CeLU of numpy's fraction": lambda: ops.CeLU(np.float32(0.5))(x()),
    "Elu of an int": lambda: ops.Elu(1)(x()),
    "Elu of a truth": lambda: ops.Elu(True)(x()),
    "BatchNorm, epsilon 0": lambda: _normalised(epsilon=0.0),
    "BatchNorm, epsilon an int": lambda: _normalised(epsilon=1),
    "BatchNorm, epsilon 1.5": lambda: _normalised(epsilon=1.5),
    "BatchNorm, epsilon 1.0": lambda: _normalised(epsilon=1.0),
    "BatchNorm, a number for its layout": lambda: ops.BatchNorm(data_format=1),
    "BatchNorm, no layout": lambda: ops.BatchNorm(data_format="x"),
    "Conv3DTranspose, dilation": lambda: ops.Conv3DTranspose(2, 2, 2, dilation=2),
    "Conv3DTranspose, dilations": lambda: ops.Conv3DTranspose(2, 2, 2, dilation=(2, 1, 1)),
    "Conv2DTranspose, same and padded": lambda: ops.Conv2DTranspose(2, 2, pad_mode="same", pad=1),
    "Conv2DBackpropInput, valid and padded": lambda: ops.Conv2DBackpropInput(2, 2, pad_mode="valid", pad=1),
    "FillV2 of fractions": lambda: ops.FillV2()((2.0,), Tensor(1.0)),
    "FillV2 of truths": lambda: ops.FillV2()((True,), Tensor(1.0)),
    "FillV2 of a number": lambda: ops.FillV2()(2, Tensor(1.0)),
    "scales, a truth of Python's": lambda: _scales()(Tensor(1024.0), True),
    "scales, a number for the truth": lambda: _scales()(Tensor(1024.0), Tensor(1)),
    "scales, a truth for the scale": lambda: _scales()(True, Tensor(True)),
    "clip_by_norm, several norms": lambda: ops.clip_by_norm(x(), x()),
    "clip_by_norm, a norm": lambda: ops.clip_by_norm(x(), Tensor(1.0)),
    "cosine_similarity, a truth": lambda: ops.cosine_similarity(x(), x(), eps=True),
    "diff, a Tensor for the axis": lambda: ops.diff(x(), axis=Tensor(0)),
    "dropout, a whole Tensor": lambda: ops.dropout(x(), Tensor(0)),
    "softplus, a Tensor of 0": lambda: ops.softplus(x(), Tensor(0)),
    "softplus, False": lambda: ops.softplus(x(), False),
    "mint's softplus, 0": lambda: mint.nn.functional.softplus(x(), 0),
    "trapz, places of no axis": lambda: ops.trapz(x(), Tensor(0)),
    "trapz, no distance": lambda: ops.trapz(x(), x(), dx=None),
    "embedding, a whole norm": lambda: mint.nn.functional.embedding(whole() - 1, x(), norm_type=2),
    "soft_margin_loss, other shapes": lambda: mint.nn.functional.soft_margin_loss(x(), Tensor([1.0, -1.0])),
    "NLLLoss made of no reduction": lambda: type(ops.NLLLoss(None)).__name__,
    "NLLLoss of no reduction": lambda: ops.NLLLoss(None)(x(), Tensor(np.int32([0, 1])), Tensor([1.0, 2.0])),
    "Meshgrid of no order": lambda: ops.Meshgrid(None)((Tensor([1.0]), Tensor([2.0]))),
    "GridSampler3D made of no mode": lambda: type(ops.GridSampler3D(None)).__name__,
    "BatchNorm of no layout": lambda: _normalised(data_format=None),
    "BCELoss of no reduction": lambda: nn.BCELoss(reduction=None),
    "the class of Tensors": lambda: ops.asinh(Tensor),
    "the class of Tensors for a seed": lambda: ops.RandomShuffle(1, Tensor),
    "a COOTensor": lambda: ops.bessel_j0(_sparse()),
    "a COOTensor for an array": lambda: mnp.fliplr(_sparse()),
    "copy_, a number for a truth": lambda: x().copy_(x(), 1),
    "gather, numpy's axis": lambda: x().gather(Tensor(0), np.int64(1)),
    "masked_scatter by numbers": lambda: x().masked_scatter(whole(), Tensor([1.0])),
    "conv3d in no groups": lambda: ops.conv3d(*_volumes(), groups=-1),
    "PReLU of nothing": lambda: nn.PReLU(3)(Tensor(np.zeros((0, 3), np.float32))),
    "LowerBound by a truth": lambda: ops.LowerBound(True),
    "Partial of a number": lambda: ops.Partial()(0.5),
    "append beyond the axes": lambda: mnp.append(Tensor(np.zeros((0,), np.float32)), x(), 1),
    "CheckpointConfig, numpy's number": lambda: CheckpointConfig(append_info=np.float32(2.0)),
    "names of inputs that are none": lambda: ops.ReLU().init_prim_io_names(3, None),
    "cdist by no mode": lambda: mint.cdist(x(), x(), compute_mode="none such"),
}


def _normalised(**given):
    return ops.BatchNorm(**given)(Tensor(np.ones((1, 2, 1, 1), np.float32)), *[Tensor([1.0, 2.0])] * 4)[0]


def _sparse():
    return ms.COOTensor(Tensor([[0, 1], [1, 0]], ms.int32), Tensor([1.0, 2.0]), (2, 2))


def _volumes():
    return Tensor(np.ones((1, 2, 3, 3, 3), np.float32)), Tensor(np.ones((2, 2, 2, 2, 2), np.float32))


def _scales():
    return nn.DynamicLossScaleUpdateCell(1024, 2, 3)


@case(each={"given": list(CALLS)})
def test_calls(given):
    return said(CALLS[given], (), {})


@case(each={"what": ["std", "var", "sum", "prod", "min", "max", "split", "tile", "all"]})
def test_one_argument_under_two_names(what):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    named = {"min": {"axis": 1}, "max": {"axis": 1}, "split": {"split_size": 1}, "tile": {"dims": (2,)}}.get(what, {"dim": 1})
    return said(getattr(x, what), ((1,) if what == "tile" else 1,), named)


@case
def test_methods_of_sparse_tensors_are_told_by_their_kind():
    sparse, coordinates = ms.CSRTensor(Tensor([0, 1]), Tensor([0]), Tensor([1.0]), (1, 2)), ms.COOTensor(Tensor([[0, 0]]), Tensor([1.0]), (1, 2))
    return [said(f, args, {}) for f, args in ((sparse.astype, ()), (sparse.abs, (1,)), (coordinates.abs, (1,)), (Tensor([1.0]).astype, (np.float32(2),)),
                                              (Tensor([1.0]).astype, (...,)))]
