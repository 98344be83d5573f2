"""Plain arguments of the kinds that MindSpore refuses where PyTorch takes them for others: bools and numbers for
each other, None, Tensors without axes, and names that only another form has."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, ops

from tests.reference.judge import case
from tests.reference.test_wrong_calls import said

F = mint.nn.functional


def told(function, *args, **named):
    ms.set_context(pynative_synchronize=True)
    return said(function, args, named)


def X():
    return Tensor(np.array([[1., 2.], [3., 4.]], np.float32))


KINDS = (0, True, 0.0, None)


@case(each={"name": ["all", "argmax", "argmin", "sum", "mean", "prod"]})
def test_whether_axes_stay(name):
    return [told(getattr(space, name), X(), **{word: kind}) for space, words in (
        (mint, ("keepdim",)), (ops, ("keepdim", "keep_dims", "keepdims"))) for word in words for kind in KINDS
        if (space, name, word) not in ((ops, "argmax", "keep_dims"), (ops, "argmax", "keepdims"),
                                       (ops, "argmin", "keep_dims"))               # (older releases have these)
        and not (space is mint and kind is True)]


@case()
def test_numbers_and_bools_for_each_other():
    x = X()
    return ([told(mint.diff, x, dim=True), told(mint.diff, x, n=0.0), told(ops.dist, x, x, p=True)],
            [told(ops.count_nonzero, x, keep_dims=kind) for kind in KINDS],
            [told(ops.bernoulli, x / 4, seed=kind) for kind in (0.0, Tensor(0))],
            [told(getattr(ops, name), x, training=kind) for name in ("dropout1d",) for kind in KINDS],
            [told(getattr(ops, name), x, ddof=0.0) for name in ("std", "var", "std_mean", "var_mean")],
            [told(F.dropout, x, **{word: kind}) for word in ("training", "inplace") for kind in (0, 0.0, None)],
            [told(F.dropout2d, x, 0.5, training=kind) for kind in (0, 0.0, None)],
            [told(F.elu_, x, kind) for kind in (0, True)], told(mint.sort, x, stable=None),
            [told(ops.gather, Tensor([[1, 0]], ms.int32), Tensor([0], ms.int32), kind) for kind in (True, 0)],
            [told(ops.nansum, x, keepdims=kind) for kind in KINDS],
            [told(x.to, ms.float16, **{word: kind}) for word in ("copy", "non_blocking") for kind in KINDS],
            [told(x.trace, True), told(ops.trapz, x, dx=None), told(mint.triangular_solve, x, x, transpose=0)],
            [told(ops.grad, lambda a: a, sens_param=kind) for kind in (0, None, np.bool_(True))],
            told(ops.GradOperation, get_all=np.bool_(True)))


@case()
def test_tensors_without_axes():
    x, zero = X(), Tensor(0)
    return (told(mint.cdist, x, x, zero), told(ops.hardshrink, x, zero), told(mint.nan_to_num, x, zero),
            told(ops.fft2, x, dim=zero), told(ops.norm, x, zero), told(ops.vector_norm, x, axis=zero),
            told(ops.pdist, x, zero), told(x.std, ddof=zero), told(x.all, keep_dims=zero),
            told(x.argmax, keepdim=zero), told(F.dropout, x, zero))


@case()
def test_forms_and_devices():
    x = X()
    return ([told(mint.clamp, x, x, max=0), told(mint.clamp, x, 0, x), told(mint.squeeze, x, None)],
            [told(mint.normal, mean=kind) for kind in KINDS[:3]],
            [told(getattr(mint, name), 2, device=0) for name in ("rand", "randn")],
            [told(getattr(mint, name), x, device=0) for name in ("rand_like", "randn_like")],
            [told(ops.pad, Tensor([[1]], ms.int32), (1, 1), mode=kind) for kind in KINDS],
            [told(getattr(ops, name), x, dim=0) for name in ("max", "cummax", "cumsum", "amin", "any", "nanmean")],
            [told(getattr(x, name), **named) for name in ("amax", "amin") for named in ({"dim": 0}, {"axis": 0})],
            [told(getattr(x, name), axis=0) for name in ("logsumexp", "cumprod", "unbind")])


@case()
def test_calls_that_are_right():
    x, same = X(), Tensor(np.array([1, 1, 2j], np.complex64))
    empty = Parameter(Tensor(np.zeros((0, 2), np.float32)), name="rows")
    return ([ops.isnan_ext(0), mint.isnan(0.5), mint.isnan(True), mint.isnan(x)],
            [ops.norm(x, keepdim=0), ops.norm(x, keepdim=1)],
            [ops.bitwise_left_shift(Tensor([1, 2], dtype), 3) for dtype in (ms.uint16, ms.uint32, ms.uint64)],
            [ops.bitwise_right_shift(Tensor([16, 2], ms.uint64), 3)],
            [ops.unique_consecutive(same), ops.unique_consecutive(same, True, True), mint.unique_consecutive(same)],
            ops.scatter_mul(empty, Tensor([[0, 1]], ms.int32), Tensor(np.ones((1, 2, 2), np.float32))).shape,
            [x.all(dim=0, keepdim=True), x.all(axis=0, keep_dims=True), x.argmax(dim=0), x.argmin(axis=0)])


@case
def test_numpys_numbers_are_rates():
    """... where nothing has to be drawn, which the real one has no kernel for."""
    x = Tensor(np.ones((2, 3), np.float32))
    return [mint.nn.functional.dropout(x, p, training=False) for p in (np.float32(0.5), np.float64(0.5), np.int64(1))]
