"""Rewrites one file: every call, name and class of MindSpore by its rule, or kept with its reason."""

from __future__ import annotations

import ast

import libcst as cst
from libcst.metadata import MetadataWrapper

from .. import helpers
from ..facts import Facts
from ..rules import load
from ..rules.table import call_rule
from ..translation import Site, Translation, site_of
from . import classes, collisions, idioms, imports, pipelines, primitives, statements, staying, tidying
from .branches import Branches, taken
from .call_sites import CallSites
from .inferred import PARAMETER, Class, Of, OwnOf, Ref, is_a, is_tensor
from .joining import span_of
from .name_sites import NameSites
from .project import Project
from .reading import Reading
from .syntax import Syntax
from .templates import Brackets, code, fill

# What gives all Parameters of a Cell, which an optimizer is in MindSpore.
_LISTS = frozenset(("get_parameters", "trainable_params", "parameters_and_names", "parameters_dict"))


def rewrite(
    source: str,
    facts: Facts | None,
    keep: frozenset[tuple[int, int]],
    data: pipelines.Pipelines | None,
    project: Project | None = None,
) -> Translation:
    """The whole of `translate_source` once libcst is there."""
    load()
    made, asked = _rewritten(source, facts, keep, data, project)
    everywhere, anywhere = collisions.bound(ast.parse(source))
    heads = frozenset(collisions.assigned(ast.parse(source)) & imports.NEEDED.keys())
    both = helpers.named_by(asked) & everywhere | asked & anywhere | heads
    if not both:
        return made
    away = collisions.aside(source, both)
    back = {other: name for name, other in away.items()}
    project = project and project.also_as(away)
    made, _ = _rewritten(collisions.renamed(source, away, heads), facts, keep, data, project)
    named = {name: f"{name}_" for name in both} | back
    made.text = collisions.renamed(made.text, named, heads)
    made.helpers = sorted(f"{name}_" if name in both else name for name in made.helpers)
    made.cells = [(back.get(name, name), line) for name, line in made.cells]
    return made


def _rewritten(source, facts, keep, data, project) -> tuple[Translation, set[str]]:
    """A file's translation, and the helpers that its rules asked for."""
    tree = ast.parse(source)
    reading = Reading(tree, facts, project)
    rewriter = Rewriter(source, tree, reading, keep, data or pipelines.pipelines_of(tree, reading))
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    module = wrapper.visit(rewriter).visit(Brackets())
    if not rewriter.scaled:
        module = idioms.with_idioms(module)
    module = tidying.tidied(module, tree)
    rewriter.helpers &= imports.names(ast.parse(module.code))
    module = imports.tidy(module, rewriter)
    made = Translation(
        module.code,
        sorted(rewriter.sites.values()),
        sorted(rewriter.helpers),
        [
            (c.node.name, c.node.lineno)
            for c in reading.classes.values()
            if c.is_cell and not rewriter.is_raw(c)
        ],
    )
    return made, rewriter.helpers


class Rewriter(Syntax, CallSites, NameSites, Branches, cst.CSTTransformer):
    """Walks the file from the leaves up; ``sites`` are by place, ``helpers`` what the head gets."""

    def __init__(self, source: str, tree: ast.Module, reading: Reading, keep, data) -> None:
        super().__init__(source, tree)
        self.reading, self.keep, self.data = reading, staying.spread(tree, reading, keep), data
        self.keeps_files = staying.keeps_files(tree, reading, self.keep)
        self.sites: dict[tuple[int, int], Site] = {}
        self.helpers: set[str] = set()
        # Whether a loss that the helpers call may want its labels as classes.
        self.takes_classes = False
        self.reasons: list[tuple[tuple[int, int], str]] = []
        self.after: list[list[str]] = []
        self.before: list[list[str]] = []
        self.scaled: set[str] = set()
        self.loops: dict[int, bool] = {}
        self.rewritten: dict[int, str] = {}
        self.orders: dict[tuple, str] = {}
        self.callees: set[int] = set()
        self.made: dict[tuple, dict[str, cst.BaseExpression]] = {}
        self.primitives = primitives.plan(tree, reading)
        self.classes: list[Class] = []
        # How many of these stay Cells.
        self.raw = 0
        # All files' texts.
        self.texts = (reading.project or Project()).texts or (source,)
        self.keeps_data = data.any and bool(data.reason)
        self.names_parameters = any(
            isinstance(n, ast.Attribute) and n.attr == "name" and reading.inferred(n.value) == PARAMETER
            for n in ast.walk(tree)
        )
        if self.has_norms() or self.mentions("Checkpoint"):  # which decays, and what files call moments
            self.names_parameters |= self._has_own_optimizer() or self._keeps_an_optimizer()
        self.names_parameters |= self.mentions("LARS(")  # its default filter asks for names
        self.names_parameters |= statements.shows_parameters(tree, reading) or self.lists_optimizers()

    def has_norms(self) -> bool:
        """Whether the program has layers that normalise, or parameters called as theirs."""
        return self.mentions("Norm", "gamma", "beta")

    def mentions(self, *words: str) -> bool:
        """Whether a file of the program has one of these words."""
        return any(word in text for text in self.texts for word in words)

    def lists_optimizers(self) -> bool:
        """Whether the file asks for all that an optimizer has, its moments and rates."""
        calls = (n for n in ast.walk(self.tree) if isinstance(n, ast.Call))
        asks = (n for n in calls if isinstance(n.func, ast.Attribute) and n.func.attr in _LISTS)
        return any(map(self._belongs_to_optimizer, asks))

    def _belongs_to_optimizer(self, call: ast.Call) -> bool:
        """Whether a method is an optimizer's: by what is inferred, or by what a run found."""
        fact = self.reading.facts.at(*site_of(call))
        told = fact is not None and fact.name.startswith("mindspore.nn.Optimizer.")
        return told or self._is_optimizer(call.func.value)

    def _has_own_optimizer(self) -> bool:
        """Whether a class of the program is an optimizer, which tells by names what decays."""
        known = [*self.reading.classes.values(), *(self.reading.project or Project()).classes.values()]
        return any(is_a(cls.root(), "mindspore.nn.Optimizer") for cls in known)

    def _keeps_an_optimizer(self) -> bool:
        """Whether an optimizer of MindSpore's stays, which tells by names what decays."""
        for node in (n for n in ast.walk(self.tree) if isinstance(n, ast.Call)):
            name = self.reading.inferred(node.func)
            stays = isinstance(name, Ref) and (site_of(node) in self.keep or call_rule(name) is None)
            if stays and is_a(name, "mindspore.nn.Optimizer"):
                return True
        return False

    def stays(self, inferred) -> bool:
        """Whether an object is MindSpore's still."""
        made = inferred.call if isinstance(inferred, Of) else None
        if made is None or not hasattr(made.func, "lineno") or is_tensor(inferred):
            return False
        site = self.sites.get(site_of(made))
        return site is not None and not site.settled

    def inferred(self, original: cst.CSTNode):
        """What is inferred of an expression; None where that is nothing."""
        node = self.node(original)
        return self.reading.inferred(node) if node is not None else None

    def settle(self, at: tuple[int, int], name: str, rule: str = "") -> None:
        """A site is translated, by a rule."""
        self.sites[at] = Site(*at, name, True, rule)

    def keep_site(self, at: tuple[int, int], name: str, reason: str, told: bool = True) -> None:
        """A site stays ms2torch's; where ``told`` a comment above the line gives the reason."""
        self.sites[at] = Site(*at, name, False, "", reason)
        if told:
            self.reasons.append((at, f"{name.removeprefix('mindspore.')}: {reason}"))

    # ---- classes and statements -------------------------------------------------------------------------

    def is_raw(self, cls: Class | None) -> bool:
        """Whether a class of the program stays a Cell."""
        return staying.is_raw(self, cls)

    def on_leave(self, original_node, updated_node):
        """Classes that stay Cells stay so in all of their parts."""
        if self.raw and not isinstance(original_node, (cst.ClassDef, cst.SimpleStatementLine)):
            return staying.raw(self, original_node, updated_node)
        return super().on_leave(original_node, updated_node)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.classes.append(self.reading.classes.get(self.statement(node)))
        self.raw += self.is_raw(self.classes[-1])

    def leave_ClassDef(self, original_node, updated_node):
        self.raw -= self.is_raw(self.classes[-1])
        return classes.rewritten(self, self.classes.pop(), original_node, updated_node)

    def leave_FunctionDef(self, original_node, updated_node):
        return classes.function(self, original_node, updated_node)

    def visit_SimpleStatementLine(self, node) -> None:
        self.after.append([])
        self.before.append([])

    def leave_SimpleStatementLine(self, original_node, updated_node):
        if self.raw:
            self.before.pop(), self.after.pop()
            return updated_node
        return statements.line(self, original_node, updated_node, self.before.pop(), self.after.pop())

    def gives_gradients(self) -> bool:
        """Whether an optimizer is called with gradients of weights that are not read off an optimizer."""
        called = (n.func for n in ast.walk(self.tree) if isinstance(n, ast.Call))
        return any(map(self._is_optimizer, called)) and not self.reads_optimizers()

    def reads_optimizers(self) -> bool:
        """Whether the file differentiates by an optimizer's ``parameters``, as steps of its own do."""
        if any(is_a(cls.root(), "mindspore.nn.TrainOneStepCell") for cls in self.reading.classes.values()):
            return True
        named = (n for n in ast.walk(self.tree) if isinstance(n, ast.Attribute) and n.attr == "parameters")
        return any(self._is_optimizer(n.value) for n in named)

    def _is_optimizer(self, node: ast.expr) -> bool:
        inferred = self.reading.inferred(node)
        cls = inferred.cls if isinstance(inferred, (Of, OwnOf)) else ""
        return is_a(cls if isinstance(cls, str) else cls.root(), "mindspore.nn.Optimizer")

    def leave_List(self, original_node, updated_node):
        order = next((e.value.elements[0].value for e in updated_node.elements if _orders(e.value)), None)
        node = self.node(original_node) if order is not None else None
        if node is not None:
            self.orders[span_of(node)] = code(order)
        kept = [e for e in updated_node.elements if not _orders(e.value) and not _is_gone(e.value)]
        if len(kept) == len(updated_node.elements):
            return updated_node
        if kept:  # the last comma has the line break
            kept[-1] = kept[-1].with_changes(comma=updated_node.elements[-1].comma)
        return updated_node.with_changes(elements=kept)

    def leave_For(self, original_node, updated_node):
        inferred = self.inferred(original_node.iter)
        if pipelines.is_data(inferred) and not self.data.moved:
            return updated_node.with_changes(
                iter=fill("ms2torch.to_torch({data})", {"data": updated_node.iter})
            )
        return updated_node

    def leave_CompFor(self, original_node, updated_node):
        return self.leave_For(original_node, updated_node)

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

    def leave_FormattedString(self, original_node, updated_node):
        return tidying.quoted_apart(updated_node)

    def leave_Assign(self, original_node, updated_node):
        return statements.assigned(self, original_node, updated_node)

    def leave_AugAssign(self, original_node, updated_node):
        node = self.node(original_node.target)
        return statements.augmented(self, node, updated_node) if node is not None else updated_node

    def leave_Try(self, original_node, updated_node):
        return statements.without_empty_try(updated_node)

    def leave_IndentedBlock(self, original_node, updated_node):
        return statements.block(updated_node.with_changes(body=taken(updated_node.body)))

    def leave_Module(self, original_node, updated_node):
        return updated_node.with_changes(body=taken(updated_node.body))

    def leave_Import(self, original_node, updated_node):
        return imports.plain(original_node, updated_node)

    def leave_ImportFrom(self, original_node, updated_node):
        return imports.of_names(original_node, updated_node)


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
