"""Gradients of normalisation, convolution, dropout and attention, from what their forward passes hand on."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ms2torch.ops.function._nn_conv import _functional, _numbers, same_pads

from .pull import forward, like_shape, pull, shape


def _axes(t, begin: int) -> list[int]:
    return list(range(begin % t.ndim, t.ndim))


def _norm(x, dy, mean, rstd, gamma, axes, own):
    """The gradients of ``(x - mean) * rstd * gamma + beta`` where mean and rstd are taken over ``axes``.

    ``own`` are the axes over which the gradients of gamma and beta are summed.
    """
    wide = torch.promote_types(x.dtype, torch.float32)
    x_, dy_ = x.to(wide), dy.to(wide)
    normed = (x_ - mean) * rstd
    inner = dy_ if gamma is None else dy_ * gamma.to(wide)
    dx = rstd * (inner - inner.mean(axes, keepdim=True) - normed * (inner * normed).mean(axes, keepdim=True))
    return dx.to(x.dtype), (dy_ * normed).sum(own), dy_.sum(own)


def _layer(
    x, dy, variance, mean, gamma, begin_norm_axis=1, begin_params_axis=1, *, epsilon=1e-12, reciprocal=False
):
    rstd = variance if reciprocal else torch.rsqrt(variance + epsilon)
    own = list(range(begin_params_axis % x.ndim))
    dx, dgamma, dbeta = _norm(x, dy, mean.reshape(rstd.shape), rstd, gamma, _axes(x, begin_norm_axis), own)
    return dx, dgamma.to(gamma.dtype), dbeta.to(gamma.dtype)


def _layer_ext(dy, x, normalized_shape, mean, variance, gamma, beta, output_mask=(1, 1, 1)):
    begin = x.ndim - len(shape(normalized_shape))
    return _layer(x, dy, variance, mean, gamma, begin, begin, reciprocal=True)


def _layer_grad_grad(x, dy, variance, mean, gamma, d_dx, d_dg, d_db, begin_norm_axis=1, begin_params_axis=1):
    """The gradients of x, dy and gamma, where those of `_layer`'s three results are given."""
    axes = _axes(x, begin_norm_axis)

    def results(x, dy, gamma):
        spread, centre = torch.var_mean(x, axes, correction=0, keepdim=True)
        return _layer(x, dy, spread, centre, gamma, begin_norm_axis, begin_params_axis)

    _, back = torch.func.vjp(results, x, dy, gamma)
    return back((d_dx, d_dg, d_db))


def _rms(dy, x, rstd, gamma):
    axes = _axes(x, x.ndim - gamma.ndim)
    wide = torch.promote_types(x.dtype, torch.float32)
    normed, inner = x.to(wide) * rstd, dy.to(wide) * gamma.to(wide)
    dx = rstd * (inner - normed * (inner * normed).mean(axes, keepdim=True))
    return dx.to(x.dtype), (dy.to(wide) * normed).sum(list(range(x.ndim - gamma.ndim)))


def _group(
    dy,
    x,
    mean,
    rstd,
    gamma_opt,
    num_groups,
    dx_is_require=True,
    dgamma_is_require=True,
    dbeta_is_require=True,
):
    parts = (x.shape[0], num_groups, x.shape[1] // num_groups, -1)
    gamma = None if gamma_opt is None else gamma_opt.reshape(1, num_groups, -1, 1)
    centre, scale = (t.reshape(x.shape[0], num_groups, 1, 1) for t in (mean, rstd))
    dx, dgamma, dbeta = _norm(x.reshape(parts), dy.reshape(parts), centre, scale, gamma, [2, 3], [0, 3])
    return dx.reshape(x.shape), dgamma.flatten().to(x.dtype), dbeta.flatten().to(x.dtype)


def _batch(dout, x, scale, mean, rstd, training):
    """The gradients of batch normalisation along axis 1, from the mean and reciprocal deviation it used."""
    view = [-1 if i == 1 else 1 for i in range(x.ndim)]
    axes = [i for i in range(x.ndim) if i != 1]
    mean, rstd = mean.reshape(view), rstd.reshape(view)
    if training:
        dx, dscale, dbias = _norm(x, dout, mean, rstd, scale.reshape(view), axes, axes)
        return dx, dscale, dbias
    return (
        (dout * rstd * scale.reshape(view)).to(x.dtype),
        (dout * (x - mean) * rstd).sum(axes),
        dout.sum(axes),
    )


def _batch_grad(
    dout, x, scale, saved_mean, saved_variance, reserve, is_training=False, epsilon=1e-5, data_format="NCHW"
):
    last = data_format == "NHWC"
    if last:
        dout, x = dout.movedim(-1, 1), x.movedim(-1, 1)
    rstd = torch.rsqrt(saved_variance + epsilon)
    dx, dscale, dbias = _batch(dout, x, scale, saved_mean, rstd, is_training)
    return dx.movedim(1, -1) if last else dx, dscale, dbias


def _batch_ext(
    dout,
    input,
    weight=None,
    running_mean=None,
    running_var=None,
    saved_mean=None,
    saved_rstd=None,
    output_mask=(1, 1, 1),
    training=False,
    eps=1e-5,
):
    scale = input.new_ones(input.shape[1]) if weight is None else weight
    mean, rstd = (saved_mean, saved_rstd) if training else (running_mean, torch.rsqrt(running_var + eps))
    return _batch(dout, input, scale, mean, rstd, training)


def _batch_grad_grad(
    x,
    dy,
    scale,
    saved_mean,
    saved_variance,
    dout_dx,
    dout_dscale,
    dout_dbias,
    is_training=False,
    epsilon=1e-5,
    data_format="NCHW",
):
    """The gradients of x, dy and scale, where those of `_batch_grad`'s three results are given."""
    axes = [i for i in range(x.ndim) if i != (x.ndim - 1 if data_format == "NHWC" else 1)]

    def results(x, dy, scale):
        spread, centre = (
            torch.var_mean(x, axes, correction=0) if is_training else (saved_variance, saved_mean)
        )
        return _batch_grad(dy, x, scale, centre, spread, None, is_training, epsilon, data_format)

    _, back = torch.func.vjp(results, x, dy, scale)
    return back((dout_dx, dout_dscale, dout_dbias))


def _instance(dy, x, gamma, save_mean, save_variance, epsilon=0.0, momentum=0.1):
    view = (*x.shape[:2], *[1] * (x.ndim - 2))
    axes = list(range(2, x.ndim))
    own = [0, *axes]
    rstd = torch.rsqrt(save_variance.reshape(view) + epsilon)
    channel = gamma.reshape(1, -1, *[1] * (x.ndim - 2))
    return _norm(x, dy, save_mean.reshape(view), rstd, channel, axes, own)


def _instance_v2(x, gamma, beta, mean, variance, is_training=True, momentum=0.1, epsilon=1e-5):
    """Each sample's channels by their own mean and deviation; ``mean`` and ``variance`` follow."""
    wide = x.float()
    if not is_training:
        out = (wide - mean) * torch.rsqrt(variance + epsilon) * gamma + beta
        return out.to(x.dtype), torch.zeros_like(mean), torch.zeros_like(variance)
    center, spread = wide.mean((2, 3), keepdim=True), wide.var((2, 3), correction=0, keepdim=True)
    scale = torch.rsqrt(spread + epsilon)
    with torch.no_grad():
        mean.lerp_(center, momentum)
        variance.lerp_(wide.var((2, 3), keepdim=True), momentum)
    return ((wide - center) * scale * gamma + beta).to(x.dtype), center, scale


def _instance_v2_grad(dy, x, gamma, mean, variance, save_mean, save_variance, is_training=True, epsilon=1e-5):
    if not is_training:
        scale = torch.rsqrt(variance + epsilon)
        return (
            (dy * gamma * scale).to(x.dtype),
            (dy * (x - mean) * scale).sum((2, 3), keepdim=True),
            dy.float().sum((2, 3), keepdim=True),
        )
    hat, count = (x - save_mean) * save_variance, x.shape[2] * x.shape[3]
    of_gamma, of_beta = (dy * hat).sum((2, 3), keepdim=True), dy.float().sum((2, 3), keepdim=True)
    out = gamma * save_variance / count * (count * dy - of_beta - hat * of_gamma)
    return out.to(x.dtype), of_gamma, of_beta


def _conv3d_input(
    filter,
    out_backprop,
    input_size,
    out_channel=None,
    kernel_size=None,
    mode=1,
    pad_mode="valid",
    pad=0,
    stride=1,
    dilation=1,
    group=1,
    data_format="NCDHW",
):
    return like_shape(
        input_size,
        out_backprop,
        lambda t: forward("Conv3D")(
            t, filter, out_channel, kernel_size, mode, pad_mode, pad, stride, dilation, group, data_format
        ),
    )


def _ctc(
    grad_out,
    log_probs,
    targets,
    input_lengths,
    target_lengths,
    neg_log_likelihood,
    log_alpha,
    blank=0,
    reduction="none",
    zero_infinity=False,
):
    return pull(
        grad_out,
        lambda t: F.ctc_loss(t, targets, input_lengths, target_lengths, blank, reduction, zero_infinity),
        log_probs,
    )


def _conv_filter(
    out_backprop,
    input,
    filter_sizes,
    out_channel=None,
    kernel_size=None,
    pad_mode="valid",
    pad=0,
    pad_list=(0, 0, 0, 0),
    mode=1,
    stride=(1, 1),
    dilation=(1, 1, 1, 1),
    group=1,
    data_format="NCHW",
    dims=2,
):
    padding = pad_list if pad_mode == "pad" and any(pad_list) else pad if pad_mode == "pad" else 0
    weight = out_backprop.new_zeros(shape(filter_sizes))
    return pull(
        out_backprop,
        lambda w: _functional(
            input,
            w,
            None,
            _numbers(stride, dims),
            pad_mode,
            padding,
            _numbers(dilation, dims),
            group,
            dims,
            "Conv",
        ),
        weight,
    )


def _conv3d_filter(
    x,
    out_backprop,
    filter_size,
    out_channel=None,
    kernel_size=None,
    mode=1,
    pad_mode="valid",
    pad=0,
    stride=1,
    dilation=1,
    group=1,
    data_format="NCDHW",
):
    return _conv_filter(
        out_backprop,
        x,
        filter_size,
        pad_mode=pad_mode,
        pad=pad,
        pad_list=(0,),
        stride=stride,
        dilation=dilation,
        group=group,
        dims=3,
    )


def _convolution(
    input, weight, bias=None, stride=1, padding=0, dilation=1, transposed=False, output_padding=0, groups=1
):
    dims = weight.ndim - 2
    stride, dilation = _numbers(stride, dims), _numbers(dilation, dims)
    extra = _numbers(output_padding, dims) if transposed else (0,) * dims
    if isinstance(padding, str):
        pads = (
            same_pads(input.shape[2:], weight.shape[2:], (1,) * dims, dilation)
            if padding == "same"
            else [(0, 0)] * dims
        )
        flat = [p for pair in reversed(pads) for p in pair]
        return torch.convolution(
            F.pad(input, flat), weight, bias, stride, (0,) * dims, dilation, False, extra, groups
        )
    return torch.convolution(
        input, weight, bias, stride, _numbers(padding, dims), dilation, transposed, extra, groups
    )


def _transposed(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _convolution(input, weight, bias, stride, padding, dilation, True, output_padding, groups)


def _convolution_grad(
    dout,
    input,
    weight,
    bias=None,
    stride=1,
    padding=0,
    dilation=1,
    transposed=False,
    output_padding=0,
    groups=1,
    output_mask=(),
):
    """The gradients of input, weight and bias; zeros for those that ``output_mask`` leaves out."""
    channels = weight.shape[1] * groups if transposed else weight.shape[0]
    found = pull(
        dout,
        lambda x, w, b: _convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups),
        input,
        weight,
        input.new_zeros(channels),
    )
    return tuple(
        g if not output_mask or wanted else torch.zeros_like(g)
        for g, wanted in zip(found, output_mask or (1, 1, 1), strict=True)
    )


def _depthwise_filter(
    input,
    filter_size,
    dout,
    channel_multiplier=1,
    kernel_size=1,
    pad_mode="valid",
    pad=0,
    pad_list=(0, 0, 0, 0),
    mode=3,
    stride=1,
    dilation=1,
    group=1,
):
    return pull(
        dout,
        lambda w: forward("DepthwiseConv2dNative")(
            input, w, pad_mode=pad_mode, pad=pad, stride=stride, dilation=dilation
        ),
        dout.new_zeros(shape(filter_size)),
    )


def _depthwise_input(
    input_size,
    filter,
    dout,
    channel_multiplier=1,
    kernel_size=1,
    pad_mode="valid",
    pad=0,
    pad_list=(0, 0, 0, 0),
    mode=3,
    stride=1,
    dilation=1,
    group=1,
):
    return pull(
        dout,
        lambda x: forward("DepthwiseConv2dNative")(
            x, filter, pad_mode=pad_mode, pad=pad, stride=stride, dilation=dilation
        ),
        dout.new_zeros(shape(input_size)),
    )


def _layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return torch.native_layer_norm(input, shape(normalized_shape), weight, bias, eps)


def _group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    return torch.native_group_norm(
        input, weight, bias, input.shape[0], input.shape[1], math.prod(input.shape[2:]), num_groups, eps
    )


def _layer_v3(input_x, gamma, beta, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
    y, mean, variance = forward("LayerNorm")(
        input_x, gamma, beta, begin_norm_axis, begin_params_axis, epsilon
    )
    return y, mean, torch.rsqrt(variance + epsilon)


def _added(x1, x2, gamma, beta, epsilon=1e-5, additionalOut=False):
    total = x1 + x2
    y, mean, rstd = torch.native_layer_norm(total, gamma.shape, gamma, beta, epsilon)
    return y, mean, rstd, total


def _added_grad(dy, x1, x2, rstd, mean, gamma, dsumOptional):
    begin = x1.ndim - gamma.ndim
    dx, dgamma, dbeta = _layer(x1 + x2, dy, rstd, mean, gamma, begin, begin, reciprocal=True)
    return dx if dsumOptional is None else dx + dsumOptional, dgamma, dbeta


def _attention_grad(
    query,
    key,
    value,
    dy,
    pse_shift=None,
    drop_mask=None,
    padding_mask=None,
    atten_mask=None,
    softmax_max=None,
    softmax_sum=None,
    softmax_in=None,
    attention_in=None,
    prefix=None,
    actual_seq_qlen=None,
    actual_seq_kvlen=None,
    head_num=1,
    keep_prob=1.0,
    scale_value=1.0,
    pre_tokens=65536,
    next_tokens=65536,
    inner_precise=1,
    input_layout="BSH",
    sparse_mode=0,
):
    """The gradients of query, key, value and of the shift of the scores."""

    def attended(q, k, v, *shift):
        return forward("flash_attention_score")(
            q,
            k,
            v,
            head_num,
            shift[0] if shift else None,
            drop_mask,
            padding_mask,
            atten_mask,
            prefix,
            actual_seq_qlen,
            actual_seq_kvlen,
            keep_prob,
            scale_value,
            pre_tokens,
            next_tokens,
            inner_precise,
            input_layout,
            sparse_mode,
        )

    found = pull(dy, attended, query, key, value, *(() if pse_shift is None else (pse_shift,)))
    return found if pse_shift is not None else (*found, query.new_empty(0))


def _statistics(input, eps):
    axes = [i for i in range(input.ndim) if i != 1]
    variance, mean = torch.var_mean(input.float(), axes, correction=0)
    return mean, torch.rsqrt(variance + eps)


def _elements(input, weight=None, bias=None, mean=None, invstd=None, eps=1e-5):
    view = [-1 if i == 1 else 1 for i in range(input.ndim)]
    y = (input - mean.reshape(view)) * invstd.reshape(view)
    y = y if weight is None else y * weight.reshape(view)
    return (y if bias is None else y + bias.reshape(view)).to(input.dtype)


def _batch_norm(
    input,
    weight=None,
    bias=None,
    running_mean=None,
    runnning_var=None,
    training=False,
    momentum=0.1,
    epsilon=1e-5,
):
    return torch.native_batch_norm(
        input, weight, bias, running_mean, runnning_var, training, momentum, epsilon
    )


def _gru_grad(x, h, w, seq_lengths, y, hy, dy, dhy, reserve, input_size, hidden_size, num_layers, has_bias,
              bidirectional, dropout):
    """The gradients of input, state and weights of `ops.GRUV2`."""
    run, settings = forward("GRUV2"), (input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)
    _, back = torch.func.vjp(lambda x, h, w: run(x, h, w, seq_lengths, *settings)[:2], x, h, w)
    return back((dy, dhy))


ROWS = {
    "LayerNormGrad": _layer,
    "LayerNormGradV3": lambda x, dy, variance, mean, gamma, begin_norm_axis=1, begin_params_axis=1: _layer(
        x, dy, variance, mean, gamma, begin_norm_axis, begin_params_axis, reciprocal=True
    ),
    "LayerNormGradExt": _layer_ext,
    "LayerNormGradGrad": _layer_grad_grad,
    "LayerNormExt": _layer_norm,
    "LayerNormV3": _layer_v3,
    "AddLayerNormV2": _added,
    "AddLayerNormGrad": _added_grad,
    "RmsNormGrad": _rms,
    "GroupNorm": _group_norm,
    "GroupNormGrad": _group,
    "BatchNormExt": _batch_norm,
    "BatchNormGrad": _batch_grad,
    "BatchNormGradGrad": _batch_grad_grad,
    "BatchNormGradExt": _batch_ext,
    "BatchNormStats": _statistics,
    "BatchNormElemt": _elements,
    "InstanceNormGrad": _instance,
    "InstanceNormV2": _instance_v2,
    "InstanceNormV2Grad": _instance_v2_grad,
    "CTCLossV2Grad": _ctc,
    "LRNGrad": lambda grads, x, y, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5: pull(
        grads, "lrn", x, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta
    ),
    "DropoutGrad": lambda dy, mask, keep_prob=0.5: dy * mask / keep_prob,
    "Conv2DBackpropFilter": _conv_filter,
    "Conv3DBackpropFilter": _conv3d_filter,
    "Conv3DBackpropInput": _conv3d_input,
    "DepthwiseConv2dNativeBackpropFilter": _depthwise_filter,
    "DepthwiseConv2dNativeBackpropInput": _depthwise_input,
    "Convolution": _convolution,
    "ConvolutionStr": _convolution,
    "ConvolutionGrad": _convolution_grad,
    "ConvolutionStrGrad": _convolution_grad,
    "ConvTranspose2D": _transposed,
    "GRUV2Grad": _gru_grad,
    "FlashAttentionScoreGrad": _attention_grad,
    **{
        f"Conv{n}D{ending}": lambda input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1: (
            _convolution(input, weight, bias, stride, padding, dilation, False, 0, groups)
        )
        for n in (1, 2, 3)
        for ending in ("Ext", "Padding")
    },
}
