"""Layers, initialisers and clipping."""

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def padded_to_cover(x, conv):
    """An input with zeros around it, more at the end, so that a convolution covers it all with any stride."""
    padding = []
    windows = list(zip(x.shape[2:], conv.kernel_size, conv.stride, conv.dilation))
    for length, kernel, stride, dilation in reversed(windows):
        missing = max((-(-length // stride) - 1) * stride + (kernel - 1) * dilation + 1 - length, 0)
        padding += [missing // 2, missing - missing // 2]
    return F.pad(x, padding)


class SameConv1d(nn.Conv1d):
    """A convolution that pads so that it covers its whole input with any stride, more at the end."""

    def forward(self, x):
        return super().forward(padded_to_cover(x, self))


class SameConv2d(nn.Conv2d):
    """A convolution that pads so that it covers its whole input with any stride, more at the end."""

    def forward(self, x):
        return super().forward(padded_to_cover(x, self))


class SameConv3d(nn.Conv3d):
    """A convolution that pads so that it covers its whole input with any stride, more at the end."""

    def forward(self, x):
        return super().forward(padded_to_cover(x, self))


def conv2d_by_mode(inputs, outputs, kernel_size, stride=1, pad_mode="same", padding=0, **others):
    """A convolution that pads by ``padding`` ("pad"), not at all ("valid") or to cover its input ("same")."""
    if pad_mode == "same":
        return SameConv2d(inputs, outputs, kernel_size, stride, **others)
    padding = padding if pad_mode == "pad" else 0
    return nn.Conv2d(inputs, outputs, kernel_size, stride, padding, **others)


def conv_transpose2d_by_mode(inputs, outputs, kernel_size, stride=1, pad_mode="same", padding=0, **others):
    """A transposed convolution that cuts ``padding`` off ("pad"), nothing ("valid"), or so that it enlarges
    its input by its stride ("same")."""
    if pad_mode != "pad":
        over = kernel_size - stride
        padding, uneven = (over // 2, over % 2) if pad_mode == "same" else (0, False)
        if over < 0 or uneven:
            raise ValueError(f"{pad_mode=} with kernel {kernel_size} and stride {stride} has no counterpart")
    return nn.ConvTranspose2d(inputs, outputs, kernel_size, stride, padding, **others)


class SamePad(nn.Module):
    """Pads so that pooling with a stride covers its whole input, more at the end."""

    def __init__(self, kernel_size, stride, dilation=1, value=0.0):
        super().__init__()
        pair = [(x, x) if isinstance(x, int) else tuple(x) for x in (kernel_size, stride, dilation)]
        self.sizes, self.value = list(zip(*pair)), value

    def forward(self, x):
        padding = []
        for length, (kernel, stride, dilation) in zip(reversed(x.shape[-2:]), reversed(self.sizes)):
            missing = max((-(-length // stride) - 1) * stride + (kernel - 1) * dilation + 1 - length, 0)
            padding += [missing // 2, missing - missing // 2]
        return F.pad(x, padding, value=self.value)


class Activated(nn.Linear):
    """A linear layer with an activation behind it; its parameters have a linear layer's names."""

    def __init__(self, linear, activation):
        super().__init__(linear.in_features, linear.out_features, linear.bias is not None)
        self.weight, self.bias = linear.weight, linear.bias
        self.activation = activation

    def forward(self, x):
        return self.activation(super().forward(x))


class Cast(nn.Module):
    """A layer that computes in another dtype than its parameters have, and gives its result in that dtype."""

    def __init__(self, layer, dtype):
        super().__init__()
        self.layer, self.dtype = layer, dtype
        self.wide = widened_norms(layer)  #? BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("layer"), name)

    def forward(self, *inputs):
        weights = {name: p.to(self.dtype) for name, p in self.layer.named_parameters()}
        weights |= self.wide  #? BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm
        inputs = [x.to(self.dtype) if x.is_floating_point() else x for x in inputs]
        return torch.func.functional_call(self.layer, weights, tuple(inputs))


def widened_norms(network):
    """Let the BatchNorms of a network compute in float32 and give the dtype that they get; their weights."""
    weights = {}
    for path, layer in network.named_modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            layer.register_forward_pre_hook(widened)
            layer.register_forward_hook(narrowed)
            weights |= {f"{path}.{name}".strip("."): p for name, p in layer.named_parameters()}
    return weights


class LowPrecision(nn.Module):
    """A network that computes in float16 over weights in float32 and gives float32. BatchNorm and LayerNorm
    compute in float32, LayerNorm of what float16 holds unless ``keep_norms``."""

    def __init__(self, module, keep_norms=True):
        super().__init__()
        self.module = module
        kinds = (nn.modules.batchnorm._BatchNorm, *([nn.LayerNorm] if keep_norms else []))
        norms = [layer for layer in module.modules() if isinstance(layer, kinds)]
        self.wide = {id(p) for layer in norms for p in layer.parameters()}
        self.rounded = set()
        for layer in module.modules():
            if not isinstance(layer, kinds):
                layer.register_forward_pre_hook(halved)
            if isinstance(layer, (*kinds, nn.LayerNorm)):
                layer.register_forward_pre_hook(widened)
                layer.register_forward_hook(narrowed)
                self.rounded |= {id(p) for p in layer.parameters()} - self.wide

    def forward(self, *inputs):
        named = dict(self.module.named_parameters()).items()
        weights = {name: p if id(p) in self.wide else p.half() for name, p in named}
        weights |= {name: weights[name].float() for name, p in named if id(p) in self.rounded}
        found = torch.func.functional_call(self.module, weights, inputs)
        return tuple(x.float() for x in found) if isinstance(found, tuple) else found.float()


class Lowering(torch.overrides.TorchFunctionMode):
    """Inside, matrix products and convolutions compute in float16 and what loses too much there in float32;
    where both meet in one tensor float32 wins. (torch.autocast lowers other functions, and biases too.)"""

    biased = {"linear", *(f"conv{way}{n}d" for way in ("", "_transpose") for n in (1, 2, 3))}
    low = {
        "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "prelu", "einsum", "addmm", "addbmm",
        "addmv", "baddbmm", "mv",
    }
    full = {
        "pow", "__pow__", "__rpow__", "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log",
        "log10", "log1p", "log2", "reciprocal", "rsqrt", "sinh", "tan", "softplus", "layer_norm",
        "batch_norm", "group_norm", "norm", "kl_div", "smooth_l1_loss",
        "binary_cross_entropy_with_logits", "cdist", "renorm", "prod", "softmax", "log_softmax",
        "cumprod", "cumsum", "l1_loss", "mse_loss", "nll_loss", "cross_entropy",
    }
    wider = {"addcdiv", "addcmul", "cross", "dot", "grid_sample", "cat", "concat", "concatenate"}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name, kwargs = getattr(function, "__name__", ""), kwargs or {}
        if name in self.biased:
            bias = args[2] if len(args) > 2 else kwargs.pop("bias", None)
            x, weight = args[0].half(), args[1].half()
            found = function(x, weight, None, *args[3:], **kwargs)
            if bias is None:
                return found
            return found + (bias if name == "linear" else bias.reshape(-1, *[1] * (found.ndim - 2)))
        if name in self.low:
            return function(*cast(args, torch.float16), **cast(kwargs, torch.float16))
        flat = args[0] if args and isinstance(args[0], (tuple, list)) else args
        meet = name in self.wider and any(torch.is_tensor(x) and x.dtype == torch.float32 for x in flat)
        if name in self.full or meet:
            return function(*cast(args, torch.float32), **cast(kwargs, torch.float32))
        return function(*args, **kwargs)


def cast(value, dtype):
    """A tensor of floats, or those in a structure, in another dtype."""
    if torch.is_tensor(value):
        return value.to(dtype) if value.is_floating_point() else value
    if isinstance(value, dict):
        return {key: cast(v, dtype) for key, v in value.items()}
    return type(value)(cast(v, dtype) for v in value) if type(value) in (tuple, list) else value


def lower_operators(network):
    """A network whose functions compute as in ``Lowering``, over weights in float32."""
    forward = network.forward

    def lowered(*inputs):
        with Lowering():
            return forward(*inputs)

    network.forward = lowered
    return network


def lower_layers(network):
    """A network whose convolutions, linear layers, recurrent cells and ReLUs compute in float16, over weights
    in float32, and give float32."""
    kinds = (nn.modules.conv._ConvNd, nn.Linear, nn.RNNCellBase, nn.ReLU, nn.PReLU)
    for layer in network.modules():
        if isinstance(layer, kinds):
            layer.forward = in_float16(layer)
    return network


def in_float16(layer):
    """What a layer computes by weights and inputs in float16, as float32."""
    lower = copy.copy(layer)

    def forward(*inputs):
        weights = {name: p.half() for name, p in layer.named_parameters()}
        return cast(torch.func.functional_call(lower, weights, cast(inputs, torch.float16)), torch.float32)

    return forward


def halved(layer, inputs):
    return cast(inputs, torch.float16)


def widened(layer, inputs):
    layer.given = inputs[0].dtype
    return (inputs[0].float(),)


def narrowed(layer, inputs, found):
    return found.to(layer.given)


def over_lengths(recurrent, x, lengths, state=None):
    """A recurrent layer over padded sequences of these lengths (None: all are whole): beyond them outputs are
    zero."""
    if lengths is None:
        return recurrent(x, state)
    first = recurrent.batch_first
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), first, enforce_sorted=False)
    found, state = recurrent(packed, state)
    found, _ = nn.utils.rnn.pad_packed_sequence(found, first, total_length=x.shape[int(first)])
    return found, state


class CentralCrop(nn.Module):
    """The middle of images (..., height, width); ``share`` of each side stays."""

    def __init__(self, share):
        super().__init__()
        self.share = share

    def forward(self, x):
        height, width = x.shape[-2:]
        top, left = (int((size - size * self.share) / 2) for size in (height, width))
        return x[..., top : height - top, left : width - left]


def device_of(target):
    """The torch device for a name like "GPU" or "Ascend": the accelerator where there is one."""
    there = target != "CPU" and torch.accelerator.is_available()
    return torch.accelerator.current_accelerator() if there else "cpu"


def segments(x, ids, count, how):
    """Rows of the same id together, by "sum", "amax" or "amin"; what changes nothing where there is none."""
    rows, ids = x.reshape(ids.numel(), *x.shape[ids.ndim:]), ids.reshape(-1).long()
    rows, ids = rows[ids >= 0], ids[ids >= 0]
    limits = torch.finfo(x.dtype) if x.is_floating_point() else torch.iinfo(x.dtype)
    empty = {"sum": 0, "amax": limits.min, "amin": limits.max}[how]
    found = torch.full((int(count), *rows.shape[1:]), empty, dtype=x.dtype, device=x.device)
    places = ids.reshape(-1, *[1] * (rows.ndim - 1)).expand_as(rows)
    return found.scatter_reduce(0, places, rows, how)


def layer_norm(x, gamma, beta, axis=1, eps=1e-7):
    """What is normalised over the axes from ``axis`` on, and the mean and the variance."""
    shape = x.shape[axis:]
    variance, mean = torch.var_mean(x, tuple(range(-len(shape), 0)), correction=0, keepdim=True)
    return F.layer_norm(x, shape, gamma, beta, eps), mean, variance


def dot(a, b):
    """Sums over the last axis of one and the last but one of the other, as numpy's ``dot``."""
    return torch.tensordot(a, b, ([-1], [-2 if b.ndim > 1 else -1]))


def bias_add(x, bias):
    """A bias for each channel, which is axis 1."""
    return x + bias.reshape(-1, *[1] * (x.ndim - 2))


class LossBase(nn.Module):
    """What a loss of elements shares: ``get_loss`` weights them and reduces them, or not."""

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduce, self.average = reduction != "none", reduction != "sum"

    def get_axis(self, x):
        return tuple(range(x.ndim))

    def get_loss(self, x, weights=1.0):
        loss = (x.float() * weights).to(x.dtype)
        return (loss.mean() if self.average else loss.sum()) if self.reduce else loss


class Patches(nn.Module):
    """Windows of images as channels: (N, kernel * C, H, W), the place in the window before the channel."""

    def __init__(self, kernel, stride, dilation):
        super().__init__()
        self.kernel, self.stride, self.dilation = kernel, stride, dilation

    def forward(self, x):
        windows = zip(x.shape[2:], self.kernel, self.stride, self.dilation)
        sizes = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in windows]
        found = F.unfold(x, self.kernel, self.dilation, stride=self.stride)
        return found.unflatten(1, (x.shape[1], -1)).transpose(1, 2).flatten(1, 2).unflatten(-1, sizes)


def dropout_and_mask(x, keep_prob):
    """What stays of ``x``, in training or not, over the share that stays; and the mask."""
    mask = torch.bernoulli(torch.full_like(x, keep_prob))
    return x * mask / keep_prob, mask


def named(module, moving=False):
    """A module's parameters, each with its name as ``label``: its ``own_name`` or its attribute's; norms call
    theirs gamma and beta.

    With ``moving`` the moving mean and variance of norms are among them, before the norm's own.
    """
    found = []
    norms = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm)
    for prefix, layer in module.named_modules():
        if moving and isinstance(layer, nn.modules.batchnorm._BatchNorm):
            for name in ("mean", "var"):
                buffer = getattr(layer, f"running_{name}")
                label = f"{prefix}.moving_{name.replace('var', 'variance')}".lstrip(".")
                buffer.label = getattr(buffer, "renamed", label)
                found.append(buffer)
        own = list(layer.named_parameters(recurse=False))
        if isinstance(layer, nn.RNNBase):  # all layers' weights of a kind stand together
            kinds = list(dict.fromkeys(name.partition("_l")[0] for name, _ in own))
            own.sort(key=lambda pair: kinds.index(pair[0].partition("_l")[0]))
        for name, parameter in own:
            if isinstance(layer, norms):
                name = {"weight": "gamma", "bias": "beta"}[name]
            elif isinstance(layer, (nn.Embedding, nn.PReLU)):
                name = "w" if isinstance(layer, nn.PReLU) else "embedding_table"
            name = getattr(parameter, "own_name", name)
            parameter.label = getattr(parameter, "renamed", f"{prefix}.{name}" if prefix else name)
            found.append(parameter)
    return found


def prefixed(module, prefix):
    """A module's parameters are called a prefix and their names in it from now on."""
    for parameter in named(module, moving=True):
        vars(parameter).pop("renamed", None)
    for parameter in named(module, moving=True):
        parameter.renamed = parameter.label = prefix + parameter.label


def prefixed_where_moved(optimizer, prefix):
    """The names of the parameters that an optimizer moves begin with a prefix from now on."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.renamed = parameter.label = prefix + parameter.label


def described(parameter, name=None):
    """A parameter, or several, by name, shape and dtype, without the numbers."""
    if isinstance(parameter, (list, tuple)):
        return "[" + ", ".join(map(described, parameter)) + "]"
    name = getattr(parameter, "label", "Parameter") if name is None else name
    about = f"name={name}, shape={tuple(parameter.shape)}, dtype={parameter.dtype}"
    return f"Parameter ({about}, requires_grad={parameter.requires_grad})"


def unique_in_order(x):
    """A tensor's values in the order of their first places, and for each element the place of its value."""
    values, places = torch.unique(x, return_inverse=True)
    at = torch.arange(x.numel(), device=x.device)
    first = torch.zeros_like(values, dtype=torch.long)
    first = first.scatter_reduce(0, places.flatten(), at, "amin", include_self=False)
    order = first.argsort()
    return values[order], order.argsort()[places]


def clones(parameters, prefix, value=None):
    """Tensors like labelled parameters, filled with a value or copied, with labels of their own."""
    made = [p.detach().clone() if value is None else torch.full_like(p, value) for p in parameters]
    for parameter, clone in zip(parameters, made):
        clone.label = f"{prefix}.{parameter.label}"
    return made


def activation_layer(name):
    """The activation layer of a name; None for none."""
    layers = {
        "relu": nn.ReLU, "relu6": nn.ReLU6, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "elu": nn.ELU,
        "silu": nn.SiLU, "hswish": nn.Hardswish, "hsigmoid": nn.Hardsigmoid, "prelu": nn.PReLU,
        "gelu": lambda: nn.GELU(approximate="tanh"), "leakyrelu": lambda: nn.LeakyReLU(0.2),
        "softmax": lambda: nn.Softmax(dim=-1), "logsoftmax": lambda: nn.LogSoftmax(dim=-1),
    }
    return layers[name]() if isinstance(name, str) and name else name


def initialised(layer, **parts):
    """A layer whose parameters start as told: ``weight=nn.init.zeros_``, or as a tensor that is given."""
    for name, start in parts.items():
        part = getattr(layer, name)
        start(part) if callable(start) else part.data.copy_(start)
    return layer


def resize_bilinear(x, size):
    """Bilinear resizing in which element i lies at i times the scale: corners meet, not middles."""
    for dim, n in zip((-2, -1), size):
        at = torch.arange(n, device=x.device) * (x.shape[dim] / n)
        low = at.long()
        high = (low + 1).clamp(max=x.shape[dim] - 1)
        share = (at - low).to(x.dtype).reshape(-1, *[1] * (-1 - dim))
        x = torch.lerp(x.index_select(dim, low), x.index_select(dim, high), share)
    return x


class ResizeBilinear(nn.Module):
    """`resize_bilinear`, to a size or by a scale."""

    def __init__(self, half_pixel_centers=False):
        super().__init__()
        self.half_pixel_centers = half_pixel_centers

    def forward(self, x, size=None, scale_factor=None, align_corners=False):
        size = tuple(size or (n * scale_factor for n in x.shape[-2:]))
        if align_corners or self.half_pixel_centers:
            return F.interpolate(x, size, mode="bilinear", align_corners=align_corners)
        return resize_bilinear(x, size)


class Initializer:
    """Fills a tensor by way of an array, into which a subclass's ``_initialize`` writes."""

    def __init__(self, **kwargs):
        self._kwargs = kwargs

    def __call__(self, tensor):
        array = np.zeros(tuple(tensor.shape), np.float32)
        self._initialize(array)
        with torch.no_grad():
            return tensor.copy_(torch.from_numpy(array))


def fans(shape):
    """How many values come into and go out of each unit of a weight of this shape."""
    area = math.prod(shape[2:])
    return shape[1] * area, shape[0] * area


def zero_row(table, row):
    """Zero a row of an embedding's table, unless it is None."""
    if row is not None:
        nn.init.zeros_(table[row])


def fill_(tensor, how):
    """Fill a tensor with a number, another tensor, or by a function or the name of one."""
    by_name = {
        "zeros": nn.init.zeros_, "zero": nn.init.zeros_, "ones": nn.init.ones_, "one": nn.init.ones_,
        "normal": lambda t: nn.init.normal_(t, std=0.01),
        "uniform": lambda t: nn.init.uniform_(t, -0.07, 0.07),
        "xavier_uniform": nn.init.xavier_uniform_, "xavier_normal": nn.init.xavier_normal_,
        "he_uniform": nn.init.kaiming_uniform_, "he_normal": nn.init.kaiming_normal_,
    }
    how = by_name.get(how, how) if isinstance(how, str) else how
    with torch.no_grad():
        if callable(how):
            how(tensor)
        elif how is not None:
            tensor.copy_(torch.as_tensor(how))
    return tensor


def clip_by_total_norm(x, norm):
    """Tensors scaled down together to a norm; one tensor alone too."""
    tensors = [x] if torch.is_tensor(x) else x
    total = torch.sqrt(sum((t * t).sum() for t in tensors))
    scaled = [t * torch.clamp(norm / (total + 1e-6), max=1.0) for t in tensors]
    return scaled[0] if torch.is_tensor(x) else scaled


def clip_by_norm(x, norm):
    """A tensor scaled down to a norm where it is longer."""
    length = torch.linalg.vector_norm(x)
    return torch.where(length > norm, x * (norm / length), x)


def clip_by_global_norm(gradients, norm=1.0):
    """Gradients scaled down together, so that the norm over all of them is ``norm`` at most."""
    total = torch.sqrt(sum((g * g).sum() for g in gradients))
    return [g * (norm / torch.clamp(total, min=norm)) for g in gradients]


def reduced(x, weights=1.0):
    """The mean of a loss by elements, weighted."""
    return (x * weights).mean()


def tanh_gelu():
    """A GELU by its approximation with tanh."""
    return nn.GELU(approximate="tanh")


def leaky_layer(negative_slope=0.2):
    """A LeakyReLU with a slope of 0.2, where PyTorch's is 0.01."""
    return nn.LeakyReLU(negative_slope)


def normalising_layer(shape):
    """A LayerNorm with an epsilon of 1e-7, where PyTorch's is 1e-5."""
    return nn.LayerNorm(shape, eps=1e-7)


def softmax_layer(dim=-1):
    """A Softmax over the last axis."""
    return nn.Softmax(dim)
