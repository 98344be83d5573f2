"""Calls as samples to read rules off: what was given, what MindSpore says, what ours says."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

import numpy as np
import torch

from ms2torch._core.checks import terms
from ms2torch._core.checks.rules import _allowed
from ms2torch._core.checks.words import renderings, shapes
from scripts.sweep.compare import answered, sentence
from scripts.sweep.learn import _OTHERS_CALLS


class Sample:
    """One call: its arguments by `terms.variable_name`, what MindSpore says, whether ours says otherwise or
    takes it."""

    def __init__(self, key, args, there, differs, taken=False):
        self.key, self.there, self.differs, self.taken = key, there, differs, taken
        self.values, self.pairs, self._named = {}, [], []
        for k, (place, by, told) in enumerate(args):
            if key.startswith("call") and not by:
                place = str(k)
            value = self.values[terms.variable_name(place)] = unpacked(told)
            if place[0] != "@":
                self.pairs.append((place, value))
                self._named.append(by)

    @cached_property
    def given(self) -> str:
        """The arguments as MindSpore's parser of calls prints them."""
        said = [(p, "<class>" if isinstance(v, Opaque) else renderings(v)["call"], by)
                for (p, v), by in zip(self.pairs, self._named, strict=True) if p != "self"]
        return f"({', '.join(f'{p}={text}' if by else text for p, text, by in said)})"

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The numeric terms over the arguments with their values."""
        found = {}
        for name, value in self._plain():
            if isinstance(value, (torch.Tensor, np.ndarray)):
                shape = tuple(value.shape)
                found[f"rank({name})"], found[f"size({name})"] = len(shape), int(np.prod(shape))
                places = [*range(min(len(shape), 4)), *(k for k in (-1, -2) if len(shape) >= -k)]
                found.update((f"dim({name}, {k})", shape[k]) for k in places)
            elif _is_number(value) and not (name.startswith("own_") and isinstance(value, float)):
                found[f"num({name})"] = value
            elif isinstance(value, (tuple, list)):
                found[f"count({name})"] = len(value)
                if value and all(map(_is_number, value)):
                    found[f"least({name})"] = min(value)
                found.update((f"item({name}, {k})", v) for k, v in enumerate(value[:3]) if _is_number(v))
        return found

    @cached_property
    def extended(self) -> dict[str, float]:
        """`numbers`, one more and one less, and their negatives."""
        found = dict(self.numbers)
        for term, v in self.numbers.items():
            found[f"{term} - 1"], found[f"{term} + 1"], found[f"-{term}"] = v - 1, v + 1, -v
        return found

    @cached_property
    def texts(self) -> dict[str, str]:
        """The terms that are words, with what they say."""
        found = {}
        for name, value in self._plain():
            tensor = isinstance(value, (torch.Tensor, np.ndarray))
            if tensor:
                found.update((f"{how}({name})", text) for how, text in shapes(tuple(value.shape)).items()
                             if how != "rank")
                found[f"rest({name})"] = str(list(value.shape[1:]))
            if isinstance(value, Opaque):
                continue
            if not name.startswith("own_"):
                told = renderings(value)
                found.update((f"{how}({name})", told[how])
                             for how in ("object", "word", "kind", "cls", "type", "call") if told.get(how))
            elif not isinstance(value, (str, int, float)):
                continue
            if not tensor:
                found[f"text({name})"] = str(value)
        return found

    def _plain(self):
        return ((n, v) for n, v in self.values.items() if n.isidentifier() and n != "own_name")


def _is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Opaque:
    """A value that is no tensor, number, word or sequence."""


def unpacked(told):
    if not isinstance(told, dict):
        return told
    if "tensor" in told:
        dtype = next(iter(_allowed(told["tensor"])), torch.float32)
        return torch.empty(told["shape"], dtype=dtype, device="meta")
    if "numpy" in told:
        try:
            return np.broadcast_to(np.zeros((), told["numpy"]), told["shape"])
        except TypeError:
            return np.broadcast_to(np.zeros(()), told["shape"])
    if "count" in told:
        kind = "tuple" if "tuple" in told else "list"
        made = [unpacked(v) for v in told[kind]]
        made += [made[-1]] * (told["count"] - len(made)) if made else []
        return tuple(made) if kind == "tuple" else made
    if "dtype" in told:
        return next(iter(_allowed(told["dtype"])), Opaque())
    return Opaque()


def collected(reference: dict, given: dict, ours: dict) -> dict[str, list[Sample]]:
    """The samples by name and stage; all are name -> [[key, ...], ...]."""
    found = defaultdict(list)
    for name, answers in reference.items():
        args, here = dict(given.get(name, ())), dict(ours.get(name, ()))
        api = name.partition("#")[0].removeprefix("mindspore.")
        if _OTHERS_CALLS.match(api):
            continue
        for key, there in answered(answers):
            told = args.get(key)
            if not isinstance(told, list) or (told and isinstance(told[0], str)):
                continue
            got = here.get(key)
            differs = got is not None and there[0] != "value" and len(there) > 1 and not (
                got[0] == there[0] and sentence(got[-1]) == sentence(there[1]))
            taken = differs and got[0] == "value"
            found[f"{api} {key.split()[0]}"].append(Sample(key, told, there, differs, taken))
    return found
