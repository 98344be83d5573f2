"""Operators: functions, Primitives and ``mint`` forms, by the definition that they share.

Places are the definition's arguments. Where a definition is itself one expression over torch its rule is read off it
and stands nowhere.
"""

from __future__ import annotations

import ast

import libcst as cst

from ms2torch._naming import generations

from ..rewriting.inferred import Const, Many, Plain, Seq, is_tensor
from ..rewriting.sites import UNTOLD
from ..translation import site_of
from .table import GRADIENTS_OF_CASTS, rule, table

table(
    "ops",
    """
concat cat | torch.cat({tensors}, dim={axis?})
stack | torch.stack({tensors}, dim={axis?})
reshape | {input}.reshape({shape*})
expand_dims | {input_x}.unsqueeze({axis})
transpose | {input}.permute({dims*})
squeeze | {input}.squeeze({axis?}) | an axis that is not 1 is left as it is; MindSpore refuses it | 长度不为 1 的轴保持不变，MindSpore 会报错
swapaxes | {input}.swapaxes({axis0}, {axis1})
tile | {input}.tile({dims})
broadcast_to | {input}.expand({shape*})
shape Shape | {input_x}.shape | a torch.Size, which is a tuple | torch.Size，也是元组
dyn_shape | torch.tensor({input_x}.shape)
DType | {x}.dtype
dtype | {x}.dtype
Rank | {input_x}.ndim
rank | {input_x}.ndim
size Size | {input_x}.numel()
stop_gradient | {value}.detach()
identity | {x}
Identity | {input_x}
abs | torch.abs({input})
exp | torch.exp({input})
log | torch.log({input})
log1p | torch.log1p({input})
sqrt | torch.sqrt({x})
rsqrt | torch.rsqrt({input})
square | torch.square({input})
reciprocal | torch.reciprocal({input})
neg | -{input}
sign | torch.sign({input})
sin | torch.sin({input})
cos | torch.cos({input})
tan | torch.tan({input})
asin | torch.asin({input})
acos | torch.acos({input})
atan | torch.atan({input})
atan2 | torch.atan2({input}, {other})
sinh | torch.sinh({input})
cosh | torch.cosh({input})
tanh | torch.tanh({input})
erf | torch.erf({input})
erfc | torch.erfc({input})
floor | torch.floor({input})
ceil | torch.ceil({input})
round | torch.round({input})
sigmoid | torch.sigmoid({input})
relu | F.relu({input})
relu6 | F.relu6({x})
elu | F.elu({input_x}, alpha={alpha?})
silu | F.silu({input})
softplus | F.softplus({input}, {beta?}, {threshold?})
leaky_relu | F.leaky_relu({input}, {alpha}) | the slope is 0.2 where none is given, PyTorch's 0.01 | 斜率默认 0.2，PyTorch 默认 0.01
GeLU | F.gelu({x}, approximate="tanh") | this operator approximates with tanh | 这个算子用 tanh 近似
softmax | torch.softmax({input}, dim={axis})
Softmax | torch.softmax({x}, dim={axis})
log_softmax | torch.log_softmax({logits}, dim={axis})
mul | {input} * {other}
add | {input} + {other}
TensorAdd | {input} + {other}
sub | {input} - {other}
div | torch.div({input}, {other}, rounding_mode={rounding_mode?})
RealDiv | {x} / {y}
FloorDiv floor_div | torch.floor_divide({x}, {y})
Mod | torch.remainder({x}, {y})
pow | {input} ** {exponent}
equal | {input} == {other}
not_equal | {input} != {other}
greater | {input} > {other}
greater_equal | {input} >= {other}
less | {input} < {other}
less_equal | {input} <= {other}
logical_and | torch.logical_and({input}, {other})
logical_or | torch.logical_or({input}, {other})
logical_not | torch.logical_not({input})
logical_xor | torch.logical_xor({input}, {other})
lerp | torch.lerp({input}, {end}, {weight}) | its weight may have another dtype than its input, PyTorch's may not | weight 的 dtype 可与 input 不同，PyTorch 不允许
isnan | torch.isnan({input})
isfinite | torch.isfinite({input})
isinf | torch.isinf({input})
select | torch.where({condition}, {input}, {other})
where | torch.where({condition}, {input}, {other})
clamp | torch.clamp({input}, min={min?}, max={max?})
matmul | torch.matmul({input}, {other})
mm | torch.mm({input}, {mat2})
dot | torch.matmul({input}, {other})
outer | torch.outer({input}, {vec2})
zeros_like | torch.zeros_like({input}, dtype={dtype?})
ones_like | torch.ones_like({input}, dtype={dtype?})
full_like | torch.full_like({input}, {fill_value}, dtype={dtype?})
ZerosLike | torch.zeros_like({x})
OnesLike | torch.ones_like({x})
zeros | torch.zeros({size}, dtype={dtype?})
ones | torch.ones({shape}, dtype={dtype?})
eye | torch.eye({n}, {m?}, dtype={dtype?})
linspace | torch.linspace({start}, {end}, {steps})
TopK | torch.topk({input_x}, {k}, sorted={sorted?}) | places are int64, MindSpore's int32 | 下标是 int64，MindSpore 是 int32
topk | torch.topk({input}, {k}, dim={dim?}, largest={largest?}, sorted={sorted?}) | places are int64, MindSpore's int32 | 下标是 int64，MindSpore 是 int32
Sort sort | torch.sort({input_x}, dim={axis?}, descending={descending?}) | places are int64, MindSpore's int32 | 下标是 int64，MindSpore 是 int32
Argmax | torch.argmax({input_x}, dim={axis}) | int64; MindSpore's is int32 | 结果是 int64，MindSpore 是 int32
argmax | torch.argmax({input}, dim={dim?}, keepdim={keepdim?})
GatherD gather_d | torch.gather({x}, {dim}, {index}.long())
gather_elements | torch.gather({input}, {dim}, {index}.long())
GatherNd gather_nd | {input_x}[tuple({indices}.unbind(-1))]
masked_fill | {input_x}.masked_fill({mask}, {value})
masked_select | torch.masked_select({input}, {mask})
cumsum | torch.cumsum({x}, dim={axis})
flip | torch.flip({input}, {dims})
roll | torch.roll({input}, {shifts}, {dims?})
ReverseV2 | torch.flip({input}, {axis})
tril | torch.tril({input}, {diagonal?})
triu | torch.triu({input}, {diagonal?})
chunk | torch.chunk({input}, {chunks}, dim={axis?})
split | torch.split({tensor}, {split_size_or_sections}, dim={axis?})
Split | torch.chunk({input_x}, {output_num}, dim={axis?})
unstack | torch.unbind({input_x}, dim={axis?})
unbind | torch.unbind({input}, dim={dim?})
addn AddN | sum({x})
L2Loss | torch.sum({input_x} ** 2) / 2
mse_loss | F.mse_loss({input}, {target}, reduction={reduction?})
l1_loss | F.l1_loss({input}, {target}, reduction={reduction?})
binary_cross_entropy_with_logits | F.binary_cross_entropy_with_logits({input}, {target}, weight={weight?}, pos_weight={pos_weight?}, reduction={reduction?})
binary_cross_entropy BinaryCrossEntropy | F.binary_cross_entropy({logits}, {labels}, {weight?}, reduction={reduction?})
SmoothL1Loss | F.smooth_l1_loss({prediction}, {target}, beta={beta?}, reduction={reduction})
SigmoidCrossEntropyWithLogits | F.binary_cross_entropy_with_logits({logits}, {label}.detach(), reduction="none")
SoftmaxCrossEntropyWithLogits | (F.cross_entropy({logits}, {labels}.detach(), reduction="none"), None) | the gradient that MindSpore gives as a second result is not given | MindSpore 的第二个结果（梯度）不再给出
cross_entropy | F.cross_entropy({input}, {target}.long(), {weight?}, ignore_index={ignore_index?}, reduction={reduction?}, label_smoothing={label_smoothing?}) | classes are int64 in PyTorch | 类别在 PyTorch 里是 int64
nll_loss | F.nll_loss({inputs}, {target}.long(), {weight?}, ignore_index={ignore_index?}, reduction={reduction?}) | classes are int64 in PyTorch | 类别在 PyTorch 里是 int64
adaptive_avg_pool2d | F.adaptive_avg_pool2d({input}, {output_size})
Flatten | torch.flatten({input_x}, 1)
flatten | torch.flatten({input}, {start_dim}, {end_dim?})
scalar_to_array | torch.tensor({input_x})
ScalarToTensor | torch.tensor({x}, dtype={dtype})
scalar_to_tensor | torch.tensor({input_x}, dtype={dtype?})
tuple_to_array TupleToArray | torch.tensor({input_x})
NPUAllocFloatStatus | torch.zeros(8) | a flag for NPUs that stays 0; all_finite looks at the gradients | NPU 的溢出标志，恒为 0；要查溢出就看梯度
NPUGetFloatStatus NPUClearFloatStatus | {input_x}
huber_loss | F.huber_loss({input}, {target}, reduction={reduction?}, delta={delta?})
einsum Einsum | torch.einsum({equation}, {operands})
assign_add AssignAdd | {variable}.data.add_({value})
assign_sub AssignSub | {variable}.data.sub_({value})
erfinv | torch.erfinv({input})
xlogy | torch.xlogy({input}, {other})
logsumexp | torch.logsumexp({input}, {dim}, {keepdim?})
nonzero | torch.nonzero({input})
repeat_interleave | torch.repeat_interleave({input}, {repeats}, dim={axis?})
meshgrid Meshgrid | torch.meshgrid({inputs}, indexing={indexing})
normalize | F.normalize({input}, p={p?}, dim={dim?}, eps={eps?})
is_tensor | torch.is_tensor({obj})
isreal | torch.isreal({input})
fills | torch.full_like({x}, {value})
diag_embed | torch.diag_embed({input}, {offset?}, {dim1?}, {dim2?})
truncate_div TruncateDiv | torch.div({x}, {y}, rounding_mode="trunc")
truncate_mod TruncateMod | torch.fmod({x}, {y})
EmbeddingLookup | F.embedding({input_indices} - {offset}, {input_params}) | a place outside is an error; MindSpore's CPU gives zeros | 越界报错，MindSpore 的 CPU 给零
BCEWithLogitsLoss | F.binary_cross_entropy_with_logits({logits}, {label}, weight={weight?}, pos_weight={pos_weight?}, reduction={reduction?})
KLDivLoss | F.kl_div({logits}, {labels}, reduction={reduction?})
scalar_add | {x} + {y}
scalar_sub | {x} - {y}
scalar_mul | {x} * {y}
scalar_div | {x} / {y}
scalar_floordiv | {x} // {y}
scalar_mod | {x} % {y}
scalar_pow | {x} ** {y}
scalar_lt | {x} < {y}
scalar_gt | {x} > {y}
scalar_le | {x} <= {y}
scalar_ge | {x} >= {y}
scalar_eq | {x} == {y}
""",
)

table(
    "mint",
    """
sum | torch.sum({input}, dim={dim?}, keepdim={keepdim?}, dtype={dtype?})
mean | torch.mean({input}, dim={dim?}, keepdim={keepdim?}, dtype={dtype?})
add | torch.add({input}, {other}, alpha={alpha?})
sub | torch.sub({input}, {other}, alpha={alpha?})
split | torch.split({tensor}, {split_size_or_sections}, dim={dim?})
cumsum | torch.cumsum({input}, {dim}, dtype={dtype?})
zeros | torch.zeros({size}, dtype={dtype?})
ones | torch.ones({size}, dtype={dtype?})
""",
)

def _reduce(call, x: str, axis: str, keep: str, torch_name: str) -> str:
    """Over an axis, several, or all: ``x.sum()``, ``x.sum(1, keepdim=True)``."""
    every = axis not in call or call.value(axis) in ((), None, [])
    keeps = keep in call and call.value(keep) is not False
    if every:
        call.args.pop(axis, None)
    if every and keeps:
        dims = f"tuple(range({call.text(x)}.ndim))"
        return f"{{{x}}}.{torch_name}(dim={dims}, keepdim=True)"
    kept = f", keepdim={{{keep}}}" if keeps else ""
    return f"{{{x}}}.{torch_name}()" if every else f"{{{x}}}.{torch_name}(dim={{{axis}}}{kept})"


def reduction(names: str, x: str, axis: str, keep: str, torch_name: str) -> None:
    @rule(names, f"x.{torch_name}(dim=axis, keepdim=keep_dims)")
    def write(call):
        return _reduce(call, x, axis, keep, torch_name)


reduction("ops.ReduceSum", "x", "axis", "keep_dims", "sum")
reduction("ops.ReduceMean ops.mean", "x", "axis", "keep_dims", "mean")
reduction("ops.ReduceMax", "x", "axis", "keep_dims", "amax")
reduction("ops.ReduceMin", "x", "axis", "keep_dims", "amin")
reduction("ops.ReduceProd", "x", "axis", "keep_dims", "prod")
reduction("ops.sum", "input", "dim", "keepdim", "sum")
reduction("ops.all", "input", "axis", "keep_dims", "all")
reduction("ops.prod", "input", "axis", "keep_dims", "prod")
reduction("ops.any", "input", "axis", "keep_dims", "any")
reduction("ops.ReduceAny", "x", "axis", "keep_dims", "any")
reduction("ops.ReduceAll", "input", "axis", "keep_dims", "all")


@rule("ops.norm", "torch.linalg.norm(A, ord=ord, dim=dim, keepdim=keepdim)")
def norm(call):
    named = {"axis", "p", "keep_dims", "epsilon"} & call.args.keys()
    if named or generations.has_old_meaning("mindspore.ops.norm"):
        call.refuse("its arguments are those of a release before 2.0")
    return "torch.linalg.norm({A}, ord={ord?}, dim={dim?}, keepdim={keepdim?})"


@rule("ops.max ops.min", "torch.<name>(x, dim=axis, keepdim=keepdims)")
def extreme(call):
    name = call.name.rpartition(".")[2]
    if "initial" in call or "where" in call:
        call.refuse("its initial= and where= have no counterpart")
    if "keep_dims" in call or generations.has_old_meaning("mindspore.ops.max"):
        keep = "keep_dims" if "keep_dims" in call else "keepdims"
        axis = "{axis}" if "axis" in call else "0"
        return f"torch.{name}({{input}}, dim={axis}, keepdim={{{keep}?}})[::-1]"
    if "axis" not in call or call.value("axis") is None:
        return f"{{input}}.{name}()"
    return f"torch.{name}({{input}}, dim={{axis}}, keepdim={{keepdims?}})"


@rule(
    "ops.ArgMaxWithValue ops.ArgMinWithValue",
    "reversed(torch.max(x, dim=axis))",
    "PyTorch gives the values first, the places second, as int64",
    "PyTorch 先给值后给下标，下标是 int64",
)
def with_place(call):
    name = "max" if "Max" in call.name.rpartition(".")[2] else "min"
    return f"torch.{name}({{input}}, dim={{axis}}, keepdim={{keep_dims?}})[::-1]"


@rule("ops.Minimum ops.Maximum", "torch.minimum(x, y); torch.clamp(x, max=y) for a number")
def bound(call):
    low = "min" in call.name.rpartition(".")[2].lower()
    for one, other in (("input", "other"), ("other", "input")):
        inferred = call.inferred(other)
        if isinstance(inferred, (Const, Plain)) and is_tensor(call.inferred(one)):
            return f"torch.clamp({{{one}}}, {'max' if low else 'min'}={{{other}}})"
    return "torch.minimum({input}, {other})" if low else "torch.maximum({input}, {other})"


@rule("ops.Cast ops.cast", "x.to(dtype)", *GRADIENTS_OF_CASTS)
def cast(call):
    x, dtype = ("input", "dtype")
    inferred = call.inferred(x)
    dtyped(call, dtype)
    if isinstance(inferred, (Const, Plain)):
        return f"torch.tensor({{{x}}}, dtype={{{dtype}}})"
    return f"{{{x}}}.to({{{dtype}}})"


def dtyped(call, name: str) -> None:
    """A dtype that the program gives as a text or as numpy's is torch's."""
    value, inferred = call.value(name), call.inferred(name)
    if isinstance(value, str):
        call.put(name, f"torch.{value}")
    elif isinstance(inferred, Plain) and inferred.kind.startswith("numpy."):
        leaf = inferred.kind.rpartition(".")[2]
        call.put(name, f"torch.{'bool' if leaf == 'bool_' else leaf}")


@rule("ops.Fill ops.fill", "torch.full(shape, value, dtype=type)")
def fill(call):
    # The Primitive calls its arguments otherwise than the function does.
    names = ("dims", "dtype", "x") if "dims" in call else ("shape", "type", "value")
    shape, dtype = call.text(names[0]), call.text(names[1])
    if shape.endswith(".shape") and shape.removesuffix(".shape") == dtype.removesuffix(".dtype"):
        return f"torch.full_like({shape.removesuffix('.shape')}, {{{names[2]}}})"
    return f"torch.full({{{names[0]}}}, {{{names[2]}}}, dtype={{{names[1]}}})"


def _transposed(call, name: str, flag: str) -> str:
    value = call.value(flag)
    if value is UNTOLD:
        call.refuse("whether it transposes is not told")
    return f"{{{name}}}.mT" if value else f"{{{name}}}"


@rule("ops.MatMul", "x @ y.mT where transpose_b")
def matmul(call):
    return f"{_transposed(call, 'input', 'transpose_a')} @ {_transposed(call, 'mat2', 'transpose_b')}"


@rule("ops.BatchMatMul", "x @ y.mT where transpose_b")
def batch_matmul(call):
    return f"{_transposed(call, 'x', 'transpose_a')} @ {_transposed(call, 'y', 'transpose_b')}"


@rule("ops.bmm mint.bmm", "torch.bmm(x, y); torch.matmul(x, y) where they have more than three axes")
def bmm(call):
    shape = _first_shape(call)
    return f"torch.{'bmm' if shape is None or len(shape) == 3 else 'matmul'}({{input_x}}, {{mat2}})"


@rule(
    "ops.Gather ops.GatherV2 ops.gather",
    "params[:, indices] for axis 1",
    "a place outside is an error; MindSpore's CPU gives zeros",
    "越界报错，MindSpore 的 CPU 给零",
)
def gather(call):
    axis = call.value("axis")
    if not isinstance(axis, int) or call.value("batch_dims", 0) != 0:
        call.refuse("its axis is not told")
    return f"{{input_params}}[{along(axis, '{input_indices}')}]"


def along(axis: int, index: str) -> str:
    """An index of one axis, in brackets."""
    return f"{':, ' * axis}{index}" if axis >= 0 else f"..., {index}{', :' * (-axis - 1)}"


def _first_shape(call) -> tuple | None:
    """The shape of a call's first argument, where a run told it."""
    fact = call.rewriter.reading.facts.at(*site_of(call.node))
    return fact.arguments[0].shape if fact and fact.arguments and fact.arguments[0] else None


def _number(call, name: str):
    """An argument's number, that of ``Tensor(1.0)`` too."""
    node = call.nodes.get(name)
    made = isinstance(node, ast.Call) and is_tensor(call.inferred(name)) and len(node.args) <= 2
    if made and node.args and type(getattr(node.args[0], "value", None)) is float:
        dtype = [told for told in map(ast.unparse, node.args[1:]) if "float32" not in told]
        return UNTOLD if dtype or node.keywords else node.args[0].value
    return call.value(name)


@rule(
    "ops.OneHot ops.one_hot",
    "F.one_hot(indices.long(), depth)",
    "an index outside is an error; MindSpore gives a row of off_value",
    "越界报错，MindSpore 给一行 off_value",
)
def one_hot(call):
    axis = call.value("axis", -1)
    if axis is UNTOLD:
        call.refuse("its axis is not told")
    made = "F.one_hot({indices}.long(), {depth})" + (f".movedim(-1, {axis})" if axis != -1 else "")
    on, off = (_number(call, name) for name in ("on_value", "off_value"))
    if (on, off) == (1, 0) and on is not UNTOLD:
        return f"{made}.float()" if call.name.endswith("OneHot") or isinstance(on, float) else made
    return f"torch.where({made}.bool(), {{on_value}}, {{off_value}})"


@rule("ops.L2Normalize", "F.normalize(x, dim=axis, eps=epsilon ** 0.5)")
def l2_normalize(call):
    axis, epsilon = call.value("axis"), call.value("epsilon")
    if isinstance(axis, (list, tuple)):
        axis = axis[0]
    if UNTOLD in (axis, epsilon):
        call.refuse("its axis or epsilon is not told")
    return f"F.normalize({{input_x}}, dim={axis}, eps={epsilon**0.5:g})"


@rule("ops.ResizeNearestNeighbor", "F.interpolate(x, size)")
def resize_nearest(call):
    if call.value("align_corners"):
        call.refuse("PyTorch's nearest has no align_corners")
    return "F.interpolate({input_x}, size={size})"


@rule(
    "ops.ResizeBilinear",
    'F.interpolate(x, size, mode="bilinear", align_corners=...), resize_bilinear(x, size), at the head, without either',
    "element i lies at i times the scale unless told, in PyTorch its middle lies at the middle's place",
    "默认第 i 个元素位于 i 乘以比例处；PyTorch 则以像素中心对齐",
)
def resize_bilinear(call):
    aligned, centred = call.value("align_corners"), call.value("half_pixel_centers")
    if not aligned and not centred:
        call.helper("resize_bilinear")
        return "resize_bilinear({x}, {size})"
    return f'F.interpolate({{x}}, size={{size}}, mode="bilinear", align_corners={bool(aligned)})'


@rule("ops.clip_by_value", "torch.clamp(x, clip_value_min, clip_value_max)")
def clip_by_value(call):
    if isinstance(call.inferred("x"), (Seq, Many)):
        return "[torch.clamp(part, {clip_value_min?}, {clip_value_max?}) for part in {x}]"
    return "torch.clamp({x}, {clip_value_min?}, {clip_value_max?})"


@rule("ops.gelu", 'F.gelu(x, approximate="none")')
def gelu(call):
    return "F.gelu({input}, approximate={approximate?})"


@rule(
    "ops.Dropout",
    "dropout_and_mask(x, keep_prob), at the head",
    "drops in evaluation too",
    "在评估时也丢弃",
)
def dropout_and_mask(call):
    call.helper("dropout_and_mask")
    return "dropout_and_mask({x}, {keep_prob})"


@rule("ops.dropout", "F.dropout(x, p, training)")
def dropout(call):
    if {"seed0", "seed1"} & call.args.keys() or generations.has_old_meaning("mindspore.ops.dropout"):
        call.helper("dropout_and_mask")
        return "dropout_and_mask({input}, 1 - {p})"
    return "F.dropout({input}, p={p?}, training={training?})"


@rule("ops.bias_add ops.BiasAdd", "x + bias, along the channels")
def bias_add(call):
    shape = _first_shape(call)
    if shape is not None and len(shape) == 2:
        return "{input_x} + {bias}"
    if call.value("data_format", "NCHW") != "NCHW":
        call.refuse("its data_format= has no rule")
    call.helper("bias_add")
    return "bias_add({input_x}, {bias})"


def _segments(name: str, how: str) -> None:
    @rule(f"ops.unsorted_segment_{name} ops.UnsortedSegment{name.capitalize()}", "scatter_reduce, by segments at the head")
    def write(call):
        call.helper("segments")
        x, ids, count = list(call.args)[:3]
        return f'segments({{{x}}}, {{{ids}}}, {{{count}}}, "{how}")'


for _name, _how in (("sum", "sum"), ("max", "amax"), ("min", "amin")):
    _segments(_name, _how)


@rule(
    "ops.SparseSoftmaxCrossEntropyWithLogits",
    "F.cross_entropy(logits, labels.long())",
    "with is_grad MindSpore gives the gradient, which backward() gives in PyTorch",
    "is_grad 时 MindSpore 给出梯度，PyTorch 由 backward() 给出",
)
def sparse_cross_entropy(call):
    if call.value("is_grad") or call.value("sens") != 1:
        call.refuse("it gives the gradient")
    return "F.cross_entropy({logits}, {labels}.long())"


@rule("ops.NLLLoss", "F.nll_loss(logits, labels.long(), weight), and the sum of the weights that count")
def nll_loss(call):
    if call.value("ignore_index") != -100:
        call.refuse("its ignore_index= has no rule")
    loss = "F.nll_loss({logits}, {labels}.long(), {weight}, reduction={reduction?})"
    return f"({loss}, {{weight}}[{{labels}}].sum())"


@rule("ops.LayerNorm", "F.layer_norm(...), the mean and the variance: layer_norm, at the head")
def layer_norm(call):
    if call.value("begin_norm_axis") != call.value("begin_params_axis"):
        call.refuse("its gamma and beta have other axes than its norm")
    call.helper("layer_norm")
    return "layer_norm({input_x}, {gamma}, {beta}, axis={begin_norm_axis?}, eps={epsilon?})"


@rule("ops.sequence_mask", "torch.arange(maxlen) < lengths.unsqueeze(-1)")
def sequence_mask(call):
    longest = "{maxlen}" if call.value("maxlen") is not None else "int({lengths}.max())"
    return f"torch.arange({longest}) < {{lengths}}.unsqueeze(-1)"


@rule("ops.arange numpy.arange ops.range", "torch.arange(start, end, step)")
def arange(call):
    return call.updated.with_changes(func=cst.parse_expression("torch.arange"))


@rule(
    "ops.randn ops.rand",
    "torch.<name>(*size)",
    "the numbers are PyTorch's own, from another generator",
    "随机数出自 PyTorch 自己的发生器",
)
def drawn(call):
    name = call.name.rpartition(".")[2]
    return call.updated.with_changes(func=cst.parse_expression(f"torch.{name}"))


@rule(
    "ops.standard_normal",
    "torch.randn(shape)",
    "the numbers are PyTorch's own, from another generator",
    "随机数出自 PyTorch 自己的发生器",
)
def standard_normal(call):
    if call.value("seed") is None:
        return "torch.randn({shape})"
    call.helper("generator_of")
    return "torch.randn({shape}, generator=generator_of({seed}))"


@rule(
    "ops.full",
    "torch.full(size, value, dtype=dtype)",
    "int64 where no dtype is given",
    "不给 dtype 时是 int64",
)
def full(call):
    call.args.setdefault("dtype", cst.parse_expression("torch.int64"))
    return "torch.full({size}, {fill_value}, dtype={dtype})"


@rule("ops.functional.identity", "x")
def identity(call):
    return call.updated.args[0].value


@rule(
    "ops.unique ops.Unique",
    "unique_in_order(x), at the head",
    "torch.unique sorts; MindSpore keeps the order of first sight",
    "torch.unique 会排序，MindSpore 保持首次出现的次序",
)
def unique(call):
    call.helper("unique_in_order")
    return f"unique_in_order({{{next(iter(call.args))}}})"
