"""Lists and Tensors as values: a write in a graph makes a new one under the name it was written through.

``x += y`` on a Tensor is the exception: every name of that Tensor means the sum, and its dtype and shape
stay. So is ``x[0] = v`` after it.
"""

from __future__ import annotations

import operator

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.gradient import local_writes
from ms2torch._core.gradient.integers import Shadowed
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.mutable import LISTS
from ms2torch.common.parameter import Parameter
from ms2torch.language import dynamic_lengths, list_objects, results


def set_locally(parameter, index, value) -> None:
    """``parameter[index] = value`` by an index that no compiler knows: until the graph ends."""
    if local_writes.begun():
        local_writes.write(parameter, index, value)
    else:
        parameter[index] = value


def set_item(target, index, value):
    """What ``target`` means after ``target[index] = value``: lists and Tensors are new, dicts are not."""
    if target.__class__ is Tensor:
        target = target.copy()
    elif target.__class__ in LISTS:
        target = target.__class__(target)
        list_objects.is_value(target)
        if dynamic_lengths.unknown(index, value):
            return dynamic_lengths.set_variable(target, index, value)
    return _written(target, index, value)


def _written(target, index, value):
    try:
        target[index] = value
    except IndexError as error:
        if isinstance(target, Tensor):
            raise _beyond(str(error)) from None
        raise
    return target


def _beyond(text: str) -> IndexError:
    """What a graph says of a place that a Tensor lacks."""
    if text.startswith("Index") and "for axis" in text:
        return IndexError(f"'i{text[1:]}'")
    return IndexError(f"I{text[1:]}" if text.startswith("index") else text)


def set_own_item(target, index, value):
    """`set_item` where ``target`` is a dict that the function made, which is new too."""
    return set_item(dict(target) if target.__class__ is dict else target, index, value)


def set_part(target, index, value):
    """`set_item` for a part that was changed itself; one of a tuple cannot be."""
    if isinstance(target, tuple):
        raise TypeError("'tuple' object does not support item assignment")
    return set_item(target, index, value)


def set_unread_part(target, index, value):
    """`set_part` where nobody reads what ``target`` means then: of a Tensor's part the compiler sees none."""
    if isinstance(target, tuple) and isinstance(value, Tensor):
        return target
    return set_part(target, index, value)


def set_changed(target, index, value):
    """`set_part` after ``x += y``: every name of a Tensor sees what is written, but by a slice or a mask."""
    parts = index if index.__class__ is tuple else (index,)
    if target.__class__ is not Tensor or any(
            part.__class__ is slice or part is Ellipsis or
            (isinstance(part, Tensor) and part._t.dtype is torch.bool) for part in parts):
        return set_part(target, index, value)
    return _written(own(target), index, value)


AUGMENTED = {
    "Add": (operator.add, operator.iadd),
    "Sub": (operator.sub, operator.isub),
    "Mult": (operator.mul, operator.imul),
    "Div": (operator.truediv, operator.itruediv),
    "FloorDiv": (operator.floordiv, operator.ifloordiv),
    "Mod": (operator.mod, operator.imod),
}


def augmented(name: str, target, value):
    """``target += value`` and its kin. What shares memory with a Tensor, as a view does, does not follow.

    Of a Parameter's other name the sum is a Tensor, which has the gradients of both; what is added to that
    later is written to the Parameter, too.
    """
    compute, python = AUGMENTED[name]
    if not isinstance(target, Tensor):
        return (compute if isinstance(target, np.ndarray) else python)(target, value)
    if isinstance(value, (tuple, list)):        # (of which a graph makes a Tensor first: nothing is in place)
        return compute(target, value)
    new, old = compute(target, value)._t, target._t
    if new.shape != old.shape:
        raise _not_assigned(new.shape, old.shape)
    new = new.to(old.dtype)
    written = target if isinstance(target, Parameter) else target.__dict__.get("_written_parameter")
    if written is not None:
        written._write(lambda t: t.copy_(new))
        target = wrap(new)
        target._written_parameter = written
    elif mode.differentiation is None:
        target._t = new
        results.come_apart(target)
    else:
        mode.differentiation.rebind(target, new)
        mode.differentiation.reaches_the_caller(target)
        if new.requires_grad:
            mode.differentiation.remember(target)
    return target


def augmented_parameter(name: str, owner, attribute: str, value) -> None:
    """``self.weight += value`` where ``weight`` is a Parameter, whose content may be the graph's own."""
    parameter = getattr(owner, attribute)
    if local_writes.holds(parameter):
        augmented(name, parameter, value)
    else:
        setattr(owner, attribute, AUGMENTED[name][1](parameter, value))


def augmented_part(name: str, target, index, value):
    """What ``target[index] += value`` puts there: a Tensor in a list is changed itself, part of a Tensor is
    not."""
    part = target[index]
    return AUGMENTED[name][0](part, value) if isinstance(target, Tensor) else augmented(name, part, value)


def own(target):
    """``target``, a Tensor that is about to be written in place, over memory of its own: what shares memory
    with it does not follow."""
    if target.__class__ is Tensor and mode.differentiation is None:
        target._t = target._t.clone()
        results.come_apart(target)
    return target


def _not_assigned(new, old) -> RuntimeError:
    if len(new) != len(old):
        return RuntimeError(
            "For 'Assign', the 'x' and 'y' must have the same dimension, but got the dimension of 'x': "
            f"{len(old)} and the dimension of 'y': {len(new)}"
        )
    one, other = ("[const vector]{" + ", ".join(map(str, shape)) + "}" for shape in (old, new))
    return RuntimeError(
        f"For 'Assign', the 'x' and 'y' must have the same shape, but got the shape of 'x': {one} and the "
        f"shape of 'y': {other}"
    )


def _extended(items, values):
    if not isinstance(values, (tuple, list, dict, Tensor)):
        from ms2torch.language.mapping import type_name

        kind = f"AbstractScalar(Type: {type_name(values)}, Value: {values}, Shape: NoShape)"
        raise TypeError(f"For ListInplaceExtend, the second input should be tuple or list but got: {kind}")
    items.extend(values)


def _popped(items, index=-1):
    if isinstance(index, int) and not -len(items) <= index < len(items):
        raise IndexError("The pop index out of range.")
    return items.pop(index)


# The methods after which a name means another list. `sort` and `remove` change nothing in a graph, and the
# first still compares.
_NEW = {
    "append": list_objects.appended,
    "clear": lambda items: items.__class__(),
    "remove": lambda items, value: items,
    "sort": lambda items, **how: (sorted(items, **how), items)[1],
}
# Those that change the list itself, too (`list_objects`).
IN_PLACE = {"insert": list.insert, "extend": _extended, "reverse": list.reverse, "pop": _popped}
# Those after which a name means another dict.
OF_DICTS = frozenset({"update", "clear"})
CHANGING = frozenset({*_NEW, *IN_PLACE, *OF_DICTS})


def changed(name: str, written: bool, target, *args, **keywords):
    """(what the name means after ``target.name(...)``, what the call gives); ``written``: the name is written
    by an index too."""
    if target.__class__ is dict:
        if name == "pop":
            return _taken_for_a_list(target, *args)
        if name in OF_DICTS:
            target = dict(target)
    if target.__class__ not in LISTS or name not in IN_PLACE.keys() | _NEW:
        return target, getattr(target, name)(*args, **keywords)
    if name in IN_PLACE:
        made, given = list_objects.changed(
            target, lambda items: IN_PLACE[name](items, *args, **keywords), written)
        return made, given if name == "pop" else made
    made = _NEW[name](target, *args, **keywords)
    return made, made if name in ("append", "clear") else None


def _taken_for_a_list(items: dict, key, *default):
    """``v = d.pop(key)`` of a dict: MindSpore takes the value for a list and what was popped from it."""
    value = items.get(key, *default) if default else items[key]
    if not isinstance(value, (tuple, list)):
        from ms2torch.language.mapping import type_name

        raise TypeError(f"For 'TupleGetItem', input[0] should be Sequence, but got {type_name(value)}.")
    return value[0], value[1]


def looked_up(target, name: str, *args):
    """``target.pop(...)`` or ``target.popitem()`` in an expression: a dict is left as it is."""
    return getattr(dict(target) if target.__class__ is dict else target, name)(*args)


def found(holder, value):
    """What was found in ``holder``, a list that was changed in a way that makes its numbers variable."""
    if holder.__class__ is not list or value.__class__ not in (bool, int, float):
        return value
    return wrap(torch.tensor(value))


def has_key(target, key):
    """``dict.has_key``, which Python's dicts lost."""
    return key in target if isinstance(target, dict) else target.has_key(key)


def setdefault(target, key, default=None):
    """``dict.setdefault``, which in a graph leaves the dict alone."""
    return target.get(key, default) if isinstance(target, dict) else target.setdefault(key, default)


def assign(owner, name: str, value):
    """``self.weight = value`` where ``weight`` is a Parameter: an Assign, also of a number."""
    parameter = getattr(owner, name)
    if isinstance(parameter, Parameter) and isinstance(value, (int, float)):
        if len(parameter.shape):
            raise ValueError(
                "For 'Assign','value' must have the same rank as 'variable'. But got 'value' rank: 0, "
                f"'variable' rank: {len(parameter.shape)}."
            )
        from ms2torch.common.tensor import Tensor as made

        value = made(value, parameter.dtype)
    elif isinstance(parameter, Parameter):
        _need_fitting(parameter, value)
    if isinstance(value, Tensor) and isinstance(parameter, Parameter):     # (whose memory stays its own)
        from ms2torch.ops.function.parameter_func import assign as assigned

        assigned(parameter, value)
    else:
        setattr(owner, name, value)


def _need_fitting(parameter, value) -> None:
    """TypeError, ValueError or RuntimeError for what an Assign does not write."""
    if isinstance(value, Tensor):
        from ms2torch.ops.function.parameter_func import fitting

        new, old = value.shape, parameter.shape
        if len(new) != len(old) and value.size == parameter.size == 1:
            raise _not_assigned(new, old)
        fitting(parameter, value, "Assign")
    elif value is None or isinstance(value, (str, tuple, list, dict)):
        from ms2torch.language.mapping import type_name

        shown = "None" if value is None else type_name(value)
        raise TypeError(f'Failed calling Assign with "value={shown}". The valid calling should be: '
                        '"variable=<Tensor>, value=<Number, Tensor>".')


def hooked(owner, hook):
    """``owner.register_hook(hook)``, which no Parameter takes in a graph."""
    if isinstance(owner, Parameter):
        raise ValueError("'Register hook for Parameter inside graph is not supported.'")
    return owner.register_hook(hook)


def refused_key(value, setting: bool = False) -> RuntimeError:
    """The error of a dict with a key that no graph's dict has."""
    evaluator = "dict_setitem" if setting else "make_dict"
    return RuntimeError(
        f"{evaluator} evaluator key only supports string, number, type, none, constant tensor and tuple, but "
        f"got {value}"
    )


def key(value, varies: bool):
    """A key of a dict that is written out; ``varies``: it follows from an argument."""
    if varies and isinstance(value, Tensor) and not isinstance(value, Parameter):
        raise refused_key("ValueAny")
    if value.__class__ is tuple:
        if varies and any(isinstance(part, Tensor) for part in value):
            raise RuntimeError("make_dict evaluator key should not be tuple that contains variables, but got "
                               "ValueAny")
        return _frozen(value)
    return value


def _frozen(value):
    """A tuple whose lists are tuples too, which makes it a key."""
    return tuple(map(_frozen, value)) if value.__class__ in (tuple, list) else value


def kept(value, member=None):
    """What ``self.x = value`` keeps, once ``member`` was looked at: numbers that no gradient passes through
    any more."""
    if value.__class__ is Tensor:
        if value._t.__class__ is Shadowed:
            return wrap(value._t.as_subclass(torch.Tensor))
        return wrap(value._t.detach()) if value._t.requires_grad else value
    if value.__class__ in (tuple, list):
        return value.__class__(map(kept, value))
    return value
