"""Pooling layers (``mindspore.nn.layer.pooling``).

MindSpore's strides are 1 by default, not the kernel's size as in torch; ``pad_mode`` is "valid", "same" or
"pad".
"""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.devices import device
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function import _nn_adaptive_pool as adaptive
from ms2torch.ops.function import _nn_pool as kernels
from ms2torch.ops.function._nn_pool import avg_pooled, max_pooled

from ..cell import Cell
from ._errors import not_tensor
from ._parts import Part
from ._pool_sizes import check_dilation, check_output_size, check_sizes

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d",
    "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "MaxPool1d",
    "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


def _positive(name: str, value, cell: str):
    check.check_value_type(name, value, [int, tuple], cell)
    values = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(v, int) and v > 0 for v in values):
        raise ValueError(f"For '{cell}', the '{name}' must be an positive int number or a tuple, but got "
                         f"{value}")
    return values[0] if len(values) == 1 else value


class _PoolNd(Cell):
    """What the pooling layers share; ``_window`` and ``_step`` are what torch is given."""

    _dims = 2
    _operator = ""
    _floats = frozenset((torch.float16, torch.bfloat16, torch.float32, torch.float64))
    _sizes_later = False            # whether lengths of sizes are asked about when the layer is called

    def __init__(self, kernel_size, stride, pad_mode, data_format="NCHW") -> None:
        super().__init__()
        name = self.cls_name
        check.check_value_type("pad_mode", pad_mode, [str], name)
        self.pad_mode = check.check_string(pad_mode.upper(), ["VALID", "SAME", "PAD"], "pad_mode", name)
        self.format = check.check_string(data_format, ["NCHW", "NHWC"], "format", name)
        if data_format == "NHWC":
            raise unsupported(f"mindspore.nn.{name}(data_format='NHWC')", "MindSpore has it on GPU alone.",
                              "transpose the input to NCHW.")
        self.kernel_size = _positive("kernel_size", kernel_size, name)
        self.stride = _positive("stride", stride, name)
        self._window, self._step = self._sizes("kernel_size"), self._sizes("stride")
        self._mode = self.pad_mode                  # MindSpore's operator is made here, whatever is assigned

    def _sizes(self, name: str) -> tuple[int, ...]:
        value = getattr(self, name)
        if isinstance(value, int):
            return (value,) * self._dims
        if len(value) != self._dims and self.cls_name == "MaxPool2d" and self.pad_mode != "PAD":
            attribute = "strides" if name == "stride" else name
            raise ValueError(f"For 'MaxPool' attr '{attribute}' must be an positive int number or a tuple of "
                             f"two positive int numbers, but got {value}")
        if len(value) != self._dims and not self._sizes_later:
            raise ValueError(f"For {self.cls_name}, the length of {name} must be equal to {self._dims}, "
                             f"but got {len(value)}.")
        return value

    def _single_sizes(self) -> tuple[int, int]:
        """Those of one dimension, which are no tuples."""
        for name in ("kernel_size", "stride"):
            check.check_int(getattr(self, name), 1, check.GE, name, self.cls_name)
        return self.kernel_size, self.stride

    def _each_side(self, padding) -> tuple[int, ...]:
        """``padding`` as one number per dimension."""
        name = self.cls_name
        check.check_value_type("padding", padding, (int, tuple, list), name)
        if isinstance(padding, int):
            return (padding,) * self._dims
        check.check_non_negative_int_sequence(padding, "padding", name)
        if len(padding) == 1:
            return tuple(padding) * self._dims
        if len(padding) != self._dims:
            raise ValueError(self._wrong_padding(len(padding)))
        return tuple(padding)

    def _wrong_padding(self, count: int) -> str:
        return f"For {self.cls_name}, the length of padding must equal to {self._dims}, but got {count}."

    def _takes(self, dtype) -> bool:
        """Whether another dtype than a float is right."""
        return False

    def _wrong_dtype(self, dtype) -> Exception:
        return TypeError(f"For primitive[{self._operator}], the input argument[x] must be a float Tensor, "
                         f"but got Tensor[{dtype}].")

    def _batched(self, x):
        """The torch tensor with a batch dimension, and whether it was added."""
        try:
            t = x._t
        except AttributeError as err:
            raise not_tensor(err, self._operator, x) from None
        if t.dtype not in self._floats and not self._takes(t.dtype):
            raise self._wrong_dtype(from_torch(t.dtype))
        if t.ndim == self._dims + 1:
            return t.unsqueeze(0), True
        if t.ndim != self._dims + 2:
            raise self._wrong_rank(t.ndim)
        return t, False

    def _in_space(self) -> None:
        """The operator behind is that of three dimensions, which takes no bfloat16 on a CPU."""
        if device.has_cpu_kernels():
            self._floats = self._floats - {torch.bfloat16}

    def _wrong_rank(self, rank: int) -> Exception:
        return ValueError(f"For primitive[{self._operator}], the length of input must be equal to "
                          f"{self._dims + 2} , but got {rank}.")

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


def _in_space(cell, sizes) -> tuple[int, ...]:
    """Sizes of a layer, with ones for the dimensions that it lacks of three."""
    return (1,) * (3 - cell._dims) + tuple(sizes)


def _sides_in_space(cell) -> tuple[int, ...]:
    return (0,) * (3 - cell._dims) + cell._sides


def _plain_arguments(cell) -> dict:
    return {"kernel_size": cell.kernel_size, "strides": cell.stride, "pad_mode": cell._mode}


def _avg_pool(cell):
    """The operator of an average pooling: that of three dimensions where the others do not suffice."""
    from ms2torch import ops

    if cell._count_pads is None:
        return ops.AvgPool(**_plain_arguments(cell))
    return ops.AvgPool3D(
        _in_space(cell, cell._window), _in_space(cell, cell._step), cell._mode.lower(),
        tuple(p for p in _sides_in_space(cell) for _ in (0, 1)), cell.ceil_mode, cell.count_include_pad,
        cell.divisor_override or 0)


def _max_pool(cell):
    """The operator of a max pooling: with indices where the others do not suffice."""
    from ms2torch import ops

    if not cell.use_pad:
        if cell._dims < 3:
            return ops.MaxPool(**_plain_arguments(cell))
        return ops.MaxPool3D(**_plain_arguments(cell), ceil_mode=None)
    if cell._dims == 3 and cell._dilation == 1 and not cell.return_indices:
        return ops.MaxPool3D(cell.kernel_size, cell.stride, "pad", cell._sides, cell._ceil)
    dilation = (cell._dilation,) * 3 if isinstance(cell._dilation, int) else _in_space(cell, cell._dilation)
    return ops.MaxPool3DWithArgmax(_in_space(cell, cell._window), _in_space(cell, cell._step),
                                   _sides_in_space(cell), dilation, cell._ceil)


_MAX_POOL = {1: torch.max_pool1d, 2: torch.max_pool2d, 3: torch.max_pool3d}


class _MaxPool(_PoolNd):
    _operator = "MaxPool"
    _direct = None

    def _set(self, padding, dilation, return_indices, ceil_mode) -> None:
        self.return_indices = return_indices
        self.use_pad = self.pad_mode == "PAD"
        if not self.use_pad and (padding != 0 or dilation != 1 or return_indices or ceil_mode):
            raise ValueError(
                f"For {self.cls_name}, the parameter 'padding', 'dilation', 'return_indices', 'ceil_mode' "
                "can not be set to non-default value when pad_mode is not 'pad', but got "
                f"pad_mode:{self.pad_mode.lower()}.")
        self._sides = self._each_side(padding if self.use_pad else 0)
        if self.use_pad:
            self.padding = (0,) * (3 - self._dims) + self._sides
            self._in_space()
            check_sizes("MaxPool3DWithArgmax", (1,) * (3 - self._dims), self._dims,
                        ksize=self.kernel_size, strides=self.stride)
        elif self._dims == 2:
            check_sizes("MaxPool", (), 2, kernel_size=self.kernel_size, strides=self.stride)
        if isinstance(dilation, tuple) and len(dilation) not in (1, self._dims):
            lengths = "1" if self._dims == 1 else f"1 or {self._dims}"
            raise ValueError(f"For {self.cls_name}, the length of 'dilation' must be {lengths}, "
                             f"but got {len(dilation)}.")
        if not isinstance(dilation, (int, tuple)):
            raise ValueError(f"For {self.cls_name}, the 'dilation' must be int or tuple, but got "
                             f"{type(dilation)}.")
        if self.use_pad:
            check_dilation(self._dims, dilation)
        self._dilation, self._ceil = dilation, ceil_mode
        self._settle(ceil_mode)

    def _takes(self, dtype) -> bool:
        """Integers, where the operator is the one with indices."""
        plain = not self.use_pad or (self._dims == 3 and self._dilation == 1 and not self.return_indices)
        return not (plain or dtype.is_complex or dtype in (torch.bool, torch.bfloat16))

    def _settle(self, ceil_mode) -> None:
        """What one torch call needs, where one does: ``_direct``."""
        wide = self.use_pad and any(2 * p > k for p, k in zip(self._sides, self._window, strict=True))
        if self.pad_mode != "SAME" and not self.return_indices and not wide:
            sides = self._sides if self.use_pad else 0
            self._direct = (self._window, self._step, sides, self._dilation, ceil_mode)

    max_pool = Part(_max_pool)

    def construct(self, x):
        direct = self._direct
        indices = self.return_indices and self._mode == "PAD"
        if direct is not None and not indices:
            try:
                t = x._t
                if t.ndim == self._dims + 2 and t.dtype in self._floats and t.numel():
                    return wrap(_MAX_POOL[self._dims](t, *direct))
            except (RuntimeError, AttributeError):
                # What torch refuses, the way below explains.
                pass
        t, added = self._batched(x)
        if self.use_pad and any(2 * p > k for p, k in zip(self._sides, self._window, strict=True)):
            raise self._wide_padding()
        y = max_pooled(t, self._window, self._step, self._mode, self._sides, self._dilation, self._ceil,
                       indices)
        if indices:
            return tuple(wrap(v.squeeze(0) if added else v) for v in y)
        return wrap(y.squeeze(0) if added else y)

    def _wide_padding(self) -> Exception:
        lead = (1,) * (3 - self._dims)
        sizes = ", ".join(map(str, (*lead, *self._window)))
        pads = ", ".join(map(str, (*(0 for _ in lead), *self._sides)))
        return ValueError("For Maxpool3DWithArgmax, pads should be less equal to the half of ksize, but got "
                          f"ksize is[[const vector]{{{sizes}}}], pads is[[const vector]{{{pads}}}].")


class MaxPool2d(_MaxPool):
    """2-d max pooling of (N, C, H, W) or (C, H, W) (``mindspore.nn.MaxPool2d``).

    ``kernel_size`` and ``stride`` are 1 by default. ``padding``, ``dilation``, ``ceil_mode`` and
    ``return_indices`` go with ``pad_mode`` "pad" alone, else ValueError.
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False, data_format="NCHW") -> None:
        super().__init__(kernel_size, stride, pad_mode, data_format)
        self._set(padding, dilation, return_indices, ceil_mode)


def _asked(wrong: Exception) -> Exception:
    wrong.asked = True                          # no table knows it better
    return wrong


def _without_axis(rank: int, who: str) -> Exception:
    """What is said of a rank where the operator gets two more axes."""
    if rank < 2:
        return ValueError("Dimension out of range (expected to be in range of "
                          f"[{-rank - 1}, {rank + 1}), but got 2)")
    return ValueError(f"For primitive[{who}rank must be equal to 5, but got {rank + 2}.")


class MaxPool1d(_MaxPool):
    """1-d max pooling of (N, C, L) or (C, L) (``mindspore.nn.MaxPool1d``); arguments as MaxPool2d, ints."""

    _dims = 1
    _sizes_later = True

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        kernel_size, stride = self._single_sizes()
        self._set(padding, dilation, return_indices, ceil_mode)
        lead = (1, 1) if self.use_pad else (1,)
        self.kernel_size, self.stride = (*lead, kernel_size), (*lead, stride)

    def _wrong_rank(self, rank: int) -> Exception:
        if self.use_pad:
            return _without_axis(rank, "MaxPool3DWithArgmax], the input x ")
        return ValueError(f"For '{self.cls_name}', the input must has 3 dim, but got {rank}")


class MaxPool3d(_MaxPool):
    """3-d max pooling of (N, C, D, H, W) or (C, D, H, W) (``mindspore.nn.MaxPool3d``)."""

    _dims = 3
    _operator = "MaxPool3D"
    _sizes_later = True

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        places = bool(dilation != 1 or return_indices)
        if places and self.pad_mode != "PAD":
            raise ValueError(f"For {self.cls_name}, the pad_mode must be 'pad' when dilation is not 1 or "
                             f"return_indices is True, but got pad_mode:{pad_mode}.")
        self.return_indices, self.use_pad = return_indices, self.pad_mode == "PAD"
        operator, window, lead = ("MaxPool3DWithArgmax", "ksize", ()) if places else \
            ("MaxPool3D", "kernel_size", (1, 1))
        check_sizes(operator, lead, 3, **{window: self.kernel_size, "strides": self.stride})
        if places:
            check_dilation(3, dilation)
        self._sides = self._each_side(padding)
        if self.pad_mode != "PAD" and any(self._sides):
            raise ValueError("For 'MaxPool3D', the 'pad_list' must be zero or (0, 0, 0, 0, 0, 0) when "
                             f"'pad_mode' is not \"pad\", but got 'pad_list' is {self._sides} and "
                             f"'pad_mode' is {self.pad_mode.lower()}.")
        self._dilation, self._ceil = dilation if places else 1, ceil_mode
        self._in_space()


class _AvgPool(_PoolNd):
    _operator = "AvgPool"

    def _set(self, padding, ceil_mode, count_include_pad, divisor_override=None) -> None:
        self._sides = self._each_side(padding)
        self.ceil_mode, self.count_include_pad = ceil_mode or False, count_include_pad
        self.divisor_override = divisor_override
        plain = self._dims < 3 and self.pad_mode != "PAD" and not ceil_mode and count_include_pad
        self._count_pads = None if plain and divisor_override is None else count_include_pad
        self._counting = (self.ceil_mode, self._count_pads, divisor_override)
        if self._count_pads is not None:
            self._in_space()
            if self._dims == 2:
                self._sizes_later = False
                self._sizes("kernel_size"), self._sizes("stride")
            check_sizes("AvgPool3D", (1, 1) + (1,) * (3 - self._dims), self._dims,
                        kernel_size=self.kernel_size, strides=self.stride)
        if divisor_override is not None and divisor_override <= 0:
            raise ValueError(f"For '{self.cls_name}', the 'divisor_override' must be > 0, but got "
                             f"{divisor_override}.")
        if self.pad_mode != "PAD" and any(self._sides):
            pads = (0, 0) * (3 - self._dims) + tuple(p for p in self._sides for _ in (0, 1))
            raise ValueError("For 'AvgPool3D', the 'pad' must be zero or (0, 0, 0, 0, 0, 0) when 'pad_mode' "
                             "is not "
                             f"\"PAD\", but got 'pad' is {pads} and 'pad_mode' is {self.pad_mode.lower()}.")
        if any(p < 0 for p in self._sides):
            raise ValueError("For 'AvgPool3D', the 'pad or item of pad' must be int and must >= 0, but got "
                             f"'{min(self._sides)}' with type 'int'.")
        if self._count_pads is not None:            # (else whatever is false is, whatever is true is true)
            for name, value in (("ceil_mode", ceil_mode), ("count_include_pad", count_include_pad)):
                if value.__class__ is not bool:
                    raise TypeError(f"For 'AvgPool3D', the type of '{name}' should be 'bool', but got type "
                                    f"'{type(value).__name__}'.")

    def _wrong_padding(self, count: int) -> str:
        if self._dims == 1:
            return (f"For {self.cls_name}, the padding must be a int or tuple/list contains one int, but got "
                    f"tuple/list with length:{count}.")
        return (f"For {self.cls_name}, the padding must be a int or tuple/list contains 1 or {self._dims} "
                f"int, but got tuple/list with length:{count}.")

    avg_pool = Part(_avg_pool)

    def construct(self, x):
        t, added = self._batched(x)
        y = self._pooled(t)
        if self._count_pads is not None and not y.numel():
            sizes = ", ".join(map(str, (*y.shape[:2], *(1,) * (3 - self._dims), *y.shape[2:])))
            raise RuntimeError("For 'AvgPool3D', output shape's all elements must be positive, but got "
                               f"shape: [const vector]{{{sizes}}}.Please check input parameter!")
        return wrap(y.squeeze(0) if added else y)

    def _pooled(self, t):
        return avg_pooled(t, self._window, self._step, self._mode, self._sides, *self._counting)


class AvgPool2d(_AvgPool):
    """2-d average pooling of (N, C, H, W) or (C, H, W) (``mindspore.nn.AvgPool2d``).

    ``kernel_size`` and ``stride`` are 1 by default; "same" divides by the number of real elements. Of four
    sizes, as the operator has them, the last two are the window's.
    """

    _sizes_later = True

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
                 count_include_pad=True, divisor_override=None, data_format="NCHW") -> None:
        super().__init__(kernel_size, stride, pad_mode, data_format)
        self._set(padding, ceil_mode, count_include_pad, divisor_override)

    def _pooled(self, t):
        for name, told in (("_window", "kernel"), ("_step", "strides")):
            size = getattr(self, name)
            if len(size) not in (2, 4):
                raise ValueError(f"For primitive[AvgPool], the {told} must be equal to 2, but got "
                                 f"{len(size)}.")
            if len(size) == 4:
                setattr(self, name, size[2:])
        return super()._pooled(t)


class AvgPool1d(_AvgPool):
    """1-d average pooling of (N, C, L) or (C, L) (``mindspore.nn.AvgPool1d``).

    Where less than a stride is left beside one window, that window's mean is all, with "same" too.
    """

    _dims = 1
    _sizes_later = True

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
                 count_include_pad=True) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        kernel_size, stride = self._single_sizes()
        self._set(padding, ceil_mode, count_include_pad)
        if self._count_pads is None:
            self.kernel_size, self.stride = (1, kernel_size), (1, stride)

    def _wrong_dtype(self, dtype) -> Exception:
        if self._count_pads is None:
            return super()._wrong_dtype(dtype)
        return TypeError("For primitive[AvgPool3D], the input argument[x] must be a type of "
                         f"{{Tensor[Float16], Tensor[Float32], Tensor[Float64]}}, but got Tensor[{dtype}].")

    def _pooled(self, t):
        left = t.shape[-1] - self._window[0]
        if self._count_pads is not None or left >= self._step[0]:
            return super()._pooled(t)
        if left < 0:
            raise _asked(ValueError("For Slice, the sum of begin_shape[2] and size_shape[2] must be no "
                                    "greater than input_x_shape[2]."))
        first = t[..., :self._window[0]]
        if t.dtype is torch.bool:
            raise _asked(RuntimeError("For 'ReduceMean', unsupported reduce operation for bool."))
        if t.is_floating_point() or t.is_complex():
            return first.mean(-1, keepdim=True)
        total = first.to(torch.int64).sum(-1, keepdim=True)
        return torch.div(total, self._window[0], rounding_mode="trunc").to(t.dtype)

    def _batched(self, x):
        """One window alone is a mean, which integers have too."""
        t = getattr(x, "_t", None)
        alone = self._count_pads is None and t is not None and t.ndim in (2, 3) and \
            t.shape[-1] - self._window[0] < self._step[0]
        if not alone or t.dtype in self._floats:
            return super()._batched(x)
        return (t.unsqueeze(0), True) if t.ndim == 2 else (t, False)

    def _wrong_rank(self, rank: int) -> Exception:
        if self._count_pads is not None:
            return _without_axis(rank, "AvgPool3D], the x_")
        return ValueError(f"For '{self.cls_name}', the input must has 3 dim, but got {rank}")


class AvgPool3d(_AvgPool):
    """3-d average pooling of (N, C, D, H, W) or (C, D, H, W) (``mindspore.nn.AvgPool3d``)."""

    _dims = 3
    _operator = "AvgPool3D"
    _sizes_later = True

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
                 count_include_pad=True, divisor_override=None) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        self._set(padding, ceil_mode, count_include_pad, divisor_override)


def _adaptive(name: str, function, text: str, *settings: str) -> type:
    """``settings`` are the attributes after the input, read when the layer is called; with an underscore
    where MindSpore's operator has been made with them."""
    def with_size(self, output_size):
        Cell.__init__(self)
        check_output_size(output_size, name)
        setattr(self, settings[0], output_size)

    def with_indices(self, output_size, return_indices=False):
        Cell.__init__(self)
        check_output_size(output_size, name)
        self.output_size, self.return_indices = output_size, return_indices

    def construct(self, input):
        return self._formula(input, *[getattr(self, setting) for setting in settings])

    def of_x(self, x):
        return self._formula(x, *[getattr(self, setting) for setting in settings])

    return type(name, (Cell,), {
        "construct": of_x if name == "AdaptiveMaxPool1d" else construct,
        "__init__": with_size if len(settings) == 1 else with_indices, "_formula": staticmethod(function),
        "__doc__": f"{text} (``mindspore.nn.{name}``).", "__module__": __name__})


AdaptiveAvgPool1d = _adaptive("AdaptiveAvgPool1d", adaptive.adaptive_avg_pool1d,
                              "Mean of ``output_size`` even parts of the last dimension", "output_size")
AdaptiveAvgPool2d = _adaptive("AdaptiveAvgPool2d", adaptive.adaptive_avg_pool2d,
                              "Mean of even parts of the last two dimensions; None keeps a size",
                              "_output_size")
AdaptiveAvgPool3d = _adaptive("AdaptiveAvgPool3d", adaptive.adaptive_avg_pool3d,
                              "Mean of even parts of the last three dimensions", "_output_size")
AdaptiveMaxPool1d = _adaptive("AdaptiveMaxPool1d", adaptive.adaptive_max_pool1d,
                              "Maximum of ``output_size`` even parts of the last dimension", "output_size")
AdaptiveMaxPool2d = _adaptive("AdaptiveMaxPool2d", adaptive.adaptive_max_pool2d,
                              "Maximum of even parts of the last two dimensions",
                              "output_size", "return_indices")
AdaptiveMaxPool3d = _adaptive("AdaptiveMaxPool3d", adaptive.adaptive_max_pool3d,
                              "Maximum of even parts of the last three dimensions",
                              "output_size", "return_indices")


class _LPPool(Cell):
    _formula = None

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def construct(self, x):
        return self._formula(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPool):
    """(sum of x^norm_type over windows)^(1 / norm_type) (``mindspore.nn.LPPool1d``)."""

    _formula = staticmethod(kernels.lp_pool1d)


class LPPool2d(_LPPool):
    """(sum of x^norm_type over windows)^(1 / norm_type) (``mindspore.nn.LPPool2d``)."""

    _formula = staticmethod(kernels.lp_pool2d)


class _MaxUnpool(Cell):
    """Puts maxima back where ``indices`` say."""

    _formula = None

    def __init__(self, kernel_size, stride=None, padding=0) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride

    def construct(self, x, indices, output_size=None):
        return self._formula(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpool):
    """Puts maxima back where ``indices`` say (``mindspore.nn.MaxUnpool1d``)."""

    _formula = staticmethod(kernels.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """Puts maxima back where ``indices`` say (``mindspore.nn.MaxUnpool2d``)."""

    _formula = staticmethod(kernels.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """Puts maxima back where ``indices`` say (``mindspore.nn.MaxUnpool3d``)."""

    _formula = staticmethod(kernels.max_unpool3d)


class _FractionalMaxPool(Cell):
    """Max pooling over windows at random places; ``_random_samples`` (N, C, axes) in [0, 1) places them."""

    _formula = None

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                 _random_samples=None) -> None:
        super().__init__()
        self.kernel_size, self.output_size, self.output_ratio = kernel_size, output_size, output_ratio
        self.return_indices, self._random_samples = return_indices, _random_samples

    def construct(self, input):
        return self._formula(input, self.kernel_size, self.output_size, self.output_ratio,
                             self.return_indices, self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """Max pooling over windows at random places (``mindspore.nn.FractionalMaxPool2d``)."""

    _formula = staticmethod(kernels.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPool):
    """Max pooling over windows at random places (``mindspore.nn.FractionalMaxPool3d``)."""

    _formula = staticmethod(kernels.fractional_max_pool3d)
