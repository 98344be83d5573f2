"""Steps of parameters whose state has another dtype, as after `Parameter.set_dtype` of an optimizer's
parameters.

Each function takes the optimizer, its kernel, and the dtypes of the parameters and of their state; it gives
the kernel that does the step, or raises MindSpore's TypeError where its operator wants one dtype.
"""

from __future__ import annotations

from itertools import chain

import torch

from ms2torch._core.tensor import dtype as _dtype


def by_dtypes(places, rests, slots) -> list[tuple[tuple[int, ...], bool]]:
    """``places`` in groups with one dtype and one dtype of each state; whether these are several."""
    groups: dict[tuple, list[int]] = {}
    for i in places:
        groups.setdefault((rests[i].dtype, *[slot[i]._rest.dtype for slot in slots]), []).append(i)
    return [(tuple(some), len(set(dtypes)) > 1) for dtypes, some in groups.items()]


def in_widest(optimizer, kernel, own: torch.dtype, kept: torch.dtype):
    """``kernel`` in the wider of the two dtypes, rounded once at its end."""
    wide = torch.promote_types(own, kept)

    def step(params, grads, *slots_rate_decay) -> None:
        *slots, rate, decay = slots_rate_decay
        lists = [[t.to(wide, copy=True) for t in tensors] for tensors in (params, *slots)]
        kernel(lists[0], [g.to(wide) for g in grads], *lists[1:], rate, decay)
        torch._foreach_copy_([*params, *chain(*slots)], [*chain(*lists)])

    return step


def refuse_cast(kept_as: str = ""):
    """For operators that write both: ``kept_as`` is what MindSpore calls the state that would have to be made
    wider."""
    def refuse(optimizer, kernel, own, kept):
        if torch.promote_types(own, kept) is kept:
            raise cannot_widen(optimizer._written, own, kept)
        raise cannot_widen(kept_as, kept, own)

    return refuse


def cannot_widen(written: str, narrow: torch.dtype, wide: torch.dtype) -> TypeError:
    """What MindSpore says where an update would have to make what it writes wider; ``written`` is its name
    for that, "" where it has none."""
    which = f"{written} is" if written else "so data type"
    return TypeError("Data type conversion is not supported for a 'Parameter', nor for the input "
                     f"tensor of an in-place operator, {which} {_dtype.from_torch(narrow)}, "
                     f"which cannot be converted to data type {_dtype.from_torch(wide)} automatically.")


def refuse_two_dtypes(primitive: str, state: str, parameter: str):
    """For operators that want one dtype: their name, and what they call a state and the parameter."""
    def refuse(optimizer, kernel, own, kept):
        raise TypeError(f"For primitive[{primitive}], the input type must be same.\n"
                        f"name:[{state}]:Ref[Tensor[{_dtype.from_torch(kept)}]].\n"
                        f"name:[{parameter}]:Ref[Tensor[{_dtype.from_torch(own)}]].")

    return refuse
