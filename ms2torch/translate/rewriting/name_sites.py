"""Names that are not called: dtypes and constants, what is handed on, attributes."""

from __future__ import annotations

import ast
from types import ModuleType

import libcst as cst

from ms2torch.scan.answers import look_up

from ..rules import alike
from ..rules.cells import CLASSES, DEFAULTS, converts_elsewhere
from ..rules.table import VALUES, call_rule
from ..translation import site_of
from . import classes, imports
from .asked import asks
from .binding import form_of
from .inferred import Of, OwnOf, Plain, Ref, is_cell, lineage, resolve, shortest_name
from .joining import path_got
from .sites import without_rule
from .templates import fill

# Python's own types under names that numpy had for them until 1.24.
_PYTHON_TYPES = frozenset(("int", "float", "bool", "object", "complex", "str"))


class NameSites:
    """The part of `Rewriter` that rewrites names and attributes."""

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute):
        node = self.node(original_node)
        if not isinstance(node, ast.Attribute):
            return updated_node
        owner = self.reading.inferred(node.value)
        if isinstance(owner, OwnOf) and classes.is_taken(owner.cls, node.attr):
            return updated_node.with_changes(attr=cst.Name(f"{node.attr}_"))
        if id(original_node) in self.callees:
            return updated_node
        if isinstance(owner, Ref):
            return self._value(f"{owner}.{node.attr}", node, updated_node)
        if owner == Plain("numpy") and node.attr in _PYTHON_TYPES:
            return cst.Name(node.attr)
        return self._part(owner, node, updated_node)

    def _part(self, owner, node: ast.Attribute, updated):
        """An attribute of a Tensor or a layer."""
        if isinstance(owner, OwnOf):
            own = owner.cls.attribute(node.attr) is not None or owner.cls.function(node.attr) is not None
            base = "" if own else owner.cls.root()
        else:
            base = owner.cls if isinstance(owner, Of) else ""
        if base == "mindspore.nn.Cell" and isinstance(owner, OwnOf):
            base = ""
        if base == "mindspore.nn.Optimizer" and isinstance(owner, OwnOf) and classes.base_of(owner.cls):
            base = ""  # the base at the head has these
        ancestors = lineage(base)
        if base == "mindspore.Parameter":
            ancestors = ["mindspore.Parameter", "mindspore.Tensor"]
        for cls in ancestors:
            rule = VALUES.get(f"{cls}.{node.attr}")
            if rule is not None:
                made = rule.form if rule.write is None else rule.write(self, node, updated)
                self.settle(site_of(node), rule.name, rule.name)
                return fill(made, {"self": updated.value}) if isinstance(made, str) else made
        return updated

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name):
        if id(original_node) in self.callees:
            return updated_node
        node = self.node(original_node)
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            return updated_node
        inferred = self.reading.inferred(node)
        if isinstance(self.parents.get(id(node)), ast.Attribute):
            return updated_node  # a part of a longer name
        if isinstance(inferred, Ref) and node.id in self.reading.imported:
            return self._value(inferred, node, updated_node)
        return updated_node

    def _value(self, path: str, node, updated):
        """A MindSpore name that is not called: a dtype, a constant, what is handed on."""
        path = shortest_name(path)
        thing = resolve(path)
        at = site_of(node)
        outer = self.parents.get(id(node))
        if (path_got(outer, self.reading.inferred) or asks(outer, self.reading.inferred)) is not None:
            return updated  # getattr(ops, "exp") is a longer name too
        if isinstance(thing, ModuleType) and not isinstance(outer, ast.Attribute):
            self.keep_site(at, path, "the module itself is handed on")
            return cst.parse_expression(path.replace("mindspore", "ms2torch", 1))
        if isinstance(thing, ModuleType) or (thing is None and path not in VALUES):
            owner = path.rpartition(".")[0]
            of_class = isinstance(node, ast.Attribute) and isinstance(resolve(owner), type)
            if not of_class and (thing is not None or look_up(path).kind != "never"):
                return updated
            self.keep_site(at, path, without_rule(path))
            return cst.parse_expression(path.replace("mindspore.", "ms2torch.", 1))
        if isinstance(outer, ast.Attribute) and f"{path}.{outer.attr}" in VALUES:
            return updated  # a part of a longer name
        if path in CLASSES and self._is_asked(node):
            self.settle(at, path, path)
            return cst.parse_expression(CLASSES[path])
        mapped = isinstance(outer, ast.Call) and getattr(outer.func, "id", "") == "map"
        if mapped and path == "mindspore.Tensor":
            self.settle(at, path, path)
            return cst.parse_expression("torch.tensor")
        rule = VALUES.get(path)
        same = alike.counterpart(path)
        if rule is None and same is not None and not classes.is_base(self, node):
            self.settle(at, path, path)
            return cst.parse_expression(same)
        if is_cell(path) and (rule is None or converts_elsewhere(self)) and not classes.is_base(self, node):
            self.keep_site(at, path, "it is not called here but handed on")
            return cst.parse_expression(f"ms2torch.to_torch({path.replace('mindspore.', 'ms2torch.', 1)})")
        if rule is None:
            form = form_of(path)
            rule = call_rule(path, form.kernel if form else None)
            made = imports.as_function(rule, form) if rule is not None and rule.write is None else None
            if made is None:
                if classes.is_base(self, node):
                    return updated
                self.keep_site(at, path, "it is not called here but handed on")
                target = path.replace("mindspore.", "ms2torch.", 1)
                kept = isinstance(thing, type) or not callable(thing)
                return cst.parse_expression(target if kept else f"ms2torch.to_torch({target})")
            self.settle(at, path, rule.name)
            return cst.parse_expression(made)
        made = rule.form if rule.write is None else rule.write(self, node, updated)
        if path in DEFAULTS and isinstance(outer, ast.arguments):
            made = DEFAULTS[path]  # a call in a signature runs once, where nobody looks for it
            self.helpers.add(made)
        self.settle(at, path, rule.name)
        return fill(made, {}) if isinstance(made, str) else made

    def _is_asked(self, node: ast.expr) -> bool:
        """Whether ``isinstance`` or a ``case`` asks for a class, or an annotation names it."""
        outer = self.parents.get(id(node))
        if id(node) in self.hints or isinstance(outer, ast.MatchClass):
            return True
        outer = self.parents.get(id(outer)) if isinstance(outer, ast.Tuple) else outer
        return isinstance(outer, ast.Call) and getattr(outer.func, "id", "") in ("isinstance", "issubclass")
