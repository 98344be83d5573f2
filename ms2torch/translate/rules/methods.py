"""Tensor's methods and attributes."""

from __future__ import annotations

import ast

import libcst as cst

from ms2torch._naming import generations

from ..rewriting.inferred import PARAMETER, Const
from ..rewriting.joining import is_rate
from ..rewriting.sites import UNTOLD
from ..rewriting.templates import code
from ..translation import site_of
from .operators import _reduce, along, dtyped
from .table import GRADIENTS_OF_CASTS, VALUES, Rule, add, rule, table

table(
    "Tensor",
    """
asnumpy | {self}.numpy(force=True) | shares memory where it can, as asnumpy does | 能共享内存就共享，与 asnumpy 相同
numpy | {self}.numpy(force=True)
expand_dims | {input}.unsqueeze({axis})
unsqueeze | {input}.unsqueeze({dim})
swapaxes | {input}.swapaxes({axis0}, {axis1})
squeeze | {input}.squeeze({axis?})
expand_as | {input}.expand_as({other})
copy | {input}.clone()
clone | {input}.clone()
item | {input}.item()
tolist | {input}.tolist()
dim | {self}.dim()
ndimension | {self}.dim()
numel | {input}.numel()
float | {self}.float()
int | {self}.int()
long | {self}.long()
half | {self}.half()
bool | {self}.bool()
contiguous | {self}.contiguous()
detach | {self}.detach()
exp | {input}.exp()
log | {input}.log()
sqrt | {x}.sqrt()
rsqrt | {input}.rsqrt()
square | {input}.square()
abs | {input}.abs()
neg | -{input}
sin | {input}.sin()
cos | {input}.cos()
tanh | {input}.tanh()
sigmoid | {input}.sigmoid()
relu | {input}.relu()
erf | {input}.erf()
floor | {input}.floor()
ceil | {input}.ceil()
round | {input}.round()
reciprocal | {input}.reciprocal()
pow | {input} ** {exponent}
t | {input}.t()
matmul | {input} @ {other}
bmm | {input_x}.bmm({mat2})
chunk | {input}.chunk({chunks}, dim={axis?})
split | {input}.split({split_size_or_sections}, dim={axis?})
unbind | {input}.unbind({dim?})
masked_fill | {input_x}.masked_fill({mask}, {value})
argmax | {self}.argmax(dim={dim?}, keepdim={keepdim?})
argmin | {self}.argmin(dim={axis?}, keepdim={keepdims?})
topk | {input}.topk({k}, dim={dim?}, largest={largest?}, sorted={sorted?}) | places are int64, MindSpore's int32 | 下标是 int64，MindSpore 是 int32
clip clamp | {input}.clamp(min={min?}, max={max?})
mean | {input}.mean(dim={dim?}, keepdim={keepdim?}, dtype={dtype?})
cumsum | {self}.cumsum(dim={axis})
softmax | {input}.softmax(dim={axis})
gather_elements | {input}.gather({dim}, {index}.long())
nonzero | {input}.nonzero()
init_data | {self} | its memory is there already | 内存已经分配
index_select | {input}.index_select({axis}, {index})
ravel | {input}.reshape(-1)
type_as | {input}.type_as({other})
is_floating_point | {input}.is_floating_point()
isnan | {input}.isnan()
tril | {input}.tril({diagonal?})
triu | {input}.triu({diagonal?})
equal eq | {input} == {other}
fills | torch.full_like({x}, {value})
addcdiv | {input}.addcdiv({tensor1}, {tensor2}, value={value?})
""",
)

for _name, _form in {
    "shape": "{self}.shape",
    "ndim": "{self}.ndim",
    "dtype": "{self}.dtype",
    "T": "{self}.T",
    "mT": "{self}.mT",
    "size": "{self}.numel()",
    "data": "{self}.data",
    "itemsize": "{self}.itemsize",
    "nbytes": "{self}.nbytes",
    "strides": "tuple(n * {self}.element_size() for n in {self}.stride())",
    "requires_grad": "{self}.requires_grad",
    "grad": "{self}.grad",
}.items():
    add(Rule(f"mindspore.Tensor.{_name}", _form), VALUES)


add(
    Rule(
        "mindspore.Parameter.name",
        "{self}.label",
        "PyTorch's parameters have no name of their own: named(net), at the head, gives them one",
        "PyTorch 的参数自己没有名字：文件开头的 named(net) 给它们名字",
    ),
    VALUES,
)


@rule(
    "Tensor.set_data Tensor.assign_value",
    "p.data = x",
    "the two share memory from then on, as MindSpore's do",
    "此后两者共享内存，与 MindSpore 相同",
)
def set_data(call):
    name = next(name for name in call.args if name in ("data", "value"))
    if is_rate(call.nodes.get("self")):
        return _rate_set(call, "self", name)
    value = call.args[name]
    if not call.rewriter.is_statement(call.node):
        call.put("data", value)
        return "{self}.data.copy_({data})"
    call.beforehand(f"{call.text('self')}.data = {code(value)}")
    return cst.Name("_gone_")


@rule("ops.assign ops.Assign", "variable.data.copy_(value); group[\"lr\"] = value for a rate")
def assign(call):
    if is_rate(call.nodes.get("variable")):
        return _rate_set(call, "variable", "value")
    return "{variable}.data.copy_({value})"


def _rate_set(call, variable: str, name: str) -> cst.BaseExpression:
    """A group's rate, set where it stands: it is a number in PyTorch."""
    if not call.rewriter.is_statement(call.node):
        call.refuse("its result is used, and a group's rate is a number")
    node, text = call.nodes.get(name), f"float({call.text(name)})"
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        text = ast.unparse(node.args[0])
    call.beforehand(f"{call.text(variable)} = {text}")
    return cst.Name("_gone_")


@rule("Tensor.value", "x.clone()")
def value(call):
    """A copy; where it goes into arithmetic at once, a Parameter itself does."""
    outer = call.rewriter.parents.get(id(call.node))
    if isinstance(outer, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Attribute, ast.Subscript)):
        return "{self}"
    differentiated = any(cls is not None and cls.is_cell for cls in call.rewriter.classes)
    return "{self}.clone()" if differentiated else "{self}.detach().clone()"


@rule("Tensor.astype Tensor.type", "x.to(dtype)", *GRADIENTS_OF_CASTS)
def astype(call):
    if (call.value("dtype") is not UNTOLD and isinstance(call.value("dtype"), str)) or "dtype" in call:
        dtyped(call, "dtype")
    return "{self}.to({dtype})"


@rule("Tensor.to", "x.to(dtype)", *GRADIENTS_OF_CASTS)
def to(call):
    return call.updated


def _spread(call, x: str, rest: str, target: str, *keywords: str):
    """``x.reshape(2, 3)``, ``x.reshape((2, 3))`` and ``x.reshape(shape=(2, 3))`` alike."""
    for keyword in keywords:
        if keyword in call:
            return f"{{{x}}}.{target}({{{keyword}*}})"
    args = call.args.get(rest)
    if isinstance(args, cst.BaseExpression):
        return f"{{{x}}}.{target}({{{rest}*}})"
    if not args:
        return f"{{{x}}}.{target}()" if target != "permute" else f"{{{x}}}.mT"
    if len(args) == 1 and not args[0].star:
        call.args["_one"] = args[0].value
        return f"{{{x}}}.{target}({{_one*}})"
    return cst.Call(
        cst.Attribute(call.args[x], cst.Name(target)),
        [
            a.with_changes(comma=cst.MaybeSentinel.DEFAULT) if i == len(args) - 1 else a
            for i, a in enumerate(args)
        ],
    )


@rule(
    "Tensor.view",
    "x.reshape(shape)",
    "view refuses what does not lie in one piece; reshape copies it, as MindSpore",
    "view 不接受不连续的内存；reshape 会复制，与 MindSpore 相同",
)
def view(call):
    if "dtype" in call:
        call.refuse("view(dtype) has no counterpart here")
    return _spread(call, "input", "sizes", "reshape", "shape")


@rule("Tensor.reshape", "x.reshape(shape)")
def reshape(call):
    return _spread(call, "input", "sizes", "reshape", "shape")


@rule(
    "Tensor.transpose",
    "x.permute(axes)",
    "PyTorch's transpose swaps two axes; permute orders all",
    "PyTorch 的 transpose 交换两轴；permute 排列所有轴",
)
def transpose(call):
    if "dim0" in call:
        return "{input}.transpose({dim0}, {dim1})"
    if not call.args.get("axes"):
        return "{input}.permute(*range({input}.ndim)[::-1])"
    if isinstance(call.args["axes"], list) and [a.star for a in call.args["axes"]] == ["", ""]:
        first, second = call.args["axes"]
        call.args |= {"a": first.value, "b": second.value}
        values = {call.value_of(first), call.value_of(second)}
        return (
            "{input}.transpose({a}, {b})"
            if values - {0, 1} or UNTOLD in values
            else "{input}.permute({a}, {b})"
        )
    return _spread(call, "input", "axes", "permute")


@rule("Tensor.permute", "x.permute(axes)")
def permute(call):
    return _spread(call, "input", "axis", "permute", "dims")


@rule("Tensor.broadcast_to", "x.expand(shape)")
def broadcast_to(call):
    return _spread(call, "input", "sizes", "expand", "shape")


@rule("Tensor.expand", "x.expand(size)")
def expand(call):
    return _spread(call, "input", "size", "expand")


@rule("Tensor.tile", "x.tile(dims)")
def tile(call):
    return _spread(call, "input", "counts", "tile", "dims", "reps")


@rule(
    "Tensor.repeat",
    "x.repeat_interleave(n, dim=axis) with an axis, else x.repeat(n)",
    "with an axis MindSpore repeats each element, as numpy does",
    "给了轴时 MindSpore 逐元素重复，与 numpy 相同",
)
def repeat(call):
    if "axis" in call and call.value("axis") is not None:
        call.args["n"] = call.args.get("repeats") or call.args["size"][0].value
        return "{input}.repeat_interleave({n}, dim={axis})"
    return _spread(call, "input", "size", "repeat", "repeats")


@rule("Tensor.sum", "x.sum(dim=axis, keepdim=keepdims)")
def tensor_sum(call):
    _renamed(call, "dim", "axis"), _renamed(call, "keepdim", "keepdims")
    if "second" in call or "initial" in call:
        call.refuse("its initial= has no counterpart")
    return _reduce(call, "self", "axis", "keepdims", "sum")


@rule(
    "Tensor.max Tensor.min",
    "x.max(dim) of an axis by its place or dim=, x.amax(dim=axis, keepdim=keepdims) of axis=",
    "PyTorch's max(dim) gives values and places; amax the values, and shares a tie's gradient",
    "PyTorch 的 max(dim) 给值和下标；amax 只给值，并列时平分梯度",
)
def tensor_max(call):
    name, given = call.name.rpartition(".")[2], call.args.pop("args", [])
    if "initial" in call or "where" in call or len(given) > 2 or any(a.star for a in given):
        call.refuse("its initial= and where= have no counterpart")
    axis_alone = bool(given) and not {"keepdims", "return_indices"} & call.args.keys()
    for at, arg, node in zip(("axis", "keepdims"), given, call.node.args, strict=False):
        call.args[at], call.nodes[at] = arg.value, node
    _renamed(call, "keepdim", "keepdims")
    both = "dim" in call or call.value("return_indices", False) is True
    both |= axis_alone and call.value("axis") is not None and _gives_both(call)
    _renamed(call, "dim", "axis")
    if both:
        return f"{{self}}.{name}(dim={{axis}}, keepdim={{keepdims?}})"
    return _reduce(call, "self", "axis", "keepdims", f"a{name}") if "axis" in call else f"{{self}}.{name}()"


def _gives_both(call) -> bool:
    """Whether ``x.max(1)`` gives values and places, which it does outside of a graph."""
    fact = call.rewriter.reading.facts.at(*site_of(call.node))
    if fact is not None and fact.result is not None:
        return fact.result.type == "tuple"
    if type(call.value("axis")) is tuple or generations.has_old_meaning("mindspore.Tensor.max"):
        return False
    if call.rewriter.mentions("GRAPH_MODE", "jit", "ms_function"):
        call.refuse("it gives places too outside of a graph, and in a graph values alone: --run tells")
    return True


def _renamed(call, old: str, new: str) -> None:
    if old in call.args:
        call.args[new] = call.args.pop(old)
        call.nodes[new] = call.nodes.pop(old)


@rule(
    "Tensor.std Tensor.var",
    "x.std(dim=axis, correction=ddof)",
    "PyTorch divides by n - 1 unless told, MindSpore by n",
    "PyTorch 默认除以 n-1，MindSpore 除以 n",
)
def spread(call):
    name = call.name.rpartition(".")[2]
    _renamed(call, "dim", "axis"), _renamed(call, "keepdim", "keepdims")
    call.args.setdefault("ddof", cst.Integer("0"))
    return f"{{self}}.{name}(dim={{axis?}}, correction={{ddof}}, keepdim={{keepdims?}})"


def _truth(name: str) -> None:
    @rule(f"Tensor.{name}", f"x.{name}()")
    def write(call):
        return _reduce(call, "input", "axis", "keep_dims", name)


_truth("all"), _truth("any")


@rule("Tensor.flatten", "x.flatten()", "", "")
def flatten(call):
    if "order" in call and isinstance(call.value("order"), str):
        if call.value("order") != "C":
            call.refuse("its order is not C")
        return "{input}.flatten()"
    if "order" in call:
        return "{input}.flatten({order}, {end?})"
    return "{input}.flatten(start_dim={start_dim?}, end_dim={end_dim?})"


@rule("Tensor.mul Tensor.add Tensor.sub Tensor.div", "x * y")
def arithmetic(call):
    if "alpha" in call or "rounding_mode" in call:
        return call.updated
    sign = {"mul": "*", "add": "+", "sub": "-", "div": "/"}[call.name.rpartition(".")[2]]
    return f"{{input}} {sign} {{other}}"


# Methods that torch's tensors have under the same name, with the same arguments in the same order.
_ALIKE = """
add_ addmm_ allclose amax amin argsort bfloat16 byte clamp_ copy_ diag diff div_ double exp_ fill_ fill_diagonal_
float_power floor_ i0 index_put index_put_ is_complex kthvalue ldexp log_ logit masked_fill_ masked_scatter_ mul_
nanmedian nanquantile narrow nelement new_empty new_full new_ones new_zeros prod quantile register_hook remainder_
repeat_interleave requires_grad_ reshape_as short sigmoid_ sign sort stride sub_ sum_to_size tanh_ trace view_as
where zero_
"""
_KEYWORDS = {"axis": "dim", "keepdims": "keepdim", "keep_dims": "keepdim"}


@rule(" ".join(f"Tensor.{name}" for name in _ALIKE.split()), "the same method")
def alike(call):
    updated = call.updated
    args = [
        a.with_changes(keyword=cst.Name(_KEYWORDS.get(a.keyword.value, a.keyword.value))) if a.keyword else a
        for a in updated.args
    ]
    in_place = call.name.endswith("_") and call.rewriter.reading.inferred(call.node.func.value) == PARAMETER
    if in_place:  # PyTorch refuses to write to a leaf that it differentiates by
        updated = updated.with_deep_changes(updated.func, value=cst.Attribute(updated.func.value, cst.Name("data")))
    return updated.with_changes(args=args)


@rule("Tensor.gather", "x.gather(dim, index.long()), or x[:, indices] for axis 1")
def gather(call):
    first, *rest = (a.value for a in call.updated.args)
    if len(rest) == 1 and isinstance(call.rewriter.reading.inferred(call.node.args[0]), Const):
        return cst.parse_expression(f"{code(call.updated.func)}({code(first)}, {code(rest[0])}.long())")
    axis = call.rewriter.reading.inferred(call.node.args[1]) if len(call.node.args) > 1 else None
    axis = axis.value if isinstance(axis, Const) else None
    if len(rest) != 1 or not isinstance(axis, int):
        call.refuse("its axis is not told")
    return cst.parse_expression(f"{code(call.updated.func.value)}[{along(axis, code(first))}]")
