"""torch's operators in a trace, told in MindSpore's primitives: arithmetic and reductions.

A rule takes the graph, what the trace knows of the result, and the operator's own arguments: Values, tensors
that are constants, and plain values. What has no rule is taken apart by torch until it has.
"""

from __future__ import annotations

import functools
import math

import torch

from ms2torch._core.errors import unsupported

from ..structure import NUMBERED
from .graph import OPEN, Graph, Value, sizes

DTYPE_NUMBERS = {getattr(torch, name.rstrip("_")): number for number, name in NUMBERED.items()}


def table():
    """An empty table of rules, and what puts a rule into it by the names of torch's operators:
    ``add.Tensor``."""
    rules: dict[str, object] = {}

    def rule(*names: str):
        def note(function):
            rules.update(dict.fromkeys(names, function))
            return function

        return note

    return rules, rule


RULES, rule = table()


def cast(g: Graph, x, dtype: torch.dtype):
    """``x`` in ``dtype``; a number becomes a tensor without axes."""
    if not isinstance(x, Value):
        return torch.as_tensor(x).to(dtype)
    return x if x.dtype is dtype else g.op("Cast", x, DTYPE_NUMBERS[dtype], like=x, dtype=dtype)


def reshape(g: Graph, x, shape, like=None) -> Value:
    """``x`` in a shape of which one size may be open."""
    shape = sizes(shape)
    if x.shape == shape and OPEN not in shape:
        return x
    if shape.count(OPEN) > 1:
        raise unsupported(
            "mindspore.export",
            f"a reshape to {shape}, of which several sizes are open.",
            "leave one axis of the inputs open.",
        )
    return g.op("Reshape", x, shape, like=x, shape=sizes(like.shape) if like is not None else shape)


# ---- one tensor

_ALONE = {
    "abs": "Abs", "acos": "ACos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan",
    "atanh": "Atanh", "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "erfc": "Erfc",
    "exp": "Exp", "expm1": "Expm1", "floor": "Floor", "hardsigmoid": "HSigmoid", "hardswish": "HSwish",
    "log": "Log", "log1p": "Log1p", "mish": "Mish", "neg": "Neg",
    "reciprocal": "Reciprocal", "relu": "ReLU", "relu6": "ReLU6", "rsqrt": "Rsqrt", "sigmoid": "Sigmoid",
    "sign": "Sign", "silu": "SiLU", "sin": "Sin", "sinh": "Sinh", "softplus": "Softplus",
    "softsign": "Softsign", "sqrt": "Sqrt", "square": "Square", "tan": "Tan", "tanh": "Tanh",
    "trunc": "Trunc", "isfinite": "IsFinite", "isnan": "IsNan", "isinf": "IsInf",
}  # fmt: skip


def _alone(primitive: str):
    def one(g, out, x, *rest):
        if rest:
            raise unsupported("mindspore.export", f"{primitive} with {rest} has no primitive.")
        whole = out.dtype.is_floating_point and not x.dtype.is_floating_point
        return g.op(primitive, cast(g, x, out.dtype) if whole else x, like=out)

    return one


RULES.update({f"{name}.default": _alone(primitive) for name, primitive in _ALONE.items()})


@rule("bitwise_not.default")
def _not(g, out, x):
    return g.op("LogicalNot" if x.dtype is torch.bool else "Invert", x, like=out)


@rule("logical_not.default")
def _logical_not(g, out, x):
    return g.op("LogicalNot", cast(g, x, torch.bool), like=out)


@rule("round.default", "round.decimals")
def _round(g, out, x, decimals=0):
    return g.op("Round", x, decimals, like=out)


@rule(
    "clone.default",
    "contiguous.default",
    "detach.default",
    "alias.default",
    "lift_fresh_copy.default",
    "dropout.default",
    "feature_dropout.default",
    "positive.default",
    "lift_fresh.default",
    "detach_.default",
)
def _same(g, out, x, *rest, **named):
    return x


@rule(
    "to.dtype",
    "to.dtype_layout",
    "_to_copy.default",
    "type_as.default",
    "to.device",
    "to.other",
    "_to_copy.dtype",
    "to.prim_dtype",
)
def _cast(g, out, x, *rest, **named):
    return cast(g, x, out.dtype)


@rule("gelu.default")
def _gelu(g, out, x, approximate="none"):
    if approximate == "tanh":
        return g.op("GeLU", x, like=out)
    part = g.op("Erf", g.op("Mul", x, scalar(x, math.sqrt(0.5)), like=out), like=out)
    return g.op(
        "Mul", g.op("Mul", x, scalar(x, 0.5), like=out), g.op("Add", part, scalar(x, 1.0), like=out), like=out
    )


@rule("elu.default")
def _elu(g, out, x, alpha=1, scale=1, input_scale=1):
    if (scale, input_scale) != (1, 1):
        below = g.op(
            "Mul",
            g.op("Expm1", g.op("Mul", x, scalar(x, input_scale), like=out), like=out),
            scalar(x, alpha),
            like=out,
        )
        kept = g.op(
            "Select", g.op("Greater", x, scalar(x, 0), like=out, dtype=torch.bool), x, below, like=out
        )
        return g.op("Mul", kept, scalar(x, scale), like=out)
    return g.op("Elu", x, float(alpha), like=out)


@rule("leaky_relu.default")
def _leaky(g, out, x, slope=0.01):
    below = g.op("Mul", x, scalar(x, slope), like=out)
    return g.op("Maximum" if slope <= 1 else "Minimum", x, below, like=out)


@rule("prelu.default", "_prelu_kernel.default")
def _prelu(g, out, x, weight):
    return g.op("PReLU", x, reshape(g, weight, (math.prod(weight.shape),)), like=out)


@rule("clamp.default", "hardtanh.default", "clamp.Tensor")
def _clamp(g, out, x, least=None, most=None):
    if least == 0 and most == 6:
        return g.op("ReLU6", x, like=out)
    x = cast(g, x, out.dtype)
    for primitive, edge in (("Maximum", least), ("Minimum", most)):
        if edge is not None:
            x = g.op(primitive, x, cast(g, edge, out.dtype), like=out)
    return x


def scalar(x, number) -> torch.Tensor:
    return torch.tensor(number, dtype=x.dtype)


# ---- two tensors

_PAIRS = {
    "atan2.default": "Atan2", "bitwise_xor.Tensor": "BitwiseXor", "div.Tensor": "RealDiv",
    "floor_divide.default": "FloorDiv", "fmod.Scalar": "Mod", "fmod.Tensor": "Mod",
    "maximum.default": "Maximum", "minimum.default": "Minimum", "mul.Tensor": "Mul", "pow.Scalar": "Pow",
    "pow.Tensor_Scalar": "Pow", "pow.Tensor_Tensor": "Pow", "remainder.Scalar": "FloorMod",
    "remainder.Tensor": "FloorMod", "mul.Scalar": "Mul", "div.Scalar": "RealDiv",
    "floor_divide.Scalar": "FloorDiv", "true_divide.Tensor": "RealDiv", "remainder.Scalar_Tensor": "FloorMod",
}  # fmt: skip
_COMPARED = {
    "eq": "Equal",
    "ne": "NotEqual",
    "lt": "Less",
    "le": "LessEqual",
    "gt": "Greater",
    "ge": "GreaterEqual",
}
_LOGICAL = {"and": "LogicalAnd", "or": "LogicalOr", "xor": "LogicalXor"}


def _pair(primitive: str):
    def two(g, out, x, y):
        return g.op(primitive, cast(g, x, out.dtype), cast(g, y, out.dtype), like=out)

    return two


def _compared(primitive: str):
    def two(g, out, x, y):
        dtype = torch.result_type(_example(x), _example(y))
        return g.op(primitive, cast(g, x, dtype), cast(g, y, dtype), like=out)

    return two


def _example(x):
    return torch.empty((1,) * len(x.shape), dtype=x.dtype) if isinstance(x, (Value, torch.Tensor)) else x


def _logical(primitive: str):
    def two(g, out, x, y):
        return g.op(primitive, cast(g, x, torch.bool), cast(g, y, torch.bool), like=out)

    return two


def _bits(logical: str, bitwise: str):
    def two(g, out, x, y):
        primitive = logical if out.dtype is torch.bool else bitwise
        return g.op(primitive, cast(g, x, out.dtype), cast(g, y, out.dtype), like=out)

    return two


RULES.update({name: _pair(primitive) for name, primitive in _PAIRS.items()})
RULES.update(
    {
        f"{name}.{kind}": _compared(primitive)
        for name, primitive in _COMPARED.items()
        for kind in ("Tensor", "Scalar")
    }
)
RULES.update({f"logical_{name}.default": _logical(primitive) for name, primitive in _LOGICAL.items()})
RULES.update(
    {
        f"bitwise_{name}.{kind}": _bits(_LOGICAL[name], f"Bitwise{name.title()}")
        for name in ("and", "or", "xor")
        for kind in ("Tensor", "Scalar")
    }
)
RULES.update(
    {
        f"__{name}__.{kind}": RULES[f"bitwise_{name}.{kind}"]
        for name in ("and", "or", "xor")
        for kind in ("Tensor", "Scalar")
    }
)


def _sum_of(primitive: str):
    def two(g, out, x, y, alpha=1):
        y = cast(g, y, out.dtype)
        if alpha != 1:
            y = y * alpha if isinstance(y, torch.Tensor) else g.op("Mul", y, scalar(out, alpha), like=y)
        return g.op(primitive, cast(g, x, out.dtype), y, like=out)

    return two


RULES.update(dict.fromkeys(("add.Tensor", "add.Scalar"), _sum_of("Add")))
RULES.update(dict.fromkeys(("sub.Tensor", "sub.Scalar"), _sum_of("Sub")))


@rule("rsub.Scalar", "rsub.Tensor")
def _from(g, out, x, y, alpha=1):
    return RULES["sub.Tensor"](g, out, y, x, alpha)


@rule("div.Tensor_mode", "div.Scalar_mode")
def _divided(g, out, x, y, rounding_mode=None):
    primitive = {None: "RealDiv", "floor": "FloorDiv", "trunc": "TruncateDiv"}[rounding_mode]
    return g.op(primitive, cast(g, x, out.dtype), cast(g, y, out.dtype), like=out)


@rule("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def _where(g, out, condition, x, y):
    x, y = (spread(g, cast(g, v, out.dtype), out) for v in (x, y))
    return g.op("Select", spread(g, condition, out), x, y, like=out)


@rule("masked_fill.Scalar", "masked_fill.Tensor")
def _filled(g, out, x, mask, value):
    return g.op("MaskedFill", x, mask, cast(g, value, out.dtype), like=out)


def spread(g: Graph, x, out):
    """``x`` in the shape of the result, which not every primitive gives it."""
    shape = sizes(out.shape)
    if tuple(x.shape) == shape and OPEN not in shape:
        return x
    if isinstance(x, torch.Tensor) and OPEN not in shape:
        return x.expand(shape).contiguous()
    kept = (*(1,) * (len(shape) - len(x.shape)), *x.shape)
    if any(new == OPEN != old for new, old in zip(shape, kept, strict=True)):
        why = f"a spread from {tuple(x.shape)} to {shape}, whose size is open."
        raise unsupported("mindspore.export", why)
    return x if tuple(x.shape) == shape else g.op("BroadcastTo", x, shape, like=out, dtype=x.dtype)


# ---- reductions


def axes_of(axis, x) -> tuple[int, ...]:
    if axis is None or axis == []:
        return tuple(range(len(x.shape)))
    return tuple(a % max(len(x.shape), 1) for a in (axis if isinstance(axis, (list, tuple)) else (axis,)))


@rule("sum.dim_IntList", "sum.default")
def _sum(g, out, x, axis=None, keep=False, dtype=None):
    return g.op("ReduceSum", cast(g, x, out.dtype), axes_of(axis, x), keep, False, like=out)


@rule("mean.dim", "mean.default")
def _mean(g, out, x, axis=None, keep=False, dtype=None):
    return g.op("ReduceMean", cast(g, x, out.dtype), axes_of(axis, x), keep, like=out)


def _reduced(primitive: str):
    def reduce(g, out, x, axis=None, keep=False):
        return g.op(primitive, x, axes_of(axis, x), keep, like=out)

    return reduce


for _name, _primitive in (
    ("amax", "ReduceMax"),
    ("amin", "ReduceMin"),
    ("any", "ReduceAny"),
    ("all", "ReduceAll"),
    ("max", "ReduceMax"),
    ("min", "ReduceMin"),
):
    RULES.update(
        dict.fromkeys(
            (f"{_name}.default", *((f"{_name}.dim", f"{_name}.dims") if _name in ("any", "all") else ())),
            _reduced(_primitive),
        )
    )


@rule("var.correction", "var.dim", "var.default", "std.correction", "std.dim", "std.default")
def _variance(g, out, x, axis=None, *rest, correction=1, keepdim=False, unbiased=None, root=False):
    for given in rest:
        unbiased, keepdim = (given, keepdim) if unbiased is None else (unbiased, given)
    correction = int(unbiased) if unbiased is not None else 1 if correction is None else correction
    axes = axes_of(axis, x)
    if any(x.shape[a] == OPEN for a in axes):
        raise unsupported("mindspore.export", "a variance along an open axis.")
    kept = [1 if k in axes else n for k, n in enumerate(x.shape)]
    apart = g.op("Sub", x, g.op("ReduceMean", x, axes, True, like=out, shape=kept), like=x)
    total = g.op("ReduceSum", g.op("Square", apart, like=x), axes, keepdim, False, like=out)
    count = math.prod(x.shape[a] for a in axes) - correction
    found = g.op("RealDiv", total, scalar(x, float(count)), like=out)
    return g.op("Sqrt", found, like=out) if root else found


RULES.update(
    {f"std.{kind}": functools.partial(_variance, root=True) for kind in ("correction", "dim", "default")}
)


@rule("var_mean.correction")
def _variance_and_mean(g, out, x, axis=None, *, correction=1, keepdim=False):
    return (
        _variance(g, out[0], x, axis, correction=correction, keepdim=keepdim),
        _mean(g, out[1], x, axis, keepdim),
    )


@rule("prod.dim_int", "prod.default")
def _prod(g, out, x, axis=None, keep=False, dtype=None):
    return g.op("ReduceProd", cast(g, x, out.dtype), axes_of(axis, x), keep, like=out)


@rule("max.dim", "min.dim")
def _extreme(g, out, x, axis, keep=False, *, primitive="ArgMaxWithValue"):
    places, values = g.several(primitive, x, axis, keep, like=(_As(out[1], torch.int32), out[0]))
    return values, cast(g, places, out[1].dtype)


RULES["min.dim"] = lambda *args, **named: _extreme(*args, **named, primitive="ArgMinWithValue")


class _As:
    """A tensor's shape with another dtype."""

    def __init__(self, like, dtype) -> None:
        self.shape, self.dtype = like.shape, dtype


def _place(primitive: str):
    def place(g, out, x, axis=None, keep=False):
        if axis is None:
            x, axis, keep = reshape(g, x, (math.prod(x.shape) if OPEN not in x.shape else OPEN,)), 0, False
        number = DTYPE_NUMBERS[torch.int32]
        shape = [n for k, n in enumerate(x.shape) if k != axis % len(x.shape)]
        found = g.op(primitive, x, axis, number, like=out, shape=shape, dtype=torch.int32)
        found = g.op("ExpandDims", found, axis, like=found, shape=sizes(out.shape)) if keep else found
        return cast(g, found, out.dtype)

    return place


RULES.update({"argmax.default": _place("Argmax"), "argmin.default": _place("Argmin")})


@rule("cumsum.default")
def _cumsum(g, out, x, axis, dtype=None):
    return g.op("CumSum", cast(g, x, out.dtype), axis, False, False, like=out)


@rule("topk.default")
def _topk(g, out, x, k, axis=-1, largest=True, ordered=True):
    last = axis % len(x.shape) == len(x.shape) - 1
    if not last or not largest:
        raise unsupported("mindspore.export", "topk of the least, or along another axis than the last.")
    values, places = g.several("TopK", x, k, like=(out[0], _As(out[1], torch.int32)), sorted=True)
    return values, cast(g, places, out[1].dtype)


@rule("sort.stable", "sort.default")
def _sort(g, out, x, axis=-1, descending=False, stable=None):
    kept = (out[0], _As(out[1], torch.int32))
    values, places = g.several("Sort", x, like=kept, axis=axis, descending=descending)
    return values, cast(g, places, out[1].dtype)
