"""What layers say when torch refuses their input: MindSpore's kind of error, in its words."""

from __future__ import annotations

import torch

from ms2torch._core.checks.refusals import translate
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._core.torch_private import out_of_memory


def _type(x) -> str:
    return f"Tensor[{x.dtype}]" if isinstance(x, Tensor) else str(type(x))


def not_tensor(err: Exception, name: str, *args) -> Exception:
    """The error for ``args`` that hold something else than Tensors; other errors as they come."""
    wrong = next((a for a in args if not isinstance(a, Tensor)), None)
    if wrong is not None or None in args:
        return TypeError(f"For primitive[{name}], the input argument must be Tensor, but got {type(wrong)}.")
    if err.__class__ is RuntimeError:
        return translate(err, name, tuple(a._t for a in args))
    return err


def dense_error(err: Exception, x, weight) -> Exception:
    """For ``x @ weight.T``: dtypes that differ, inner dimensions that differ, no dimension at all."""
    if not isinstance(x, Tensor):
        return not_tensor(err, "Shape", x)
    if x.ndim == 0:
        return IndexError("tuple index out of range")
    if x.dtype is not weight.dtype:
        return TypeError(f"For 'MatMul', the type of 'x2' should be same as 'x1', but got 'x1' with type "
                         f"Tensor[{x.dtype}] and 'x2' with type Tensor[{weight.dtype}].")
    if x.shape[-1] != weight.shape[-1]:
        return ValueError("For 'MatMul' the input dimensions must be equal, but got "
                          f"'x1_col': {x.shape[-1]} and 'x2_row': {weight.shape[-1]}.")
    return translate(err, "MatMul", (x._t, weight._t), torch.nn.functional.linear)


def conv_error(err: Exception, name: str, x, weight, group: int, dims: int) -> Exception:
    """For a convolution over ``dims`` dimensions."""
    if not isinstance(x, Tensor):
        return not_tensor(err, name, x)
    if x.dtype is not weight.dtype:
        return TypeError(f"For primitive[{name}], the input type must be same.\n"
                         f"name:[w]:Ref[Tensor[{weight.dtype}]].\nname:[x]:Tensor[{x.dtype}].")
    if x.ndim != dims + 2:
        return ValueError(f"For primitive[{name}], the x shape size must be equal to {dims + 2}, but got "
                          f"{x.ndim}.")
    channels, inside = x.shape[1], weight.shape[1]
    if channels != inside * group and name == "Conv3D":         # each group by itself
        if channels % group:
            return ValueError(f"For 'Split', x_shape[1] must be divisible by output_num = {group}, but got "
                              f"{channels}")
        return ValueError("For 'Conv3D', 'C_in' of input 'x' shape divide by parameter 'group' must be equal "
                          f"to 'C_in' of input 'weight' shape: {inside}, but got 'C_in' of input 'x' shape: "
                          f"{channels // group}, and 'group': 1.")
    if channels != inside * group:
        return RuntimeError(f"For '{name}', 'C_in' of input 'x' shape divide by parameter 'group' must be "
                            f"equal to 'C_in' of input 'weight' shape: {inside}, but got 'C_in' of input 'x' "
                            f"shape: {channels}, and 'group': {group}.")
    all_else_fits = err.__class__ is RuntimeError and "Transpose" not in name
    if all_else_fits and not out_of_memory(err):
        return ValueError("For 'Conv2d', input shape's h and w after padding must be greater than or equal "
                          "to kernel_size's h and w respectively.")
    return translate(err, name, (x._t, weight._t))


def norm_error(err: Exception, x, gamma) -> Exception:
    """For batch normalisation: channels or dtypes that do not fit."""
    if not isinstance(x, Tensor):
        return not_tensor(err, "Shape", x)
    if x.dtype not in (_dtype.float16, _dtype.float32, _dtype.bfloat16):
        return TypeError("For primitive[BatchNorm], the input argument[input_x] must be a type of "
                         f"{{Tensor[Float16], Tensor[Float32]}}, but got Tensor[{x.dtype}].")
    if x.shape[1] != gamma.shape[0]:
        return ValueError("For BatchNorm, scale.shape[0] should be equal to input_x's channel dimension: "
                          f"{x.shape[1]}, bug got scale.shape[0]: {gamma.shape[0]}.")
    return translate(err, "BatchNorm", (x._t,))
