"""Operators that MindSpore has dropped, and what ``mindspore.ops.functional`` had of them: types and shapes
that are asked for, gradient functions before 2.0, normalisation in two steps, transforms over a grid.

MindSpore's names are in ``_naming/data/aliases.tsv``; each text says the last release that had it.
"""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.operators import normalising
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming import generations
from ms2torch.common import dtype as _dtype
from ms2torch.ops import composite
from ms2torch.ops.function._array_scatter import tensor_scatter_elements
from ms2torch.ops.function._writing import write
from ms2torch.ops.function.array_func import fill
from ms2torch.ops.function.grad_func import grad


def issubclass_(type_, dtype) -> bool:
    """Whether a dtype is of a kind: Int8 of ``mindspore.int_`` and ``mindspore.number``
    (``mindspore.issubclass_``, up to 1.10)."""
    if not isinstance(dtype, _dtype.Type):
        raise TypeError(f"The argument `dtype` should be instance of {_dtype.Type}, but got {type(dtype)}.")
    return _dtype._issubclass_(type_, dtype)


class IsSubClass(Primitive):
    """Whether a dtype is of a kind (``mindspore.ops.IsSubClass``, up to 1.10); TypeError for no dtypes."""

    def __init__(self) -> None:
        super().__init__("IsSubClass")

    def __call__(self, sub_type, type_) -> bool:
        check.check_value_type("sub_type", sub_type, [_dtype.Type], self.name)
        check.check_value_type("type_", type_, [_dtype.Type], self.name)
        return issubclass_(sub_type, type_)


# What a graph takes Python's values for.
_KINDS = ((bool, _dtype.bool_), (int, _dtype.int64), (float, _dtype.float32), (str, _dtype.string),
          (list, _dtype.list_), (tuple, _dtype.tuple_))


class IsInstance(Primitive):
    """Whether a value is of a kind of MindSpore's: 1 of ``mindspore.int_``, a Tensor of ``mindspore.tensor``
    (``mindspore.ops.IsInstance``, up to 1.10).

    A Python number counts as what a graph makes of it: int as Int64 (in 1.0 as Int32), float as Float32.
    TypeError where the second is no dtype.
    """

    def __init__(self) -> None:
        super().__init__("IsInstance")

    def __call__(self, inst, type_) -> bool:
        check.check_value_type("type_", type_, [_dtype.Type], self.name)
        if isinstance(inst, Tensor):
            return type_ == _dtype.tensor_type or isinstance(type_, type(_dtype.TensorType(_dtype.int32)))
        kind = next((kind for python, kind in _KINDS if isinstance(inst, python)), None)
        if kind == _dtype.int64 and generations.has_old_meaning("mindspore.ops.IsInstance"):
            kind = _dtype.int32
        return kind is not None and (kind == type_ or issubclass_(kind, type_))


class SameTypeShape(Primitive):
    """Its first Tensor, where both are alike (``mindspore.ops.SameTypeShape``, up to 1.10). TypeError where
    their dtypes differ, ValueError where their shapes do."""

    def __init__(self) -> None:
        super().__init__("SameTypeShape")

    def __call__(self, input_x, input_y):
        for name, value in (("x", input_x), ("y", input_y)):
            check.check_value_type(name, value, Tensor, self.name)
        if input_x.dtype != input_y.dtype:
            raise TypeError(f"For '{self.name}', the 'x dtype' must be equal to 'y dtype', but got "
                            f"{input_x.dtype} and {input_y.dtype}.")
        if input_x.shape != input_y.shape:
            raise ValueError(f"For '{self.name}', the 'x shape' must be equal to 'y shape', but got "
                             f"{input_x.shape} and {input_y.shape}.")
        return input_x


class CheckBprop(Primitive):
    """Its first tuple, where its Tensors are like those of the second: what a ``bprop`` gives beside what it
    is for (``mindspore.ops.CheckBprop``, up to 1.10).

    TypeError for another dtype, ValueError for another shape, or fewer of them; shapes of rank 0 are not
    compared.
    """

    def __init__(self, prim_to_check="") -> None:
        super().__init__("CheckBprop")
        self.prim_to_check = prim_to_check

    def __call__(self, input_x, input_y):
        tips = f"Bprop of {self.prim_to_check}"
        check.check_value_type("grads", input_x, (tuple,), tips)
        check.check_value_type("params", input_y, (tuple,), tips)
        if len(input_x) < len(input_y):
            raise ValueError(f"{tips}, the size of output should be {len(input_y)}, but got {len(input_x)}.")
        for place, (x, y) in enumerate(zip(input_x, input_y, strict=False)):
            if not isinstance(x, Tensor) or not isinstance(y, Tensor):
                continue
            if x.shape and y.shape and x.shape != y.shape:
                raise ValueError(f"{tips}, the shape of {place}th output should be {y.shape}, but got "
                                 f"{x.shape}.")
            if x.dtype != y.dtype:
                raise TypeError(f"{tips}, the dtype of {place}th output should be {y.dtype}, but got "
                                f"{x.dtype}.")
        return input_x


class ScatterElements(Primitive):
    """Data with updates at the places that the indices say along ``axis`` (``mindspore.ops.ScatterElements``,
    1.6 and 1.7); 2.x calls it `TensorScatterElements`."""

    def __init__(self, axis=0) -> None:
        super().__init__("ScatterElements")
        self.add_prim_attr("axis", axis)

    def __call__(self, data, indices, updates):
        return tensor_scatter_elements(data, indices, updates, self.axis)


class FFT3D(Primitive):
    """The three-dimensional Fourier transform of real numbers, (x, y, z) to (x, y, z // 2 + 1) of Complex64
    (``mindspore.ops.FFT3D``, 1.5 to 1.10)."""

    def __init__(self) -> None:
        super().__init__("FFT3D")

    def __call__(self, input_tensor):
        check.check_type_name("input_tensor", input_tensor.dtype, [_dtype.float32], self.name)
        check.check_int(input_tensor.ndim, 3, check.EQ, "input dim", self.name)
        return wrap(torch.fft.rfftn(input_tensor._t))


class IFFT3D(Primitive):
    """`FFT3D`'s way back without a division by the number of points, (x, y, z) to (x, y, 2 (z - 1))
    (``mindspore.ops.IFFT3D``, 1.5 to 1.10)."""

    def __init__(self) -> None:
        super().__init__("IFFT3D")

    def __call__(self, input_tensor):
        check.check_type_name("input_tensor", input_tensor.dtype, [_dtype.complex64], self.name)
        check.check_int(input_tensor.ndim, 3, check.EQ, "input dim", self.name)
        return wrap(torch.fft.irfftn(input_tensor._t, norm="forward"))


# ---- normalisation -----------------------------------------------------------------------------------------

def _axes(x, data_format: str) -> tuple[list[int], list[int]]:
    """The axes over which statistics are taken, and a channel's shape."""
    at = x.ndim - 1 if data_format == "NHWC" else 1
    return [i for i in range(x.ndim) if i != at], [-1 if i == at else 1 for i in range(x.ndim)]


class FusedBatchNorm(Primitive):
    """Batch normalisation that moves its statistics (``mindspore.ops.FusedBatchNorm``, 1.0 and 1.1).

    Called with x, and Parameters (C,) of scale, bias, mean and variance, of which the last two become
    ``(1 - momentum) old + momentum new``, the new variance with the divisor N - 1. Gives y, and those as they
    are then. Both modes, 0 of inputs of rank 2 and 1 of images, normalise each channel over all other axes.
    """

    def __init__(self, mode=0, epsilon=1e-5, momentum=0.1) -> None:
        super().__init__(type(self).__name__)
        self.mode = check.check_int_range(mode, 0, 1, check.INC_BOTH, "mode", self.name)
        self.epsilon = check.check_float_range(epsilon, 0, 1, check.INC_NEITHER, "epsilon", self.name)
        self.momentum = check.check_float_range(momentum, 0, 1, check.INC_BOTH, "momentum", self.name)
        self.format = "NCHW"
        self.add_prim_attr("side_effect_mem", True)

    def __call__(self, input_x, scale, bias, mean, variance):
        return self._normalised(input_x, scale, bias, mean, variance)[:5]

    def _normalised(self, input_x, scale, bias, mean, variance):
        x = input_x._t if self.format == "NCHW" else input_x._t.movedim(-1, 1)
        moved = [held._t.detach().float().clone() for held in (mean, variance)]
        y = normalising.batch_norm(
            x.float(), scale._t, bias._t, *moved, True, self.momentum, self.epsilon, True)
        for held, new in zip((mean, variance), moved, strict=True):
            write(held, lambda old, new=new: new.to(old.dtype))
        y = y.to(x.dtype) if self.format == "NCHW" else y.to(x.dtype).movedim(1, -1)
        return wrap(y), wrap(scale._t), wrap(bias._t), wrap(mean._t), wrap(variance._t)


class FusedBatchNormEx(FusedBatchNorm):
    """`FusedBatchNorm` with what its gradient keeps as a sixth result (``mindspore.ops.FusedBatchNormEx``,
    1.0 and 1.1): here an empty Tensor, for autograd keeps its own. ``data_format`` is "NCHW" or "NHWC"."""

    def __init__(self, mode=0, epsilon=1e-5, momentum=0.1, data_format="NCHW") -> None:
        super().__init__(mode, epsilon, momentum)
        self.format = check.check_string(data_format, ["NCHW", "NHWC"], "format", self.name)

    def __call__(self, input_x, scale, bias, mean, variance):
        found = self._normalised(input_x, scale, bias, mean, variance)
        return (*found, wrap(torch.zeros(0, device=input_x._t.device)))


class BNTrainingReduce(Primitive):
    """The sums of a batch and of its squares by channel, Float32 (``mindspore.ops.BNTrainingReduce``, up to
    2.2)."""

    def __init__(self, data_format="NCHW") -> None:
        super().__init__("BNTrainingReduce")
        self.format = check.check_string(data_format, ["NCHW", "NHWC"], "format", self.name)

    def __call__(self, x):
        t = x._t.float()
        axes, _ = _axes(t, self.format)
        return wrap(t.sum(axes)), wrap((t * t).sum(axes))


class BNTrainingUpdate(Primitive):
    """Batch normalisation by the sums of `BNTrainingReduce` (``mindspore.ops.BNTrainingUpdate``, up to 2.2).

    Called with x, both sums, scale, offset, mean and variance; gives y, the moved mean and variance
    (``factor`` of the batch's, the variance with the divisor N - 1), and the batch's own.
    """

    def __init__(self, isRef=True, epsilon=1e-5, factor=0.1, data_format="NCHW") -> None:
        super().__init__("BNTrainingUpdate")
        check.check_value_type("isRef", isRef, [bool], self.name)
        self.epsilon = check.check_float_range(epsilon, 0, 1, check.INC_RIGHT, "epsilon", self.name)
        self.factor = check.check_float_range(factor, 0, 1, check.INC_BOTH, "factor", self.name)
        self.format = check.check_string(data_format, ["NCHW", "NHWC"], "format", self.name)

    def __call__(self, x, sum, square_sum, scale, offset, mean, variance):
        t = x._t.float()
        _, shape = _axes(t, self.format)
        count = t.numel() // len(sum._t)
        centre = sum._t.float() / count
        spread = square_sum._t.float() / count - centre * centre
        y = (t - centre.reshape(shape)) * torch.rsqrt(spread + self.epsilon).reshape(shape)
        y = y * scale._t.reshape(shape) + offset._t.reshape(shape)
        moved = [held._t.float() * (1 - self.factor) + self.factor * new
                 for held, new in ((mean, centre), (variance, spread * (count / max(count - 1, 1))))]
        return wrap(y.to(x._t.dtype)), *map(wrap, (*moved, centre, spread))


# ---- functions ---------------------------------------------------------------------------------------------

def same_type_shape(input_x, input_y):
    """`SameTypeShape` as a function (``mindspore.ops.same_type_shape``, up to 1.10)."""
    return SameTypeShape()(input_x, input_y)


isinstance_, issubclass_of, check_bprop = IsInstance(), IsSubClass(), CheckBprop()


def print_info(info) -> None:
    """Print a value (``mindspore.ops.functional.print_info``, 1.7 and 1.8)."""
    print(info)


def grad_by_position(fn, weights=None, grad_position=0):
    """A function that gives ``fn``'s gradient by the arguments at ``grad_position``, one or a tuple
    (``mindspore.ops.functional.grad_by_position``, 1.6 to 1.8)."""
    return grad(fn, grad_position)


def grad_by_position_with_sens(fn, weights=None, grad_position=0):
    """`grad_by_position` whose function takes the output's gradient as its last argument
    (``mindspore.ops.functional.grad_by_position_with_sens``, 1.6 to 1.8)."""
    every = composite.GradOperation(get_all=True, sens_param=True)(fn)

    def gradient(*args):
        found = every(*args)
        if isinstance(grad_position, tuple):
            return tuple(found[place] for place in grad_position)
        return found[grad_position]

    return gradient


grad_first_parameter = composite.GradOperation()
grad_all_parameters = composite.GradOperation(get_all=True)


def csr_tensor_get_shape(csr_tensor):
    """The shape of a CSRTensor (``mindspore.ops.functional.csr_tensor_get_shape``, 1.6)."""
    return csr_tensor.shape


def sparse_tensor_get_dense_shape(sparse_tensor):
    """The shape of a SparseTensor or COOTensor (``...functional.sparse_tensor_get_dense_shape``, up to 1.6).
    """
    return sparse_tensor.shape


def sparse_tensor_get_indices(sparse_tensor):
    """The places of its values, (n, rank) (``...functional.sparse_tensor_get_indices``, up to 1.6)."""
    return sparse_tensor.indices


def sparse_tensor_get_values(sparse_tensor):
    """Its values (``...functional.sparse_tensor_get_values``, up to 1.6)."""
    return sparse_tensor.values


def fill_(type, shape, value):
    """A Tensor of one number (``mindspore.ops.fill_``, 1.8 to 2.1), as `fill`."""
    return fill(type, shape, value)
