"""Which names a graph may read: MindSpore binds them over branches and loops before anything runs.

A name that one branch binds is unbound after the `if`, whatever the condition's value will be; only
conditions on attributes of ``self`` and on constants are decided beforehand. A name that a loop's body binds
does not outlive it. Where this file is not sure, the name counts as bound.
"""

from __future__ import annotations

import ast
import builtins
import copy
import dis
import linecache
import operator
import types
from contextlib import suppress
from dataclasses import dataclass

from ms2torch._naming import generations
from ms2torch.language import places, raising

_COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_BRANCH = "The local variable '{}' is not defined in {} branch, but defined in {} branch.\n"
_LOOP = (
    "The local variable '{}' defined in the '{}' loop body cannot be used outside of the loop body. "
    "Please define variable '{}' before '{}'.\n"
)


class Unknown(Exception):
    """A condition that is not decided beforehand."""


class Unsure(Exception):
    """A condition of which this file cannot tell whether MindSpore decides it beforehand."""


@dataclass
class Bound:
    """A name's state: what a read says (None: nothing), and the expression last bound to it, if any."""

    value: ast.AST | None = None
    says: str | None = None
    shows_read: bool = False        # the words go on with the place of the read


class Terminated(Exception):
    """What follows is not reached."""


def check(node, function, owner=None) -> None:
    """Raise what MindSpore says of a read of an unbound name in ``node``, the tree of ``function``."""
    if isinstance(node, ast.Lambda):
        return
    flow = _Flow(node, function, owner)
    if not generations.has_old_meaning("mindspore.context.GRAPH_MODE"):
        flow.branch(node.body, flow.state)
    undefined = _undefined(function, flow.skipped)
    if undefined is not None:
        if undefined in _raised_by(node):
            raise raising.unnamed(undefined)
        says = f"The name '{undefined}' is not defined, or not supported in graph mode."
        read = places.read_of(undefined, node, flow.skipped)
        if read is not None:
            says += "\n" + places.trace(flow.file, read)
        raise NameError(says)


def _raised_by(node) -> set:
    """The names of what the ``raise`` statements in ``node`` raise."""
    raised = [n.exc.func if isinstance(n.exc, ast.Call) else n.exc
              for n in ast.walk(node) if isinstance(n, ast.Raise)]
    return {exception.id for exception in raised if isinstance(exception, ast.Name)}


def _undefined(function, skipped: list):
    """The first global name that ``function`` reads and nobody defines."""
    known = function.__globals__, vars(builtins)

    def walk(code):
        line = code.co_firstlineno
        for step in dis.get_instructions(code):
            line = step.starts_line if type(step.starts_line) is int else line
            if (
                step.opname == "LOAD_GLOBAL"
                and not any(step.argval in names for names in known)
                and not any(a <= line <= b for a, b in skipped)
            ):
                return step.argval
        for const in code.co_consts:
            found = walk(const) if isinstance(const, types.CodeType) else None
            if found is not None:
                return found
        return None

    return walk(function.__code__)


def decided(test, owner, self_name, local=None):
    """The value of a condition that MindSpore decides before anything runs; Unknown, Unsure."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        if isinstance(test.operand, ast.Constant):
            raise Unknown
        return not decided(test.operand, owner, self_name, local)
    if isinstance(test, ast.BoolOp):
        values = [bool(decided(v, owner, self_name, local)) for v in test.values]
        return all(values) if isinstance(test.op, ast.And) else any(values)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            raise Unknown
        compare = _COMPARE.get(type(test.ops[0]))
        if compare is None:
            raise Unknown
        sides = [_known(side, owner, self_name, local) for side in (left, right)]
        try:
            return bool(compare(*sides))
        except Exception:       # a program's own comparison may raise anything, and does so when it runs
            raise Unsure from None
    if isinstance(test, ast.Constant):
        raise Unknown
    return bool(_known(test, owner, self_name, local))


def _known(node, owner, self_name, local):
    """A constant, an attribute of ``self``, or a local name that a constant was bound to."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self_name:
        if owner is None:
            raise Unsure
        try:
            value = getattr(owner, node.attr)
        except Exception:       # a property of the program may raise anything
            raise Unsure from None
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (list, tuple, dict)):
            raise Unknown
        return True  # a Cell, a Parameter, an operator: not None
    if isinstance(node, ast.Name) and local and node.id in local:
        bound = local[node.id].value
        if isinstance(bound, ast.Constant):
            return bound.value
    if any(
        isinstance(n, ast.Attribute)
        and isinstance(n.value, ast.Attribute)
        and isinstance(n.value.value, ast.Name)
        and n.value.value.id == self_name
        for n in ast.walk(node)
    ):
        raise Unsure
    raise Unknown


class _Flow:
    """Follows the statements of one function."""

    def __init__(self, node, function, owner) -> None:
        self.node, self.owner, self.skipped, self.entered = node, owner, [], ()
        self.file, self.loops = function.__code__.co_filename, 0
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
        self.self_name = every[0].arg if every and owner is not None else "self"
        self.state = {a.arg: Bound(a) for a in every}
        outside = set(function.__code__.co_freevars)
        self.local = set(function.__code__.co_varnames) | set(function.__code__.co_cellvars) - outside

    # ---- reads and writes

    def read(self, node, state) -> None:
        """All reads in an expression, left to right."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            bound = state.get(node.id)
            if bound is not None and bound.says is not None:
                made = self.place(node, {}) if bound.shows_read else ""
                raise UnboundLocalError(bound.says + made + places.trace(self.file, node))
        if isinstance(node, (ast.Lambda, ast.FunctionDef, ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            return self.read_inner(node, state)
        for child in ast.iter_child_nodes(node):
            self.read(child, state)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in state:
            self.enter(state[node.func.id].value, state)
        return None

    def enter(self, called, state) -> None:
        """The statements of a function that this one defined and calls."""
        if not isinstance(called, ast.FunctionDef) or called in self.entered:
            return
        inner = copy.copy(self)
        inner.node, inner.skipped, inner.loops, inner.entered = called, [], 0, (*self.entered, called)
        given = {one.arg: Bound(one) for one in ast.walk(called.args) if isinstance(one, ast.arg)}
        inner.local = _bound_in(called.body) | given.keys()
        outer = {name: bound for name, bound in state.items() if name not in inner.local}
        with suppress(Terminated):
            inner.block(called.body, {**outer, **given})

    def read_inner(self, node, state) -> None:
        """An inner scope: what it binds itself hides the names outside."""
        own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id not in own:
                self.read(n, state)

    def bind(self, target, value, state) -> None:
        if isinstance(target, ast.Name):
            state[target.id] = Bound(value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value, state)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.bind(element, target if value is None else value, state)
        else:
            self.read(target, state)

    # ---- statements

    def block(self, body, state) -> None:
        for statement in body:
            self.statement(statement, state)

    def statement(self, node, state) -> None:
        if isinstance(node, ast.If):
            self.branches(node, state)
        elif isinstance(node, (ast.For, ast.While)):
            self.loop(node, state)
        elif isinstance(node, ast.Assign):
            self.read(node.value, state)
            for target in node.targets:
                self.bind(target, node.value, state)
        elif isinstance(node, ast.AugAssign):
            self.read(node.value, state)
            if isinstance(node.target, ast.Name):
                self.read(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target), state)
            self.bind(node.target, node.value, state)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.read(node.value, state)
                self.bind(node.target, node.value, state)
        elif isinstance(node, ast.FunctionDef):
            self.read_inner(node, state)
            state[node.name] = Bound(node)
        elif isinstance(node, ast.With):
            for item in node.items:
                self.read(item.context_expr, state)
                if item.optional_vars is not None:
                    self.bind(item.optional_vars, None, state)
            self.block(node.body, state)
        else:
            self.read(node, state)
            if isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
                raise Terminated

    def branch(self, body, state):
        """The state after ``body``; None where it does not reach its end."""
        after = dict(state)
        try:
            self.block(body, after)
        except Terminated:
            return None
        return after

    def branches(self, node, state) -> None:
        self.read(node.test, state)
        try:
            value = decided(node.test, self.owner, self.self_name, state)
        except Unknown:
            value = None
        except Unsure:
            value = "either"
        if value is True or value is False:
            taken, other = (node.body, node.orelse) if value else (node.orelse, node.body)
            if other:
                self.skipped.append((other[0].lineno, other[-1].end_lineno))
            after = self.branch(taken, state)
            if after is None:
                raise Terminated
            state.update(after)
            return
        yes, no = self.branch(node.body, state), self.branch(node.orelse, state)
        if yes is None and no is None:
            raise Terminated
        if yes is None or no is None:
            state.update(no if yes is None else yes)
            return
        for name in {**yes, **no}:
            a, b = yes.get(name), no.get(name)
            if a is not None and b is not None:
                state[name] = (
                    a if a.says is not None else b if b.says is not None else (a if a is b else Bound())
                )
            elif value == "either" or name not in self.local:
                state[name] = Bound()
            elif a is not None:
                state[name] = self.unbound(a, _BRANCH.format(name, "false", "true"), state)
            else:
                state[name] = self.unbound(b, _BRANCH.format(name, "true", "false"), state)

    def unbound(self, bound: Bound, text: str, state) -> Bound:
        if bound.says is not None:
            return bound
        if bound.value is None:
            return Bound(None, text, shows_read=True)
        return Bound(bound.value, text + self.place(bound.value, state))

    def loop(self, node, state) -> None:
        self.read(node.iter if isinstance(node, ast.For) else node.test, state)
        inside = dict(state)
        if isinstance(node, ast.For):
            self.bind(node.target, node.target, inside)
        for name in _bound_in(node.body):  # the turns before may have bound it to anything
            if name in inside:
                inside[name] = Bound()
        self.loops += 1
        with suppress(Terminated):
            self.block(node.body, inside)
        kind = "for" if isinstance(node, ast.For) else "while"
        for name in {*inside, *_bound_in(node.body)}:
            bound = inside.get(name, Bound())
            if name in state or name not in self.local:
                state[name] = Bound()
                continue
            says = _LOOP.format(name, kind, name, kind)
            if bound.value is None or bound.says is not None:
                state[name] = Bound(None, says, shows_read=True)
            else:
                state[name] = Bound(None, says + self.place(bound.value, inside))
        self.loops -= 1

    # ---- words

    def place(self, value, state) -> str:
        """Where a value is made: file, line and the source up to it."""
        first = min([self.node.lineno, *(d.lineno for d in self.node.decorator_list)])
        while isinstance(value, ast.Name) and isinstance(value.ctx, ast.Load) and value.id in state:
            made = state[value.id].value
            if made is None or (self.loops and not isinstance(getattr(made, "ctx", None), ast.Store)):
                break  # a loop hands its names on: each is made anew where it is read
            value = made
        lines = [linecache.getline(self.file, n).rstrip("\n") for n in range(first, value.lineno + 1)]
        lines_of_it = value.end_lineno - value.lineno if isinstance(value, ast.FunctionDef) else 0
        mark = "" if lines_of_it else " " * value.col_offset + "~<-------------HERE\n"
        return f"In file {self.file}:{value.lineno}\n" + "\n".join([*lines, mark])


def _bound_in(body) -> set:
    """The names that statements bind, but for those of functions and comprehensions inside."""
    names: set = set()
    for node in body:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif not isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)):
            names |= _bound_in(ast.iter_child_nodes(node))
    return names
