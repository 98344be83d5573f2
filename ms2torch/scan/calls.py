"""Whether ms2torch takes a call: too many or too few arguments, unknown names, arguments that are refused."""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Iterator
from functools import cache
from types import ModuleType

from ms2torch._core.checks import enum_words
from ms2torch._core.errors import unsupported
from ms2torch._naming import generation, generations
from ms2torch._naming.surface import dropped_member
from ms2torch.dataset.core.validator_helpers import check_valid_str

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
# What is said of an error whose words are not told.
_UNTOLD = " for these arguments."
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
    # What the function raises it raises for the meaning of its arguments in 2.10.
    old = path in generations.CHANGES and generations.has_old_meaning(path)
    refusals = [] if wrong or old else [*_refused_arguments(found, call, bound)]
    if given and not (wrong or old) and all(text.endswith(_UNTOLD) for _, text in refusals):
        names = [p.name for p in _parameters(found, bound) or () if p.kind in _POSITIONAL]
        asked = [("argument", text) for text in refused_by_itself(path, found, given, names)]
        refusals = asked or refusals
    yield from refusals
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


def _look(function, values: dict, cls: type | None = None):
    """The names that a function's own tests use: its arguments, and plain constants of its module and of
    the class that it makes an instance of."""

    def look(node):
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self" and cls is not None:
            found = inspect.getattr_static(cls, node.attr, UNKNOWN)
            return found if isinstance(found, (tuple, list, dict, frozenset)) else UNKNOWN
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
        cls = found if isinstance(found, type) else None
        ended = _followed(function, _given(parameters, call, lambda _: UNKNOWN), cls)
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
        if isinstance(node, ast.Raise) or _judge(function, node):
            return True
        if depth < _DEPTH and isinstance(node, ast.Call):
            inner = _inner(function, node)
            if inner is not None and _may_refuse(inner, depth + 1):
                return True
    return False


def _inner(function, node: ast.Call):
    """The function of ms2torch that a call inside another one goes to: ``super().__init__`` or a global."""
    if (found := _global(function, node.func)) is not None:
        return found if found is not function else None
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


def _global(function, node: ast.AST):
    """The function of ms2torch that ``name`` or ``module.name`` is inside a function; None for others."""
    found = function.__globals__.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = function.__globals__.get(node.value.id)
        found = getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
    return found if inspect.isfunction(found) and found.__module__.startswith("ms2torch") else None


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
    told = f": {words}" if isinstance(words, str) else _UNTOLD
    return ("argument", f"ends in {raised.func.id}{told}") if certain else None


def _followed(function, values: dict, cls: type | None, depth: int = 0) -> tuple[str, str] | None:
    """Follow a function's statements with what is told of its arguments to the error that it raises;
    ``cls`` is what it makes an instance of."""
    return _Following(function, values, cls, depth).block(statements_of(function))


class _Following:
    """One function, in the order in which it runs."""

    def __init__(self, function, values: dict, cls: type | None, depth: int) -> None:
        self.function, self.values, self.cls, self.depth = function, values, cls, depth
        self.look = _look(function, values, cls)
        self.certain, self.over = True, False   # nothing returned before; nothing is reached any more

    def block(self, statements) -> tuple[str, str] | None:
        """The error that these statements end in, where that is told."""
        for statement in statements:
            ended = self._statement(statement)
            if ended is not None or self.over:
                return ended
        return None

    def _statement(self, statement: ast.stmt) -> tuple[str, str] | None:
        match statement:
            case ast.If():
                hit = evaluate(statement.test, self.look)
                if hit is not UNKNOWN:
                    return self.block(statement.body if hit else statement.orelse)
            case ast.Raise():
                self.over = True
                if self.certain and (made := self._made(statement.exc)):
                    return made
                return _end(_raised(statement), self.function, self.values, self.certain)
            case ast.Expr() | ast.Assign() | ast.Return():
                return self._simple(statement)
        self.certain = self.certain and not _leaves(statement)
        _forget(statement, self.values)
        return None

    def _simple(self, statement) -> tuple[str, str] | None:
        value = statement.value
        if self.certain and value is not None and (words := self._judged(value)):
            return "argument", words
        if isinstance(statement, ast.Return):
            self.over = True
        elif isinstance(statement, ast.Assign):
            _forget(statement, self.values)
            if isinstance(statement.targets[0], ast.Name):
                self.values[statement.targets[0].id] = evaluate(value, self.look)
        elif isinstance(value, ast.Call) and self.depth < _DEPTH:
            inner = _inner(self.function, value)
            if inner is not None and _may_refuse(inner):
                makes = inner.__name__ == "__init__"
                passed = _given(_parameters(inner, makes) or [], value, self.look)
                ended = _followed(inner, passed, self.cls if makes else None, self.depth + 1)
                return ended if ended is not None and (self.certain or ended[0] == "refused") else None
        return None

    def _made(self, node: ast.AST | None) -> tuple[str, str] | None:
        """The error that a function of ms2torch makes of what is told: ``raise wrong(seed)``."""
        make = _global(self.function, node.func) if isinstance(node, ast.Call) else None
        given = _all_told(node, self.look) if make and make is not unsupported else None
        try:
            error = make(*given) if given is not None else None
        except Exception:
            return None
        kind = "refused" if isinstance(error, NotImplementedError) else "argument"
        return (kind, f"ends in {type(error).__name__}: {error}") if isinstance(error, Exception) else None

    def _judged(self, node: ast.AST) -> str | None:
        """The error of a check of words that an expression is sure to run: ``chosen(mode, "mode", ...)``."""
        if isinstance(node, (ast.BoolOp, ast.IfExp)):
            return self._judged(node.values[0] if isinstance(node, ast.BoolOp) else node.test)
        if not isinstance(node, _ALL_RUN):
            return None
        judge = _judge(self.function, node)
        given = _all_told(node, self.look) if judge else None
        if given is not None:
            try:
                judge(*given)
            except (TypeError, ValueError) as error:
                words = dict.fromkeys(given[3:]) if judge is enum_words.chosen else ()
                takes = f" It takes {', '.join(map(repr, words))}." if words else ""
                return f"ends in {type(error).__name__}: {error}{takes}"
        return next(filter(None, map(self._judged, ast.iter_child_nodes(node))), None)


# Expressions whose parts all run.
_ALL_RUN = (ast.Call, ast.keyword, ast.Starred, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp, ast.Compare)


def _judge(function, node: ast.AST):
    """The check of words that a call inside a function of ms2torch goes to; None for other calls."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    found = function.__globals__.get(node.func.id)
    return found if found in (enum_words.chosen, enum_words.reduction, check_valid_str) else None


def _all_told(call: ast.Call, look) -> list | None:
    """The values of a call's places, where all are told."""
    given: list = []
    for argument in call.args:
        starred = isinstance(argument, ast.Starred)
        value = evaluate(argument.value if starred else argument, look)
        if value is UNKNOWN:
            return None
        given += value if starred else [value]
    return None if call.keywords else given


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
