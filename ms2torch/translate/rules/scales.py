"""Loss scale by a fixed number: where what multiplies the loss and what divides its gradients come to nothing."""

from __future__ import annotations

import ast

from ..rewriting import pipelines
from ..rewriting.binding import form_of
from ..rewriting.inferred import Const, Of
from ..translation import site_of

_HALF = ("float16", "to_float", "amp_level", "mixed_precision")


def cancels(rewriter, args: dict[str, ast.expr]) -> bool:
    """Whether a training step's ``sens=`` is what its optimizer divides by, in a program without half precision."""
    optimizer = _optimizer(rewriter.reading, args.get("optimizer")) or {}
    multiplied, divided = _text(args.get("sens"), "1.0"), _text(optimizer.get("loss_scale"), "1.0")
    return multiplied == divided and (multiplied == "1.0" or not float16(rewriter))


def left_over(rewriter, args: dict[str, ast.expr]) -> str:
    """What a model's fixed loss scale multiplies gradients by, where nothing divides them; else nothing."""
    reading = rewriter.reading
    manager = made_with(reading.inferred(args.get("loss_scale_manager"))) if moved(reading, args) else None
    optimizer = _optimizer(reading, args["optimizer"]) if manager is not None else None
    divided = _text((optimizer or {}).get("loss_scale"), "1.0")
    return "" if manager is None or divided != "1.0" or float16(rewriter) else _text(manager.get("loss_scale"), "128.0")


def moved(reading, args: dict[str, ast.expr]) -> str:
    """Why a model's loss scale moves its weights otherwise than no scale would; nothing where it does not.

    A FixedLossScaleManager either takes its scale out of the gradients itself, or leaves that to the optimizer.
    """
    optimizer = _optimizer(reading, args.get("optimizer"))
    manager = made_with(reading.inferred(args["loss_scale_manager"]) if "loss_scale_manager" in args else None)
    divided = _text((optimizer or {}).get("loss_scale"), "1.0")
    if "loss_scale_manager" not in args:
        idle = "its optimizer divides gradients by loss_scale=, and nothing multiplies the loss"
        return "" if divided == "1.0" else idle
    if None in (manager, optimizer) or not _is_fixed(reading.inferred(args["loss_scale_manager"])):
        return ""
    multiplied = _text(manager.get("loss_scale"), "128.0")
    if _text(manager.get("drop_overflow_update"), "True") == "True":
        multiplied = "1.0"
    told_apart = "1.0" in (multiplied, divided) or all(_is_number(t) for t in (multiplied, divided))
    if multiplied == divided or not told_apart:
        return ""
    return f"its gradients are multiplied by {multiplied} and divided by {divided}"


def drops(rewriter, args: dict[str, ast.expr]) -> bool:
    """Whether a step of a model whose gradients overflow moves no weight: then it gives that beside its loss."""
    if "loss_scale_manager" not in args:
        return level_of(rewriter, args) == "O2"
    inferred = rewriter.reading.inferred(args["loss_scale_manager"])
    manager = made_with(inferred)
    if manager is None or "optimizer" not in args:
        return False
    return not _is_fixed(inferred) or _text(manager.get("drop_overflow_update"), "True") == "True"


def divides(rewriter, args: dict[str, ast.expr]) -> bool:
    """Whether a model's trainer divides gradients by the optimizer's own ``loss_scale=``."""
    if "loss_scale_manager" not in args or made_with(rewriter.reading.inferred(args["loss_scale_manager"])) is None:
        return False
    low = level_of(rewriter, args) not in ("", "of another place")
    return low or (drops(rewriter, args) and not _is_fixed(rewriter.reading.inferred(args["loss_scale_manager"])))


def divided(rewriter, args: dict[str, ast.expr]) -> bool:
    """Whether that changes a gradient."""
    made = _optimizer(rewriter.reading, args.get("optimizer")) or {}
    return _text(made.get("loss_scale"), "1.0") != "1.0" and divides(rewriter, args)


def level_of(rewriter, args: dict[str, ast.expr]) -> str:
    """A Model's level of mixed precision, by its text or by the run; nothing where it has none."""
    if "amp_level" not in args:
        return ""
    level = rewriter.reading.inferred(args["amp_level"])
    value = level.value if isinstance(level, Const) else _in_the_run(rewriter, args["amp_level"])
    return "" if value in ("O0", None) else value


def _in_the_run(rewriter, node: ast.expr) -> str:
    """What an argument was wherever a run came by."""
    keyword = rewriter.parents.get(id(node))
    call = rewriter.parents.get(id(keyword))
    fact = rewriter.reading.facts.at(*site_of(call)) if isinstance(call, ast.Call) else None
    kind = fact.keywords.get(getattr(keyword, "arg", "")) if fact is not None else None
    return kind.value if kind is not None and kind.value is not None else "of another place"


def made_with(inferred) -> dict[str, ast.expr] | None:
    """The arguments by name of the call that made an instance; None where that is not told."""
    if not isinstance(inferred, Of) or inferred.call is None:
        return None
    return pipelines.arguments_by_name(inferred.call, form_of(inferred.cls).made)


def _optimizer(reading, node: ast.expr | None) -> dict[str, ast.expr] | None:
    """The arguments that an optimizer was made with, those of the one inside where LARS is around it."""
    made, inferred = None, reading.inferred(node) if node is not None else None
    for _ in range(2):
        made = made_with(inferred)
        if made is None or inferred.cls != "mindspore.nn.LARS" or "optimizer" not in made:
            return made
        inferred = reading.inferred(made["optimizer"])
    return made


def _is_fixed(inferred) -> bool:
    return inferred.cls.endswith("FixedLossScaleManager")


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _text(node: ast.expr | None, default: str) -> str:
    """An argument's text, a number's as a float's."""
    if node is None:
        return default
    value = getattr(node, "value", None)
    return repr(float(value)) if type(value) in (int, float) else ast.unparse(node)


def float16(rewriter) -> bool:
    """Whether a program speaks of half precision anywhere."""
    return rewriter.mentions(*_HALF)
