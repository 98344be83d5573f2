"""Layers that hold layers: ``nn.SequentialCell`` is ``nn.Sequential``."""

from __future__ import annotations

import libcst as cst

from ..rewriting.templates import code
from .table import rule


@rule("nn.SequentialCell", "nn.Sequential(*layers)", "takes layers one by one", "逐个接收各层")
def sequential(call):
    args = list(call.updated.args)
    if len(args) == 1 and not args[0].star and not args[0].keyword:
        value = args[0].value
        if isinstance(value, (cst.List, cst.Tuple)):
            parts = [
                cst.Arg(
                    e.value,
                    star="*" if isinstance(e, cst.StarredElement) else "",
                    comma=e.comma if isinstance(e.comma, cst.Comma) else cst.MaybeSentinel.DEFAULT,
                )
                for e in value.elements
            ]
            inner = (
                value.lbracket.whitespace_after if isinstance(value, cst.List) else cst.SimpleWhitespace("")
            )
            outer = call.updated.whitespace_before_args
            broken = isinstance(inner, cst.ParenthesizedWhitespace)
            if broken and not isinstance(outer, cst.ParenthesizedWhitespace) and parts:
                last = value.rbracket.whitespace_before
                comma = parts[-1].comma
                if isinstance(comma, cst.Comma):
                    parts[-1] = parts[-1].with_changes(comma=comma.with_changes(whitespace_after=last))
                else:
                    parts[-1] = parts[-1].with_changes(whitespace_after_arg=last)
                return cst.Call(cst.parse_expression("nn.Sequential"), parts, whitespace_before_args=inner)
            return cst.Call(cst.parse_expression("nn.Sequential"), parts)
        inferred = call.rewriter.reading.inferred(call.node.args[0])
        from ..rewriting.inferred import Of, OwnOf

        if not isinstance(inferred, (Of, OwnOf)) and not isinstance(value, cst.Call):
            args[0] = args[0].with_changes(star="*")
        elif isinstance(value, cst.Call) and code(value.func) == "OrderedDict":
            pass
    return call.updated.with_changes(func=cst.parse_expression("nn.Sequential"), args=args)


@rule("nn.CellList", "nn.ModuleList(layers)")
def cell_list(call):
    args = call.updated.args
    if len(args) > 1:
        inner = ", ".join(code(a).rstrip(", ") for a in args)
        return f"nn.ModuleList([{inner}])".replace("{", "{{") if "{" in inner else f"nn.ModuleList([{inner}])"
    return call.updated.with_changes(func=cst.parse_expression("nn.ModuleList"))


@rule("nn.CellDict", "nn.ModuleDict(layers)")
def cell_dict(call):
    return call.updated.with_changes(func=cst.parse_expression("nn.ModuleDict"))
