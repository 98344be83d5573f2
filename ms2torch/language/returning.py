"""Which `return`s of a function a condition chooses between: MindSpore compiles both, and joins their types.

A condition on a Tensor leads to one `return` where it holds and to another where it does not: the first that
each way meets without a further condition, in the branch or in what follows it.
"""

from __future__ import annotations

import ast


class Returns:
    """The `return`s of one function, by the `if`s and `while`s that choose between them."""

    def __init__(self, function, branches) -> None:
        self.branches, self.name = branches, getattr(function, "name", "")
        self.given = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        self.choices: dict = {}     # id of a `return`: [(the condition's statement, samples of both ways)]
        self.within: set = set()    # ids of statements in others, which not every way to a `return` meets
        self.choosing: set = set()  # ids of the statements that choose
        if isinstance(function, ast.FunctionDef):
            self._walk(function.body, [], self.given, 0)

    def _walk(self, body: list, following: list, bound: set, depth: int) -> None:
        for number, statement in enumerate(body):
            rest = [*body[number + 1 :], *following]
            if isinstance(statement, (ast.If, ast.While)):
                if depth:
                    self.within.add(id(statement))
                self._note(statement, rest, bound)
            for part in ("body", "orelse"):
                if isinstance(statement, (ast.If, ast.While, ast.For, ast.With)):
                    self._walk(getattr(statement, part, []), rest, bound, depth + 1)
            if isinstance(statement, ast.Assign):
                bound = bound | _stored(statement)

    def _note(self, node, rest: list, bound: set) -> None:
        if not self.branches.varies(node.test):
            return
        after = [] if isinstance(node, ast.While) else rest
        one, changed = self._first([*node.body, *after])
        other, changed_too = self._first([*node.orelse, *rest])
        if one is None or other is None or one is other or any(map(self.recurs, (one, other))):
            return
        same = bound - changed - changed_too
        samples = [self._sample(n.value, same) for n in (one, other)]
        for told, found in ((one, [None, samples[1]]), (other, [samples[0], None])):
            if any(n is not None for n in found) and not _alike(*samples):
                self.choices.setdefault(id(told), []).append((node, found))
                self.choosing.add(id(node))

    def recurs(self, returned) -> bool:
        """Whether what is returned calls the function itself, of which MindSpore asks no type."""
        return any(isinstance(n, ast.Call) and getattr(n.func, "id", None) == self.name
                   for n in ast.walk(returned))

    def _first(self, statements: list):
        """(the first `return` that all ways through ``statements`` may meet, the names bound before it)."""
        bound: set = set()
        for statement in statements:
            if isinstance(statement, ast.Return):
                return (statement if statement.value is not None else None), bound
            if isinstance(statement, (ast.Raise, ast.Break, ast.Continue)):
                break
            if isinstance(statement, ast.If) and self.branches.varies(statement.test):
                found = [self._first(part) for part in (statement.body, statement.orelse)]
                if all(r is not None for r, _ in found):
                    return found[0][0], bound | found[0][1]
            elif isinstance(statement, ast.If) and _leaves(statement):
                break
            bound |= _stored(statement)
        return None, bound

    def _sample(self, node, same: set):
        """An expression that has the type of ``node``; the names ``same`` are what they were."""
        if isinstance(node, ast.Name) and node.id in same:
            return node
        return self.branches.sample(node)


def _alike(one, other) -> bool:
    return (isinstance(one, ast.Constant) and isinstance(other, ast.Constant)
            and type(one.value) is type(other.value))


def _stored(statement) -> set:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _leaves(statement) -> bool:
    return any(isinstance(n, (ast.Return, ast.Raise, ast.Break, ast.Continue)) for n in ast.walk(statement))
