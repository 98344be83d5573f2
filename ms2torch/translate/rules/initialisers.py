"""Initialisers: ``weight_init="normal"`` is a line of ``torch.nn.init``."""

from __future__ import annotations

import ast

import libcst as cst

from ..rewriting.inferred import ARRAY, Of, OwnOf, is_tensor
from ..rewriting.sites import literal_value
from ..rewriting.templates import code
from .table import rule

# By the names that MindSpore gives them: a line over the tensor ``_``.
NAMED = {
    "zeros": "nn.init.zeros_(_)",
    "zero": "nn.init.zeros_(_)",
    "ones": "nn.init.ones_(_)",
    "one": "nn.init.ones_(_)",
    "normal": "nn.init.normal_(_, std=0.01)",
    "uniform": "nn.init.uniform_(_, -0.07, 0.07)",
    "xavier_uniform": "nn.init.xavier_uniform_(_)",
    "xavier_normal": "nn.init.xavier_normal_(_)",
    "he_uniform": "nn.init.kaiming_uniform_(_)",
    "he_normal": "nn.init.kaiming_normal_(_)",
    "heuniform": "nn.init.kaiming_uniform_(_)",
    "henormal": "nn.init.kaiming_normal_(_)",
    "xavieruniform": "nn.init.xavier_uniform_(_)",
    "xaviernormal": "nn.init.xavier_normal_(_)",
    "truncated_normal": "nn.init.trunc_normal_(_, std=0.01, a=-0.02, b=0.02)",
    "truncatednormal": "nn.init.trunc_normal_(_, std=0.01, a=-0.02, b=0.02)",
    "orthogonal": "nn.init.orthogonal_(_)",
    "identity": "nn.init.eye_(_)",
}


def named(name: str) -> str | None:
    """The line for an initialiser's name."""
    return NAMED.get(name.lower())


def filled(call, node: ast.expr | None, value: cst.BaseExpression, target: str) -> str | None:
    """A line that fills ``target`` as an initialiser says; None where that is not told.

    ``node`` is the initialiser as it stood, ``value`` as it is now.
    """
    from ..rewriting.classes import base_of

    reading = call.rewriter.reading
    how = literal_value(reading, node)
    if isinstance(how, str):
        line = named(how)
        return line.replace("_)", f"{target})", 1).replace("(_,", f"({target},", 1) if line else None
    if isinstance(how, (int, float)) and not isinstance(how, bool):
        return f"nn.init.constant_({target}, {code(value)})"
    inferred = reading.inferred(node) if node is not None else None
    if isinstance(inferred, Of) and ".initializer." in inferred.cls:
        if isinstance(node, ast.Call):
            return _made(value, target)
        return f"{code(value)}({target})"
    if isinstance(inferred, OwnOf) and base_of(inferred.cls) == "Initializer":
        return f"{code(value)}({target})"
    if is_tensor(inferred) or inferred == ARRAY:
        return f"{target}.data.copy_({code(value)})"
    return None


def _made(value: cst.BaseExpression, target: str) -> str | None:
    """``partial(nn.init.normal_, std=0.1)`` over a tensor: ``nn.init.normal_(tensor, std=0.1)``."""
    text = code(value)
    if text.startswith("partial("):
        function, *rest = [code(a).rstrip(", ") for a in value.args]
        return f"{function}({', '.join([target, *rest])})"
    return f"{text}({target})" if text.startswith("nn.init.") else None


def _initialiser(names: str, function: str, write=None, en: str = "", zh: str = "") -> None:
    @rule(names, f"nn.init.{function}(tensor)", en, zh)
    def made(call):
        arguments = write(call) if write else ""
        return f"partial(nn.init.{function}, {arguments})" if arguments else f"nn.init.{function}"


_I = "common.initializer."
_initialiser(f"{_I}Zero", "zeros_")
_initialiser(f"{_I}One", "ones_")
_initialiser(f"{_I}Orthogonal", "orthogonal_", lambda call: _given(call, gain="gain"))
_initialiser(f"{_I}Identity", "eye_")


@rule(f"{_I}_assignment", "np.copyto(arr, num)")
def assignment(call):
    return "np.copyto({arr}, {num})"


@rule(f"{_I}_calculate_fan_in_and_fan_out", "fans(shape), at the head")
def fans(call):
    call.helper("fans")
    return "fans({shape})"


def _given(call, **names: str) -> str:
    return ", ".join(f"{torch}={call.text(ours)}" for torch, ours in names.items() if ours in call)


@rule(f"{_I}Constant", "nn.init.constant_(tensor, value)")
def constant_(call):
    return "partial(nn.init.constant_, val={value})"


@rule(
    f"{_I}Normal",
    "nn.init.normal_(tensor, mean, std)",
    "std is 0.01 where none is given, PyTorch's 1",
    "默认标准差 0.01，PyTorch 是 1",
)
def normal(call):
    call.args.setdefault("sigma", cst.Float("0.01"))
    return "partial(nn.init.normal_, mean={mean?}, std={sigma})"


@rule(
    f"{_I}Uniform",
    "nn.init.uniform_(tensor, -scale, scale)",
    "between -0.07 and 0.07 where nothing is given",
    "默认 -0.07 到 0.07",
)
def uniform(call):
    call.args.setdefault("scale", cst.Float("0.07"))
    call.put(
        "low",
        f"-{call.text('scale')}"
        if isinstance(call.args["scale"], (cst.Float, cst.Name, cst.Integer))
        else f"-({call.text('scale')})",
    )
    return "partial(nn.init.uniform_, a={low}, b={scale})"


@rule(
    f"{_I}TruncatedNormal",
    "nn.init.trunc_normal_(tensor, std=s, a=-2 * s, b=2 * s)",
    "MindSpore cuts at two spreads, PyTorch at the values a and b",
    "MindSpore 在两倍标准差处截断，PyTorch 在 a、b 处",
)
def truncated(call):
    sigma, mean = call.value("sigma", 0.01), call.value("mean", 0.0)
    if mean not in (0, 0.0) or ("a" in call or "b" in call):
        call.refuse("its mean or its bounds are not told")
    if isinstance(sigma, (int, float)):
        return f"partial(nn.init.trunc_normal_, std={sigma:g}, a={-2 * sigma:g}, b={2 * sigma:g})"
    call.args.setdefault("sigma", cst.Float("0.01"))
    return "partial(nn.init.trunc_normal_, std={sigma}, a=-2 * {sigma}, b=2 * {sigma})"


def _kaiming(call) -> str:
    return _given(call, a="negative_slope", mode="mode", nonlinearity="nonlinearity")


_initialiser(f"{_I}HeUniform", "kaiming_uniform_", _kaiming)
_initialiser(f"{_I}HeNormal", "kaiming_normal_", _kaiming)
_initialiser(f"{_I}XavierUniform", "xavier_uniform_", lambda call: _given(call, gain="gain"))
_initialiser(f"{_I}XavierNormal", "xavier_normal_", lambda call: _given(call, gain="gain"))


def lines(call, layer: str, **parts: str) -> None:
    """Initialisers of a layer: lines after it where it is assigned to a name, else ``initialised(layer, ...)``.

    ``parts`` are torch's names of its tensors by the arguments that say how they start.
    """
    given = {part: name for part, name in parts.items() if name in call and call.value(name) is not None}
    target = call.target()
    inline = {}
    for part, name in given.items():
        node, value = call.nodes.get(name), call.args[name]
        place = f"{target}.{part}" if target else "_"
        line = filled(call, node, value, place)
        if line is None:
            call.helper("fill_")
            line = f"fill_({place}, {code(value)})"
        if target:
            call.afterwards(line)
        else:
            inline[part] = line
    if inline:
        call.helper("initialised")
        call.wrapped = ", ".join(f"{part}={_over(line)}" for part, line in inline.items())


def _over(line: str) -> str:
    """A line over ``_`` as what `initialised` takes: ``f(_)`` is ``f``, a copy what is copied, else a lambda of ``p``."""
    tree = ast.parse(line, mode="eval").body
    given = [ast.unparse(a) for a in (*tree.args, *tree.keywords)] if isinstance(tree, ast.Call) else []
    if line.startswith("_.data.copy_("):
        return given[0]
    if given == ["_"] and "_" not in ast.unparse(tree.func).split("."):
        return ast.unparse(tree.func)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "_":
            node.id = "p"
    return f"lambda p: {ast.unparse(tree)}"
