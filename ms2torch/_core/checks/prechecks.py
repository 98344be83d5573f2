"""A quick look at a definition's arguments, where its kernel would take what MindSpore refuses.

guards.tsv names the arguments and the kinds that are wrong there, preconditions.tsv what is asked of several
together. At the first call the look is compiled, one
or two comparisons for each of them, and put where the form calls its kernel.
"""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.checks import refused, rules, terms
from ms2torch._core.checks.calls import VALID_CALLS, confusable
from ms2torch._core.checks.guards import LOOKING
from ms2torch._core.checks.overloads import OVERLOADS, suspicious
from ms2torch._core.checks.preconditions import (
    PRECONDITIONS,
    AcceptedCalls,
    classes_asked,
    precondition_error,
)
from ms2torch._core.checks.single_forms import SINGLE_FORMS, odd_classes
from ms2torch._core.operators.spelling import OMITTED, arguments

# How an error begins that an operator's inference raises.
_OF_OPERATORS = ("For primitive[", "For Primitive[")
_CLASSES = {"str": str, "None": type(None), "list": list, "tuple": tuple, "numpy": np.ndarray, "float": float,
            "int": int, "bool": bool, "complex": complex, "dict": dict}


def with_precheck(called: str, kernel, run, places: dict[str, str], defaults: dict, no_form=None, also=(),
                  apart=frozenset()):
    """``run``, which takes the arguments of ``kernel``, behind a look at them; ``run`` itself where none is
    needed.

    ``places`` are the table's places by the kernel's names of its arguments, ``defaults`` values by place,
    ``also`` its places by the other names that programs may use. ``no_form(values)`` gives the error of
    arguments that fit no form of an overloaded method, or (unless its second argument is False) not the one
    form that the Primitive behind a function has. Of those ``apart`` OMITTED is what was left out, for which
    the kernel gets None, and a None that was given is no argument of any form.
    """
    name = called.removesuffix(" make")
    forms = name in OVERLOADS or name in SINGLE_FORMS or confusable(VALID_CALLS.get(name, ""))
    if called not in LOOKING and called not in PRECONDITIONS and not forms:
        return run
    cells, quick = [], None

    def first(*args, **kwargs):
        nonlocal quick
        if quick is None:
            quick = _compiled(called, kernel, run, places, defaults, forms and no_form, also,
                              apart)
            for cell in cells:
                cell.cell_contents = quick
        return quick(*args, **kwargs)

    first.cells = cells
    return first


def _compiled(called: str, kernel, run, places, defaults, no_form, also, apart):
    own, space = arguments(kernel), {"__name__": __name__, "_run": run, "_Torch": torch.Tensor,
                                     "_Parameter": torch.nn.Parameter,
                                     "_OMITTED": OMITTED}
    by_place = {place: name for name, place in places.items()}
    tests = [test for place, kinds in LOOKING.get(called, {}).items() if place in by_place
             for test in _tests(by_place[place], kinds, by_place, space)]
    tests += _suspicions(called, by_place, defaults, also, space) if no_form else ()
    apart = {by_place[place] for place in apart if place in by_place}
    nones = [f"{n} is None" for n in own.names if n in apart]
    wanted = [n for n in own.names if n in places]
    names = [terms.variable_name(places.get(n, f"@{n}")) for n in own.names]
    if called.startswith("Tensor."):
        names[0] = "self"

    let_pass = AcceptedCalls()

    def refuse(*values):
        if (key := let_pass.key(values)) in let_pass.known:
            return
        given = [(places[n], v) for n, v in zip(wanted, values, strict=True)
                 if v is not defaults.get(places[n], refused.NOTHING) and v is not OMITTED]
        if wrong := refused.argument_error(called, given, defaults, certain=True):
            raise wrong
        if no_form and (wrong := no_form(values)):
            raise wrong
        let_pass.add(key)

    def first_of(wrong, held):
        """``wrong``, or what a function says of an argument before it calls the operator of ``wrong``."""
        if primitive or not str(wrong).startswith(_OF_OPERATORS):
            return wrong
        given = [(places[n], held[n]) for n in wanted
                 if held[n] is not defaults.get(places[n], refused.NOTHING)]
        sooner = refused.argument_error(called, given, defaults, certain=True)
        return wrong if sooner is None or str(sooner).startswith(_OF_OPERATORS) else sooner

    accepted, seen = AcceptedCalls(), {}
    primitive = called.endswith(" call") and called.split()[0].rpartition(".")[2]

    def ask(*values):
        if (key := accepted.key(values)) in accepted.known:
            return
        held = dict(zip(own.names, values, strict=True))
        told = [None if v is OMITTED else v for v in values]
        if wrong := precondition_error(called, dict(zip(names, told, strict=True))):
            kinds = rules.refusal(primitive, values, own.names, late=False) if primitive else \
                no_form and no_form([OMITTED if n in apart and held[n] is None else held[n] for n in wanted],
                                    False)
            raise kinds or first_of(wrong, held)
        for name, classes in seen.items():
            classes.add(held[name].__class__)
            classes.update((OMITTED.__class__,) if name in apart and held[name] is None else ())
        accepted.add(key)

    space["_refuse"], space["_ask"] = refuse, ask
    takes = [*own.positional, *(["*", *own.named] if own.named else ())]
    given = {n: f"None if {n} is _OMITTED else {n}" if n in apart else n for n in own.names}
    passed = [*(given[n] for n in own.positional), *(f"{n}={given[n]}" for n in own.named)]
    lines = [f" _ask({', '.join(given.values())})"] if called in PRECONDITIONS else []
    if lines and (asked := classes_asked(called)) is not None:
        # What is asked for classes alone is asked once for each class.
        own_names = {**dict(zip(names, own.names, strict=True)),
                     **{f"{v}_": n for v, n in zip(names, own.names, strict=True)}}
        if all(variable in own_names for variable in asked):
            seen.update({own_names[variable]: set() for variable in asked})
            space.update({f"_seen_{name}": classes for name, classes in seen.items()})
            lines = [f" if {' or '.join(f'{n}.__class__ not in _seen_{n}' for n in seen)}:{lines[0]}"]
    lines += [f" if {' or '.join(tests)}: _refuse({', '.join(wanted)})"] if tests else []
    if nones:
        lines.insert(0, f" if {' or '.join(nones)}: _refuse({', '.join(wanted)})")
    if not lines:
        return run
    exec("\n".join([f"def look({', '.join(takes)}):", *lines, f" return _run({', '.join(passed)})"]), space)
    look = space["look"]
    look.__defaults__, look.__kwdefaults__ = own.defaults or None, own.kwdefaults
    return look


def _suspicions(called: str, by_place, defaults, also, space):
    """Python expressions that are true where an argument is of a class that no form of a method takes."""
    found: dict[str, list[frozenset]] = {}
    name = called.removesuffix(" make")
    suspects = suspicious(name) if name in OVERLOADS else odd_classes(name) if name in SINGLE_FORMS else \
        confusable(VALID_CALLS[name])
    for n, classes in suspects.items():
        if (place := also.get(n, n)) in by_place and place != "self":
            found.setdefault(place, []).append(classes)
    for place, listed in found.items():
        if classes := frozenset().union(*listed) - {type(defaults.get(place, refused.NOTHING))}:
            name = by_place[place]
            space[f"_odd_{name}"] = classes
            yield f"{name}.__class__ in _odd_{name}"


def _tests(name: str, kinds: list[str], by_place, space):
    """Python expressions that are true where the argument ``name`` may be of one of the kinds."""
    classes = {_CLASSES[k] for k in kinds if k in _CLASSES}
    if any(k.startswith("of ") for k in kinds):
        classes |= {tuple, list}
    if classes:
        space[f"_of_{name}"] = frozenset(classes)
        yield f"{name}.__class__ in _of_{name}"
    for k in kinds:
        if k.startswith("not "):
            space[f"_in_{name}"] = refused.dtypes(k[4:])
            yield (f"({name}.dtype not in _in_{name} if {name}.__class__ is _Torch else "
                   f"{name}.__class__ is _Parameter and {name}.dtype not in _in_{name})")
        elif k.startswith("dtype "):
            space[f"_only_{name}"] = refused.dtypes("|".join(d[6:] for d in kinds if d.startswith("dtype ")))
            yield f"({name}.__class__ is _Torch and {name}.dtype in _only_{name})"
        elif k.startswith(refused.RELATIONS) and (other := by_place.get(k.split()[1])):
            what = "{}.shape != {}.shape" if k.startswith("sized") else "{}.dtype is not {}.dtype"
            yield (f"({name}.__class__ is _Torch and {other}.__class__ is _Torch "
                   f"and {what.format(name, other)})")
        elif k.startswith("ndim"):
            yield f"({name}.__class__ is _Torch and {name}.ndim {k[4:].replace('!', '!=')})"
        elif k.startswith(("num<", "num>")):
            yield f"(({name}.__class__ is int or {name}.__class__ is float) and {name} {k[3:]})"
        elif k.startswith("str not "):
            space[f"_words_{name}"] = frozenset(k[8:].split("|"))
            yield f"({name}.__class__ is str and {name} not in _words_{name})"
