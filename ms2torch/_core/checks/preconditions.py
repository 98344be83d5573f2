"""What MindSpore asks of a call's arguments where the computation here would take what it refuses.

preconditions.tsv is written by hand, from what the real one answers and documents; behind these lines stand
those about one argument of a class or dtype that it never takes there, read off its answers. A line: the
calls that it is about (``ops.Betainc call``, ``ops.addr make``; several by commas), the condition under which
they are refused (an expression of `terms`), the error's class, its words. The first line that holds tells the
error.
They are asked before the computation, so each is true of no call that MindSpore takes.

Where MindSpore has one form of words for all its operators the line says what is right instead, and no more:
``seed: int >= 0``, ``dilation: each int > 0``, ``keep_prob: in [0.0, 1.0]``,
``mode: of REFLECT, SYMMETRIC``, ``strides: a pair``, ``paddings: convertible``,
``x: a Tensor``.
Behind "for" stand the names that the words have for the operator and the argument:
``x: Tensor[Float16], Tensor[Float32] for LRN.x``, ``size: a value of int, tuple for Resize.size``,
``row: whole for TrilIndices.row``.
Conditions that begin with ``failed:`` are read only after the computation here has failed, for its words.
An argument whose name is one of the expressions' words gets an underscore: ``num(min_) > num(max_)``.
"""

from __future__ import annotations

import ast
import builtins
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from ms2torch._core.devices import device
from ms2torch._core.operators.spelling import Omitted


def _read() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    asked: dict[str, list[str]] = {}
    failed: dict[str, list[str]] = {}
    for line in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()[1:]:
        called, _, rest = line.partition("\t")
        found = failed if rest.startswith("failed: ") else asked
        for name in called.split(", "):
            found.setdefault(name, []).append(rest.removeprefix("failed: "))
    return asked, failed


PRECONDITIONS, OF_FAILURES = _read()
# The dtypes that one word lists.
_FAMILIES = {"Float": ("Float16", "Float32", "Float64"), "Int": ("Int8", "Int16", "Int32", "Int64"),
             "UInt": ("UInt8", "UInt16", "UInt32", "UInt64")}
_FOR = re.compile(r"(.*) for (\w+)\.([\w ]+)$")


class Rule(NamedTuple):
    """``test`` takes the arguments ``names`` and is true of those that are refused."""

    names: tuple[str, ...]
    test: Any
    error: str
    words: str


@cache
def _rules(called: str, failed: bool = False) -> tuple[Rule, ...]:
    made: list[Rule] = []
    for line in (OF_FAILURES if failed else PRECONDITIONS).get(called, ()):
        made += [_rule(called, *row) for row in _worded(called, *line.split("\t"))]
    return tuple(made)


def _rule(called: str, condition: str, error: str, words: str) -> Rule:
    from ms2torch._core.checks import terms

    used = dict.fromkeys(compile(condition, called, "eval").co_names)
    names = tuple(n for n in used if n not in terms.WORDS)
    test = eval(f"lambda {', '.join(names)}: {condition}", {"__builtins__": {}, **terms.WORDS})
    return Rule(names, test, error, words.replace("\\n", "\n"))


def _worded(called: str, condition: str, error: str = "", words: str = ""):
    """(condition, error, words) of a line, of several rules where it says what is right."""
    if words:
        yield condition, error, words
        return
    from ms2torch._core.checks import terms

    n, _, right = condition.partition(": ")
    n = f"{n}_" if n in terms.WORDS else n
    if of_one := _FOR.match(right):
        yield from _of_kinds(n, *of_one.groups())
        return
    told = f"For '{called.split()[0].rpartition('.')[2]}'"
    if right.startswith("int "):
        asked = f"{told}, the '{n}' must be int"
        some = f"{asked} and must {right[4:]}, but got '{{text({n})}}' with type '{{type({n})}}'."
        yield f"not isinstance({n}, int)", "TypeError", f"{asked}, but got '{{type({n})}}'"
        yield f"isinstance({n}, bool)", "TypeError", some
        yield f"not {n} {right[4:]}", "ValueError", some
    elif right.startswith("each "):
        first = f"first_unlike({n}, {right[9:]!r})"
        asked, it = f"{told}, the '{n}[{{{first}}}]' must be int", f"(part({n}, {first}))"
        some = f"{asked} and must {right[9:]}, but got '{{text{it}}}' with type '{{type{it}}}'."
        yield f"not isinstance(part({n}, {first}), int)", "TypeError", f"{asked}, but got '{{type{it}}}'"
        yield f"isinstance(part({n}, {first}), bool)", "TypeError", some
        yield f"{first} < 1 << 30", "ValueError", some
    elif right.startswith("in "):
        low, high = right[4:-1].split(", ")
        yield (f"num({n}) < {low} or num({n}) > {high}", "ValueError",
               f"{told}, the '{n}' must be in range of {right[3:]}, but got {{text({n})}} with type "
               f"'{{type({n})}}'.")
    elif right.startswith("of "):
        words = right[3:].split(", ")
        yield (f"not isinstance({n}, str) or {n} not in {words}", "ValueError",
               f"{told}, the '{n}' must be str and must be in '{words}', but got '{{text({n})}}'.")
    elif right == "convertible":                    # (what no operator's input can be made of)
        yield (f"kind({n}) in ('Func', 'TypeType') or kind({n})[:5] == 'Slice'", "RuntimeError",
               "Run op inputs type is invalid!")
        yield (f"kind({n}) == 'External'", "TypeError",
               f"Not support for PythonObject(type: {{cls({n})}}, value: {{text({n})}})")
    elif right == "a Tensor":                                        # a check of mindspore.numpy
        yield (f"of({n}) != 'Tensor'", "TypeError",
               f"expect Tensor, but got {{typed({n})}}")
    else:
        number = {"a pair": 2, "a triple": 3}[right]
        what = (f" attr '{n}' must be an positive int number or a tuple of two positive int numbers"
                if number == 2 else
                f", the parameter '{n}' must be an positive integer or a tuple of three positive integer")
        yield f"not positives({n}, {number})", "ValueError", f"{told}{what}, but got {{text({n})}}"


def _of_kinds(n: str, right: str, name: str, argument: str):
    """Rules for an argument that has to be of some dtypes, or a value of some types."""
    if right == "whole":
        yield (f"{n} is not None and not of_types({n}, 'int', 'bool')", "TypeError",
               f"For '{name}', the '{argument}' must be int, but got '{{type({n})}}'")
    elif right.startswith("a value of "):
        types = right[11:].split(", ")
        asked = f"'{types[0]}'" if len(types) == 1 else f"one of '{types}'"
        yield (f"{n} is not None and not of_types({n}, {', '.join(map(repr, types))})", "TypeError",
               f"For '{name}', the type of '{argument}' should be {asked}, but got type '{{type({n})}}'.")
    else:
        listed = right.replace("Tensor[", "").replace("]", "").split(", ")
        dtypes = tuple(d for word in listed for d in _FAMILIES.get(word, (word,)))
        got = "kind" if "[" in right else "word"
        yield (f"dtype({n}) not in {dtypes}", "TypeError",
               f"For primitive[{name}], the input argument[{argument}] must be a type of {{{right}}}, "
               f"but got {{{got}({n})}}.")


class AcceptedCalls:
    """Calls of one name against which nothing was found, by what a condition can depend on: dtypes, shapes
    and plain values. (A call in a training loop is asked about once.)"""

    __slots__ = ("known",)
    MOST = 256
    _TENSORS = frozenset((torch.Tensor, torch.nn.Parameter))
    _PLAIN = frozenset((int, float, bool, str, type(None), Omitted))
    _INTS = frozenset((int,))

    def __init__(self) -> None:
        self.known: set = set()

    def key(self, values) -> tuple | None:
        """What stands for torch tensors and values; None where something else is among them."""
        found = []
        for v in values:
            kind = v.__class__
            if kind in self._TENSORS:
                found.append((v.dtype, v.shape))
            elif kind in self._PLAIN:
                found.append((kind, v))
            elif (kind is tuple or kind is list) and self._INTS.issuperset(map(type, v)):
                found.append((kind, *v))
            else:
                return None
        return tuple(found)

    def key_here(self, args, kwargs) -> tuple | None:
        """`key` of torch tensors and values, where what a CPU's kernels lack is refused."""
        key = self.key((*args, *kwargs.values()))
        return key and (*key, *kwargs, device.has_cpu_kernels())

    def key_of_call(self, args, kwargs, of=None, attributes=()) -> tuple | None:
        """`key` of a call of Tensors and values, with the names of those that are given by name, and of what
        ``attributes`` of ``of`` are."""
        values = [getattr(a, "_t", a) for a in (*args, *kwargs.values())]
        if attributes:
            own = vars(of)
            values += [str(v) if (v := own.get(n, own.get(f"_{n}"))).__class__ in (tuple, list) else v
                       for n in attributes]
        key = self.key(values)
        return (*key, *kwargs) if key and kwargs else key

    def add(self, key: tuple | None) -> None:
        if key is not None and len(self.known) < self.MOST:
            self.known.add(key)


# What of a value tells no more than its class.
_BY_CLASS = frozenset(("of", "of_types", "isinstance", "is_number", "type", "kind_of"))


@cache
def classes_asked(called: str) -> tuple[str, ...] | None:
    """The arguments whose classes decide every condition of ``called``, each by itself; None where a
    condition asks for more than that."""
    found: dict[str, None] = {}
    for line in PRECONDITIONS.get(called, ()):
        for condition, *_ in _worded(called, *line.split("\t")):
            tree = ast.parse(condition, mode="eval").body
            either = isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or)
            for part in tree.values if either else (tree,):
                if (name := _of_one_class(part)) is None:
                    return None
                found[name] = None
    return tuple(found)


def _of_one_class(condition: ast.expr) -> str | None:
    """The name of the argument on whose class alone a condition depends."""
    asked, names = set(), set()
    for node in ast.walk(condition):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _BY_CLASS:
            asked |= {node.func, node.args[0]}
            names.add(getattr(node.args[0], "id", None))
            if node.func.id == "isinstance":
                asked |= set(ast.walk(node.args[1]))
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)) \
                and ast.unparse(node.comparators[0]) == "None":
            asked.add(node.left)
            names.add(getattr(node.left, "id", None))
    others = {node for node in ast.walk(condition) if isinstance(node, (ast.Name, ast.Attribute))} - asked
    return names.pop() if len(names) == 1 and not others else None


@cache
def attributes_read(called: str) -> tuple[str, ...]:
    """The attributes of the object that is called, which conditions of ``called`` are about."""
    return tuple(sorted({n.removeprefix("own_") for rule in _rules(called) for n in rule.names
                         if n.startswith("own_")}))


# The kinds of objects whose inputs are Tensors, and no arrays of numpy's.
_OF_TENSORS = ("ops.", "nn.", "mint.nn.")


def precondition_error(called: str, values: dict, failed: bool = False) -> Exception | None:
    """MindSpore's error for a call with the arguments ``values`` by `terms.variable_name`, with defaults;
    ``failed``: for one whose computation has failed."""
    if called not in (OF_FAILURES if failed else PRECONDITIONS):
        return None
    from ms2torch._core.checks import terms

    values = {f"{n}_" if n in terms.WORDS else n: v for n, v in values.items()}
    if called.endswith(" call") and called.startswith(_OF_TENSORS):
        values = {n: terms.as_input(v, called[0] != "o") if v.__class__ is np.ndarray else v
                  for n, v in values.items()}
    for rule in _rules(called, failed):
        try:
            if rule.test(*[values[n] for n in rule.names]):
                wrong = getattr(builtins, rule.error)(terms.fill(rule.words, values))
                wrong.asked = True                  # no table knows it better
                return wrong
        except (LookupError, *terms.UNTOLD):
            continue
    return None
