"""Branches of which the answer to a question about MindSpore takes one: ``if hasattr(ops, "gelu")``.

The branch that the original took stays, the other goes, with the sites in it.
"""

from __future__ import annotations

import ast

import libcst as cst

from ..translation import site_of
from .asked import answer, asks
from .inferred import Ref
from .statements import is_empty
from .templates import code, fill

# What stands for an answer until the place that asks is left; where nothing goes by it, it becomes a bool.
ANSWERS = {"_told_yes_": True, "_told_no_": False}
_YES, _NO = ANSWERS


class Branches:
    """The part of `Rewriter` that answers, and keeps the branch that follows."""

    def _answer(self, node: ast.Call, updated: cst.Call):
        """A call of ``hasattr``, where it asks about MindSpore."""
        asked = asks(node, self.reading.inferred)
        if asked is None:
            return updated
        found = answer(*asked)
        if found is None:
            return fill("isinstance({x}, torch.Tensor)", {"x": updated.args[0].value})
        if isinstance(asked[0], Ref):
            self.settle(site_of(node), ".".join(asked), "hasattr")
        return _name(found)

    def leave_IfExp(self, original_node, updated_node):
        told = _told(updated_node.test)
        if told is None:
            return updated_node
        node = self.node(original_node)
        self._drop([node.orelse if told else node.body])
        return updated_node.body if told else updated_node.orelse

    def leave_UnaryOperation(self, original_node, updated_node):
        told = _told(updated_node.expression) if isinstance(updated_node.operator, cst.Not) else None
        return updated_node if told is None else _name(not told)

    def leave_BooleanOperation(self, original_node, updated_node):
        told, others = _told(updated_node.left), updated_node.right
        if told is None:
            told, others = _told(updated_node.right), updated_node.left
        if told is None:
            return updated_node
        return others if told is isinstance(updated_node.operator, cst.And) else _name(told)

    def leave_If(self, original_node, updated_node):
        told = _told(updated_node.test)
        if told is not None:
            node = self.statement(original_node)
            self._drop(node.orelse if told else node.body)
        other = updated_node.orelse
        told = _told(other.test) if isinstance(other, cst.If) else None
        if told is None:
            return updated_node
        return updated_node.with_changes(orelse=cst.Else(body=other.body) if told else other.orelse)

    def _drop(self, nodes: list[ast.AST]) -> None:
        """The sites and reasons of what goes."""
        for node in nodes:
            begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            self.sites = {at: site for at, site in self.sites.items() if not begin <= at < end}
            self.reasons = [(at, why) for at, why in self.reasons if not begin <= at < end]


def taken(body) -> list[cst.BaseStatement]:
    """The statements of a block, with those of a branch whose test is told in the ``if``'s place."""
    made = []
    for statement in body:
        told = _told(statement.test) if isinstance(statement, cst.If) else None
        if told is None:
            made.append(statement)
            continue
        branch = statement.body if told else statement.orelse and statement.orelse.body
        if branch is not None and not is_empty(branch):
            made += _beneath(statement.leading_lines, branch.body)
    return made


def _beneath(lines, statements) -> list[cst.BaseStatement]:
    """Statements whose first has these lines above it."""
    first = statements[0]
    return [first.with_changes(leading_lines=[*lines, *first.leading_lines]), *statements[1:]]


def _told(node) -> bool | None:
    return ANSWERS.get(code(node)) if isinstance(node, cst.Name) else None


def _name(answer: bool) -> cst.Name:
    return cst.Name(_YES if answer else _NO)
