"""Whether ms2torch takes a call: too many or too few arguments, unknown names, arguments that are refused."""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Iterator
from functools import cache

from ms2torch._naming import generation
from ms2torch._naming.surface import dropped_member

from .answers import constructor, facts, keywords, refusal, required_arguments, statements_of, suggestion
from .evaluate import UNKNOWN, evaluate
from .findings import API
from .members import PYTORCH_HABITS
from .nodes import walk
from .trying import refused_by_itself
from .words import wrong_words

# How deep a call is followed for what it refuses.
_DEPTH = 3
_TOLD = (str, bytes, int, float, tuple, list, dict, type(None))
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def call_findings(path: str, found, call: ast.Call, bound: bool, api: str | None,
                  given: tuple[list, dict] | None = None) -> Iterator[tuple[str, str]]:
    """(kind, text) of all that is to know about a call of ``found``; ``bound`` calls leave the first out.
    ``given`` are the values of its arguments, as far as they are told."""
    refused = refusal_of(found)
    if refused is not None:
        yield "refused", refused
        return
    wrong = [*_takes(found, call, bound), *wrong_words(found, _said(found, call, bound))]
    yield from (("argument", text) for text in wrong)
    refusals = [] if wrong else [*_refused_arguments(found, call, bound)]
    yield from refusals
    if given and not (wrong or refusals):
        names = [p.name for p in _parameters(found, bound) or () if p.kind in _POSITIONAL]
        yield from (("argument", text) for text in refused_by_itself(path, found, given, names))
    for fact in facts(path, found):
        if not (fact.kind == API and (api or generation.is_set())) and is_concerned(fact.when, call):
            yield fact.kind, fact.text


# ---- arguments -----------------------------------------------------------------------------------------


@cache
def _parameters(function, bound: bool) -> list[inspect.Parameter] | None:
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    return found[1:] if bound and found and found[0].kind in _POSITIONAL else found


def _takes(function, call: ast.Call, bound: bool) -> Iterator[str]:
    """What is wrong with the arguments of a call, in words."""
    parameters = _parameters(function, bound)
    if parameters is None:
        return
    also = _also(function)
    kinds = {p.kind for p in parameters}
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    any_name = inspect.Parameter.VAR_KEYWORD in kinds
    listed = keywords(function)
    if listed is not None:
        named, any_name = [*named, *listed], False
    given = [k.arg for k in call.keywords if k.arg]
    for name in given:
        if not any_name and name not in named and name not in also:
            yield f"does not take the argument {name!r}.{_hint(name, tuple(named))}"
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    places = [p.name for p in parameters if p.kind in _POSITIONAL]
    for name in places[: 0 if starred else len(call.args)]:
        if name in given:
            yield f"is given the argument {name!r} twice."
    most = max(len(places), _places_before(function) - bound if generation.is_set() else 0)
    if inspect.Parameter.VAR_POSITIONAL not in kinds and not starred and len(call.args) > most:
        yield f"takes at most {len(places)} positional arguments, but {len(call.args)} are given."
    if starred or len(given) < len(call.keywords) or also.intersection(given):
        return
    there = {*places[: len(call.args)], *given}
    lacking = [
        p.name
        for p in parameters
        if p.default is p.empty and p.name not in there and p.kind in (*_POSITIONAL, p.KEYWORD_ONLY)
    ]
    taken = len(call.args) if not places else 0
    for name, *older in required_arguments(function)[taken:]:
        if name not in there and not there.intersection(older):
            lacking.append(name)
    yield from _lacking(lacking)


@cache
def _hint(name: str, named: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, named, 1, 0.75)
    return f" Did you mean {near[0]!r}?" if near else ""


def _lacking(lacking: list[str]) -> Iterator[str]:
    if lacking:
        several = f"s {', '.join(map(repr, lacking))}" if len(lacking) > 1 else f" {lacking[0]!r}"
        yield f"lacks the argument{several}."


@cache
def _also(function) -> frozenset[str]:
    """The names of other releases that a function takes without showing them in its signature."""
    also = set(getattr(function, "also", ()))
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is not None and hasattr(function, "__signature__"):
        also.update(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return frozenset(also)


@cache
def _places_before(function) -> int:
    """How many positional arguments a function takes with those of other releases, which it does not show."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_argcount if code is not None and hasattr(function, "__signature__") else 0


def is_concerned(when: str, call: ast.Call) -> bool:
    """Whether a fact concerns this call: ``keyword`` or nth positional ``(n)`` given, ``-keyword`` not;
    ``(1:2)`` is one or two positional ones, ``a,b`` either condition, ``a&b`` both."""
    given = {k.arg: k.value for k in call.keywords if k.arg}

    def holds(condition: str) -> bool:
        keyword, equals, value = condition.partition("=")
        if condition.startswith("("):
            least, _, most = condition.strip("()").partition(":")
            return int(least) <= len(call.args) <= int(most or 99)
        if condition.startswith("-"):
            return condition[1:] not in given
        if equals:
            return isinstance(given.get(keyword), ast.Constant) and str(given[keyword].value) == value
        return not condition or keyword in given

    return any(all(map(holds, either.split("&"))) for either in when.split(","))


def _said(function, call: ast.Call, bound: bool) -> dict[str, object]:
    """The words among a call's arguments, by the arguments' names."""
    given = [*((k.arg, k.value) for k in call.keywords if k.arg)]
    if not any(isinstance(a, ast.Starred) for a in call.args):
        places = [p.name for p in _parameters(function, bound) or () if p.kind in _POSITIONAL]
        given += zip(places, call.args, strict=False)
    return {name: node.value for name, node in given if isinstance(node, ast.Constant)}


# ---- refusals, read from the functions themselves ------------------------------------------------------


@cache
def refusal_of(found) -> str | None:
    """What a function or class says that raises ``unsupported`` before anything else; None for others."""
    function = constructor(found) if isinstance(found, type) else getattr(found, "__func__", found)
    statements = statements_of(function) if inspect.isfunction(function) else ()
    raised = refusal(statements[0]) if statements else None
    return None if raised is None else _told(raised, function, {})


def _told(raised: ast.Call, function, values: dict) -> str:
    """Reason and way out of an ``unsupported(api, reason, instead)``, as far as its text is told."""
    texts = [evaluate(part, _look(function, values)) for part in raised.args[1:]]
    texts = [text for text in texts if isinstance(text, str)]
    reason = texts[0] if texts else "not supported by ms2torch."
    instead = f" Instead: {texts[1]}" if len(texts) > 1 else ""
    return f"unsupported: {reason}{instead}"


def _look(function, values: dict):
    """The names that a function's own tests use: its arguments, and plain constants of its module."""

    def look(node):
        if isinstance(node, ast.Name):
            if node.id in values:
                return values[node.id]
            found = getattr(function, "__globals__", {}).get(node.id, UNKNOWN)
            if isinstance(found, (str, int, float, tuple, list, dict, set, frozenset)) or found is None:
                return found
        return UNKNOWN

    return look


def _refused_arguments(found, call: ast.Call, bound: bool) -> Iterator[tuple[str, str]]:
    """The refusal, or the error for wrong arguments, that a function's own tests come to for this call."""
    function = _function_of(found)
    if function is None or not _may_refuse(function):
        return
    parameters = _parameters(function, bound or isinstance(found, type))
    if parameters is not None:
        ended = _followed(function, _given(parameters, call, lambda _: UNKNOWN))
        if ended is not None:
            yield ended


def _function_of(found):
    function = constructor(found) if isinstance(found, type) else getattr(found, "__func__", found)
    function = inspect.unwrap(function) if function is not None else None
    return function if inspect.isfunction(function) else None


@cache
def _may_refuse(function, depth: int = 0) -> bool:
    """Whether a function, or one that it calls with ``super()`` or by name, raises an error that is told."""
    for node in (n for statement in statements_of(function) for n in walk(statement)):
        if _raised(node) is not None:
            return True
        if depth < _DEPTH and isinstance(node, ast.Call):
            inner = _inner(function, node)
            if inner is not None and _may_refuse(inner, depth + 1):
                return True
    return False


def _inner(function, node: ast.Call):
    """The function of ms2torch that a call inside another one goes to: ``super().__init__`` or a global."""
    if isinstance(node.func, ast.Name):
        found = function.__globals__.get(node.func.id)
        ours = inspect.isfunction(found) and found.__module__.startswith("ms2torch")
        return found if ours and found is not function else None
    if (
        isinstance(node.func, ast.Attribute)
        and node.func.attr == "__init__"
        and function.__name__ == "__init__"
    ):
        owner = function.__globals__.get(function.__qualname__.rpartition(".")[0])
        bases = owner.__mro__[1:-1] if isinstance(owner, type) else ()
        found = next((vars(c)["__init__"] for c in bases if "__init__" in vars(c)), None)
        return found if inspect.isfunction(found) and found.__module__.startswith("ms2torch") else None
    return None


def _raised(statement: ast.AST) -> ast.Call | None:
    """The ``unsupported(...)``, ``ValueError(...)`` or ``TypeError(...)`` that a statement raises."""
    raised = statement.exc if isinstance(statement, ast.Raise) else None
    told = isinstance(raised, ast.Call) and getattr(raised.func, "id", "") in ("ValueError", "TypeError")
    return raised if told else refusal(statement)


def _end(raised: ast.Call | None, function, values: dict, certain: bool) -> tuple[str, str] | None:
    """What is to know of a function that raises this: (kind, text). Where it may have returned before
    (not ``certain``), only that it refuses what ms2torch does not have."""
    if raised is None:
        return None
    if raised.func.id == "unsupported":
        return "refused", _told(raised, function, values)
    words = evaluate(raised.args[0], _look(function, values)) if raised.args else UNKNOWN
    told = f": {words}" if isinstance(words, str) else " for these arguments."
    return ("argument", f"ends in {raised.func.id}{told}") if certain else None


def _followed(function, values: dict, depth: int = 0) -> tuple[str, str] | None:
    """Follow a function's first statements with what is told of its arguments to the error that it raises."""
    certain = True
    for statement in statements_of(function):
        look = _look(function, values)
        if isinstance(statement, ast.If):
            hit = evaluate(statement.test, look)
            if hit is UNKNOWN or not hit:
                certain = certain and not (_leaves(statement) if hit is UNKNOWN else any(
                    map(_leaves, statement.orelse)))
                _forget(statement, values)
                continue
            raised = next((r for r in map(_raised, statement.body) if r is not None), None)
            if raised is not None:
                return _end(raised, function, values, certain and statement.body[0].__class__ is ast.Raise)
            if any(isinstance(n, (ast.Return, ast.Raise)) for n in statement.body):
                return None
            certain = certain and not any(map(_leaves, statement.body))
            _forget(statement, values)
        elif isinstance(statement, ast.Raise):
            return _end(_raised(statement), function, values, certain)
        elif isinstance(statement, ast.Return):
            return None
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and depth < _DEPTH:
            inner = _inner(function, statement.value)
            if inner is not None and _may_refuse(inner):
                bound = inner.__name__ == "__init__"
                passed = _given(_parameters(inner, bound) or [], statement.value, look)
                ended = _followed(inner, passed, depth + 1)
                if ended is not None and (certain or ended[0] == "refused"):
                    return ended
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            values[statement.targets[0].id] = evaluate(statement.value, look)
        else:
            certain = certain and not _leaves(statement)
            _forget(statement, values)
    return None


@cache
def _leaves(statement: ast.stmt) -> bool:
    """Whether a function may end within this statement without an error."""
    return any(isinstance(node, (ast.Return, ast.Yield)) for node in walk(statement))


def _forget(statement: ast.stmt, values: dict) -> None:
    """What a statement that was not followed may have bound is not told any more."""
    values.update(dict.fromkeys(_bound(statement), UNKNOWN))


@cache
def _bound(statement: ast.stmt) -> frozenset[str]:
    return frozenset(
        node.id
        for node in walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _given(parameters: list[inspect.Parameter], call: ast.Call, look) -> dict[str, object]:
    """What is told of each argument: the values of constants, the defaults of what is left out."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return {p.name: UNKNOWN for p in parameters}
    values = {p.name: p.default for p in parameters if p.default is not p.empty}
    places = [p.name for p in parameters if p.kind in _POSITIONAL]
    rest: dict[str, object] = {}
    for name, node in (*zip(places, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)):
        (values if name in {p.name for p in parameters} else rest)[name] = evaluate(node, look)
    for p in parameters:
        if p.kind is p.VAR_KEYWORD:
            values[p.name] = rest
        elif p.kind is p.VAR_POSITIONAL or not isinstance(values.get(p.name), _TOLD):
            values[p.name] = UNKNOWN
    return values


# ---- members -------------------------------------------------------------------------------------------


@cache
def no_method(cls: type, name: str) -> str | None:
    """What is to say of a call of an attribute of Tensors that is no method: ``x.size(0)``."""
    from ms2torch.common.tensor import Tensor

    if not issubclass(cls, Tensor) or not isinstance(inspect.getattr_static(cls, name, None), property):
        return None
    if callable(getattr(Tensor([[1.0]]), name)):
        return None
    return "is a value, not a method: leave the brackets out."


def lacks_member(cls: type, name: str) -> str | None:
    """What is to say of an attribute that instances of a MindSpore class do not have; None where they may."""
    from ms2torch.common.sparse_tensor import COOTensor, CSRTensor
    from ms2torch.common.tensor import Tensor
    from ms2torch.nn.cell import Cell

    if name.startswith("__") or hasattr(cls, name):
        return None
    if dropped := dropped_member(cls, name):
        return f"{dropped[0]} Instead: {dropped[1]}"
    if hasattr(cls, "__getattr__") and not issubclass(cls, Cell):
        return None
    habit = PYTORCH_HABITS.get(name)
    hint = (f" It is PyTorch's; in MindSpore: {habit}." if habit else
            suggestion(name, [n for n in dir(cls) if not n.startswith("_")]))
    if issubclass(cls, Tensor):
        if any(hasattr(sparse, name) for sparse in (COOTensor, CSRTensor)):  # which a sum with one may be
            return None
        return f"{cls.__name__} has no such method or attribute.{hint}"
    made = {
        word
        for base in cls.__mro__[:-1]
        for f in vars(base).values()
        if inspect.isfunction(f)
        for word in f.__code__.co_names
    }
    return f"{cls.__name__} has no such method.{hint}" if hint and name not in made else None
