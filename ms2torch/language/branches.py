"""What a function's source tells of names after its branches.

MindSpore compiles both branches of an `if` on a Tensor. Of the one that does not run the source tells a
type where it gives a number, a text, a tuple or a list written out, or an argument that nothing changes.
There, and nowhere else, the copy compares (`joining`).
"""

from __future__ import annotations

import ast

from ms2torch.language import joining
from ms2torch.language.trees import loaded, placed

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


class Branches:
    """What one function's source tells about names after its branches."""

    def __init__(self, function, outer: Branches | None = None) -> None:
        self.function, args = function, function.args
        given = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        stored = {n.id for n in _names(function) if isinstance(n.ctx, ast.Store)}
        self.unchanged, self.bound = given - stored, given | stored
        # (What an inner function is called with may be constant.)
        self.varying = given - {"self"} if outer is None else outer.varying - given
        self.handed: set = set()
        for _ in range(3):              # what follows from an argument, over a few assignments
            for node in ast.walk(function):
                if isinstance(node, (ast.Assign, ast.AugAssign, ast.For)):
                    value = node.iter if isinstance(node, ast.For) else node.value
                    if self.varies(value):
                        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                        self.varying |= {n.id for target in targets for n in _names(target)}
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                value = node.value
                self.handed |= {id(n) for n in (value.elts if isinstance(value, ast.Tuple) else [value])}

    def after(self, node, before: list) -> list:
        """Of each name that an `if` or a `while` may give two types: the name and what the source tells of
        it, as expressions; ``before`` are the statements before it."""
        if not self.varies(node.test):
            return []
        find = self._after_while if isinstance(node, ast.While) else self._after_if
        return find(node, before)

    def _after_if(self, node: ast.If, before: list) -> list:
        if _ends(node.body) or _ends(node.orelse):
            return []
        found = []
        stored = [_stored(node.body), _stored(node.orelse)]
        for name in sorted(stored[0] | stored[1]):
            one, other = [_last(body if name in s else before, name)
                          for s, body in zip(stored, (node.body, node.orelse), strict=True)]
            read = self._read_after(name, node)
            if not self._returned(read) and (_constant_tensor(one) or _constant_tensor(other)):
                continue            # (what follows is compiled for either)
            one, other = self.sample(one), self.sample(other)
            if read and _doubtful(one, other, returned := self._returned(read)):
                found.append((ast.Name(name, ast.Load()), one, other, ast.Constant(returned)))
        return found

    def _after_while(self, node: ast.While, before: list) -> list:
        if _leaves(node.body):
            return []
        found = []
        for name in sorted(_stored(node.body)):
            value, read = _last(before, name), self._read_after(name, node)
            if not _literal(value) or _literal(_last(node.body, name)):
                continue
            if self._returned(read) or (read is None and any(
                    n.id == name for n in _names(node) if isinstance(n.ctx, ast.Load))):
                returned = ast.Constant(self._returned(read))
                found.append((ast.Name(name, ast.Load()), self.sample(value), returned))
        return found

    def choice(self, test, one, other, returned: bool):
        """What tells the types of two expressions of which ``test`` chooses one; None where they fit, or
        nothing tells."""
        samples = [self.sample(n) for n in (one, other)]
        if not self.varies(test) or not _doubtful(*samples, returned):
            return None
        return [*samples, ast.Constant(returned)]

    def varies(self, test) -> bool:
        """Whether an expression depends on an argument: what is constant is decided when a graph is made."""
        return any(n.id in self.varying for n in _names(test))

    def is_given(self, node) -> bool:
        """Whether an expression is an argument, or a name for what follows from one: it may be a Tensor."""
        return isinstance(node, ast.Name) and node.id in self.varying

    def other(self, first, rest):
        """What tells the type of ``rest`` in ``first and rest``: a sample, or None; False where ``first`` is
        no Tensor that depends on an argument."""
        asks = isinstance(first, ast.Call) and getattr(first.func, "id", None) in ("isinstance", "hasattr")
        if asks or _is_identity(first) or not self.varies(first):
            return False
        if isinstance(rest, ast.Name) and rest.id not in self.bound:
            return rest
        return ast.Constant(True) if _is_identity(rest) else self.sample(rest)

    def sample(self, node) -> ast.AST | None:
        """An expression without effects that has the type of ``node``, or a cast to a dtype that a module
        names; None: nothing tells it."""
        if _literal(node):
            return node if not isinstance(node, (ast.Tuple, ast.List)) or all(
                self.sample(e) is not None and cast_to(e) is None for e in node.elts) else None
        dtype = cast_to(node)
        if dtype is not None:
            return node if dtype.value.id not in self.bound else None
        return node if isinstance(node, ast.Name) and node.id in self.unchanged else None

    def reads_after(self, name: str, statement) -> bool:
        """Whether what ``name`` means after ``statement`` is read, also in the next turn of a loop."""
        inside = {id(n) for n in _names(statement)}
        loops = [n for n in ast.walk(self.function) if isinstance(n, (ast.For, ast.While))
                 and n.lineno <= statement.lineno and statement.end_lineno <= n.end_lineno]
        return self._read_after(name, statement) is not None or any(
            n.id == name and isinstance(n.ctx, ast.Load) and id(n) not in inside
            for loop in loops for n in _names(loop))

    def _read_after(self, name: str, node):
        """The first read of ``name`` after ``node``; None where it is bound anew before."""
        after = [n for n in _names(self.function) if n.id == name and n.lineno > node.end_lineno]
        after.sort(key=lambda n: (n.lineno, isinstance(n.ctx, ast.Store), n.col_offset))
        return after[0] if after and isinstance(after[0].ctx, ast.Load) else None

    def _returned(self, read) -> bool:
        """Whether a read hands the value itself to a `return`."""
        return read is not None and id(read) in self.handed


def _doubtful(one, other, returned: bool) -> bool:
    """Whether two samples may not fit: one is told, and the other is something else."""
    if _scalar(one) and _scalar(other):
        return returned and type(one.value) is not type(other.value)
    return one is not other and (one is not None or other is not None)


def _is_identity(node) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot))


_WRITTEN_OUT = (ast.Constant, ast.UnaryOp, ast.USub, ast.List, ast.Load)


def _constant_tensor(node) -> bool:
    """Whether an expression is a Tensor of numbers that are written out."""
    func = getattr(node, "func", None)
    return (getattr(func, "attr", getattr(func, "id", None)) == "Tensor" and bool(node.args)
            and all(isinstance(n, _WRITTEN_OUT) for n in ast.walk(node.args[0])))


def cast_to(node):
    """The dtype, a name of a module, of an expression that is a cast to it; None for any other."""
    func = getattr(node, "func", None)
    if not isinstance(node, ast.Call) or not isinstance(func, ast.Attribute) or node.keywords or (
            (func.attr, len(node.args)) not in (("astype", 1), ("cast", 2))):
        return None
    dtype = node.args[-1]
    return dtype if isinstance(dtype, ast.Attribute) and isinstance(dtype.value, ast.Name) else None


def _scalar(node) -> bool:
    return isinstance(node, ast.Constant)


def _names(node) -> list:
    return [n for n in ast.walk(node) if isinstance(n, ast.Name)]


def _literal(node) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (bool, int, float, str))
    return isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load)


def _stored(body: list) -> set:
    return {n.id for s in body for n in _names(s) if isinstance(n.ctx, ast.Store)}


def _last(body: list, name: str):
    """The expression that the last statement of ``body`` to bind ``name`` gives it, if it is plain."""
    for statement in reversed(body):
        if name in _stored([statement]):
            plain = isinstance(statement, ast.Assign) and len(statement.targets) == 1
            return statement.value if plain and isinstance(statement.targets[0], ast.Name) else None
        if isinstance(statement, (ast.If, ast.For, ast.While)) and _leaves([statement]):
            return None
    return None


def _ends(body: list) -> bool:
    return bool(body) and isinstance(body[-1], _LEAVING)


def _leaves(body: list) -> bool:
    return any(isinstance(n, _LEAVING) for s in body for n in ast.walk(s))


class Choosing:
    """Part of `Rewriting`: what joins the types of two branches."""

    def _joins(self, name: str, args: list, at):
        return self.call(name, getattr(joining, name), args, at)

    def _samples(self, pair) -> list:
        """Expressions for what the source tells of a value; what it does not tell is `UNTOLD`."""
        untold = self.need("untold", joining.UNTOLD)
        return [ast.Name(untold, ast.Load()) if n is None else self._sample(n) for n in pair]

    def _sample(self, node):
        dtype = cast_to(node)
        if dtype is None:
            return loaded(node)
        return self.call("of_dtype", joining.of_dtype, [loaded(dtype)], node)

    def _chosen_between(self, node) -> None:
        """Keep the condition of a statement that chooses between two `return`s."""
        if id(node) in self.returns.choosing:
            if not isinstance(node.test, ast.NamedExpr):
                node.test = self._condition(node.test)
            self.tests[id(node)] = name = self._named(node)
            if id(node) in self.returns.within:
                self.unmet.append(name)

    def _met(self, body: list) -> list:
        """A function's ``body``, in which every condition that a `return` asks for has a value."""
        if not self.unmet:
            return body
        names = [ast.Name(name, ast.Store()) for name in self.unmet]
        first = int(isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant))
        made = placed(ast.Assign(names, ast.Constant(None)), body[0])
        return [*body[:first], made, *body[first:]]

    def visit_Return(self, node):
        noted = self.returns.choices.get(id(node), ())
        if not noted:
            self.returned.add(id(node.value))
            return self.generic_visit(node)
        node.value = self.visit(node.value)
        for statement, samples in reversed(noted):
            told = [node.value, ast.Name(self.tests[id(statement)], ast.Load()), *self._samples(samples),
                    ast.Constant(True)]
            node.value = self._joins("chosen", told, node.value)
        return node

    def visit_IfExp(self, node):
        samples = None if self.inner or self.returns.recurs(node) else self.branches.choice(
            node.test, node.body, node.orelse, returned=id(node) in self.returned)
        reads = self._absent_under(node, [node.body, node.orelse])
        node.test, node.body, node.orelse = (
            self._asked(self._condition(node.test), reads), self.visit(node.body), self.visit(node.orelse))
        if samples is None:
            return node
        name = self._named(node)
        return self._joins("chosen", [node, ast.Name(name, ast.Load()), *self._samples(samples)], node)

    def visit_BoolOp(self, node):
        """``x and y``: of a Tensor MindSpore compiles both, and their types must fit."""
        first, *others = node.values
        rest = others[0] if len(others) == 1 else placed(ast.BoolOp(node.op, others), node)
        told = False if self.walked else self.branches.other(first, rest)
        if told is False:
            node.values = [self.visit(first), self.visit(rest)]
            return node
        node.values = [self.visit(first), self.visit(rest)]
        name = self._kept(node.values, 0)
        told = [node, name, *self._samples([told]), ast.Constant(isinstance(node.op, ast.Or))]
        return self._joins("either", told, node)
