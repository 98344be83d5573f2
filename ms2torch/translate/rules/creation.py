"""What makes Tensors and Parameters."""

from __future__ import annotations

import ast

import libcst as cst

from ..rewriting.inferred import Of, is_a, is_tensor
from ..rewriting.templates import code
from .initialisers import filled
from .operators import dtyped
from .table import Rule, add, rule


@rule(
    "Tensor tensor",
    "torch.tensor(x, dtype=dtype)",
    "Python's and numpy's values become the same dtypes; int32 labels become int64 where PyTorch needs it",
    "Python 和 numpy 的值得到相同的 dtype；PyTorch 需要时 int32 标签转成 int64",
)
def tensor(call):
    if "init" in call:
        return _initial(call)
    x = "input_data"
    if x not in call:
        call.refuse("it is made without data")
    if is_tensor(call.inferred(x)):
        if "dtype" in call:
            dtyped(call, "dtype")
            return f"{{{x}}}.detach().to({{dtype}})"
        return f"{{{x}}}.detach().clone()"
    if "dtype" in call:
        dtyped(call, "dtype")
    return f"torch.tensor({{{x}}}, dtype={{dtype?}})"


@rule("numpy.array numpy.asarray", "torch.tensor(x, dtype=dtype)")
def array(call):
    for unread in ("copy", "ndmin"):
        if unread in call:
            call.refuse(f"its {unread}= has no rule")
    call.args["input_data"] = call.args.pop(next(name for name in ("obj", "a") if name in call))
    given = next(name for name in ("obj", "a") if name in call.nodes)
    call.nodes["input_data"] = call.nodes[given]
    return tensor(call)


def _initial(call):
    how, shape = call.nodes.get("init"), call.args.get("shape")
    made = filled(call, how, call.args["init"], "torch.empty(_shape_)") if shape is not None else None
    if made is None:
        call.refuse("its initialiser is not told")
    return cst.parse_expression(made.replace("_shape_", code(shape)))


@rule("from_numpy", "torch.from_numpy(x)")
def from_numpy(call):
    return call.updated.with_changes(func=cst.parse_expression("torch.from_numpy"))


@rule(
    "Parameter",
    "nn.Parameter(x, requires_grad=...)",
    "it has the name of the attribute that holds it; a name= of its own goes, or is own_name where names are asked",
    "名字就是属性名；name= 去掉，程序要读名字时写成 own_name",
)
def parameter(call):
    x = "default_input"
    node = call.nodes.get(x)
    grad = call.value("requires_grad", True)
    own, target = call.value("name", None), call.target() or ""
    if call.rewriter.names_parameters and isinstance(own, str) and target not in ("", f"self.{own}"):
        call.afterwards(f'{target}.own_name = "{own}"')
    if isinstance(call.inferred(x), Of) and is_a(call.inferred(x).cls, "mindspore.common.initializer.Initializer"):
        call.refuse("its shape is not told")
    if grad is not True and "requires_grad" not in call:
        grad = True
    if node is not None and not is_tensor(call.inferred(x)):
        call.put(x, f"torch.as_tensor({call.text(x)})")
    elif isinstance(node, ast.Call) and code(call.args[x]).endswith(".detach().clone()"):
        pass
    integers = code(call.args[x])
    if any(f"torch.{kind}" in integers for kind in ("int", "bool", "uint", "long")):
        return f"nn.Parameter({{{x}}}, requires_grad=False)"
    return (
        f"nn.Parameter({{{x}}}, requires_grad={{requires_grad}})"
        if grad is not True
        else f"nn.Parameter({{{x}}})"
    )


@rule("ParameterTuple", "list(parameters); nn.ParameterList(parameters) where a module makes them for it")
def parameter_tuple(call):
    value = next(iter(call.args.values()))
    text = code(value)
    if "nn.Parameter(" in text and (call.target() or "").startswith("self."):
        return f"nn.ParameterList({text})"
    return value if text.startswith(("list(", "[", "tuple(")) else "list({x})".replace("{x}", text)


@rule(
    "common.initializer.initializer",
    "nn.init.uniform_(torch.empty(shape))",
    "drawn by PyTorch's generator",
    "由 PyTorch 的发生器产生",
)
def initializer(call):
    shape = code(call.args["shape"]) if "shape" in call else "()"
    empty = (
        f"torch.empty({shape})"
        if "dtype" not in call
        else f"torch.empty({shape}, dtype={call.text('dtype')})"
    )
    made = filled(call, call.nodes.get("init"), call.args["init"], empty)
    if made is None:
        call.helper("fill_")
        made = f"fill_({empty}, {call.text('init')})"
    return cst.parse_expression(made)


for _name in ("clone",):
    add(
        Rule(
            f"mindspore.ParameterTuple.{_name}",
            "[torch.zeros_like(p) for p in parameters]",
            write=lambda call: _cloned(call),
        )
    )


def _cloned(call):
    how = next(
        (code(a.value) for a in call.updated.args if a.keyword and a.keyword.value == "init"), "'same'"
    )
    owner = call.updated.func.value
    if call.rewriter.names_parameters:
        call.helper("clones")
        prefix = next((code(a.value) for a in call.updated.args if a.keyword and a.keyword.value == "prefix"), '""')
        value = {"zeros": ", 0.0", "ones": ", 1.0"}.get(how.strip("'\""), "")
        return cst.parse_expression(f"clones({code(owner)}, {prefix}{value})")
    body = {"zeros": "torch.zeros_like(p)", "ones": "torch.ones_like(p)"}.get(
        how.strip("'\""), "p.detach().clone()"
    )
    return cst.parse_expression(f"[{body} for p in {code(owner)}]")


@rule("Parameter.clone", "p.detach().clone()")
def clone(call):
    return cst.parse_expression(f"{code(call.updated.func.value)}.detach().clone()")


@rule("mutable ops.mutable jit_class", "x")
def unchanged(call):
    return next(iter(call.args.values()))
