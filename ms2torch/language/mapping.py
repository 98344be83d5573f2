"""``map``, ``ops.Map`` and ``ops.HyperMap`` in a graph: over sequences of one kind and one length."""

from __future__ import annotations

import numpy as np

from ms2torch._core.tensor.tensor import Tensor


def type_name(value) -> str:
    """A value's type as MindSpore's compiler writes it: Int64, Tuple[Int64*2], Tensor[Float32]."""
    if isinstance(value, Tensor):
        return f"Tensor[{value.dtype}]"
    if isinstance(value, (tuple, list)):
        kind, inner = type(value).__name__.capitalize(), [type_name(v) for v in value]
        if inner and len(set(inner)) == 1:
            return f"{kind}[{inner[0]}*{len(inner)}]"
        return f"{kind}[{','.join(inner)}]"
    names = {
        bool: "Bool",
        int: "Int64",
        float: "Float32",
        str: "String",
        dict: "Dictionary",
        type(None): "None",
    }
    kind = type(value)
    return names.get(kind) or names.get(kind.__base__, kind.__name__)       # (what is mutable is a subclass)


def refuse_dynamic(name: str, sequences) -> None:
    """RuntimeError for what goes over sequences of known lengths alone."""
    if any(hasattr(s, "__ms_dynamic_len__") for s in sequences):
        raise RuntimeError(f"For '{name}', the dynamic length input is unsupported in graph mode.")


def map_(function, *sequences):
    """``map``: a tuple over tuples, a list over lists; all of one kind and one length. Over an array it is
    Python's."""
    if not sequences:
        raise TypeError("The Map operator must have at least two arguments. But the size of arguments is 1.")
    if any(isinstance(sequence, np.ndarray) for sequence in sequences):
        return map(function, *sequences)
    refuse_dynamic("map", sequences)
    kind = next((kind for kind in (tuple, list) if isinstance(sequences[0], kind)), None)
    if kind is not None and not all(isinstance(other, kind) for other in sequences):
        raise RuntimeError("The types of arguments in Map must be consistent, but the types of arguments are "
                           "inconsistent.")
    for sequence in sequences:
        if not isinstance(sequence, (tuple, list)):
            raise RuntimeError(f"Map can only be applied to list, tuple, but got {type_name(sequence)}.")
    first = sequences[0]
    for place, other in zip(("third", "fourth", "fifth", "sixth"), sequences[1:], strict=False):
        if len(other) != len(first):
            kind = "lists" if isinstance(first, list) else "tuples"
            raise RuntimeError(
                f"For 'Map', the length of {kind} must be the same. \nThe length of the second element in "
                f"Map is {len(first)}, but the length of the {place} element in Map is {len(other)}."
            )
    made = [function(*items) for items in zip(*sequences, strict=False)]
    return made if isinstance(first, list) else tuple(made)


def hyper_map(function, args):
    """``HyperMap``: over tuples, lists and dicts down to where one of ``args`` is none of them."""
    kinds = [next((kind for kind in _NESTED if isinstance(a, kind)), None) for a in args]
    if not kinds or None in kinds:
        return function(*args)
    kind, first = kinds[0], args[0]
    if any(other is not kind for other in kinds):
        raise RuntimeError("In a nonleaf situation, the types of arguments in HyperMap must be consistent, "
                           "but the types of arguments are inconsistent.")
    for other in args[1:]:
        if len(other) != len(first):
            raise RuntimeError(
                f"{_NESTED[kind]} the same{'' if kind is dict else ' length'}. \nThe length of the first "
                f"element in HyperMap is {len(other)}, but the length of the second element in HyperMap is "
                f"{len(first)}.")
    if kind is dict:
        return {key: hyper_map(function, [_value_of(a, key) for a in args]) for key in first}
    made = [hyper_map(function, items) for items in zip(*args, strict=True)]
    return made if kind is list else tuple(made)


_NESTED = {tuple: "The tuples in HyperMap should have", list: "The lists in HyperMap should have",
           dict: "The length of dict in HyperMap must be"}


def _value_of(given: dict, key):
    if key not in given:
        raise ValueError(f"The key {next(k for k in given)} does not exist in the dict:ValueAny")
    return given[key]
