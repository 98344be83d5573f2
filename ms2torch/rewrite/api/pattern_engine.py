"""Statements found by a pattern and replaced (``mindspore.rewrite.PatternEngine``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from types import NoneType

from ms2torch._checkparam import check_element_type_of_iterable, check_value_type

from ..node import CellContainer
from .node import Node
from .node_type import NodeType
from .symbol_tree import SymbolTree

__all__ = ["PatternEngine", "PatternNode", "Replacement", "VarNode"]


class PatternNode:
    """A statement that calls something of a class, and the patterns of what gives its arguments."""

    def __init__(self, pattern_node_name, match_type=NoneType, inputs=None) -> None:
        check_value_type("pattern_node_name", pattern_node_name, [str], "PatternNode")
        if inputs is not None:
            check_element_type_of_iterable("inputs", inputs, [PatternNode], "PatternNode")
        self._name, self._type, self._inputs = pattern_node_name, match_type, list(inputs or [])

    @staticmethod
    def from_node(node) -> PatternNode:
        """The pattern of what a statement calls, without inputs."""
        check_value_type("node", node, [Node], "PatternNode")
        return PatternNode(node.get_name(), node.get_instance_type())

    @staticmethod
    def create_pattern_from_node(node) -> PatternNode:
        """The pattern of a statement and of all that give it something."""
        check_value_type("node", node, [Node], "PatternNode")
        made = PatternNode.from_node(node)
        made.set_inputs([PatternNode.create_pattern_from_node(one) for one in node.get_inputs()])
        return made

    @staticmethod
    def create_pattern_from_list(type_list) -> PatternNode | None:
        """A chain: each class's statement gives the next one's argument."""
        check_element_type_of_iterable("type_list", type_list, [type], "PatternNode")
        last = None
        for at, one in enumerate(type_list):
            last = PatternNode(f"{at}-{one}", one, [] if last is None else [last])
        return last

    def add_input(self, node) -> None:
        """A further argument's pattern."""
        check_value_type("node", node, [PatternNode], "PatternNode")
        self._inputs.append(node)

    def set_inputs(self, inputs) -> None:
        """The patterns of all arguments."""
        check_element_type_of_iterable("inputs", inputs, [PatternNode], "PatternNode")
        self._inputs = list(inputs)

    def get_inputs(self) -> list[PatternNode]:
        """The patterns of the arguments."""
        return self._inputs

    def match(self, node) -> bool:
        """Whether a statement calls something of the class."""
        check_value_type("node", node, [Node], "PatternNode")
        return self._type is node.get_instance_type()

    def name(self) -> str:
        """The pattern's name, by which a `Replacement` finds what it matched."""
        return self._name

    def type(self):
        """The class."""
        return self._type


class VarNode(PatternNode):
    """The pattern of any argument."""

    def __init__(self) -> None:
        super().__init__("placeholder", VarNode)

    def match(self, node) -> bool:
        """True."""
        check_value_type("node", node, [Node], "VarNode")
        return True


class Replacement(ABC):
    """Makes the statements that take the place of matched ones."""

    @abstractmethod
    def build(self, pattern, is_chain_pattern, matched) -> list[Node]:
        """The new statements in order; ``matched`` has the old ones by the names of their patterns.

        The last has to give what the old last one gave.
        """

    def __call__(self, pattern, is_chain_pattern, matched) -> list[Node]:
        check_value_type("pattern", pattern, [PatternNode], "Replacement")
        check_value_type("is_chain_pattern", is_chain_pattern, [bool], "Replacement")
        check_value_type("matched", matched, [OrderedDict], "Replacement")
        return self.build(pattern, is_chain_pattern, matched)


class PatternEngine:
    """Replaces all statements of a tree that a pattern matches (``mindspore.rewrite.PatternEngine``).

    The pattern is a `PatternNode`, or a list of classes whose statements take each other's values in a row.
    """

    def __init__(self, pattern, replacement=None) -> None:
        check_value_type("pattern", pattern, [PatternNode, list, tuple], "PatternEngine")
        if replacement is not None:
            check_value_type("replacement", replacement, [Replacement], "PatternEngine")
        self._is_chain = not isinstance(pattern, PatternNode)
        self._pattern = PatternNode.create_pattern_from_list(pattern) if self._is_chain else pattern
        self._replacement = replacement

    def pattern(self) -> PatternNode:
        """The pattern."""
        return self._pattern

    def apply(self, stree) -> bool:
        """Replace what matches, in the networks inside too; whether anything did."""
        check_value_type("stree", stree, [SymbolTree], "PatternEngine")
        changed = False
        for node in list(stree.nodes()):
            handler = node.get_handler()
            if handler.get_node_manager() is None:         # was replaced with another
                continue
            if node.get_node_type() is NodeType.Tree:
                changed |= self.apply(node.get_sub_tree())
            elif isinstance(handler, CellContainer):
                changed |= self._in_container(stree, handler)
            changed |= self._at(stree, node)
        return changed

    def _in_container(self, stree, container: CellContainer) -> bool:
        changed = False
        for one in container.nodes():
            if one.get_node_manager() is None:
                continue
            tree = getattr(one, "symbol_tree", None)
            if tree is not None:
                changed |= self.apply(SymbolTree(tree))
            elif isinstance(one, CellContainer):
                changed |= self._in_container(stree, one)
            changed |= self._at(stree, Node(one))
        return changed

    def _at(self, stree, node) -> bool:
        """Replace what matches with ``node`` as its last statement."""
        matched: OrderedDict[str, Node] = OrderedDict()
        if not self._match(self._pattern, node, matched) or not self._is_closed(node, matched):
            return False
        if self._replacement is None:
            return True
        new = self._replacement(self._pattern, self._is_chain, matched)
        stree.replace(node, new)
        for one in matched.values():
            if one.get_handler() is not node.get_handler():
                stree.erase(one)
        return True

    def _match(self, pattern: PatternNode, node: Node, matched: OrderedDict) -> bool:
        if not pattern.match(node):
            return False
        if isinstance(pattern, VarNode):
            return True
        if pattern.name() in matched:
            return matched[pattern.name()] == node
        wanted, given = pattern.get_inputs(), node.get_inputs()
        if wanted and len(wanted) != len(given):
            return False
        if not all(self._match(one, other, matched) for one, other in zip(wanted, given, strict=False)):
            return False
        matched[pattern.name()] = node
        return True

    @staticmethod
    def _is_closed(last: Node, matched: OrderedDict) -> bool:
        """Whether nothing else takes what the statements before the last one give."""
        inside = list(matched.values())
        return all(user in inside for one in inside if one != last for user in one.get_users())
