"""Padding layers (``mindspore.nn.layer.padding``); paddings go from the last dimension on, as torch's."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.checks.kernel_dtypes import not_supported
from ms2torch._core.errors import asked
from ms2torch._core.operators.arithmetic import SIGNED
from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function._array_pad import something

from ..cell import Cell
from ._late import refused_when_called

__all__ = ["ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d",
           "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad2d"]


def _refuse_bools(cell, padding) -> None:
    """Let calls say that bools are no numbers of elements."""
    if bool in map(type, padding):
        shown = ", ".join(
            f"\nelement[{i}]: AbstractScalar(Type: {'Bool' if n.__class__ is bool else 'Int64'}, Value: "
            f"{str(n).lower()}, Shape: NoShape)" for i, n in enumerate(padding))
        refused_when_called(
            cell, TypeError, "For primitive[PadV3], when the paddings value's type is one of ['tuple', "
                             "'list'], its element data type must be int32 or int64, but got \n"
                             f"AbstractTuple{{{shown}, dynamic_len:0, is dyn arg:0}}")


def _check_numbers(shape, padding) -> None:
    """What MindSpore asks of how much is padded, or cut off, on each side."""
    for k, n in enumerate(padding):
        size = shape[-1 - k // 2] if k // 2 < len(shape) else 0
        if n < -size:
            raise asked(ValueError("For primitive[PadV3], the paddings_value must be greater than or equal "
                                   f"to -{size}, but got {n}."))


class _ConstantPadNd(Cell):
    _dims = 1

    def __init__(self, padding, value) -> None:
        super().__init__()
        name, most = type(self).__name__, 2 * self._dims
        if isinstance(padding, int):
            padding = (padding,) * most
        elif not isinstance(padding, tuple):
            raise TypeError(f"For '{name}', the type of parameter 'padding' must be in [int, tuple], "
                            f"but got {type(padding)}")
        if len(padding) % 2:
            raise ValueError(f"For '{name}', the length of parameter 'padding' with tuple type must be a "
                             f"multiple of 2, but got {len(padding)}")
        if len(padding) > most or (self._dims == 1 and len(padding) != 2):
            rule = "must equal to 2." if self._dims == 1 else f"must no more than {most}."
            raise ValueError(f"For '{name}', the length of parameter 'padding' with tuple type {rule}"
                             f"but got {len(padding)}")
        if not isinstance(value, (int, float)):
            raise TypeError(f"For '{name}', the type of parameter 'value' must be in [int, float], "
                            f"but got {type(value)}")
        self.value, self.padding = value, padding
        _refuse_bools(self, padding)

    def construct(self, x):
        try:
            return wrap(something(F.pad(x._t, self.padding, value=self.value)))
        except RuntimeError:
            _check_numbers(x._t.shape, self.padding)
            raise


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with ``value`` (``mindspore.nn.ConstantPad1d``)."""


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with ``value`` (``mindspore.nn.ConstantPad2d``)."""

    _dims = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with ``value`` (``mindspore.nn.ConstantPad3d``)."""

    _dims = 3


class ZeroPad2d(_ConstantPadNd):
    """Pads the last two dimensions with zeros (``mindspore.nn.ZeroPad2d``)."""

    _dims = 2

    def __init__(self, padding) -> None:
        super().__init__(padding, 0)


# torch's kernels move none of these, but the same bits; what MindSpore refuses is not among them.
_MOVED = {"reflect": {torch.bool: torch.uint8, torch.uint16: torch.int16}, "replicate": SIGNED}


class _MirroredPad(Cell):
    """Padding by the input's own elements; ``_mode`` is torch's."""

    _dims = 1
    _mode = "reflect"

    def __init__(self, padding) -> None:
        super().__init__()
        name = type(self).__name__
        if isinstance(padding, int):
            padding = (padding,) * (2 * self._dims)
        if not isinstance(padding, tuple):
            raise TypeError(f"For '{name}' the input 'padding' must be an integer or tuple, "
                            f"but got {type(padding).__name__}")
        if len(padding) % 2:
            raise ValueError(f"For '{name}' the length of input 'padding' must be divisible by 2, "
                             f"but got padding of length {len(padding)}. ")
        if not all(isinstance(i, int) for i in padding):
            raise TypeError(f"For '{name}' every element in 'padding' must be integer, but got {padding}. ")
        if self._mode == "reflect" and min(padding, default=0) < 0:
            raise ValueError(f"For '{name}' every element in 'padding' must be >= 0. but got {padding}. ")
        self.padding = padding
        if self._mode == "reflect":
            self.padding = tuple(map(int, padding))         # (True is one there)
        else:
            _refuse_bools(self, padding)

    def construct(self, x):
        t, dims = x._t, len(self.padding) // 2
        if not dims and self._mode == "replicate":
            raise asked(ValueError("For 'PadV3', the length of paddings must be 2, 4 or 6, but got 0"))
        if not dims:
            return x
        if self._mode == "replicate":
            self._check_edges(t)
        if t.ndim < dims:
            raise ValueError(f"For padding with length {2 * dims}, the dimension of the tensor should be at "
                             f"least {dims}, but got {t.ndim}")
        # torch's kernels want (N, C, ...) or (C, ...); what stands before counts as channels.
        lead = t.shape[:t.ndim - dims]
        flat = t.reshape(1, -1, *t.shape[t.ndim - dims:])
        try:
            if moved := _MOVED[self._mode].get(flat.dtype):
                y = F.pad(flat.view(moved), self.padding, mode=self._mode).view(flat.dtype)
            else:
                y = F.pad(flat, self.padding, mode=self._mode)
        except NotImplementedError:
            raise TypeError(not_supported("MirrorPad" if self._mode == "reflect" else "PadV3")) from None
        except RuntimeError:
            self._check_size(t)
            raise
        return wrap(y.reshape(*lead, *y.shape[2:]))

    def _check_edges(self, t) -> None:
        """What MindSpore asks of the ranks: the paddings are for all but two of the dimensions."""
        pads, rank = self.padding, t.ndim + (t.ndim == self._dims + 1)
        wrong = "For primitive[PadV3], the input dims "
        if rank < 3:
            raise asked(ValueError(f"{wrong}for edge, reflect or circular mode must be greater than or equal "
                                   f"to 3, but got {rank}."))
        if rank != len(pads) // 2 + 2:
            raise asked(ValueError(f"{wrong}when padding's size equal {len(pads)} must be equal to "
                                   f"{len(pads) // 2 + 2}, but got {rank}."))
        if min(pads) < 0:
            _check_numbers(t.shape, pads)
        sizes = [*t.shape[:t.ndim - len(pads) // 2],
                 *(n + sum(pads[2 * k:2 * k + 2]) for k, n in enumerate(reversed(t.shape[-len(pads) // 2:])))]
        if min(sizes) < 1:
            raise asked(ValueError("For primitive[PadV3], the output size must be greater than 0, but got "
                                   f"{next(n for n in sizes if n < 1)}."))

    def _check_size(self, t) -> None:
        """ValueError where a reflection would need more than there is."""
        pads = self.padding
        if self._mode == "reflect" and 0 in t.shape[:t.ndim - len(pads) // 2]:
            raise asked(ValueError("For 'MirrorPad', paddings must be no greater than the dimension size: "
                                   "[0], [0] not less than [0]"))
        for k in reversed(range(len(pads) // 2 if self._mode == "reflect" else 0)):
            size = t.shape[-1 - k]
            if max(pads[2 * k:2 * k + 2]) >= size:
                raise ValueError("For 'MirrorPad', paddings must be no greater than the dimension size: "
                                 f"[{pads[2 * k]}], [{pads[2 * k + 1]}] not less than [{size}]")


class _ReflectionPadNd(_MirroredPad):
    """Padding by reflection, the edge itself not repeated."""


class _ReplicationPadNd(_MirroredPad):
    """Padding by the edges."""

    _mode = "replicate"


class ReflectionPad1d(_ReflectionPadNd):
    """Pads the last dimension by reflection, the edge itself not repeated (``mindspore.nn.ReflectionPad1d``).
    """


class ReflectionPad2d(_ReflectionPadNd):
    """Pads the last two dimensions by reflection (``mindspore.nn.ReflectionPad2d``)."""

    _dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Pads the last three dimensions by reflection (``mindspore.nn.ReflectionPad3d``)."""

    _dims = 3


class ReplicationPad1d(_ReplicationPadNd):
    """Pads the last dimension with its edge (``mindspore.nn.ReplicationPad1d``)."""


class ReplicationPad2d(_ReplicationPadNd):
    """Pads the last two dimensions with their edges (``mindspore.nn.ReplicationPad2d``)."""

    _dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Pads the last three dimensions with their edges (``mindspore.nn.ReplicationPad3d``)."""

    _dims = 3
