"""``torch.nn.functional`` and ``torch.func``: layers' and losses' functions, functions of functions."""

from __future__ import annotations

import ast

import libcst as cst

from ..rewriting.inferred import is_tensor
from .table import VALUES, Rule, add, rule, table

table(
    "ops",
    """
hardtanh | F.hardtanh({input}, {min_val?}, {max_val?})
hardswish | F.hardswish({input})
hardsigmoid | F.hardsigmoid({input})
selu | F.selu({input_x})
celu | F.celu({x}, alpha={alpha?})
mish | F.mish({x})
glu | F.glu({x}, dim={axis?})
logsigmoid | F.logsigmoid({x})
prelu | F.prelu({input}, {weight})
softsign | F.softsign({x})
softmin | F.softmin({x}, dim={axis})
threshold | F.threshold({input}, {thr}, {value})
pixel_shuffle | F.pixel_shuffle({input}, {upscale_factor})
pixel_unshuffle | F.pixel_unshuffle({input}, {downscale_factor})
channel_shuffle | F.channel_shuffle({x}, {groups})
grid_sample | F.grid_sample({input}, {grid}, mode={mode?}, padding_mode={padding_mode?}, align_corners={align_corners?}) | mode="nearest" rounds halves away from zero, PyTorch to the even element | mode="nearest" 把恰在中间的位置向远离零的方向取，PyTorch 取偶数
affine_grid | F.affine_grid({theta}, {size}, align_corners={align_corners?})
unfold | F.unfold({input}, {kernel_size}, dilation={dilation?}, padding={padding?}, stride={stride?})
layer_norm | F.layer_norm({input}, {normalized_shape}, {weight?}, {bias?}, eps={eps?})
group_norm | F.group_norm({input}, {num_groups}, {weight?}, {bias?}, eps={eps?})
dropout1d | F.dropout1d({input}, p={p?}, training={training?})
dropout2d | F.dropout2d({input}, p={p?}, training={training?})
dropout3d | F.dropout3d({input}, p={p?}, training={training?})
max_pool2d | F.max_pool2d({x}, {kernel_size}, {stride?}, {padding?}, dilation={dilation?}, ceil_mode={ceil_mode?}, return_indices={return_indices?})
max_pool3d | F.max_pool3d({x}, {kernel_size}, {stride?}, {padding?}, dilation={dilation?}, ceil_mode={ceil_mode?}, return_indices={return_indices?})
avg_pool1d | F.avg_pool1d({input_x}, {kernel_size}, {stride}, {padding?}, ceil_mode={ceil_mode?}, count_include_pad={count_include_pad?}) | moves by 1 unless told, PyTorch by the kernel | 步长默认 1，PyTorch 默认等于核
avg_pool2d | F.avg_pool2d({input_x}, {kernel_size}, {stride}, {padding?}, ceil_mode={ceil_mode?}, count_include_pad={count_include_pad?}) | moves by 1 unless told, PyTorch by the kernel | 步长默认 1，PyTorch 默认等于核
avg_pool3d | F.avg_pool3d({input_x}, {kernel_size}, {stride}, {padding?}, ceil_mode={ceil_mode?}, count_include_pad={count_include_pad?}) | moves by 1 unless told, PyTorch by the kernel | 步长默认 1，PyTorch 默认等于核
adaptive_avg_pool1d | F.adaptive_avg_pool1d({input}, {output_size})
adaptive_avg_pool3d | F.adaptive_avg_pool3d({input}, {output_size})
adaptive_max_pool2d | F.adaptive_max_pool2d({input}, {output_size}, return_indices={return_indices?})
adaptive_max_pool3d | F.adaptive_max_pool3d({input}, {output_size}, return_indices={return_indices?})
lp_pool1d | F.lp_pool1d({x}, {norm_type}, {kernel_size}, {stride?}, {ceil_mode?})
lp_pool2d | F.lp_pool2d({x}, {norm_type}, {kernel_size}, {stride?}, {ceil_mode?})
cosine_similarity | F.cosine_similarity({x1}, {x2}, dim={dim?}, eps={eps?})
kl_div | F.kl_div({logits}, {labels}, reduction={reduction?})
smooth_l1_loss | F.smooth_l1_loss({input}, {target}, beta={beta?}, reduction={reduction}) | does not reduce unless told | 默认不做归约
cosine_embedding_loss | F.cosine_embedding_loss({input1}, {input2}, {target}, margin={margin?}, reduction={reduction?})
margin_ranking_loss | F.margin_ranking_loss({input1}, {input2}, {target}, margin={margin?}, reduction={reduction?})
hinge_embedding_loss | F.hinge_embedding_loss({inputs}, {targets}, margin={margin?}, reduction={reduction?})
triplet_margin_loss | F.triplet_margin_loss({anchor}, {positive}, {negative}, margin={margin?}, p={p?}, eps={eps?}, swap={swap?}, reduction={reduction?})
gaussian_nll_loss | F.gaussian_nll_loss({x}, {target}, {var}, full={full?}, eps={eps?}, reduction={reduction?})
""",
)


@rule("ops.conv1d ops.conv2d ops.conv3d", "F.<name>(x, weight, bias, stride, padding, dilation, groups)")
def conv(call):
    padding = _padding(call, "padding")
    function = f"F.{call.name.rpartition('.')[2]}"
    return (
        f"{function}({{input}}, {{weight}}, {{bias?}}, stride={{stride?}}{padding}, "
        "dilation={dilation?}, groups={groups?})"
    )


@rule("ops.Conv2D", "F.conv2d(x, weight, stride, padding, dilation, groups)")
def conv_primitive(call):
    if call.value("data_format", "NCHW") != "NCHW" or call.value("mode", 1) != 1:
        call.refuse("only NCHW with mode=1 has a rule")
    padding = _padding(call, "pad")
    call.read |= {"out_channel", "kernel_size"}  # the weight's shape says them
    return f"F.conv2d({{x}}, {{weight}}, stride={{stride?}}{padding}, dilation={{dilation?}}, groups={{group?}})"


def _padding(call, name: str) -> str:
    """``pad_mode`` and ``padding`` as PyTorch's padding; empty for none."""
    mode = call.value("pad_mode", "valid")
    mode = mode.lower() if isinstance(mode, str) else mode
    if mode == "valid":
        return ""
    if mode == "pad":
        sides = call.value(name, 0)
        if isinstance(sides, (tuple, list)) and len(sides) == 4:
            top, bottom, left, right = sides
            if (top, left) != (bottom, right):
                call.refuse("its padding differs on two sides")
            return f", padding=({top}, {left})"
        return f", padding={{{name}?}}"
    if mode == "same" and call.value("stride", 1) in (1, (1, 1), [1, 1]):
        return ', padding="same"'
    call.refuse('its padding depends on the size of the input: pad_mode="same" with a stride')
    return ""


@rule("jacrev jacfwd ops.jacrev ops.jacfwd", "torch.func.jacrev(function, argnums)")
def jacobian(call):
    name = call.name.rpartition(".")[2]
    return f"torch.func.{name}({{fn}}, argnums={{grad_position?}}, has_aux={{has_aux?}})"


@rule("jvp ops.jvp", "torch.func.jvp(function, inputs, v), of tuples")
def jvp(call):
    for name in ("inputs", "v"):
        if is_tensor(call.inferred(name)):
            call.put(name, f"({call.text(name)},)")
        elif not isinstance(call.nodes[name], ast.Tuple):
            call.refuse(f"whether its {name} are a tuple is not told")
    return "torch.func.jvp({fn}, {inputs}, {v}, has_aux={has_aux?})"


@rule("vjp ops.vjp", "torch.func.vjp(function, *inputs)")
def vjp(call):
    if "weights" in call and call.value("weights") is not None:
        call.refuse("its weights= has no rule")
    call.read.add("weights")
    return call.updated.with_changes(func=cst.parse_expression("torch.func.vjp"))


@rule("vmap ops.vmap", "torch.vmap(function, in_dims, out_dims)")
def vmap(call):
    if type(call.inferred("fn")).__name__ in ("Seq", "Many"):
        call.refuse("it maps a list of networks")
    return "torch.vmap({fn}, in_dims={in_axes?}, out_dims={out_axes?})"

# Functions that are handed on, whose calls have rules that look at their arguments.
for _name, _function in {
    "gelu": "F.gelu",
    "softmax": "lambda input, axis=-1: F.softmax(input, dim=axis)",
    "log_softmax": "lambda logits, axis=-1: F.log_softmax(logits, dim=axis)",
    "leaky_relu": "lambda input, alpha=0.2: F.leaky_relu(input, alpha)",
    "clip_by_value": "torch.clamp",
    "mean": "torch.mean",
    "sum": "torch.sum",
    "cast": "lambda input, dtype: input.to(dtype)",
    "assign": "lambda variable, value: variable.data.copy_(value)",
}.items():
    add(Rule(f"mindspore.ops.{_name}", _function), VALUES)
