"""What MindSpore says to a wrong call of a public name: refused.tsv, which scripts/sweep_errors.py reads off
the real one.

A line: the name and whether it is made or called, an argument (by name; by place where an object is called;
"*" for their number), kinds of values that are wrong there, the error's class, its words. The table is read
when a call has failed, so that good calls pay nothing; constructors, and the functions of guards.py, whose
computation here would take what MindSpore refuses, look first.

Kinds: the words of `kind_of`; "of str" is a sequence with a string in it; "not Float16|Float32" a tensor of
any other dtype, "dtype Bool" of that one; "ndim!4", "ndim<2" a tensor of wrong rank; "num<1", "num<=0" a
number; "str not sum|mean" another string; "sized x" a tensor of another shape than ``x``, "unlike x" of
another dtype, "below x" where both promote to another dtype than its own, "above x" where they do to another
one than that of ``x``. What may depend on other arguments explains a call that failed and never refuses one:
"~int" an int, "Tensor[Int32]" a tensor of that dtype, "0-d", "rank>2", "negative", "large", "other" string,
"empty", "shape".

A line whose place is "if" has a condition over all arguments in the kinds' place (`terms`): it tells a call
that failed, and refuses none.
"""

from __future__ import annotations

import builtins
import operator
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from ms2torch._core.checks import rules
from ms2torch._core.checks.calls import dtype_name
from ms2torch._core.checks.odd import ODD, fuller, odd_error
from ms2torch._core.checks.preconditions import PRECONDITIONS, precondition_error
from ms2torch._core.checks.words import kind_of, renderings, with_public_classes
from ms2torch._core.tensor.dtype import common
from ms2torch._core.torch_private import lack_of_memory

# What a wrong call may raise that is then told in MindSpore's words.
FAILURES = (RuntimeError, IndexError, TypeError, AttributeError, ValueError, KeyError)
_ENTRY = re.compile(r"^[\w.<>]+\(\) "
                    r"(?=got an unexpected keyword|got some positional-only|missing \d|takes |got multiple)")
_HOLE = re.compile(r"\{(\w+)(?::([^{}]*))?\}")
NOTHING = object()
_CONVERSION = "Data type conversion is not supported"
# Exact classes of a kind, for the quick look.
_CLASSES = {"str": (str,), "None": (type(None),), "list": (list,), "tuple": (tuple,), "numpy": (np.ndarray,),
            "float": (float,), "int": (int,), "bool": (bool,), "complex": (complex,), "dict": (dict,)}
_SOFT = ("~", "Tensor[", "0-d", "rank>", "empty", "negative", "other", "large", "shape")
RELATIONS = ("unlike ", "below ", "above ", "sized ")
_LIMIT = re.compile(r"(ndim|num)(!|<=?|>=?)(-?[\d.]+)$")
_COMPARED = {"!": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class Entry(NamedTuple):
    """What is wrong at ``place`` and the error that it gets."""

    place: str
    kinds: tuple[str, ...]
    error: str
    words: str


@cache
def _table() -> bytes:
    """The file without its head; the lines are in the order of their names."""
    text = Path(__file__).with_suffix(".tsv").read_bytes()
    return text[text.index(b"\n"):]


@cache
def _lines(called: str) -> tuple[str, ...]:
    """The lines of one name, without it; found by halving, so that nobody reads the others."""
    table, name = _table(), called.encode()
    low, high = 0, len(table) - 1                   # both at the end of a line before one
    while low < high:
        middle = table.rfind(b"\n", low, (low + high) // 2 + 1)
        end = table.index(b"\t", middle)
        if table[middle + 1 : end] < name:
            low = table.index(b"\n", end)
        else:
            high = middle
    found = []
    while table.startswith(name + b"\t", low + 1):
        low, start = table.index(b"\n", low + 1), low + len(name) + 2
        found.append(table[start:low].decode())
    return tuple(found)


def has_entries(called: str) -> bool:
    """Whether the tables have a line about a name."""
    return called in PRECONDITIONS or called in ODD or bool(_lines(called))


@cache
def entries(called: str) -> tuple[Entry, ...]:
    """Those of ``ops.Adam call``, ``nn.Dense make``, ``numpy.add make``; the certain ones first."""
    found = []
    for line in _lines(called):
        place, kinds, error, words = line.split("\t")
        if place == "if":
            continue
        found.append(Entry(place, tuple(kinds.split(",")), error, words.replace("\\n", "\n")))
    order = ("", *_SOFT)
    # (classes are looked at before numbers are)
    return tuple(sorted(found, key=lambda e: next(
        (k for k, soft in enumerate(order) if soft and e.kinds[0].startswith(soft)),
        0.5 * e.kinds[0].startswith("num"))))


@cache
def conditions(called: str) -> tuple[tuple[str, str, str], ...]:
    """(condition, error, words) of the lines about several arguments, in their order."""
    rows = (line.split("\t") for line in _lines(called))
    return tuple((test, error, words.replace("\\n", "\n")) for place, test, error, words in rows
                 if place == "if")


def condition_error(called: str, given, own: dict | None = None) -> Exception | None:
    """MindSpore's error for arguments, (place, value) pairs, that do not fit each other; ``own`` are the
    attributes of the object that was called, by ``@name``, and what arguments are called besides."""
    asked = conditions(called)
    if not asked and called not in PRECONDITIONS:
        return None
    from ms2torch._core.checks import terms

    values = {terms.variable_name(p): v for p, v in (*(own or {}).items(), *given)}
    if wrong := precondition_error(called, values):
        return wrong
    for test, error, words in asked:
        if terms.holds(test, values):
            try:
                text = terms.fill(words, values).replace("{given}", call_text(given))
                if text.startswith(_CONVERSION) and (wrong := _without_common_dtype(given)):
                    return wrong
                return getattr(builtins, error, RuntimeError)(text)
            except LookupError:
                continue
    return None


def _is_certain(kind: str, words: str) -> bool:
    """Whether a value of ``kind`` is wrong whatever the other arguments are: not a rank that is compared with
    another one, nor a size that is only preferred."""
    if kind.startswith("ndim"):
        return "attribute[" not in words
    return not kind.startswith(_SOFT) and not (kind.startswith("sized ") and " or " in words)


def argument_error(called: str, given, others=None, certain: bool = False) -> Exception | None:
    """MindSpore's error for a call with these arguments, (place, value) pairs, where the table has one.

    ``others`` are the values of arguments that were not given. ``certain``: only for what is wrong whatever
    the other arguments are.
    """
    like_arrays = []                        # places of objects that have what others lack
    for entry in entries(called):
        for place, value in given:
            if place == entry.place and any(is_kind(value, k, given) for k in entry.kinds
                                            if not certain or _is_certain(k, entry.words)):
                if not _has_what_is_lacking(entry, value):
                    return _error(entry, value, given, others)
                like_arrays.append((place, value))
    return next((_error(entry, value, given, others) for place, value in like_arrays
                 for entry in entries(called) if entry.place == place and "numpy" in entry.kinds), None)


def array_error(called: str, given) -> Exception | None:
    """MindSpore's error where an array of numpy's is given for a Tensor, which comes before all that is asked
    of shapes."""
    given = list(given)
    arrays = {p: v for p, v in given if isinstance(v, np.ndarray)}
    asked = entries(called) if arrays else ()
    return next((_error(entry, arrays[entry.place], given, None) for entry in asked
                 if entry.place in arrays and "numpy" in entry.kinds), None)


def _has_what_is_lacking(entry: Entry, value) -> bool:
    """Whether an entry says of a sparse tensor or a number of numpy's that it has not what it has."""
    lacking = entry.error == "AttributeError" and _LACKING.search(entry.words)
    return bool(lacking) and not isinstance(value, torch.Tensor) and hasattr(value, lacking[1])


_LACKING = re.compile(r"has no attribute '(\w+)'$")


# Classes that the sweep did not try where a Tensor is wanted, and those like them that it did.
_LIKE = {"int": "float", "bool": "float", "complex": "float", "tuple": "list", "dict": "str", "dtype": "str",
         "object": "str"}
_ITS_OWN = {"int": re.compile(r"\bint|Int\d", re.IGNORECASE), "bool": re.compile("bool", re.IGNORECASE),
            "tuple": re.compile("tuple", re.IGNORECASE)}


def failed_argument_error(called: str, given, others=None, certain: bool = False) -> Exception | None:
    """`argument_error` of a call that has failed: where a Tensor is wanted the table's words about a number
    are an int's and a bool's too, those about a list a tuple's."""
    if (wrong := argument_error(called, given, others, certain)) or not certain:
        return wrong
    for k, (place, value) in enumerate(given):
        like = _LIKE.get(kind := kind_of(value))
        if like and not (k and like == "float" and called.endswith(" make")):   # (functions convert numbers)
            there = [e for e in entries(called) if e.place == place]
            kinds = {k for e in there for k in e.kinds}
            if "numpy" not in kinds or not kinds.isdisjoint((kind, f"~{kind}")):
                continue
            for entry in there:
                itself = kind in _ITS_OWN and not entry.words.startswith("Failed calling") \
                    and _ITS_OWN[kind].search(entry.words)
                if like in entry.kinds and not itself and "typing.Float" not in entry.words:
                    if _has_what_is_lacking(entry, value):
                        entry = next(e for e in there if "numpy" in e.kinds)
                    return _error(entry, value, given, others)
    return None


# Whose words are told of a value of a kind that no line of its argument has; a tuple's are a list's.
_OF_ARRAYS = ("ops.", "numpy.", "Tensor.", "mint.", "scipy.")           # (elsewhere objects are right)
_ORDER = ("object", "dict", "str", "complex", "dtype", "None", "float", "list")
_NEAREST = {"tuple": ("list",), "list": ("tuple",),
            **{kind: tuple(k for k in _ORDER if k != kind)
               for kind in ("object", "dtype", "complex", "dict")}}
_OF_A_KIND = re.compile(
    r"'(str|list|dict|float|complex|NoneType|tuple)'|[Ss]tring|Float\d*\b(?!\[)|Dict|<class '")


def nearest_error(called: str, given, others=None) -> Exception | None:
    """MindSpore's error for an argument of a kind that the table lacks, as it has it for another one of which
    its words do not speak; for calls that failed in no words of MindSpore's."""
    for place, value in given if called.startswith(_OF_ARRAYS) else ():
        nearest = _NEAREST.get(kind := kind_of(value))
        there = nearest and [e for e in entries(called) if e.place == place
                             and (len(e.kinds) > 1 or "{" in e.words) and "Select CPU" not in e.words
                             and not _OF_A_KIND.search(_HOLE.sub("", e.words))]
        kinds = {k.removeprefix("~") for e in there or () for k in e.kinds}
        tried = kind != "object" and not kinds.isdisjoint(("dict", "complex"))      # then it is right there
        if not there or tried or kind in kinds or (kind == "dtype" and "type" in place) or (
                place.endswith(("fn", "func", "function"))):
            continue
        for like in nearest:
            for entry in there:
                if not {like, f"~{like}"}.isdisjoint(entry.kinds) and not _has_what_is_lacking(entry, value):
                    return _error(entry, value, given, others)
    return None


def checker(called: str, names, defaults):
    """``check(values)`` gives MindSpore's error for what is certainly wrong, None for a good call; quick for
    good ones. ``names``: the places of the values; ``defaults``: theirs by name."""
    plan = []
    for place in {e.place for e in entries(called)} & set(names):
        kinds = {k for e in entries(called) if e.place == place for k in e.kinds if _is_certain(k, e.words)}
        if kinds:
            listed = [dtypes(k[4:]) for k in kinds if k.startswith("not ")]
            plan.append((names.index(place), frozenset(c for k in kinds for c in _CLASSES.get(k, ())),
                         frozenset.intersection(*listed) if listed else None,
                         [names.index(k.split()[1]) for k in kinds if k.startswith(RELATIONS)
                          and k.split()[1] in names],
                         any(k.startswith("of ") for k in kinds)))

    def check(values):
        for k, classes, allowed, others, inside in plan:
            if k >= len(values):
                continue
            value = values[k]
            kind = value.__class__
            if kind is torch.Tensor:
                dtype = value.dtype
                if (allowed is None or dtype in allowed) and not (others and any(
                        j < len(values) and getattr(values[j], "dtype", dtype) is not dtype for j in others)):
                    continue
            elif kind not in classes and not (inside and kind in (list, tuple)):
                continue
            given = [(n, v) for n, v in zip(names, values, strict=False)
                     if v is not defaults.get(n, NOTHING)]
            if found := argument_error(called, given, defaults, certain=True):
                return found
        return None

    return check if plan else None


@cache
def dtypes(listed: str) -> frozenset:
    """The torch dtypes of a list of MindSpore's names."""
    return rules._allowed(listed.replace("|", ", "))


def count_error(called: str, given, missing: bool, unknown: str | None = None) -> Exception | None:
    """The error for arguments that are too many, too few or of unknown names, where MindSpore has its own."""
    what = "unknown" if unknown else "missing" if missing else "extra"
    for entry in entries(called):
        if entry.place == "*" and what in entry.kinds:
            return _error(entry, unknown, given, None)
    return None


def python_name(called: str) -> str | None:
    """How Python's own errors about arguments call the function in MindSpore."""
    return next((e.words for e in entries(called) if e.kinds == ("python",)), None) or (
        "inspect" if any(e.place == "*" and _BOUND.match(e.words) for e in entries(called)) else None)


def twice_given(called: str, takes, args, kwargs) -> TypeError | None:
    """Python's error where an argument of a function of mindspore.numpy, which MindSpore has in Python, comes
    by place and by name."""
    if not kwargs or not called.startswith("numpy."):
        return None
    places = position_names(called, takes, len(args))
    name = python_name(called) or called.rpartition(" ")[0].rpartition(".")[2]
    twice = next((n for n in places if n in kwargs), None)
    return twice and TypeError(f"{name}() got multiple values for argument '{twice}'")


def is_signature_error(err: TypeError) -> bool:
    """Whether this is Python's own error about the number or the names of arguments."""
    return bool(_ENTRY.match(str(err)) or _BOUND.match(str(err)))


def signature_error(called: str, name: str, takes, args, others, selves: int = 1) -> Exception:
    """The error for arguments that are too many, too few or of unknown names; in Python's words, for a method
    ``name`` that takes the parameters ``takes``, where MindSpore has none of its own."""
    any_others = any(p.kind is p.VAR_KEYWORD for p in takes)
    takes = [p for p in takes if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    names = [p.name for p in takes]
    needed = [p.name for p in takes if p.default is p.empty]
    unknown = next((n for n in others if n not in names and not any_others), None)
    missing = [n for n in needed if n not in names[: len(args)] and n not in others]
    given = [*((str(k), as_torch(v)) for k, v in enumerate(args)),
             *(Named((n, as_torch(v))) for n, v in others.items())]
    if wrong := count_error(called, given, bool(missing), unknown):
        return wrong
    name = python_name(called) or name
    if unknown:
        return TypeError(f"{name}() got an unexpected keyword argument '{unknown}'")
    if missing:
        *first, last = (f"'{n}'" for n in missing)
        listed = f"{', '.join(first)}{',' * (len(first) > 1)} and {last}" if first else last
        return TypeError(f"{name}() missing {len(missing)} required positional argument"
                         f"{'s' * bool(first)}: {listed}")
    placed = [p for p in takes if p.kind is not p.KEYWORD_ONLY]
    most, least = len(placed) + selves, sum(p.default is p.empty for p in placed) + selves
    count = f"{most} positional argument{'s' * (most != 1)}" if most == least else \
        f"from {least} to {most} positional arguments"
    return TypeError(f"{name}() takes {count} but {len(args) + selves} were given")


def _tells_of_one_value(called: str) -> bool:
    """Whether the table's words for too many arguments are about what one of them was taken for."""
    return any(e.place == "*" and "extra" in e.kinds and e.error != "TypeError" for e in entries(called))


def with_public_name(err: TypeError, called: str) -> Exception:
    """Python's error about arguments under the name that MindSpore's function has."""
    name = python_name(called)
    if name and _ENTRY.match(str(err)):
        return TypeError(_ENTRY.sub(name + "() ", str(err)))
    return err


def is_kind(value, kind: str, given) -> bool:
    """Whether a value is of a kind of the table, in a call with the arguments ``given``."""
    kind = kind.removeprefix("~")
    if kind.startswith(RELATIONS):
        how, place = kind.split()
        other = next((v for p, v in given if p == place), None)
        if not isinstance(value, torch.Tensor) or not isinstance(other, torch.Tensor):
            return False
        if how == "sized":
            return value.shape != other.shape
        a, b = value.dtype, other.dtype
        if a is b or how == "unlike":
            return a is not b
        try:
            return torch.promote_types(a, b) is not (a if how == "below" else b)
        except RuntimeError:                        # torch promotes no uint16, uint32 and uint64
            return False
    if limit := _LIMIT.match(kind):
        if limit[1] == "ndim":
            value = value.ndim if isinstance(value, torch.Tensor) else None
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return number and _COMPARED[limit[2]](value, float(limit[3]))
    if kind.startswith("str not "):
        return isinstance(value, str) and value.lower() not in kind[8:].lower().split("|")
    if kind.startswith("dtype "):
        return isinstance(value, torch.Tensor) and dtype_name(value.dtype) == kind[6:]
    if kind.startswith("of "):
        return isinstance(value, (tuple, list)) and any(kind_of(v) == kind[3:] for v in value)
    if kind.startswith("not "):
        return isinstance(value, torch.Tensor) and not rules.lists(dtypes(kind[4:]), value.dtype)
    if kind.startswith("Tensor["):
        return isinstance(value, torch.Tensor) and renderings(value)["kind"] == kind
    if kind.startswith("rank>"):
        return isinstance(value, (torch.Tensor, np.ndarray)) and value.ndim > int(kind[5:])
    if kind == "shape" and isinstance(value, torch.Tensor):
        others = [v.shape for p, v in given if isinstance(v, torch.Tensor) and v is not value]
        return not others or any(shape != value.shape for shape in others)
    if kind in _SOFT_KINDS:
        return _SOFT_KINDS[kind](value)
    return kind_of(value) == kind


_SOFT_KINDS = {
    "0-d": lambda v: isinstance(v, (torch.Tensor, np.ndarray, np.generic)) and v.ndim == 0,
    "negative": lambda v: isinstance(v, (int, float)) and v < 0,
    "large": lambda v: isinstance(v, (int, float)) and v > 1,
    "other": lambda v: isinstance(v, str),
    "empty": lambda v: isinstance(v, (tuple, list)) and not v,
    "shape": lambda v: isinstance(v, (torch.Tensor, np.ndarray)),
}


def _error(entry: Entry, value, given, others) -> Exception:
    text = fill(entry.words, value, given, others)
    if text.startswith(_CONVERSION) and (wrong := _without_common_dtype(given)):
        return wrong
    return getattr(builtins, entry.error, RuntimeError)(text)


def _without_common_dtype(given) -> TypeError | None:
    """MindSpore's error for the first two tensors that have no common dtype; it looks for one first."""
    tensors = [v for _, v in given if isinstance(v, torch.Tensor)]
    for k, later in enumerate(tensors):
        for t in tensors[:k]:
            try:
                common(later.dtype, t.dtype)
            except TypeError as err:
                return err
    return None


class Named(tuple):
    """An argument that was given by its name."""


def call_text(given) -> str:
    """The arguments as MindSpore's parser of calls prints them."""
    kinds = ((p, renderings(v)["call"], pair.__class__ is Named) for pair in given for p, v in (pair,))
    return f"({', '.join(f'{p}={kind}' if named else kind for p, kind, named in kinds if p != 'self')})"


def fill(words: str, value, given, others=None) -> str:
    """A template with what was given in its holes."""
    values = {**(others or {}), **dict(given)}

    def one(hole):
        what, of = hole.groups()
        if what == "count":
            return str(len(given) + int(of or 0))
        if what == "given":
            return call_text(given)
        if what == "unknown":
            return str(value)
        if what in ("item", "at"):
            return _odd_item(values.get(of) if of else value)[what == "item"]
        if what == "type" and words.startswith("Failed calling"):       # (of a number both are one word)
            what = "call"
        return renderings(values.get(of) if of else value).get(what, "")

    return _HOLE.sub(one, words)


def _odd_item(sequence) -> tuple[str, str]:
    """The place and the text of the first string in a sequence, of its first float where it has none."""
    kinds = list(map(kind_of, sequence))
    place = next((kinds.index(kind) for kind in ("str", "float") if kind in kinds), 0)
    return str(place), str(sequence[place])


def position_names(called: str, takes, count: int) -> list[str]:
    """The places of ``count`` arguments by position."""
    if called.endswith(" call"):
        return list(map(str, range(count)))
    names = [n for n, p in takes.parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [names[k] if k < len(names) else f"*{k}" for k in range(count)]


def mindspore_error(err: Exception, called: str, takes, args, kwargs, own: dict | None = None) -> Exception:
    """``err``, which a call with these arguments raised, or MindSpore's error for them; ``takes`` is the
    signature (`inspect.Signature`) without self, ``own`` the attributes of the object that was called."""
    if lacking := lack_of_memory(err):
        return lacking
    err = with_public_classes(err, (*args, *kwargs.values()))
    if not has_entries(called) or (isinstance(err, NotImplementedError) and hasattr(err, "from_user")):
        return err
    places = position_names(called, takes, len(args))
    given = [*zip(places, map(as_torch, args), strict=True),
             *(Named((n, as_torch(v))) for n, v in kwargs.items())]
    if hasattr(err, "asked"):
        return fuller(err, odd_error(called, given) or err)
    if (err.__class__ is TypeError and _ENTRY.match(str(err))) or _BOUND.match(str(err)):
        try:
            takes.bind(*args, **kwargs)
        except TypeError as unbound:
            if python_name(called) == "inspect":        # MindSpore binds these arguments by that module
                return TypeError(str(unbound))
            if _BOUND.match(str(err)) and (name := python_name(called)):
                takes = [p for p in takes.parameters.values() if p.kind is not p.VAR_KEYWORD]
                return signature_error(called, name, takes, args, kwargs, 0)
            text = str(unbound)
            if text.startswith("multiple values") and _tells_of_one_value(called):
                return with_public_name(err, called)
            unknown = re.search(r"unexpected keyword argument '(\w+)'", text)
            unknown = unknown[1] if unknown else _nameless(takes, kwargs) or _unknown(takes, kwargs)
            return count_error(called, given, text.startswith("missing"), unknown) or \
                with_public_name(err, called)
        if str(err).startswith(f"{called[:-5].rpartition('.')[2]}.__init__() "):      # takes *args, **kwargs
            return with_public_name(err, called)
    if wrong := odd_error(called, given):
        return fuller(err, wrong)
    others = {n: p.default for n, p in takes.parameters.items() if p.default is not p.empty}
    worded = getattr(err, "from_user", False)
    if worded and called.endswith(" call"):         # what a layer asks may depend on how it was made
        return err
    worded = worded or (str(err).startswith(_IN_ITS_WORDS) and not hasattr(err, "of_torch"))
    if wrong := failed_argument_error(called, given, others, True):
        return wrong
    if worded:
        return err
    return condition_error(called, given, own) or argument_error(called, given, others) or \
        nearest_error(called, given, others) or err


def _unknown(takes, kwargs) -> str | None:
    """The first name that no argument has, which Python tells before it counts them."""
    free = any(p.kind is p.VAR_KEYWORD for p in takes.parameters.values())
    return None if free else next((n for n in kwargs if n not in takes.parameters), None)


def _nameless(takes, kwargs) -> str | None:
    """The first name that was given where all is taken by place alone."""
    alone = all(p.kind is p.POSITIONAL_ONLY for p in takes.parameters.values())
    return next(iter(kwargs), None) if alone else None


def as_torch(value):
    return getattr(value, "_t", value) if value.__class__.__name__ in ("Tensor", "Parameter") else value


_BOUND = re.compile(
    "missing a required argument|too many positional|got an unexpected keyword|multiple values")
# Errors that are in MindSpore's words already.
_IN_ITS_WORDS = ("For ", "Failed calling")
