"""Rewrites one file: every call, name and class of MindSpore by its rule, or kept with its reason."""

from __future__ import annotations

import ast
import re
from types import ModuleType

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from ..facts import Facts
from ..rules import data, load, training
from ..rules.cells import CLASSES, converts_elsewhere
from ..rules.table import CALLS, INSTANCES, VALUES, call_rule
from ..translation import Site, Translation, site_of
from . import classes, idioms, imports, modes, pipelines, primitives, statements
from .binding import bind, form_of
from .joining import annotations_of, span_of
from .project import Project
from .reading import Reading
from .sites import Call, Kept
from .templates import Brackets, code, fill, keep_line_breaks
from .worth import PARAMETER, Class, Gradient, Of, OwnOf, Ref, Seq, is_a, is_cell, is_tensor, resolve


def rewrite(
    source: str,
    facts: Facts | None,
    keep: frozenset[tuple[int, int]],
    data: pipelines.Pipelines | None,
    project: Project | None = None,
) -> Translation:
    """The whole of `translate_source` once libcst is there."""
    load()
    tree = ast.parse(source)
    reading = Reading(tree, facts, project)
    rewriter = Rewriter(source, tree, reading, keep, data or pipelines.pipelines_of(tree, reading))
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    module = wrapper.visit(rewriter).visit(Brackets())
    if not rewriter.scaled:
        module = idioms.with_idioms(module)
    module = module.visit(idioms.Walked())
    rewriter.helpers &= imports.names(ast.parse(module.code))
    module = imports.tidy(module, rewriter)
    return Translation(
        module.code,
        sorted(rewriter.sites.values()),
        sorted(rewriter.helpers),
        [(c.node.name, c.node.lineno) for c in reading.classes.values() if c.is_cell],
    )


class Rewriter(cst.CSTTransformer):
    """Walks the file from the leaves up; ``sites`` are by place, ``helpers`` what the head gets."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, source: str, tree: ast.Module, reading: Reading, keep, data) -> None:
        super().__init__()
        self.data = data
        self.loops: dict[int, bool] = {}
        self.lines = source.splitlines()
        self.source, self.tree, self.reading, self.keep = source, tree, reading, keep
        self.nodes = {span_of(n): n for n in ast.walk(tree) if isinstance(n, ast.expr)}
        self.tuples = {
            (n.elts[0].lineno, n.elts[0].col_offset): n
            for n in self.nodes.values()
            if isinstance(n, ast.Tuple) and n.elts
        }
        self.sites: dict[tuple[int, int], Site] = {}
        self.helpers: set[str] = set()
        self.reasons: list[tuple[int, str]] = []
        self.after: list[list[str]] = []
        self.before: list[list[str]] = []
        self.scaled: set[str] = set()
        self.rewritten: dict[int, str] = {}
        self.parents = {
            id(child): parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)
        }
        self.starts = {
            (n.lineno, n.col_offset): n for n in reversed(list(ast.walk(tree))) if isinstance(n, ast.stmt)
        }
        self.callees: set[int] = set()
        self.hints = {id(n) for hint in _hints(tree) for n in ast.walk(hint)}
        self.made: dict[tuple, dict[str, cst.BaseExpression]] = {}
        self.primitives = primitives.plan(tree, reading)
        self.classes: list[Class] = []
        self.keeps_data = data.any and bool(data.reason)
        self.names_parameters = any(
            isinstance(n, ast.Attribute) and n.attr == "name" and reading.worth(n.value) == PARAMETER
            for n in ast.walk(tree)
        )

    # ---- places -----------------------------------------------------------------------------------------

    def node(self, original: cst.CSTNode):
        """The syntax tree's node for one of libcst's."""
        at = self.get_metadata(PositionProvider, original, None)
        if at is None:
            return None
        if (
            isinstance(original, cst.Tuple) and original.lpar
        ):  # brackets belong to Python's tuples, not to libcst's
            return self.tuples.get((at.start.line, self._bytes(at.start)))
        return self.nodes.get((at.start.line, self._bytes(at.start), at.end.line, self._bytes(at.end)))

    def statement(self, original: cst.CSTNode) -> ast.stmt | None:
        """The syntax tree's statement for one of libcst's: a line, a class."""
        at = self.get_metadata(PositionProvider, original).start
        return self.starts.get((at.line, self._bytes(at)))

    def is_statement(self, node: ast.expr) -> bool:
        """Whether nothing is done with an expression's value."""
        return isinstance(self.parents.get(id(node)), ast.Expr)

    def target_of(self, node: ast.expr) -> str | None:
        """The name or attribute that an expression is assigned to."""
        parent = self.parents.get(id(node))
        if isinstance(parent, ast.Tuple):
            pair = self.parents.get(id(parent))
            if (
                isinstance(pair, ast.Assign)
                and pair.value is parent
                and isinstance(pair.targets[0], ast.Tuple)
                and len(pair.targets[0].elts) == len(parent.elts)
            ):
                return ast.unparse(pair.targets[0].elts[parent.elts.index(node)])
            return None
        if (
            isinstance(parent, ast.Assign)
            and parent.value is node
            and len(parent.targets) == 1
            and isinstance(parent.targets[0], (ast.Name, ast.Attribute))
        ):
            return ast.unparse(parent.targets[0])
        return None

    def block_of(self, node: ast.AST) -> tuple[list[ast.stmt], int]:
        """The statements among which a node stands, and its place there."""
        while not isinstance(node, ast.stmt):
            node = self.parents[id(node)]
        parent = self.parents[id(node)]
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(parent, name, None)
            if isinstance(statements, list) and node in statements:
                return statements, statements.index(node)
        return [node], 0

    def _bytes(self, at) -> int:
        line = self.lines[at.line - 1] if at.line <= len(self.lines) else ""
        return at.column if line.isascii() else len(line[: at.column].encode())

    def worth(self, original: cst.CSTNode):
        node = self.node(original)
        return self.reading.worth(node) if node is not None else None

    # ---- sites ------------------------------------------------------------------------------------------

    def settle(self, at: tuple[int, int], name: str, rule: str = "") -> None:
        self.sites[at] = Site(*at, name, True, rule)

    def keep_site(self, at: tuple[int, int], name: str, reason: str, told: bool = True) -> None:
        self.sites[at] = Site(*at, name, False, "", reason)
        if told:
            self.reasons.append((at[0], f"{name.removeprefix('mindspore.')}: {reason}"))

    # ---- calls ------------------------------------------------------------------------------------------

    def visit_Call(self, node: cst.Call) -> None:
        self.callees.add(id(node.func))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call):
        node = self.node(original_node)
        if not isinstance(node, ast.Call):
            return updated_node
        if self._is_of_nn(node.func):
            return fill("ms2torch.to_torch({made})", {"made": updated_node})
        special = statements.call(self, node, original_node, updated_node)
        if special is not None:
            return special
        callee = self.reading.worth(node.func)
        if (
            isinstance(callee, Class)
            and not any(c is not None and c.is_cell for c in self.classes)
            and modes.depends_on_mode(self.reading, callee)
        ):
            return fill("{net}.eval()", {"net": updated_node})
        at, fact = site_of(node), self.reading.facts.at(*site_of(node))
        try:
            if isinstance(callee, Ref):
                return self._of_ref(callee, node, original_node, updated_node)
            if isinstance(callee, Of):
                return self._of_instance(callee, node, original_node, updated_node)
            if isinstance(callee, Gradient):
                return training.differentiated(self, callee, node, original_node, updated_node)
            if isinstance(node.func, ast.Attribute):
                return self._of_method(node, original_node, updated_node, fact)
            return updated_node
        except Kept as kept:
            self.keep_site(at, kept.name, kept.reason)
            return kept.form or self._kept(kept.name, node, original_node, updated_node)

    def _is_of_nn(self, node: ast.expr) -> bool:
        """Whether it is ``getattr(nn, name)``."""
        asks = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr"
        return asks and self.reading.worth(node.args[0]) == Ref("mindspore.nn")

    def _call(self, name, form, node, original, updated, owner=None, made=None) -> Call:
        """What a rule sees of a call."""
        args = [*([cst.Arg(owner[1])] if owner else []), *updated.args]
        olds = [*([cst.Arg(owner[0])] if owner else []), *original.args]
        names, order, rest = (form.names, form.order, form.rest) if form else ({}, (), "")
        if made is False:  # a class is called
            order = form.made if form else ()
        if owner and rest and not order:
            order = ("self",)
        bound, old = bind(names, order, args, rest), bind(names, order, olds, rest)
        if bound is None and (form is None or (form.kernel is None and not owner)):
            bound, old = {}, {}  # rules of such classes look at the arguments themselves
        if bound is None:
            raise Kept(name, "its arguments are not told one by one")
        if made:
            bound |= made[0]
        nodes = {n: self.node(v) for n, v in old.items() if isinstance(v, cst.CSTNode)}
        nodes |= made[1] if made else {}
        return Call(self, name, node, original, updated, bound, nodes, form)

    def _of_ref(self, path: Ref, node, original, updated):
        at = site_of(node)
        if at in self.keep:
            raise Kept(path, "its result differed from MindSpore's")
        thing = resolve(path)
        if path.startswith("mindspore.dataset.") and not self.data.moved:
            self.keep_site(at, path, self.data.reason, is_a(path, "mindspore.dataset.Dataset"))
            return data.kept(path, updated)
        form = form_of(path)
        if isinstance(thing, type) and is_a(path, "mindspore.ops.Primitive"):
            return self.primitives.made(self, path, form, node, original, updated)
        rule = call_rule(path, form.kernel if form else None)
        if rule is None:
            raise Kept(path, "there is no rule for it yet")
        call = self._call(
            path, form, node, original, updated, made=False if isinstance(thing, type) else None
        )
        return self._written(rule, call, at)

    def _of_instance(self, instance: Of, node, original, updated):
        at = site_of(node)
        if is_a(instance.cls, "mindspore.ops.Primitive") and instance.cls not in INSTANCES:
            return self.primitives.called(self, instance, node, original, updated)
        rule = next((INSTANCES[c] for c in _lineage(instance.cls) if c in INSTANCES), None)
        if rule is None:
            return updated
        call = self._call(instance.cls, form_of(instance.cls), node, original, updated)
        call.instance = instance
        return self._written(rule, call, at)

    def _of_method(self, node: ast.Call, original, updated, fact):
        owner, at = self.reading.worth(node.func.value), site_of(node)
        name = self._method(owner, node.func.attr, fact)
        if name is None or not isinstance(updated.func, cst.Attribute):
            return updated
        if at in self.keep:
            raise Kept(name, "its result differed from MindSpore's")
        if name.startswith("mindspore.dataset."):
            name = f"{pipelines.DATASET}.{node.func.attr}"
            if not self.data.moved and not name.endswith("_iterator"):
                return updated
        form = form_of(name)
        rule = call_rule(name, form.kernel if form else None)
        if rule is None:
            if not name.startswith("mindspore.Tensor."):
                return updated
            raise Kept(name, "there is no rule for it yet")
        pair = original.func.value, updated.func.value
        return self._written(rule, self._call(name, form, node, original, updated, pair), at)

    def _method(self, owner, attr: str, fact) -> str | None:
        """The MindSpore name of a method."""
        if isinstance(owner, OwnOf) and owner.cls.function(attr) is None:
            for cls in _lineage(owner.cls.root()):
                if f"{cls}.{attr}" in CALLS:
                    return f"{cls}.{attr}"
        if fact is not None and fact.name:
            of_tensor = fact.name.replace("mindspore.Parameter.", "mindspore.Tensor.", 1)
            return of_tensor if of_tensor in CALLS else fact.name
        if is_tensor(owner):
            return (
                f"mindspore.Tensor.{attr}"
                if form_of(f"mindspore.Tensor.{attr}") or f"mindspore.Tensor.{attr}" in CALLS
                else None
            )
        if isinstance(owner, OwnOf):
            base = owner.cls.root()
        else:
            base = owner.cls if isinstance(owner, Of) else ""
        for cls in _lineage(base):
            if f"{cls}.{attr}" in CALLS:
                return f"{cls}.{attr}"
        if owner is None and attr in _TENSORS_ALONE:
            return f"mindspore.Tensor.{attr}"
        if owner is None and attr in _CELLS_ALONE:
            return f"mindspore.nn.Cell.{attr}"
        if isinstance(owner, Seq) and f"mindspore.ParameterTuple.{attr}" in CALLS and is_tensor(owner.item):
            return f"mindspore.ParameterTuple.{attr}"
        return None

    def _written(self, rule, call: Call, at):
        made = rule.write(call) if rule.write else rule.form
        try:
            made = fill(made, self.defaulted(made, call)) if isinstance(made, str) else made
        except KeyError as absent:
            raise Kept(call.name, f"its argument {absent} is not given") from None
        self.settle(at, call.name, rule.name)
        return keep_line_breaks(call.updated, made) if isinstance(made, cst.BaseExpression) else made

    def defaulted(self, template: str, call: Call) -> dict:
        """A call's arguments, and the defaults of those that the template needs and that are absent."""
        values = dict(call.args)
        for name in re.findall(r"\{(\w+)\*?\}", template):
            default = call.form.defaults.get(name) if call.form else None
            if name not in values and isinstance(default, (int, float, str, tuple, bool)):
                values[name] = cst.parse_expression(repr(default))
        return values

    def _kept(self, name: str, node, original, updated):
        """A call that stays ms2torch's, torch tensors in and out."""
        target = name.replace("mindspore.", "ms2torch.", 1)
        thing = resolve(name)
        if isinstance(thing, type) and not is_cell(name) and not is_a(name, "mindspore.ops.Primitive"):
            return updated.with_changes(func=cst.parse_expression(target))
        if isinstance(thing, type):
            inner = updated.with_changes(func=cst.parse_expression(target))
            return fill("ms2torch.to_torch({inner})", {"inner": inner})
        args = list(updated.args)
        if name.startswith("mindspore.Tensor."):
            args.insert(0, cst.Arg(updated.func.value))
        return updated.with_changes(func=cst.parse_expression(f"ms2torch.to_torch({target})"), args=args)

    # ---- names that are not called ----------------------------------------------------------------------

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute):
        if id(original_node) in self.callees:
            return updated_node
        node = self.node(original_node)
        if not isinstance(node, ast.Attribute):
            return updated_node
        owner = self.reading.worth(node.value)
        if isinstance(owner, Ref):
            return self._value(f"{owner}.{node.attr}", node, updated_node)
        return self._part(owner, node, updated_node)

    def _part(self, owner, node: ast.Attribute, updated):
        """An attribute of a Tensor or a layer; one that a Module needs for itself gets another name."""
        if (
            isinstance(owner, OwnOf)
            and node.attr in _RESERVED
            and owner.cls.is_cell
            and owner.cls.attribute(node.attr) is not None
        ):
            return updated.with_changes(attr=cst.Name(f"{node.attr}_"))
        if isinstance(owner, OwnOf):
            own = owner.cls.attribute(node.attr) is not None or owner.cls.function(node.attr) is not None
            base = "" if own else owner.cls.root()
        else:
            base = owner.cls if isinstance(owner, Of) else ""
        if isinstance(owner, OwnOf) and base == "mindspore.nn.Cell":
            base = ""
        lineage = _lineage(base)
        if base == "mindspore.Parameter":
            lineage = ["mindspore.Parameter", "mindspore.Tensor"]
        for cls in lineage:
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
        worth = self.reading.worth(node)
        if isinstance(self.parents.get(id(node)), ast.Attribute):
            return updated_node  # a part of a longer name
        if isinstance(worth, Ref) and node.id in self.reading.imported:
            return self._value(worth, node, updated_node)
        return updated_node

    def _value(self, path: str, node, updated):
        """A MindSpore name that is not called: a dtype, a constant, what is handed on."""
        from .worth import shortest_name

        path = shortest_name(path)
        thing = resolve(path)
        at = site_of(node)
        if isinstance(thing, ModuleType) and not isinstance(self.parents.get(id(node)), ast.Attribute):
            self.keep_site(at, path, "the module itself is handed on")
            return cst.parse_expression(path.replace("mindspore", "ms2torch", 1))
        if isinstance(thing, ModuleType) or (thing is None and path not in VALUES):
            owner = path.rpartition(".")[0]
            if not isinstance(node, ast.Attribute) or not isinstance(resolve(owner), type):
                return updated
            self.keep_site(at, path, "there is no rule for it yet")
            return cst.parse_expression(path.replace("mindspore.", "ms2torch.", 1))
        outer = self.parents.get(id(node))
        if isinstance(outer, ast.Attribute) and f"{path}.{outer.attr}" in VALUES:
            return updated  # a part of a longer name
        if path in CLASSES and self._is_asked(node):
            self.settle(at, path, path)
            return cst.parse_expression(CLASSES[path])
        rule = VALUES.get(path)
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
        self.settle(at, path, rule.name)
        return fill(made, {}) if isinstance(made, str) else made

    def _is_asked(self, node: ast.expr) -> bool:
        """Whether ``isinstance`` asks for a class, or an annotation names it."""
        if id(node) in self.hints:
            return True
        outer = self.parents.get(id(node))
        outer = self.parents.get(id(outer)) if isinstance(outer, ast.Tuple) else outer
        return isinstance(outer, ast.Call) and getattr(outer.func, "id", "") in ("isinstance", "issubclass")

    # ---- classes and statements -------------------------------------------------------------------------

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.classes.append(self.reading.classes.get(self.statement(node)))

    def leave_ClassDef(self, original_node, updated_node):
        return classes.rewritten(self, self.classes.pop(), original_node, updated_node)

    def leave_FunctionDef(self, original_node, updated_node):
        return classes.function(self, original_node, updated_node)

    def visit_SimpleStatementLine(self, node) -> None:
        self.after.append([])
        self.before.append([])

    def leave_SimpleStatementLine(self, original_node, updated_node):
        return statements.line(self, original_node, updated_node, self.before.pop(), self.after.pop())

    def leave_List(self, original_node, updated_node):
        kept = [e for e in updated_node.elements if not _orders(e.value) and not _is_gone(e.value)]
        if len(kept) == len(updated_node.elements):
            return updated_node
        if kept:  # the last comma has the line break
            kept[-1] = kept[-1].with_changes(comma=updated_node.elements[-1].comma)
        return updated_node.with_changes(elements=kept)

    def leave_For(self, original_node, updated_node):
        worth = self.worth(original_node.iter)
        if pipelines.is_data(worth) and not self.data.moved:
            return updated_node.with_changes(
                iter=fill("ms2torch.to_torch({data})", {"data": updated_node.iter})
            )
        return updated_node

    def leave_BinaryOperation(self, original_node, updated_node):
        shows = isinstance(original_node.left, (cst.SimpleString, cst.ConcatenatedString))
        shows &= isinstance(original_node.operator, cst.Modulo)
        node = self.node(original_node.right) if shows else None
        if node is None:
            return updated_node
        return updated_node.with_changes(right=statements.printed_value(self, node, updated_node.right))

    def leave_FormattedStringExpression(self, original_node, updated_node):
        node = self.node(original_node.expression) if original_node.format_spec is None else None
        if node is None or isinstance(node, ast.Tuple):
            return updated_node
        shown = statements.printed_value(self, node, updated_node.expression)
        asked, is_array = updated_node.conversion, shown is not updated_node.expression
        if is_array and asked is None and code(shown).endswith(".numpy(force=True)"):
            asked = "s"  # an array of one number would be formatted as a Python float
        return updated_node.with_changes(expression=shown, conversion=asked)

    def leave_Try(self, original_node, updated_node):
        return statements.without_empty_try(updated_node)

    def leave_IndentedBlock(self, original_node, updated_node):
        return statements.block(updated_node)

    def leave_Import(self, original_node, updated_node):
        return imports.plain(original_node, updated_node)

    def leave_ImportFrom(self, original_node, updated_node):
        return imports.of_names(original_node, updated_node)

    def text(self, node: cst.CSTNode) -> str:
        return code(node)

    def written_text(self, node: ast.expr) -> str:
        """A name or an attribute of one as it is written in the file, which stays as it is."""
        return ast.unparse(node)


def _hints(tree: ast.Module):
    """The annotations of a file."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from annotations_of(node)
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation


def _orders(node: cst.BaseExpression) -> bool:
    """Whether it is ``{"order_params": ...}``, of which PyTorch's optimizers know nothing."""
    return (
        isinstance(node, cst.Dict)
        and len(node.elements) == 1
        and isinstance(node.elements[0], cst.DictElement)
        and "order_params" in code(node.elements[0].key)
    )


def _is_gone(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == statements.GONE


# Methods that only Tensors have.
_TENSORS_ALONE = frozenset(("asnumpy", "expand_dims", "set_data"))
# Methods that only Cells have.
_CELLS_ALONE = frozenset(
    (
        "trainable_params",
        "get_parameters",
        "parameters_and_names",
        "cells_and_names",
        "set_train",
        "parameters_dict",
        "set_grad",
        "add_flags",
    )
)
# Names that Modules need for themselves.
_RESERVED = frozenset(
    (
        "train",
        "type",
        "modules",
        "children",
        "float",
        "half",
        "eval",
        "forward",
        "training",
        "buffers",
        "to",
        "apply",
    )
)


def _lineage(path: str) -> list[str]:
    """A MindSpore class and those that it descends from, as the rules name them."""
    from .worth import shortest_name

    thing = resolve(path) if path else None
    if not isinstance(thing, type):
        return [path] if path else []
    names = [path]
    for base in thing.__mro__[1:]:
        module = base.__module__
        if not module.startswith(("ms2torch.", "mindspore.")) or module.startswith("ms2torch._core"):
            continue
        names.append(shortest_name(f"{module.replace('ms2torch', 'mindspore', 1)}.{base.__name__}"))
    return names
