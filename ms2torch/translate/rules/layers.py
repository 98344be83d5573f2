"""Layers: ``nn.Dense`` is ``nn.Linear``; arguments and defaults are converted."""

from __future__ import annotations

import ast

from ..rewriting.inferred import is_layer
from ..rewriting.sites import UNTOLD
from ..rewriting.templates import code
from .initialisers import lines
from .table import VALUES, Rule, add, instance, rule, table

table(
    "nn",
    """
ReLU | nn.ReLU()
ReLU6 | nn.ReLU6()
Sigmoid | nn.Sigmoid()
Tanh | nn.Tanh()
SiLU | nn.SiLU()
Identity | nn.Identity()
HSwish | nn.Hardswish()
HSigmoid | nn.Hardsigmoid()
LogSigmoid | nn.LogSigmoid()
Mish | nn.Mish()
Softsign | nn.Softsign()
ELU | nn.ELU({alpha?})
CELU | nn.CELU({alpha?})
LeakyReLU | nn.LeakyReLU({alpha}) | the slope is 0.2 where none is given, PyTorch's 0.01 | 斜率默认 0.2，PyTorch 默认 0.01
Softmax | nn.Softmax(dim={axis})
LogSoftmax | nn.LogSoftmax(dim={axis})
GroupNorm | nn.GroupNorm({num_groups}, {num_channels}, eps={eps?})
AdaptiveAvgPool2d | nn.AdaptiveAvgPool2d({output_size})
AdaptiveAvgPool1d | nn.AdaptiveAvgPool1d({output_size})
AdaptiveMaxPool2d | nn.AdaptiveMaxPool2d({output_size})
PixelShuffle | nn.PixelShuffle({upscale_factor})
PixelUnshuffle | nn.PixelUnshuffle({downscale_factor})
ReflectionPad1d | nn.ReflectionPad1d({padding})
ReplicationPad2d | nn.ReplicationPad2d({padding})
Dropout1d | nn.Dropout1d({p?})
Hardtanh | nn.Hardtanh({min_val?}, {max_val?})
Threshold | nn.Threshold({threshold}, {value})
GLU | nn.GLU({axis?})
SoftShrink | nn.Softshrink({lambd?})
TransformerDecoder | nn.TransformerDecoder({decoder_layer}, {num_layers}, norm={norm?})
TransformerEncoder | nn.TransformerEncoder({encoder_layer}, {num_layers}, norm={norm?}, enable_nested_tensor=False)
Upsample | nn.Upsample(size={size?}, scale_factor={scale_factor?}, mode={mode?}, align_corners={align_corners?}, recompute_scale_factor={recompute_scale_factor?})
ZeroPad2d | nn.ZeroPad2d({padding})
ReflectionPad2d | nn.ReflectionPad2d({padding})
ConstantPad2d | nn.ConstantPad2d({padding}, {value})
Unflatten | nn.Unflatten({axis}, {unflattened_size})
AdaptiveAvgPool3d | nn.AdaptiveAvgPool3d({output_size})
AdaptiveMaxPool1d | nn.AdaptiveMaxPool1d({output_size})
AdaptiveMaxPool3d | nn.AdaptiveMaxPool3d({output_size}, {return_indices?})
LPPool1d | nn.LPPool1d({norm_type}, {kernel_size}, {stride?}, {ceil_mode?})
LPPool2d | nn.LPPool2d({norm_type}, {kernel_size}, {stride?}, {ceil_mode?})
MaxUnpool1d | nn.MaxUnpool1d({kernel_size}, {stride?}, {padding?})
MaxUnpool2d | nn.MaxUnpool2d({kernel_size}, {stride?}, {padding?})
MaxUnpool3d | nn.MaxUnpool3d({kernel_size}, {stride?}, {padding?})
ChannelShuffle | nn.ChannelShuffle({groups})
ConstantPad1d | nn.ConstantPad1d({padding}, {value})
ConstantPad3d | nn.ConstantPad3d({padding}, {value})
ReflectionPad3d | nn.ReflectionPad3d({padding})
ReplicationPad1d | nn.ReplicationPad1d({padding})
ReplicationPad3d | nn.ReplicationPad3d({padding})
HShrink | nn.Hardshrink({lambd?})
RReLU | nn.RReLU({lower?}, {upper?})
SeLU | nn.SELU()
Softmin | nn.Softmin(dim={axis})
Softmax2d | nn.Softmax2d()
Tanhshrink | nn.Tanhshrink()
""",
)
for _name in ("Cell", "Module"):
    add(Rule(f"mindspore.nn.{_name}", "nn.Module"), VALUES)


def with_starts(call, made: str, **parts: str):
    """A layer, and its initialisers on the lines below or around it."""
    call.wrapped = ""
    lines(call, made, **parts)
    if call.wrapped:
        return f"initialised({made}, {call.wrapped})".replace("{{", "{")
    return made


@rule(
    "nn.Embedding",
    "nn.Embedding(vocab_size, embedding_size)",
    "starts from normals of spread 0.01, PyTorch's of 1; the row of padding_idx starts from zeros and trains, "
    "PyTorch's gets no gradient",
    "初始标准差 0.01，PyTorch 是 1；padding_idx 那一行从零开始并参与训练，PyTorch 的没有梯度",
)
def embedding(call):
    if "embedding_table" not in call:
        call.put("embedding_table", "'normal'")
        call.nodes["embedding_table"] = ast.Constant("normal")
    made = with_starts(call, "nn.Embedding({vocab_size}, {embedding_size})", weight="embedding_table")
    padding = call.value("padding_idx", None)
    if padding is not None:
        if call.target() is None:
            call.refuse("it stands within another call, and the row of padding_idx= is zeroed on a line of its own")
        row = f"{call.target()}.weight, {call.text('padding_idx')}"
        if padding is UNTOLD:
            call.helper("zero_row")
            call.afterwards(f"zero_row({row})")
        else:
            call.afterwards(f"nn.init.zeros_({row.replace(', ', '[')}])")
    return made


@rule(
    "nn.EmbeddingLookup",
    "nn.Embedding(vocab_size, embedding_size)",
    "starts from normals of spread 0.01, PyTorch's of 1",
    "初始标准差 0.01，PyTorch 是 1",
)
def embedding_lookup(call):
    for name, usual in (("max_norm", None), ("slice_mode", "batch_slice"), ("vocab_cache_size", 0)):
        if call.value(name, usual) != usual:
            call.refuse(f"its {name}= has no rule")
    if "param_init" not in call:
        call.put("param_init", "'normal'")
        call.nodes["param_init"] = ast.Constant("normal")
    return with_starts(call, "nn.Embedding({vocab_size}, {embedding_size})", weight="param_init")


@rule("nn.MultiheadAttention", "nn.MultiheadAttention(embed_dim, num_heads, ...)")
def attention(call):
    given = ["add_bias_kv", "add_zero_attn", "kdim", "vdim", "batch_first"]
    rest = ", ".join(f"{name}={{{name}?}}" for name in given)
    bias = flag(call, "has_bias", "bias")
    return f"nn.MultiheadAttention({{embed_dim}}, {{num_heads}}, dropout={{dropout?}}{bias}, {rest})"


@rule("nn.BiDense", "nn.Bilinear(in1_features, in2_features, out_features)")
def bilinear(call):
    made = f"nn.Bilinear({{in1_channels}}, {{in2_channels}}, {{out_channels}}{flag(call, 'has_bias', 'bias')})"
    return with_starts(call, made, weight="weight_init", bias="bias_init")


@rule("nn.TransformerEncoderLayer nn.TransformerDecoderLayer", "nn.<name>(d_model, nhead, ...)")
def transformer_layer(call):
    if not isinstance(call.value("activation", "relu"), str):
        call.refuse("its activation is no name")
    given = ["dim_feedforward", "dropout", "activation", "layer_norm_eps", "batch_first", "norm_first"]
    rest = ", ".join(f"{name}={{{name}?}}" for name in given)
    return f"nn.{call.name.rpartition('.')[2]}({{d_model}}, {{nhead}}, {rest})"


@rule(
    "nn.Dense",
    "nn.Linear(in_channels, out_channels, bias=has_bias)",
    "Both start from the same uniforms since 2.0; an activation= is a layer after it",
    "2.0 起两者初始分布相同；activation= 变成其后的一层",
)
def dense(call):
    made = f"nn.Linear({{in_channels}}, {{out_channels}}{flag(call, 'has_bias', 'bias')})"
    made = with_starts(call, made, weight="weight_init", bias="bias_init")
    return _activated(call, made)


def _activated(call, made: str):
    how = call.value("activation", None)
    if "activation" not in call or how is None:
        return made
    if isinstance(how, str):
        layer = activation(how)
        if layer is None:
            call.refuse(f"its activation {how!r} has no rule")
    elif how is UNTOLD and not is_layer(call.inferred("activation")):
        call.helper("activation_layer")
        layer = f"activation_layer({call.text('activation')})"
        if any(isinstance(n, ast.Constant) and n.value is None for n in ast.walk(call.nodes["activation"])):
            layer += " or nn.Identity()"
    else:
        layer = call.text("activation")
    call.rewriter.helpers.add("Activated")
    return f"Activated({made}, {layer})"


ACTIVATIONS = {
    "relu": "nn.ReLU()",
    "relu6": "nn.ReLU6()",
    "sigmoid": "nn.Sigmoid()",
    "tanh": "nn.Tanh()",
    "gelu": 'nn.GELU(approximate="tanh")',
    "fast_gelu": None,
    "elu": "nn.ELU()",
    "softmax": "nn.Softmax(dim=-1)",
    "logsoftmax": "nn.LogSoftmax(dim=-1)",
    "leakyrelu": "nn.LeakyReLU(0.2)",
    "hswish": "nn.Hardswish()",
    "hsigmoid": "nn.Hardsigmoid()",
    "logsigmoid": "nn.LogSigmoid()",
    "softsign": "nn.Softsign()",
    "silu": "nn.SiLU()",
    "mish": "nn.Mish()",
    "prelu": "nn.PReLU()",
    "hard_sigmoid": "nn.Hardsigmoid()",
}


def activation(name: str) -> str | None:
    return ACTIVATIONS.get(name.lower())


@rule("nn.get_activation", "nn.ReLU() for 'relu'")
def get_activation(call):
    how = call.value("name")
    if isinstance(how, str) and activation(how):
        return activation(how)
    call.helper("activation_layer")
    return "activation_layer({name})"


def flag(call, ours: str, torch: str, default: bool = True) -> str:
    """``bias=False`` where that is not PyTorch's default."""
    value = call.value(ours)
    if value is UNTOLD:
        return f", {torch}={{{ours}}}"
    return "" if bool(value) is default else f", {torch}={not default}"


@rule(
    "nn.BatchNorm2d nn.BatchNorm1d nn.BatchNorm3d nn.SyncBatchNorm",
    "nn.<name>(num_features, eps, momentum=1 - momentum)",
    "momentum is what stays, PyTorch's is what is added; the parameters have other names",
    "momentum 是留下的比例，PyTorch 是加进来的；参数名不同",
)
def batch_norm(call):
    name = call.name.rpartition(".")[2]
    made = f"nn.{name}({{num_features}}, eps={{eps?}}{_momentum(call)}{flag(call, 'affine', 'affine')})"
    if call.value("process_groups", None) is not None:
        call.refuse("process_groups= has no rule")
    if call.value("use_batch_statistics", None) is False:
        call.refuse("use_batch_statistics=False has no counterpart")
    return with_starts(
        call,
        made,
        weight="gamma_init",
        bias="beta_init",
        running_mean="moving_mean_init",
        running_var="moving_var_init",
    )


def _momentum(call) -> str:
    if "momentum" not in call:
        return ""
    value = call.value("momentum")
    if isinstance(value, (int, float)):
        moved = round(1 - value, 10)
        return "" if moved == 0.1 else f", momentum={moved:g}"
    return ", momentum=1 - {momentum}"


@rule(
    "nn.InstanceNorm2d nn.InstanceNorm1d nn.InstanceNorm3d",
    "nn.<name>(num_features, eps, affine=True)",
    "has scale and shift unless told",
    "默认带缩放和平移",
)
def instance_norm(call):
    name = call.name.rpartition(".")[2]
    made = f"nn.{name}({{num_features}}, eps={{eps?}}, affine={{affine}})"
    return with_starts(call, made, weight="gamma_init", bias="beta_init")


@rule(
    "nn.LayerNorm",
    "nn.LayerNorm(normalized_shape, eps=epsilon)",
    "epsilon is 1e-7 unless told, PyTorch's 1e-5",
    "epsilon 默认 1e-7，PyTorch 默认 1e-5",
)
def layer_norm(call):
    axis, shape = call.value("begin_norm_axis", -1), call.value("normalized_shape")
    if axis not in (-1,) and not (isinstance(shape, (tuple, list)) and axis == -len(shape)):
        node = call.nodes.get("normalized_shape")
        if len(getattr(node, "elts", [0, 0])) != 1 or axis is UNTOLD:
            call.refuse("its begin_norm_axis differs from its shape")
    made = "nn.LayerNorm({normalized_shape}, eps={epsilon})"
    return with_starts(call, made, weight="gamma_init", bias="beta_init")


@rule(
    "nn.Dropout nn.Dropout2d nn.Dropout3d",
    "nn.<name>(p)",
    "the first argument, keep_prob, is the share that stays",
    "第一个参数 keep_prob 是保留的比例",
)
def dropout(call):
    name = call.name.rpartition(".")[2]
    if "keep_prob" in call and ("p" not in call or call.value("p") is None):
        value = call.value("keep_prob")
        if isinstance(value, (int, float)):
            return f"nn.{name}({round(1 - value, 10):g})"
        kept = code(call.args["keep_prob"])
        if kept.startswith("1 - ") and kept.count("-") == 1:
            return f"nn.{name}({kept.removeprefix('1 - ')})"
        return f"nn.{name}(1 - {{keep_prob}})"
    return f"nn.{name}({{p?}})" if "p" in call else f"nn.{name}()"


@rule(
    "nn.GELU",
    'nn.GELU(approximate="tanh")',
    "approximates with tanh unless told, PyTorch does not",
    "默认用 tanh 近似，PyTorch 不近似",
)
def gelu(call):
    value = call.value("approximate")
    if value is UNTOLD:
        call.refuse("whether it approximates is not told")
    return 'nn.GELU(approximate="tanh")' if value else "nn.GELU()"


@rule(
    "nn.ResizeBilinear",
    "ResizeBilinear(), a layer at the head; nn.Upsample(mode='bilinear') with half_pixel_centers",
    "element i lies at i times the scale, in PyTorch its middle lies at the middle's place",
    "第 i 个元素位于 i 乘以比例处；PyTorch 则以像素中心对齐",
)
def resize_bilinear(call):
    call.helper("ResizeBilinear")
    return "ResizeBilinear({half_pixel_centers?})"


@rule("nn.PReLU", "nn.PReLU(channel, w)")
def prelu(call):
    return "nn.PReLU({channel?}, {w?})"


@rule("nn.Flatten", "nn.Flatten()")
def flatten(call):
    return "nn.Flatten({start_dim?}, {end_dim?})"


@rule(
    "nn.LSTM nn.GRU nn.RNN",
    "nn.<name>(input_size, hidden_size, num_layers, ...)",
    "starts from the same uniforms; called with seq_length=, sequences are packed: over_lengths, at the head",
    "初始分布相同；调用时给 seq_length= 则打包序列：用文件开头的 over_lengths",
)
def recurrent(call):
    name = call.name.rpartition(".")[2]
    if "nonlinearity" in call:
        return (
            f"nn.{name}({{input_size}}, {{hidden_size}}, {{num_layers?}}, nonlinearity={{nonlinearity?}}, "
            "bias={has_bias?}, batch_first={batch_first?}, dropout={dropout?}, bidirectional={bidirectional?})"
        )
    return (
        f"nn.{name}({{input_size}}, {{hidden_size}}, {{num_layers?}}, bias={{has_bias?}}, "
        "batch_first={batch_first?}, dropout={dropout?}, bidirectional={bidirectional?})"
    )


@instance("nn.LSTM nn.GRU nn.RNN", "recurrent(x, state)")
def call_recurrent(call):
    if call.value("seq_length", None) is None:
        return call.updated
    call.helper("over_lengths")
    call.put("recurrent", call.updated.func)
    return "over_lengths({recurrent}, {x}, {seq_length}, {hx?})"


@rule("nn.LSTMCell nn.GRUCell nn.RNNCell", "nn.<name>(input_size, hidden_size)")
def recurrent_cell(call):
    name = call.name.rpartition(".")[2]
    return f"nn.{name}({{input_size}}, {{hidden_size}}{flag(call, 'has_bias', 'bias')})"


@rule("nn.Norm", "torch.linalg.vector_norm(x, dim=axis, keepdim=keep_dims)")
def norm(call):
    axis = "" if call.value("axis", ()) == () else ", dim={axis}"
    return f"lambda x: torch.linalg.vector_norm(x{axis}, keepdim={{keep_dims?}})"


@rule("nn.CentralCrop", "x itself for a share of 1")
def central_crop(call):
    call.helper("CentralCrop")
    return "CentralCrop({central_fraction})"


@rule("nn.Pad", "nn.ConstantPad2d(...)")
def pad(call):
    paddings, mode = call.value("paddings"), call.value("mode", "CONSTANT")
    if mode != "CONSTANT" or not isinstance(paddings, (tuple, list)):
        call.refuse("its paddings are not told")
    flat = [n for pair in reversed(paddings) for n in pair]
    while flat and flat[-1] == 0 and flat[-2] == 0 and len(flat) > 4:
        flat = flat[:-2]
    return f"nn.ConstantPad{len(flat) // 2}d({tuple(flat)}, 0.0)"


@rule("nn.ClipByNorm", "clip_by_norm(x, norm), at the head")
def clip_by_norm(call):
    if call.value("axis", None) is not None:
        call.refuse("its axis has no counterpart")
    call.helper("clip_by_norm")
    return "clip_by_norm"


@rule("nn.OneHot", "F.one_hot(indices.long(), depth)")
def one_hot(call):
    axis = call.value("axis", -1)
    if not isinstance(axis, int):
        call.refuse("its axis is not told")
    on, off, depth = call.value("on_value", 1.0), call.value("off_value", 0.0), call.args.get("depth")
    if (on, off) != (1.0, 0.0) or depth is None:
        call.refuse("its values are not told")
    moved = "" if axis == -1 else f".movedim(-1, {axis})"
    return f"lambda indices: F.one_hot(indices.long(), {{depth}}).float(){moved}"


for _name, _torch in {
    "embedding_table": "weight",
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
}.items():
    add(Rule(f"mindspore.nn.Cell.{_name}", f"{{self}}.{_torch}"), VALUES)


# What a layer keeps of its making, under PyTorch's names.
_KEPT = {
    "Embedding": {"embedding_size": "embedding_dim", "vocab_size": "num_embeddings"},
    "Dense": {"in_channels": "in_features", "out_channels": "out_features"},
}
for _layer in ("Dense", "Conv1d", "Conv2d", "Conv3d", "Conv2dTranspose"):
    add(Rule(f"mindspore.nn.{_layer}.has_bias", "{self}.bias is not None"), VALUES)
for _layer, _names in _KEPT.items():
    for _name, _other in _names.items():
        add(Rule(f"mindspore.nn.{_layer}.{_name}", f"{{self}}.{_other}"), VALUES)
