"""Statements: lines that go, lines that follow a layer, ``super().__init__()``, and what is printed."""

from __future__ import annotations

import ast

import libcst as cst

from .. import draws
from ..translation import site_of
from .inferred import PARAMETER, SHAPE, Many, OwnOf, Seq, is_tensor
from .joining import is_rate
from .results import NOT_LOADED
from .staying import is_raw
from .templates import code, fill

# What a rule gives for a statement that has no counterpart.
GONE = "_gone_"


def call(rewriter, node: ast.Call, original: cst.Call, updated: cst.Call):
    """A call of Python's own that means something else between Modules; None where it is none."""
    f = node.func
    if (
        isinstance(f, ast.Attribute)
        and isinstance(f.value, ast.Call)
        and getattr(f.value.func, "id", "") == "super"
    ):
        return _super(rewriter, f, updated)
    if isinstance(f, ast.Name) and f.id in ("print", "str", "repr"):
        fact = rewriter.reading.facts.at(*site_of(node))
        kinds = fact.arguments if fact is not None and len(fact.arguments) == len(node.args) else ()
        kinds = [*kinds, *[None] * (len(node.args) - len(kinds))]
        return updated.with_changes(
            args=[
                arg.with_changes(value=printed_value(rewriter, old, arg.value, kind))
                for old, arg, kind in zip(node.args, updated.args, kinds, strict=False)
            ]
            + list(updated.args[len(node.args) :])
        )
    if isinstance(f, ast.Name) and f.id == "float" and len(node.args) == 1 and _is_float(rewriter, node):
        return fill("{x}.item()", {"x": updated.args[0].value})
    if isinstance(f, ast.Attribute) and f.attr == "format" and isinstance(f.value, ast.Constant):
        return updated.with_changes(
            args=[
                arg.with_changes(value=printed_value(rewriter, rewriter.node(o.value), arg.value))
                for o, arg in zip(original.args, updated.args, strict=True)
            ]
        )
    return None


def _is_float(rewriter, node: ast.Call) -> bool:
    """Whether ``float(x)`` is that of a Tensor of floats, as the run told."""
    if is_rate(node.args[0]) or _reads_rate(node.args[0]):
        return False
    fact = rewriter.reading.facts.at(*site_of(node))
    kind = fact.arguments[0] if fact is not None and fact.arguments else None
    return kind is not None and kind.type in ("Tensor", "Parameter") and kind.dtype.startswith("Float")


def shows_parameters(tree: ast.AST, reading) -> bool:
    """Whether a Parameter whose name no run told, or several, are printed as they stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("print", "str", "repr"):
            fact = reading.facts.at(*site_of(node))
            kinds = fact.arguments if fact is not None and len(fact.arguments) == len(node.args) else ()
            told = [kind is not None and bool(kind.value) for kind in kinds] or [False] * len(node.args)
            shown = [n for n, one in zip(node.args, told, strict=True) if not one]
        elif isinstance(node, ast.FormattedValue):
            shown = [node.value]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            shown = [*getattr(node.right, "elts", [node.right])]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format":
            shown = node.args
        else:
            continue
        if any(reading.inferred(n) in (PARAMETER, Seq(PARAMETER)) for n in shown):
            return True
    return False


def printed_value(
    rewriter, node: ast.expr | None, value: cst.BaseExpression, kind=None
) -> cst.BaseExpression:
    """What is printed of a Tensor: its numbers, as MindSpore prints them; a Parameter is described."""
    inferred = rewriter.reading.inferred(node) if node is not None else None
    if is_rate(node) or _reads_rate(node):
        return value
    if (kind is not None and kind.type == "Parameter") or inferred in (PARAMETER, Seq(PARAMETER)):
        rewriter.helpers.add("described")
        name = kind.value if kind is not None and kind.type == "Parameter" else None
        label = isinstance(node, ast.Name) and rewriter.names_parameters
        if not name or label:
            return fill("described({x})", {"x": value})
        return fill("described({x}, {name})", {"x": value, "name": cst.SimpleString(f'"{name}"')})
    if inferred == NOT_LOADED:
        return fill("tuple({x})", {"x": value})
    if isinstance(node, ast.IfExp) and isinstance(value, cst.IfExp):
        return value.with_changes(
            body=printed_value(rewriter, node.body, value.body),
            orelse=printed_value(rewriter, node.orelse, value.orelse),
        )
    if is_tensor(inferred):
        return fill("{x}.numpy(force=True)", {"x": value})
    if inferred == SHAPE and isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        return fill("tuple({x})", {"x": value})
    if isinstance(node, ast.ListComp) and isinstance(value, cst.ListComp):
        return value.with_changes(elt=printed_value(rewriter, node.elt, value.elt))
    if isinstance(node, ast.DictComp) and isinstance(value, cst.DictComp):
        return value.with_changes(value=printed_value(rewriter, node.value, value.value))
    if isinstance(inferred, Seq) and is_tensor(inferred.item) and not isinstance(node, (ast.List, ast.Tuple)):
        return fill("[x.numpy(force=True) for x in {x}]", {"x": value})
    all_tensors = isinstance(inferred, Many) and all(map(is_tensor, inferred.items))
    if all_tensors and isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
        return fill("tuple(x.numpy(force=True) for x in {x})", {"x": value})
    displays = (ast.Tuple, ast.List, ast.Dict), (cst.Tuple, cst.List, cst.Dict)
    if isinstance(node, displays[0]) and isinstance(value, displays[1]):
        held = node.values if isinstance(node, ast.Dict) else node.elts
        parts = zip(held, value.elements, strict=True)
        return value.with_changes(
            elements=[p.with_changes(value=printed_value(rewriter, old, p.value)) for old, p in parts]
        )
    return value


def _reads_rate(node: ast.expr | None) -> bool:
    """Whether it is ``group["lr"].value()``, a number too."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_rate(node.func.value)


def _super(rewriter, f: ast.Attribute, updated: cst.Call):
    """``super(Net, self).__init__(auto_prefix=False)`` is ``super().__init__()``."""
    cls = rewriter.classes[-1] if rewriter.classes else None
    if cls is None:
        return updated
    func = updated.func
    asked = f.value.args
    if cls.is_cell or not cls.root() or (asked and getattr(asked[0], "id", "") == cls.node.name):
        func = func.with_changes(value=cst.parse_expression("super()"))
    if f.attr == "__init__" and not hasattr(cls.base, "node"):
        from ..rules.cells import arguments_of_init

        return arguments_of_init(rewriter, cls, updated.with_changes(func=func))
    if f.attr == "construct":
        func = func.with_changes(attr=cst.Name("forward"))
    return updated.with_changes(func=func)


def line(
    rewriter,
    original: cst.SimpleStatementLine,
    updated: cst.SimpleStatementLine,
    before: list[str],
    after: list[str],
):
    """One line, what goes from it, and what follows it."""
    node = rewriter.statement(original)
    after = [*after, *_draws(rewriter, node)]
    if len(updated.body) == len(original.body):
        several = len(original.body) > 1
        statements = [rewriter.statement(part) for part in original.body] if several else [node]
        places = [(n.lineno, n.col_offset) if n is not None else None for n in statements]
        for i, gone in enumerate(map(rewriter.primitives.gone.get, places)):
            updated = _without(updated, gone, i) if gone else updated
            if updated is None:
                break
        if updated is None:
            return cst.RemoveFromParent()
    kept = [part for part in updated.body if not _is_gone(part)]
    if 0 < len(kept) < len(updated.body):
        kept[-1] = kept[-1].with_changes(semicolon=updated.body[-1].semicolon)
        updated = updated.with_changes(body=kept)
    elif parts := _gone_parts(updated):
        updated = _without(updated, parts) or updated.with_changes(body=[cst.Expr(cst.Name(GONE))])
    gone = bool(updated.body) and _is_gone(updated.body[0])
    if len(updated.body) == len(original.body) == 1:
        gone |= _is_idle(updated.body[0], original.body[0])
    if gone and not before:
        return cst.RemoveFromParent()
    lines = [cst.parse_statement(text) for text in before]
    if lines:
        lines[0] = lines[0].with_changes(leading_lines=updated.leading_lines)
        updated = updated.with_changes(leading_lines=[])
    if not gone:
        lines.append(updated)
    reasons = [text for at, text in rewriter.reasons if node and node.lineno <= at[0] <= node.end_lineno]
    if reasons:
        rewriter.reasons = [r for r in rewriter.reasons if r[1] not in reasons]
        comments = [
            cst.EmptyLine(comment=cst.Comment(f"# ms2torch: {text}")) for text in dict.fromkeys(reasons)
        ]
        lines[0] = lines[0].with_changes(leading_lines=[*lines[0].leading_lines, *comments])
    made = [cst.parse_statement(text) for text in dict.fromkeys(after)]
    if not made and len(lines) == 1:
        return lines[0]
    return cst.FlattenSentinel([*lines, *made])


def augmented(rewriter, target: ast.expr, updated: cst.AugAssign):
    """``x += y`` as ``x = x + y`` where x is a Tensor: PyTorch would write to it, and to all that shares its
    memory; MindSpore makes another Tensor."""
    inferred = rewriter.reading.inferred(target)
    own = isinstance(target, ast.Name) or (isinstance(target, ast.Attribute) and inferred != PARAMETER)
    if not own or not is_tensor(inferred):
        return updated
    if _is_weight(rewriter, target):
        data = updated.with_changes(target=cst.Attribute(updated.target, cst.Name("data")))
        return data if _trains(rewriter, target) else updated
    sign = code(updated.operator).strip().removesuffix("=")
    value = fill(f"{{x}} {sign} {{y}}", {"x": updated.target, "y": updated.value})
    return cst.Assign([cst.AssignTarget(updated.target)], value)


def assigned(rewriter, original: cst.Assign, updated: cst.Assign):
    """``self.x = y`` as ``self.x.data = y`` where x is a Parameter of a Cell and y a Tensor: PyTorch takes no
    other thing in a Parameter's place, MindSpore gives it the value."""
    if len(original.targets) > 1:
        return updated
    target, value = rewriter.node(original.targets[0].target), rewriter.node(original.value)
    inferred = rewriter.reading.inferred(value) if isinstance(value, ast.expr) else None
    if not is_tensor(inferred) or inferred == PARAMETER or not _is_weight(rewriter, target):
        return updated
    place = cst.Attribute(updated.targets[0].target, cst.Name("data"))
    return updated.with_changes(targets=[updated.targets[0].with_changes(target=place)])


def _is_weight(rewriter, target: ast.expr | None) -> bool:
    """Whether a place is an attribute that a Cell of the program has made a Parameter."""
    owner = rewriter.reading.inferred(target.value) if isinstance(target, ast.Attribute) else None
    cell = isinstance(owner, OwnOf) and owner.cls.is_cell and not is_raw(rewriter, owner.cls)
    return cell and owner.cls.has_weight(target.attr)


def _trains(rewriter, target: ast.Attribute) -> bool:
    """Whether a Parameter may get gradients: none of those that are made for its name is told not to."""
    made = (n for n in ast.walk(rewriter.tree) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call))
    own = (n.value for n in made if getattr(n.targets[0], "attr", None) == target.attr)
    given = (k for call in own for k in call.keywords if k.arg == "requires_grad")
    return not any(getattr(k.value, "value", None) is False for k in given)


def _draws(rewriter, node: ast.stmt | None) -> list[str]:
    """What follows the making of weights for which MindSpore drew from numpy's generator."""
    fact = rewriter.reading.facts.at(node.lineno, draws.COLUMN) if node is not None else None
    if fact is None or not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
        return []
    rewriter.helpers.add("draw_initial_weights")
    return [f"draw_initial_weights({fact.calls})"]


def _gone_parts(updated: cst.SimpleStatementLine) -> set[int]:
    """Which values of ``a, b = x, y`` went."""
    statement = updated.body[0] if updated.body else None
    targets = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    if not isinstance(targets, cst.Tuple) or not isinstance(statement.value, cst.Tuple):
        return set()
    parts = statement.value.elements
    starred = any(isinstance(part, cst.StarredElement) for part in (*parts, *targets.elements))
    if starred or len(parts) != len(targets.elements) or len(statement.targets) > 1:
        return set()
    return {i for i, part in enumerate(parts) if getattr(part.value, "value", None) == GONE}


def _is_gone(statement) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, cst.Name) and value.value == GONE


def _is_idle(statement, before) -> bool:
    """Whether a translation left ``x = x``, or ``x`` of a call."""
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Name):
        return isinstance(before, cst.Expr) and isinstance(before.value, cst.Call)
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1 or statement.deep_equals(before):
        return False
    target, value = statement.targets[0].target, statement.value
    return isinstance(target, cst.Name) and isinstance(value, cst.Name) and target.value == value.value


def _without(updated: cst.SimpleStatementLine, gone: set[int], place: int = 0):
    """A line without the operators that go into their calls, which its statement at a place makes; None where
    nothing is left."""
    body, statement = list(updated.body), updated.body[place]
    if not isinstance(statement, cst.Assign):
        return updated
    target, value = statement.targets[0].target, statement.value
    tuples = isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple)
    kept = [i for i in range(len(value.elements)) if i not in gone] if tuples else []
    if not kept:
        body[place] = cst.Expr(cst.Name(GONE), semicolon=statement.semicolon)
        return updated.with_changes(body=body) if len(body) > 1 else None
    if len(kept) == 1:
        left, right = target.elements[kept[0]].value, value.elements[kept[0]].value
    else:
        left, right = (
            side.with_changes(elements=_cut([side.elements[i] for i in kept])) for side in (target, value)
        )
    body[place] = statement.with_changes(targets=[cst.AssignTarget(left)], value=right)
    return updated.with_changes(body=body)


def _cut(elements):
    elements[-1] = elements[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return elements


def block(updated: cst.IndentedBlock):
    """A block that lost its last statement says ``pass``."""
    if updated.body:
        return updated
    return updated.with_changes(body=[cst.parse_statement("pass")])


def is_empty(body) -> bool:
    """Whether a block holds nothing that counts."""
    return all(
        isinstance(s, cst.SimpleStatementLine) and all(isinstance(p, cst.Pass) for p in s.body)
        for s in body.body
    )


def without_empty_try(updated: cst.Try):
    """A ``try`` around imports that went goes too."""
    if (
        is_empty(updated.body)
        and all(is_empty(handler.body) for handler in updated.handlers)
        and updated.orelse is None
        and updated.finalbody is None
    ):
        return cst.RemoveFromParent()
    return updated
