"""What a failed call of a definition's form raises, and the looks at its inputs before it is made."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np
import torch

from ms2torch._core.checks import refused, rules
from ms2torch._core.checks.calls import not_a_tensor, wrong_call
from ms2torch._core.checks.guards import GUARDED
from ms2torch._core.checks.preconditions import AcceptedCalls
from ms2torch._core.checks.refusals import cannot_broadcast, translate
from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.operators import wider
from ms2torch._core.operators.attribute_forms import converted_attributes
from ms2torch._core.operators.tables import PRIMITIVES
from ms2torch._core.tensor.dtype import Type
from ms2torch._core.torch_private import lack_of_memory, says

# What torch's kernels raise; Python's other classes say something of the call itself.
_OF_TORCH = frozenset((RuntimeError, IndexError, NotImplementedError, torch.linalg.LinAlgError))


def mindspore_error(err: Exception, name: str, raw, kwargs, valid=None, kernel=None, fixed=None,
                    table=lambda certain: None, conditions=lambda: None, direct=False,
                    behind: str | None = None) -> Exception:
    """The error to raise of a failure; ``table`` asks the table of refused calls (None: about kinds that it
    lacks), ``conditions`` its lines about several arguments. ``direct``: of a function that hands its
    arguments to its Primitive; ``behind``: the Primitive that its form calls, where that is another one."""
    if lacking := lack_of_memory(err):
        return lacking
    err = with_public_classes(err, (*raw, *kwargs.values()))
    if hasattr(err, "asked"):
        return err
    # (A function may look at its arguments, or make them ready, before it calls its Primitive.)
    primitive = fixed is not None
    if primitive and (wrong := _of_parser(name, raw, kwargs, None, kernel, fixed)):
        return wrong
    known = table(True)
    if not (primitive or known or kernel is None) and (
            wrong := _of_attributes(name, kernel, raw, kwargs)):
        return wrong
    if (primitive or direct) and not str(known).startswith("Failed calling") and (
            wrong := rules.refusal(name, *_inputs(name, kernel, raw, kwargs), late=False)):
        return wrong
    if known:
        return known
    if getattr(err, "from_user", False):
        return err
    if str(err).startswith("For "):                                       # in MindSpore's words already
        return _about(behind, name, err, raw, kwargs)
    if wrong := _refusal(name, raw, kwargs, valid, kernel, fixed):
        return wrong
    of_torch = err.__class__ in _OF_TORCH
    given = {**kwargs, **(fixed or {})}
    # What is guessed of shapes and values does not hold where torch only lacks a kernel of the dtype.
    has_kernel = not says(err, "no kernel")
    if (wrong := conditions() or table(False) or (has_kernel and table(None))) and not (
            of_torch and isinstance(wrong, ValueError) and wider.lacks_kernel(kernel, tuple(raw), given)):
        return wrong
    if err.__class__ is AttributeError:
        return not_a_tensor(err, name, kernel, raw, kwargs, fixed) or err
    if not of_torch:
        return err
    names = _names(kernel) if kernel is not None else ()
    if wrong := _ambiguous(kernel, {**dict(zip(names, raw, strict=False)), **given}):
        return wrong
    return translate(err, behind or name, tuple(raw), kernel, given, names)


def _ambiguous(kernel, given: dict) -> ValueError | None:
    """What MindSpore says of a Tensor of several elements that is asked whether it is true."""
    takes = inspect.signature(kernel).parameters if kernel is not None else {}
    counts = (given[n].numel() for n, p in takes.items()
              if p.default.__class__ in (bool, int, float, str) and isinstance(given.get(n), torch.Tensor))
    several = next((n for n in counts if n > 1), 0)
    return ValueError(f"The tensor should have only one element, but got {several}, more than one element is "
                      "ambiguous.") if several else None


def _about(behind: str | None, name: str, err: Exception, raw, kwargs) -> Exception:
    """``err``, or what the Primitive ``behind`` a form says of shapes where another one than ``name``."""
    shapes = [tuple(t.shape) for t in (*raw, *kwargs.values()) if isinstance(t, torch.Tensor)]
    if not behind or behind == name or len(shapes) != 2 or "need to broadcast" not in str(err):
        return err
    return cannot_broadcast(behind, *shapes)


def _of_attributes(name: str, kernel, raw, kwargs) -> Exception | None:
    """What the Primitive ``name``, which a function makes of its arguments, has against its attributes."""
    attributes = PRIMITIVES[name]._init if name in PRIMITIVES else ()
    if not attributes:
        return None
    takes = inspect.signature(kernel).parameters
    given = {**dict(zip(_names(kernel), raw, strict=False)), **kwargs}
    try:
        rules.check_attributes(name, {n: given[n] for n in attributes if n in given and n in takes
                                      and given[n] is not takes[n].default})
    except (TypeError, ValueError) as wrong:
        return wrong
    return None


def _inputs(name: str, kernel, raw, kwargs) -> tuple[list, list]:
    """The arguments that the Primitive takes when it is called, in their order, and their names here."""
    attributes, names = PRIMITIVES[name]._init if name in PRIMITIVES else (), _names(kernel)
    given = {**dict(zip(names, raw, strict=False)), **kwargs}
    names = [n for n in names if n in given and n not in attributes]
    return [given[n] for n in names], names


@cache
def _names(kernel) -> tuple[str, ...]:
    return tuple(inspect.signature(kernel).parameters)


def with_guard(kernel, name: str, functional: bool = True):
    """``kernel`` that looks at its inputs first, where it would take what MindSpore refuses; else None."""
    if name not in GUARDED:
        return None

    accepted = AcceptedCalls()

    def guard(*args, **kwargs):
        if (key := accepted.key_here(args, kwargs)) not in accepted.known:
            if wrong := rules.refusal(name, *_inputs(name, kernel, args, kwargs), functional):
                raise wrong
            accepted.add(key)
        return kernel(*args, **kwargs)

    return guard


def _refusal(name: str, raw, kwargs, valid, kernel, fixed) -> Exception | None:
    """MindSpore's error for the kinds of these arguments, None where it would take them."""
    return _of_parser(name, raw, kwargs, valid, kernel, fixed) or \
        rules.refusal(name, *_inputs(name, kernel, raw, kwargs))


def parser_error(name: str, kernel, given: dict, valid=None, fixed=None) -> TypeError | None:
    """The error of MindSpore's parser of calls for arguments by name, where a Primitive refuses one."""
    looks = name in GUARDED and (rules.asks_for_tensors(name) or not any(
        isinstance(v, np.ndarray) for v in given.values()))
    if not name[0].isupper() or looks:              # (a function may make them ready; these look themselves)
        return None
    wrong = _of_parser(name, (), given, valid, kernel, fixed)
    named = wrong is None or "=None" not in str(wrong) or None in (*given.values(), *(fixed or {}).values())
    return wrong if named else None                 # (its form has other names for its inputs)


def _of_parser(name: str, raw, kwargs, valid, kernel, fixed) -> TypeError | None:
    """The error of MindSpore's parser of calls, which looks at kinds alone, before anything else does."""
    valid = valid or rules.form_of_valid_calls(name, _names(kernel))
    if fixed:           # (words and dtypes are told as they came, though kept as numbers)
        kept = converted_attributes(name, fixed)
        fixed = {**fixed, **{n: v for n, v in kept.items() if not isinstance(fixed.get(n), (str, Type))}}
    return wrong_call(valid, kernel, raw, kwargs, fixed) if valid else None


def lazy_checker(called: str, places, defaults):
    """`refused.checker`, which reads the table at the first call."""
    made = None

    def check(values):
        nonlocal made
        made = made or refused.checker(called, places, defaults) or _nothing
        return made(values)

    return check


def _nothing(values) -> None:
    """The check where there is none."""
