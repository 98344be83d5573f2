"""Layers whose window moves over an input: convolutions and pooling, and what ``pad_mode`` adds."""

from __future__ import annotations

from .layers import flag, with_starts
from .table import rule


def _pair(value):
    return (
        (value, value)
        if isinstance(value, int)
        else tuple(value)
        if isinstance(value, (tuple, list))
        else None
    )


class _Uneven(Exception):
    """``pad_mode="same"`` with a stride: how much is padded depends on the input's size."""


def _padding(call, kernel, stride, dilation, ndim: int = 2) -> str:
    """``pad_mode`` as PyTorch's padding; empty for none."""
    mode = call.value("pad_mode", "same")
    mode = mode.lower()
    if mode == "valid":
        return ""
    if mode == "pad":
        if call.value("padding", 0) == 0:
            return ""
        padding = call.value("padding")
        if isinstance(padding, (tuple, list)) and len(padding) == 2 * ndim:
            halves = padding[::2]
            if list(halves) != list(padding[1::2]):
                call.refuse("its padding differs on two sides")
            return f", padding={halves[0]}" if len(set(halves)) == 1 else f", padding={tuple(halves)}"
        return ", padding={padding}"
    if mode == "same":
        return _same(call, kernel, stride, dilation)
    call.refuse(f"its pad_mode {mode!r} has no counterpart")
    return ""


def _same(call, kernel, stride, dilation) -> str:
    """``pad_mode="same"``: where both pad alike ``padding="same"``, or numbers, say it."""
    if stride is not None and all(s == 1 for s in stride):
        if kernel is not None and dilation is not None and all(k % 2 or k == 1 for k in kernel):
            halves = [d * (k - 1) // 2 for k, d in zip(kernel, dilation, strict=True)]
            if not any(halves):
                return ""
            return f", padding={halves[0]}" if len(set(halves)) == 1 else f", padding={tuple(halves)}"
        return ', padding="same"'
    if kernel is not None and all(k == 1 for k in kernel):
        return ""
    raise _Uneven


@rule(
    "nn.Conv2d nn.Conv1d nn.Conv3d",
    "nn.<name>(in, out, kernel, stride, padding=..., groups=group, bias=has_bias)",
    'pads to the same size and has no bias unless told; pad_mode="same" with a stride: SameConv2d, at the head',
    '默认补齐到原尺寸、没有 bias；pad_mode="same" 且步长不为 1 时用文件开头的 SameConv2d',
)
def conv(call):
    name = call.name.rpartition(".")[2]
    ndim = int(name[-2])
    many = {
        1: lambda v: (v,) if isinstance(v, int) else None,
        2: _pair,
        3: lambda v: (v,) * 3 if isinstance(v, int) else tuple(v) if isinstance(v, (tuple, list)) else None,
    }[ndim]
    kernel, stride, dilation = (many(call.value(n)) for n in ("kernel_size", "stride", "dilation"))
    if call.value("data_format", "NCHW") not in ("NCHW", "NCDHW"):
        call.refuse("its data_format is not NCHW")
    made = f"nn.{name}"
    if not isinstance(call.value("pad_mode", "same"), str):
        return with_starts(call, _by_pad_mode(call, "conv2d_by_mode"), weight="weight_init", bias="bias_init")
    try:
        padding = _padding(call, kernel, stride, dilation, ndim)
    except _Uneven:
        made, padding = call.helper(f"SameConv{ndim}d"), ""
    made += (
        f"({{in_channels}}, {{out_channels}}, {_kernel(call)}, stride={{stride?}}{padding}"
        f", dilation={{dilation?}}, groups={{group?}}{flag(call, 'has_bias', 'bias')})"
    )
    if "stride" in call and not call.original_keyword("stride"):
        made = made.replace("stride={stride?}", "{stride}")
    return with_starts(call, made, weight="weight_init", bias="bias_init")


def _by_pad_mode(call, helper: str) -> str:
    """A layer whose ``pad_mode`` is told when the program runs."""
    if call.name.rpartition(".")[2] not in ("Conv2d", "Conv2dTranspose"):
        call.refuse("its pad_mode is not told")
    call.helper(helper)
    return (
        f"{helper}({{in_channels}}, {{out_channels}}, {_kernel(call)}, stride={{stride?}}, pad_mode={{pad_mode}}"
        f", padding={{padding?}}, dilation={{dilation?}}, groups={{group?}}{flag(call, 'has_bias', 'bias')})"
    )


def _kernel(call) -> str:
    return "kernel_size={kernel_size}" if call.original_keyword("kernel_size") else "{kernel_size}"


def conv_transpose(call):
    name = call.name.rpartition(".")[2]
    ndim = int(name[4])
    mode = call.value("pad_mode", "same")
    kernel, stride = call.value("kernel_size"), call.value("stride")
    if call.value("output_padding", 0) not in (0, None):
        call.refuse("its output_padding adds rows without weights")
    if not isinstance(mode, str):
        made = _by_pad_mode(call, "conv_transpose2d_by_mode")
        return with_starts(call, made, weight="weight_init", bias="bias_init")
    padding = ""
    if mode == "same":
        over = kernel - stride if isinstance(kernel, int) and isinstance(stride, int) else 1
        if over < 0 or over % 2 or call.value("dilation", 1) not in (1, (1,) * ndim):
            call.refuse('pad_mode="same" cuts more off one side than off the other')
        padding = f", padding={over // 2}" if over else ""
    elif mode == "pad":
        padding = ", padding={padding?}"
    elif mode != "valid":
        call.refuse(f"its pad_mode {mode!r} has no counterpart")
    elif isinstance(kernel, int) and isinstance(stride, int) and kernel < stride:
        call.refuse("its kernel is smaller than its stride")
    made = (
        f"nn.ConvTranspose{ndim}d({{in_channels}}, {{out_channels}}, {_kernel(call)}, stride={{stride?}}{padding}"
        f", dilation={{dilation?}}, groups={{group?}}"
        f"{flag(call, 'has_bias', 'bias')})"
    )
    return with_starts(call, made, weight="weight_init", bias="bias_init")


for _n in (1, 2, 3):
    rule(
        f"nn.Conv{_n}dTranspose",
        f"nn.ConvTranspose{_n}d(in, out, kernel, stride, padding=..., groups=group, bias=has_bias)",
        "pads to the same size and has no bias unless told",
        "默认补齐、没有 bias",
    )(conv_transpose)


@rule(
    "nn.MaxPool2d nn.AvgPool2d nn.MaxPool1d nn.AvgPool1d nn.MaxPool3d nn.AvgPool3d",
    "nn.<name>(kernel_size, stride, padding)",
    'moves by 1 unless told, PyTorch by the kernel; pad_mode="same" of an average does not count what it pads: '
    "count_include_pad=False",
    '步长默认 1，PyTorch 默认等于核；平均池化的 pad_mode="same" 不计补的位置：count_include_pad=False',
)
def pool(call):
    name = call.name.rpartition(".")[2]
    kernel, stride = _pair(call.value("kernel_size")), _pair(call.value("stride"))
    if name.endswith("3d") and str(call.value("pad_mode", "valid")).lower() == "same":
        call.refuse('pad_mode="same" over volumes has no rule')
    for unused in ("return_indices", "dilation", "divisor_override"):
        if unused in call and call.value(unused) not in (False, 1, None):
            call.refuse(f"its {unused}= has no rule")
    mode = call.value("pad_mode", "valid")
    mode = mode.lower() if isinstance(mode, str) else mode
    extra = ""
    if mode == "same":
        if kernel is None or not (all(s == 1 for s in stride or ()) and all(k % 2 for k in kernel)):
            if "Max" in name and name.endswith("2d"):
                call.helper("SamePad")
                step = "{stride}" if "stride" in call else "1"
                return (
                    f'nn.Sequential(SamePad({{kernel_size}}, {step}, value=float("-inf")), '
                    f"nn.MaxPool2d({{kernel_size}}, {step}))"
                )
            call.refuse('pad_mode="same" depends on the size of the input')
        halves = {k // 2 for k in kernel}
        extra = f", padding={halves.pop() if len(halves) == 1 else tuple(k // 2 for k in kernel)}"
        extra += ", count_include_pad=False" if "Avg" in name else ""
    elif mode == "pad":
        extra = ", padding={padding?}, ceil_mode={ceil_mode?}"
        extra += ", count_include_pad={count_include_pad?}" if "Avg" in name else ""
    elif mode != "valid":
        call.refuse("its pad_mode is not told")
    if "kernel_size" not in call:
        call.put("kernel_size", "1")
    if stride is not None and stride == kernel:
        return f"nn.{name}({_kernel(call)}{extra})"
    if "stride" not in call:
        call.put("stride", "1")
    return f"nn.{name}({_kernel(call)}, stride={{stride}}{extra})"


@rule(
    "nn.Unfold",
    "Patches(kernel, stride, dilation), a class at the head",
    "gives (N, kernel * C, H, W), places before channels; nn.Unfold gives (N, C * kernel, L)",
    "得到 (N, kernel * C, H, W)，窗口位置在前；nn.Unfold 得到 (N, C * kernel, L)",
)
def unfold(call):
    sizes = [call.value(name) for name in ("ksizes", "strides", "rates")]
    if str(call.value("padding", "valid")).lower() != "valid" or not all(isinstance(s, (list, tuple)) for s in sizes):
        call.refuse("its sizes are not told, or it pads")
    call.helper("Patches")
    return "Patches({}, {}, {})".format(*(tuple(s[1:3]) for s in sizes))
