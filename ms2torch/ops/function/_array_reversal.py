"""Operators that reverse, turn and roll: the same elements in another order along their axes."""

from __future__ import annotations

import torch

from ms2torch._core.checks.calls import failed_call
from ms2torch._core.errors import final
from ms2torch._core.operators.registry import REQUIRED, op

from ._array_index import has_numbers
from ._array_shape import in_range

_REVERSE = "ReverseV2(axis=<list of int, tuple of int>)(input=<Tensor>)"


@op(primitive="ReverseV2", init=("axis",), method="reverse", valid=_REVERSE)
def reverse(input, axis):
    """``input`` with the order along the axes reversed (``mindspore.ops.reverse``; torch's flip)."""
    return flipped(input, axis)


@op(method=True, mint=True)
def flip(input, dims):
    """``reverse`` under numpy's name (``mindspore.ops.flip``)."""
    return flipped(input, dims)


def flipped(input, axis):
    """Shared kernel of ``flip`` and ``reverse``; an int is refused, as in MindSpore."""
    if not isinstance(axis, (tuple, list)):
        raise failed_call("ReverseV2(axis=int)(input=Tensor)", _REVERSE)
    ndim, seen = input.ndim, set()
    for i, a in enumerate(axis):
        a = in_range(a, ndim, f"For 'ReverseV2', the 'axis[{i}]' must be in range of [{{low}}, {{ndim}}), "
                              "but got {axis} with type 'int'.")
        if a in seen:
            raise ValueError(f"For ReverseV2, 'axis' cannot contain duplicate dimensions, but got {a}")
        seen.add(a)
    return torch.flip(input, axis)


@op(method=True)
def fliplr(input):
    """The second axis reversed (``mindspore.ops.fliplr``)."""
    if input.ndim == 1:
        raise ValueError("For 'ReverseV2', the 'axis[0]' must be in range of [-1, 1), but got 1 with type "
                         "'int'.")
    _check_reversed(input)
    return torch.fliplr(input)


@op(method=True)
def flipud(input):
    """The first axis reversed (``mindspore.ops.flipud``)."""
    _check_reversed(input)
    return torch.flipud(input)


def _check_reversed(input):
    if not input.ndim:
        raise ValueError("For primitive[ReverseV2], the rank of x must be not equal to 0, but got 0.")


@op(method=True)
def rot90(input, k, dims):
    """``input`` turned by ``k`` quarters in the plane of two axes (``mindspore.ops.rot90``)."""
    if len(dims) == 2 and input.ndim and (dims[0] - dims[1]) % input.ndim == 0:
        raise RuntimeError(f"For `rot90`, rotation dims must be different, but get dim0={dims[0]}, "
                           f"dim1={dims[1]}.")
    return torch.rot90(input, k, dims)


@op(primitive="Roll", init=("shifts", "dims"), method=True, mint=True)
def roll(input, shifts, dims=None):
    """``input`` shifted along ``dims``, what falls out coming in again (``mindspore.ops.roll``)."""
    return torch.roll(input, shifts, dims if dims is not None else ())


@op(primitive="ReverseSequence", init={"seq_dim": REQUIRED, "batch_dim": 0},
    method="reverse_sequence(x, seq_lengths, seq_dim=0, batch_dim=0)")
def reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0):
    """The first ``seq_lengths[i]`` elements along ``seq_dim`` reversed, for each i along ``batch_dim``.

    (``mindspore.ops.reverse_sequence``.) RuntimeError for a length beyond the axis.
    """
    n, count = x.shape[seq_dim], x.shape[batch_dim]
    if seq_lengths.ndim == 1 and len(seq_lengths) != count:
        raise ValueError("For 'ReverseSequence', the 'seq_lengths' vector size should be = input size along "
                         f"batch_dim: {count}, but got {len(seq_lengths)}.")
    for i, length in enumerate(seq_lengths.tolist() if has_numbers(seq_lengths) else ()):
        if not 0 <= length <= n:
            raise final(RuntimeError(f"Invalid seq_lengths[{i}]: {length}"))
    place = torch.arange(n, device=x.device)
    lengths = seq_lengths.long()[:, None]
    index = torch.where(place < lengths, lengths - 1 - place, place)
    moved = x.movedim((batch_dim, seq_dim), (0, 1))
    index = index.reshape(index.shape + (1,) * (x.ndim - 2)).expand(moved.shape)
    return moved.gather(1, index).movedim((0, 1), (batch_dim, seq_dim))
