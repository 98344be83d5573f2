"""Small parameters as one: copies and an update of many operators cost by the tensor, not by the element."""

from __future__ import annotations

from itertools import chain

import torch

# Elements of a parameter, on average, above which the copies cost more than the calls.
SMALL = 2048


class Gathered:
    """The memory of some parameters and of their state, seen as lists of one-dimensional tensors.

    ``at`` are the addresses: a tensor that got other memory since makes it void. ``views`` is empty where the
    tensors cannot be seen so.
    """

    __slots__ = ("all", "at", "sizes", "views")

    def __init__(self, lists, at: list[int]) -> None:
        self.at = at
        tensors = [*chain(*lists)]
        one = tensors[0].dtype
        seen = all(t.dtype is one and t.is_contiguous() for t in tensors)
        self.views = [[t.detach().view(-1) for t in some] for some in lists] if seen else ()
        self.all = [*chain(*self.views)]
        self.sizes = [v.numel() for v in self.all]

    def content(self) -> list[torch.Tensor]:
        """A copy of each list's content, as one tensor."""
        return [torch.cat(some) for some in self.views]

    def write(self, found: list[torch.Tensor]) -> None:
        """Put ``found``, one tensor for each list, into the memory: the last operator does, and only it."""
        torch.split_with_sizes_copy(torch.cat(found), self.sizes, out=self.all)

    def update(self, kernel, grads, rate, decay) -> None:
        """Let ``kernel``, which works by elements, update the parameters: all of them or none."""
        lists = [[t] for t in self.content()]
        params, *state = lists
        kernel(params, [torch.cat([g.view(-1) for g in grads])], *state, rate, decay)
        self.write([t for t, in lists])


def gathered(known: dict, places: tuple, size: int, params, *state) -> Gathered | None:
    """The memory of the parameters in ``places``, of ``size`` elements in all; None where they are not small.

    ``known`` keeps it from one step to the next.
    """
    if (len(places) < 3 or size > SMALL * len(places) or not params[0].is_cpu
            or params[0].__class__ is not torch.nn.Parameter):
        return None
    at = [t.data_ptr() for some in (params, *state) for t in some]
    found = known.get(places)
    if found is None or found.at != at:
        found = known[places] = Gathered((params, *state), at)
    return found if found.views else None
