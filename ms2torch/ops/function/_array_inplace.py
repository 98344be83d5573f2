"""Tensor methods that write into the Tensor, and those that are refused."""

from __future__ import annotations

import inspect

import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.failed_calls import form_error
from ms2torch._core.operators.registry import method
from ms2torch._core.tensor.indexing import apart
from ms2torch._core.tensor.tensor import lower

from ._array_scatter import _on_axis


def _in_place(name: str, change, doc: str) -> None:
    """A method that writes into the Tensor; its result is the Tensor itself."""
    change.__qualname__ = f"Tensor.{name}"              # what Python's errors call it

    takes = inspect.signature(change)

    @method(name=name, on_tensors=True)
    def written(self, *args, **kwargs):
        raw, named = lower(list(args)), lower(kwargs)
        try:
            self._write(lambda t: change(t, *raw, **named))
        except (TypeError, AttributeError) as err:
            raise form_error(f"Tensor.{name}", takes, args, kwargs) or err from None
        return self

    written.__doc__ = f"{doc}, in place (``mindspore.Tensor.{name}``)."


_in_place("fill_", lambda t, value: t.fill_(value), "Filled with a value")
_in_place("zero_", lambda t: t.zero_(), "Filled with zeros")


def _copied(t, src, non_blocking=False):
    if not isinstance(src, torch.Tensor) or non_blocking.__class__ is not bool:
        raise TypeError(f"copy_() takes a Tensor, not {type(src).__name__}.")
    if src.shape == t.shape:
        return t.copy_(apart(src, t))
    value, own = (f"[const vector]{{{', '.join(map(str, x.shape))}}}" for x in (src, t))
    if src.ndim > t.ndim:
        raise final(RuntimeError("For 'InplaceCopy', the rank of 'value' must be less than 'variable', but "
                                 f"got the dimension of 'value': {value} and 'variable': {own}."))
    against = zip(src.shape, t.shape[t.ndim - src.ndim:], strict=True)
    wrong = next((k for k, (n, m) in enumerate(against) if n not in (1, m)), None)
    if wrong is not None:
        raise final(RuntimeError(
            f"For 'InplaceCopy', when the {wrong}'th, the shape of 'value' must be 1 and equal to the shape "
            f"of 'variable', but got the shape of 'value': {value}, and the shape of 'variable': {own}"))
    return t.copy_(apart(src, t))


_in_place("copy_", _copied, "Takes the values of another Tensor")
_in_place("masked_fill_", lambda t, mask, value: t.masked_fill_(mask, value),
          "A value where ``mask`` is True")
_in_place("masked_scatter_", lambda t, mask, source: t.masked_scatter_(mask, source),
          "The elements of ``source`` where ``mask`` is True")
_in_place("fill_diagonal_", lambda t, fill_value, wrap=False: t.fill_diagonal_(fill_value, wrap),
          "A number on the diagonal")
_in_place("index_add_", lambda t, dim, index, source, *, alpha=1: t.index_add_(
    dim, index, source, alpha=alpha), "``source`` added to slices")
_in_place("index_copy_", lambda t, dim, index, tensor: t.index_copy_(dim, index.long(), tensor),
          "Slices replaced")
_in_place("index_fill_", lambda t, dim, index, value: t.index_fill_(dim, index.long(), value),
          "Slices filled")
_in_place("index_put_", lambda t, indices, values, accumulate=False: t.index_put_(
    [i.long() if i.dtype is torch.int32 else i for i in indices], values.to(t.dtype), accumulate),
    "``values`` at places")
_in_place("put_", lambda t, index, source, accumulate=False: t.put_(index.long(), source, accumulate),
          "``source`` at places counted in order")
_in_place("scatter_add_", lambda t, dim, index, src: t.scatter_add_(dim, index.long(), src), "``src`` added")


def _scattered(t, dim, index, src=None, *, value=None, reduce=None):
    src = value if src is None else src
    if reduce is None:
        return t.copy_(_on_axis(t, dim, index, src))
    if reduce == "add":
        return t.copy_(_on_axis(t, dim, index, src, "add"))
    return t.scatter_(dim, index.long(), src, reduce=reduce)


_in_place("scatter_", _scattered, "The elements of ``src`` at ``index`` along ``dim``")
