"""What is wrong with the operands that a kernel refused: it is asked again, about others in their place.

torch's errors are hardly more than text, whose words change from release to release. So nobody reads them:
where the kernel takes other values of the same dtypes and shapes, the values were wrong; where it takes the
same shapes in other dtypes, the dtypes were; what is left are the shapes. Only failed calls pay for it.
"""

from __future__ import annotations

import inspect

import torch

from ms2torch._core.random.random_streams import begin_journal, end_journal
from ms2torch._core.torch_private import tree_leaves, tree_map

FLOAT, INT = torch.float32, torch.int64


def broadcastable(a, b) -> bool:
    """Whether two operands broadcast; numbers do."""
    shapes = [getattr(x, "shape", ()) for x in (a, b)]
    return all(m == n or 1 in (m, n) for m, n in zip(*map(reversed, shapes), strict=False))


def of_refusal(err: Exception, kernel, args: tuple, kwargs: dict) -> str:
    """What ``kernel`` refused about its torch tensors when it raised ``err``: "values", "dtypes", "broadcast"
    (the first two shapes, which have to broadcast), "shapes"; "dtypes" too where torch lacks the kernel.

    Without a kernel that can be asked, by the operands alone.
    """
    if isinstance(err, torch.linalg.LinAlgError):
        return "values"
    given = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
    if not given:
        return "values"
    if not _may_run_again(args, kwargs):
        return "values"
    if kernel is None:
        return _by_operands_alone(err, given)
    if _takes(kernel, args, kwargs, _plain):
        return "values"
    last = (lambda t, d=d: _plain(torch.empty(t.shape, dtype=d if t is given[-1] else FLOAT, device=t.device))
            for d in (INT, torch.bool))                 # an index or a mask that is none
    if any(_takes(kernel, args, kwargs, other) for other in (*_OTHERS, *last)):
        return "dtypes"
    if len(given) > 1 and not broadcastable(*given[:2]):
        first, second = given[:2]
        for other in (_plain, *_OTHERS):
            if all(_takes(kernel, args, kwargs, lambda t, s=shape, other=other: other(
                    t.new_empty(s) if t is second else t)) for shape in (first.shape, (1,) * first.ndim)):
                return "broadcast"
    return "dtypes" if isinstance(err, NotImplementedError) else "shapes"


def axis_out_of_range(kernel, given: dict) -> tuple[int, int] | None:
    """(how many axes there are, the axis) where an argument of ``given`` that is called as axes are is none
    of the first tensor's; one more where ``kernel`` adds one."""
    first = next((t for t in tree_leaves(given) if isinstance(t, torch.Tensor)), None)
    rank = 0 if first is None else max(first.ndim, 1)
    if kernel is not None:
        defaults = {n: p.default for n, p in inspect.signature(kernel).parameters.items()}
        given = {**defaults, **given}
    for name in _AXES & given.keys() if rank else ():
        value = given[name]
        for axis in value if isinstance(value, (tuple, list)) else (value,):
            if axis.__class__ is int and not -rank <= axis < rank:
                adds = value is axis and kernel is not None and \
                    _takes(kernel, (), {**given, name: first.ndim}, _plain)
                return rank + adds, axis
    return None


_AXES = frozenset(("axis", "axes", "dim", "dims", "dim0", "dim1", "dim2", "axis0", "axis1", "axis2",
                   "start_dim", "end_dim", "source", "destination", "batch_dims", "k_dim"))


def _by_operands_alone(err: Exception, given: list) -> str:
    if isinstance(err, NotImplementedError) or len({t.dtype for t in given}) > 1 \
            or not given[0].is_floating_point():
        return "dtypes"
    return "shapes"


def _may_run_again(args, kwargs) -> bool:
    """Not where a function of the program's, or other processes, would see a second run."""
    values = tree_leaves((args, kwargs))
    return not any(callable(v) and not isinstance(v, torch.Tensor) for v in values) \
        and not isinstance(kwargs.get("group"), str)


def _takes(kernel, args, kwargs, other) -> bool:
    """Whether ``kernel`` takes ``other(t)`` in each tensor's place; what it draws is taken back."""
    def put(t):
        return other(t) if isinstance(t, torch.Tensor) else t

    begun = begin_journal()
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=()):
            kernel(*tree_map(put, args), **tree_map(put, kwargs))
    except Exception:
        return False
    finally:
        end_journal(begun, take_back=True)
    return True


def _plain(t: torch.Tensor) -> torch.Tensor:
    """Values that hardly any kernel refuses: zeros among integers, which may be indices, else ones, and 2 on
    the diagonal of what may be a matrix to invert."""
    integral = not (t.is_floating_point() or t.is_complex() or t.dtype is torch.bool)
    found = torch.full(t.shape, 0 if integral else 1, dtype=t.dtype, device=t.device)
    if t.is_floating_point() and t.ndim > 1 and t.shape[-1] == t.shape[-2]:
        found.diagonal(dim1=-2, dim2=-1).fill_(2)
    return found


def _in(real, boolean, integral):
    def other(t):
        dtype = real if t.is_floating_point() or t.is_complex() else \
            boolean if t.dtype is torch.bool else integral
        return _plain(torch.empty(t.shape, dtype=dtype, device=t.device))

    return other


# The dtypes that kernels take: numbers beside indices and masks, numbers alone, numbers beside masks,
# integers.
_OTHERS = (_in(FLOAT, torch.bool, INT), _in(FLOAT, FLOAT, INT), _in(FLOAT, FLOAT, FLOAT),
           _in(FLOAT, torch.bool, torch.bool), _in(INT, INT, INT))
