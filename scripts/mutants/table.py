"""The planted defects that `ms2torch diff` has to find: one change of one line each, and the program that shows it.

``file`` is relative to ``ms2torch/``; ``old`` stands there once and becomes ``new``. ``stage`` and ``where`` are what
the report must name: a regular expression for the Cell's name where one is guilty.
"""

# ruff: noqa: E501 - what a defect changes is read as one line

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """One planted defect. ``rank`` is its row among the ranked differences from PyTorch, 0 where it has none."""

    name: str
    rank: int
    file: str
    old: str
    new: str
    program: tuple[str, ...]
    stage: str
    where: str = ""


LAYER, OPERATOR, ANY = r"layer(\..*)?", r"operator", r".*"


def _layers() -> list[Mutant]:
    norm, pool, act = "nn/layer/normalization.py", "nn/layer/pooling.py", "nn/layer/activation.py"
    basic, conv = "nn/layer/basic.py", "ops/function/_nn_conv.py"
    image, row = "4,3,6,6", "4,6"

    def layer(name, rank, file, old, new, expression, shape, *more, where=LAYER, stage="forward"):
        return Mutant(name, rank, file, old, new, ("one_layer.py", expression, shape, *more), stage, where)

    batch_norm = "nn.BatchNorm2d(3)"
    return [
        layer("Cells train as they are made", 1, "nn/cell.py", "own[\"training\"] = False", "own[\"training\"] = True",
              "nn.Dropout(0.5)", row, "asmade"),
        layer("Dropout's argument is the share that goes", 2, basic, "keep = keep_prob\n", "keep = 1 - keep_prob\n",
              "nn.Dropout(0.8)", row),
        layer("Dropout does not scale up", 2, "ops/function/_nn_dropout.py", "return t * mask.to(t.dtype).mul_(1.0 / keep)",
              "return t * mask.to(t.dtype)", "nn.Dropout(0.8)",
              row),
        layer("Dropout active in evaluation", 1, basic, "if not self.training or self.keep_prob == 1 or self.p == 0:",
              "if self.keep_prob == 1 or self.p == 0:", "nn.Dropout(0.8)", row, "eval"),
        layer("BatchNorm's momentum weighs the new value", 4, norm, "self.momentum = 1.0 - momentum",
              "self.momentum = momentum", batch_norm, image, stage="(forward|optimizer)", where="layer.*"),
        layer("BatchNorm's momentum off by a factor", 4, norm, "self.momentum = 1.0 - momentum",
              "self.momentum = (1.0 - momentum) * 0.5", batch_norm, image, stage="(forward|optimizer)",
              where="layer.*"),
        layer("stale statistics: BatchNorm does not update them", 6, norm,
              "beta._t, *moving, True", "beta._t, None, None, True", batch_norm, image, stage="(forward|optimizer)",
              where="layer.*"),
        layer("BatchNorm takes the batch's statistics in evaluation", 6, norm,
              "training = self.training\n", "training = True\n", batch_norm, image, "eval"),
        layer("BatchNorm takes the moving statistics in training", 6, norm,
              "if not training:\n                y", "if True:\n                y", batch_norm, image),
        layer("BatchNorm's epsilon", 8, norm, "self._made = (self.momentum, eps)",
              "self._made = (self.momentum, eps * 1e3)", batch_norm, image),
        layer("convolutions do not pad by default", 9, "nn/layer/conv.py",
              "self._pads = fixed_pads(self.pad_mode, padding,", "self._pads = fixed_pads(\"pad\", padding,",
              "nn.Conv2d(3, 4, 3, pad_mode='same')", image),
        layer("same padding with strides: the odd element before", 11, conv,
              "pads.append((total // 2, total - total // 2))", "pads.append((total - total // 2, total // 2))",
              "nn.Conv2d(3, 4, 3, 2)", image),
        layer("same padding of an even kernel: the odd element before", 12, conv,
              "return [(t // 2, t - t // 2) for t in total]", "return [(t - t // 2, t // 2) for t in total]",
              "nn.Conv2d(3, 4, 2)", image),
        layer("padding before and after swapped", 9, conv,
              "return [(padding[2 * i], padding[2 * i + 1]) for i in range(dims)]",
              "return [(padding[2 * i + 1], padding[2 * i]) for i in range(dims)]",
              "nn.Conv2d(3, 4, 3, pad_mode='pad', padding=(2, 0, 1, 0))", image),
        layer("height and width of the padding swapped", 9, conv,
              "return [p for pair in reversed(pads) for p in pair]", "return [p for pair in pads for p in pair]",
              "nn.Conv2d(3, 4, 3, pad_mode='pad', padding=(2, 1, 1, 2))", image),
        layer("a convolution forgets its bias", 10, "nn/layer/conv.py",
              "return wrap(torch.conv2d(t, weight._t, bias, stride,",
              "return wrap(torch.conv2d(t, weight._t, None, stride,",
              "nn.Conv2d(3, 4, 3, has_bias=True, bias_init='ones')", image),
        layer("a convolution ignores its dilation", 9, "nn/layer/conv.py",
              "padding, dilation, group))\n            return wrap(convolve(t",
              "tuple((p + 1) // 2 for p in padding), 1, group))\n            return wrap(convolve(t",
              "nn.Conv2d(3, 4, 3, dilation=2)", image),
        layer("transposed convolution: where same begins", 15, conv, "before = max(full - out, 0) // 2",
              "before = max(full - out + 1, 0) // 2", "nn.Conv2dTranspose(3, 4, 3, 2)", image),
        layer("Conv2d's weights start as torch's Linear of r1.x", 14, "nn/layer/conv.py",
              "HeUniform(math.sqrt(5)) if weight_init is None", "HeUniform(math.sqrt(3)) if weight_init is None",
              "nn.Conv2d(3, 4, 3)", image, stage="random", where=r"layer\.weight"),
        layer("Dense's weights start wider", 16, basic, "init = HeUniform(math.sqrt(5))", "init = HeUniform(math.sqrt(3))", "nn.Dense(6, 5)", row, stage="random",
              where=r"(layer|head)\.(weight|bias)"),
        layer("Dense forgets its activation", 17, basic,
              "from None\n        return self.activation(y) if self.activation_flag else y",
              "from None\n        return y", "nn.Dense(6, 5, activation='relu')", row),
        layer("Dense adds its bias twice", 17, basic,
              "y = wrap(F.linear(x._t, weight._t, None if bias is None else bias._t))",
              "y = wrap(F.linear(x._t, weight._t, None if bias is None else 2 * bias._t))", "nn.Dense(6, 5)", row,
              where=r"(layer|head)"),
        layer("MaxPool pads the wrong side", 21, "ops/function/_nn_pool.py",
              "pads = same_pads(t.shape[2:], kernel, stride, dilation)",
              "pads = [(b, a) for a, b in same_pads(t.shape[2:], kernel, stride, dilation)]",
              "nn.MaxPool2d(2, 1, 'same')", image),
        layer("MaxPool pads with zeros", 21, "ops/function/_nn_pool.py",
              "min if dims == 3 else -math.inf", "min if dims == 3 else 0.0",
              "nn.MaxPool2d(2, 1, 'same')", image),
        layer("MaxPool's stride is its kernel's size", 19, pool, "self._window, self._step = self._sizes(\"kernel_size\"),"
              " self._sizes(\"stride\")", "self._window = self._step = self._sizes(\"kernel_size\")",
              "nn.MaxPool2d(2)", image),
        layer("AvgPool counts padding under same", 21, "ops/function/_nn_pool.py", "count_pads = bool(count_pads)",
              "count_pads = True", "nn.AvgPool2d(3, 1, 'same')", image),
        layer("LayerNorm's epsilon is torch's", 24, norm, "beta_init=\"zeros\", epsilon=1e-7, dtype=float32)",
              "beta_init=\"zeros\", epsilon=1e-2, dtype=float32)", "nn.LayerNorm((6,))", row),
        layer("LayerNorm forgets beta's place", 24, norm, "return wrap(torch.layer_norm(t, g.shape, g, b, epsilon))",
              "return wrap(torch.layer_norm(t, g.shape, g, None, epsilon))",
              "nn.LayerNorm((6,), beta_init='ones')", row),
        layer("GELU is the exact one", 26, act, "self.approximate = \"tanh\" if approximate else \"none\"",
              "self.approximate = \"none\"", "nn.GELU()", row),
        layer("LeakyReLU's slope is torch's", 28, act, "def __init__(self, alpha=0.2) -> None:",
              "def __init__(self, alpha=0.01) -> None:", "nn.LeakyReLU()", row),
        layer("Softmax over the first axis", 29, act, "return wrap(softmaxed(input._t, self._axis))",
              "return wrap(softmaxed(input._t, 0))", "nn.Softmax()", row),
        layer("LogSoftmax over the first axis", 29, act, "return wrap(log_softmaxed(x._t, self._axis))",
              "return wrap(log_softmaxed(x._t, 0))", "nn.LogSoftmax()", row),
        layer("LRN divides alpha as torch does", 73, act, "self._lrn = operator(depth_radius, bias, alpha, beta, norm_region)",
              "self._lrn = operator(depth_radius, bias, alpha / 11, beta, norm_region)", "nn.LRN()", image),
        layer("PReLU's weight is ignored", 0, act, "return wrap(kernels._prelu(x._t, w._t.to(x._t.dtype)))",
              "return wrap(kernels._prelu(x._t, w._t.to(x._t.dtype).detach() * 0 + 0.2))", "nn.PReLU()", row),
        layer("Tanh passes no gradient on", 0, act, "return torch.tanh(t)\n", "return torch.tanh(t.detach()) + t * 0\n",
              "nn.Tanh()", row, stage="backward"),
        layer("SoftShrink's threshold", 0, act, "return wrap(F.softshrink(input._t, self._lambd))",
              "return wrap(F.softshrink(input._t, self._lambd * 1.01))", "nn.SoftShrink()", row),
        layer("Hardtanh's limits swapped to unit", 0, act,
              "return wrap(_kernel(kernels.hardtanh)(x._t, self.min_val, self.max_val))",
              "return wrap(_kernel(kernels.hardtanh)(x._t, -1.0, 1.0))", "nn.Hardtanh(-0.5, 0.5)", row),
        layer("GroupNorm over one group", 0, norm, "return wrap(group_normalised(t, self.num_groups,",
              "return wrap(group_normalised(t, 1,", "nn.GroupNorm(3, 3)", image),
        layer("an LSTM takes one of its biases twice", 78, "nn/layer/rnns.py",
              "([self.b_ih_list, self.b_hh_list] if self.has_bias", "([self.b_ih_list, self.b_ih_list] if self.has_bias",
               "nn.LSTM(6, 5, batch_first=True)",
              "4,3,6"),
        layer("batch_first ignored", 78, "nn/layer/rnns.py",
              "if self.batch_first:\n            t = t.transpose(0, 1)", "if False:\n            t = t.transpose(0, 1)",
               "nn.GRU(6, 5, batch_first=True)",
              "4,4,6"),
        layer("the LSTM's gradient stops at its input", 78, "nn/layer/rnns.py",
              "y, final = self.rnn(t, state,", "y, final = self.rnn(t.detach() + t * 0, state,",
              "nn.LSTM(6, 5, batch_first=True)", "4,3,6", stage="backward"),
    ]


def _operators() -> list[Mutant]:
    reduce, extreme = "ops/function/_math_reduce.py", "ops/function/_math_extreme.py"
    order, shape = "ops/function/_array_order.py", "ops/function/_array_shape.py"

    def operator(name, rank, file, old, new, expression, size="4,6", stage="forward"):
        return Mutant(name, rank, file, old, new, ("one_operator.py", expression, size), stage, OPERATOR)

    return [
        operator("std and var divide by N - 1", 57, reduce,
                 "return torch.var(t, _spread_axes(axis, t), correction=int(ddof), keepdim=keep)",
                 "return torch.var(t, _spread_axes(axis, t), correction=1, keepdim=keep)", "ops.std(x, 1)"),
        operator("mean divides by one less", 66, reduce,
                 "return torch.mean(t, axis, keep)\n        except", "return torch.mean(t, axis, keep) * 1.01\n        except",
                 "ops.mean(x, 1)"),
        operator("median along the first axis", 70, extreme,
                 "values, indices = torch.median(input, one_axis(axis, input, \"Median\"), keepdims)",
                 "values, indices = torch.median(input, 0, keepdims)", "ops.median(x)[0].sum()"),
        operator("topk gives the smallest", 60, order,
                 "return _as_the_kernel(x, k, axis, largest, ordered)",
                 "return _as_the_kernel(x, k, axis, not largest, ordered)",
                 "ops.topk(x, 2)[0]"),
        operator("topk's places are Int64", 60, order, "return x.gather(axis, places), places.int()",
                 "return x.gather(axis, places), places.long()", "ops.topk(x, 2)[1]"),
        operator("sort's places are Int64", 60, order, "return values, indices.int()\n\n\n@op(primitive=\"Sort\"",
                 "return values, indices.long()\n\n\n@op(primitive=\"Sort\"", "ops.sort(x)[1]"),
        operator("unique sorts", 59, order, "return values[order], rank[inverse].reshape(x.shape).to(kind)",
                 "return values, inverse.reshape(x.shape).to(kind)", "ops.unique(Tensor([3.0, 1.0, 3.0, 2.0]))[0] + x.sum()"),
        operator("Mod follows the divisor", 61, "ops/function/_math_quotients.py", "return _mod_of_zero(x, y)",
                 "return x - y * torch.floor(torch.as_tensor(x._t if hasattr(x, '_t') else x) / y)",
                 "ops.Mod()(x, Tensor(1.5, ms.float32))"),
        operator("flatten takes the first axis in", 63, shape,
                 "return _own(_merge(input, order, start_dim, end_dim))",
                 "return _own(_merge(input, order, 0, end_dim))",
                 "ops.flatten(x) * 2.0", "4,3,2"),
        operator("meshgrid indexes ij", 64, "ops/function/_array_join.py",
                 "return _meshed(inputs, order)",
                 "return _meshed(inputs, \"ij\")",
                 "ops.meshgrid(x[0], x[:, 0])[0] * ops.arange(0, 6).astype(ms.float32)", "6,6"),
        operator("Split's number is a size", 69, "ops/function/_array_join.py",
                 "return tuple(torch.split(input_x, n // output_num, axis)) if n else (input_x,) * output_num",
                 "return tuple(torch.split(input_x, output_num, axis))", "ops.Split(1, 2)(x)[0]"),
        operator("softmax cross entropy's gradient is torch's", 30, "ops/function/_nn_cross_entropy.py",
                 "rest = (labels.sum(-1) - 1) * lse.detach()", "rest = (labels.sum(-1) - 1) * lse",
                 "ops.SoftmaxCrossEntropyWithLogits()(x, ops.ones_like(x))[0]", stage="backward"),
        operator("norm's gradient at zero", 62, "ops/function/_math_norms.py",
                 "return torch.sqrt(torch.sum(torch.square(t), where, keepdim))",
                 "return torch.linalg.vector_norm(t, 2, where, keepdim)", "ops.norm(x * 0.0, dim=1)",
                 stage="backward"),
        operator("clip_by_value's gradient at a limit", 0, "ops/function/clip_func.py",
                 "t = torch.maximum(t, low)", "t = torch.clamp_min(t, low)",
                 "ops.clip_by_value(x - ops.stop_gradient(x), 0.0, 1.0) + x", stage="backward"),
        operator("clip_by_global_norm's divisor", 75, "ops/function/clip_func.py",
                 "norm = torch.where(norm >= clip_norm, norm, clip_norm)", "norm = norm + 1e-2",
                 "ops.clip_by_global_norm((x,), 1.0)[0]"),
        operator("clip_by_norm does not clip", 75, "ops/function/clip_func.py",
                 "scale = torch.where(scale < 1.0, scale, 1.0)", "scale = torch.ones_like(total)",
                 "ops.clip_by_norm(x, 0.5)"),
        operator("avg_pool2d's stride", 23, "ops/function/_nn_pool.py",
                 "return avg_pooled(x, kernel, stride, \"PAD\", padding, ceil_mode,",
                 "return avg_pooled(x, kernel, kernel, \"PAD\", padding, ceil_mode,", "ops.avg_pool2d(x, 2)", "2,3,4,4"),
        operator("max_pool2d ignores its padding", 22, "ops/function/_nn_pool.py",
                 "return max_pooled(x, kernel, stride, \"PAD\", padding, dilation, ceil_mode, return_indices)",
                 "return max_pooled(x, kernel, stride, \"PAD\", 0, dilation, ceil_mode, return_indices)",
                 "ops.max_pool2d(x, (2, 2), 2, 1).sum()", "2,3,4,4"),
        operator("batch_norm's momentum", 7, "ops/function/_nn_norm.py",
                 "return normalising.batch_norm(input_x, weight, bias, *moving, training, momentum, eps, True)",
                 "return normalising.batch_norm(input_x, weight, bias, *moving, training, momentum, "
                 "eps * 1e4, True)",
                 "ops.batch_norm(x, ops.zeros(6), ops.ones(6), ops.ones(6), ops.zeros(6))"),
        operator("a dropped cast: reduce_sum in float32", 0, reduce,
                 "return _sum(x, _given(axis, \"ReduceSum\"), keep_dims, \"ReduceSum\", x.dtype)",
                 "return _sum(x, _given(axis, \"ReduceSum\"), keep_dims, \"ReduceSum\", torch.float32)", "ops.reduce_sum(x.astype(ms.float64), 1)"),
    ]


def _optimizers() -> list[Mutant]:
    adam = "nn/optim/adam.py"

    def optimizer(name, rank, file, old, new, expression, stage="optimizer", where=ANY):
        return Mutant(name, rank, "nn/optim/" + file if "/" not in file else file, old, new,
                      ("one_optimizer.py", expression), stage, where)

    adam_step = "nn.Adam(p, 0.01, eps=1e-2)"
    decays = "nn.Momentum([{'params': p[:2], 'weight_decay': 0.1}, {'params': p[2:]}], 0.05, 0.9)"
    return [
        optimizer("Adam's epsilon after the correction", 36, adam,
                  "lr=rate * correction, beta1=beta1, beta2=beta2, weight_decay=decay, eps=eps,",
                  "lr=rate * correction, beta1=beta1, beta2=beta2, weight_decay=decay, eps=eps * 30,", adam_step),
        optimizer("Adam without bias correction", 36, adam, "correction = math.sqrt(1.0 - power2) / (1.0 - power1)",
                  "correction = 1.0", adam_step),
        optimizer("Adam's betas swapped", 37, adam,
                  "lr=rate * correction, beta1=beta1, beta2=beta2, weight_decay=decay, eps=eps,",
                  "lr=rate * correction, beta1=beta2, beta2=beta1, weight_decay=decay, eps=eps,", adam_step),
        optimizer("AdamWeightDecay corrects the bias", 38, adam,
                  "torch._fused_adamw_(params, grads, first, second, [], late(params), lr=rate, beta1=beta1,",
                  "torch._fused_adamw_(params, grads, first, second, [], [torch.ones(()) for _ in params], lr=rate, "
                  "beta1=beta1,", "nn.AdamWeightDecay(p, 0.01)"),
        optimizer("AdamWeightDecay's decay added to the gradient", 38, adam,
                  "torch._fused_adamw_(params", "torch._fused_adam_(params",
                  "nn.AdamWeightDecay(p, 0.01, weight_decay=0.1)"),
        optimizer("RMSProp starts from zeros", 39, "rmsprop.py", "prefix=\"mean_square\", init=\"ones\"",
                  "prefix=\"mean_square\", init=\"zeros\"", "nn.RMSProp(p, 0.01)", stage="(optimizer|random)"),
        optimizer("RMSProp's epsilon outside the root", 40, "rmsprop.py",
                  "below = torch._foreach_add(found[0], eps)", "below = torch._foreach_add(found[0], eps * eps)",
                  "nn.RMSProp(p, 0.01, epsilon=0.1)"),
        optimizer("Adagrad's first accumulator", 41, "ada_grad.py", "prefix=\"accum\", init=accum",
                  "prefix=\"accum\", init=accum * 2", "nn.Adagrad(p, learning_rate=0.01)",
                  stage="(optimizer|random)"),
        optimizer("AdaMax's decay of the largest", 42, "adamax.py", "torch._foreach_mul(largest, beta2)",
                  "torch._foreach_mul(largest, beta2 * 0.99)", "nn.AdaMax(p, 0.01)"),
        optimizer("SGD's dampening from the first step", 43, "_sgd.py", "is_first_step=first", "is_first_step=False",
                  "nn.SGD(p, 0.05, 0.9, dampening=0.5)"),
        optimizer("SGD's nesterov ignored", 43, "_sgd.py", "nesterov=nesterov, maximize",
                  "nesterov=False, maximize",
                  "nn.SGD(p, 0.05, 0.9, nesterov=True)"),
        optimizer("Momentum's momentum", 44, "momentum.py", "self._host(self.momentum), 0.0,",
                  "self._host(self.momentum), 0.1,", "nn.Momentum(p, 0.05, 0.9)"),
        optimizer("Rprop's growth", 46, "rprop.py", "torch._foreach_clamp_max_(steps, most)",
                  "torch._foreach_clamp_max_(steps, most * 0.0 + 0.05)", "nn.Rprop(p, 0.05)"),
        optimizer("ASGD's decay of the weights", 47, "asgd.py",
                  "torch._foreach_mul_(params, 1.0 - self.lambd * eta)",
                  "torch._foreach_mul_(params, 1.0 + self.lambd * eta)", "nn.ASGD(p, 0.05, lambd=0.1)"),
        optimizer("Adadelta's epsilon", 48, "adadelta.py",
                  "ahead = torch._foreach_sqrt(torch._foreach_add(updates, eps))",
                  "ahead = torch._foreach_sqrt(torch._foreach_add(updates, eps * 2))", "nn.Adadelta(p, 1.0)"),
        optimizer("weight decay of all parameters", 49, "optimizer.py",
                  "self.decay_flags = tuple(\"beta\" not in p.name and \"gamma\" not in p.name for p in "
                  "self.parameters)",
                  "self.decay_flags = (True,) * len(self.parameters)",
                  "[setattr(q, 'name', 'gamma' + str(i)) for i, q in enumerate(p[:2])] and "
                  "nn.Momentum(p, 0.05, 0.9, weight_decay=0.1)"),
        optimizer("weight decay ignored", 49, "_step.py", "return bucket.decay\n", "return 0.0\n", decays),
        optimizer("loss_scale ignored", 49, "_step.py",
                  "list(torch._foreach_mul(raw, factor))",
                  "raw", "nn.Momentum(p, 0.05, 0.9, loss_scale=2.0)"),
        optimizer("a schedule one step late", 51, "_rates.py", "return float(rates[step])\n", "return rates[max(step - 1, 0)]\n",
                  "nn.SGD(p, [0.1, 0.05, 0.02, 0.01, 0.005])"),
        optimizer("cosine decay over the wrong span", 51, "nn/dynamic_lr.py",
                  "return [min_lr + half * (1 + math.cos(math.pi * min(epoch, decay_epoch) / decay_epoch))",
                  "return [min_lr + half * (1 + math.cos(math.pi * min(epoch, decay_epoch) / (decay_epoch + 1)))",
                  "nn.SGD(p, nn.cosine_decay_lr(0.01, 0.1, 5, 1, 4))"),
        optimizer("warm-up counts from one", 51, "nn/dynamic_lr.py",
                  "return [learning_rate * min(epoch, warmup_epoch) / warmup_epoch",
                  "return [learning_rate * min(epoch + 1, warmup_epoch) / warmup_epoch",
                  "nn.SGD(p, nn.warmup_lr(0.1, 5, 1, 4))"),
        optimizer("exponential decay of the wrong base", 51, "nn/dynamic_lr.py",
                  "return [learning_rate * decay_rate ** periods(epoch)",
                  "return [learning_rate * (decay_rate + 0.05) ** periods(epoch)",
                  "nn.SGD(p, nn.exponential_decay_lr(0.1, 0.5, 5, 1, 1))"),
        optimizer("a skipped update", 50, "_step.py", "  update(params, grads, *state,",
                  "  step == 2 or update(params, grads, *state,", "nn.Momentum(p, 0.05, 0.9)"),
        optimizer("gradients in another order", 50, "_step.py", "raw = [g._t for g in gradients] if",
                  "raw = [g._t.flip(0) for g in gradients] if", "nn.Momentum(p, 0.05, 0.9)"),
        optimizer("FTRL's power", 0, "ftrl.py", "after = torch._foreach_pow(gathered, power)",
                  "after = torch._foreach_pow(gathered, power * 0.9)", "nn.FTRL(p, learning_rate=0.05)"),
        optimizer("groups share one rate", 49, "_step.py", "source = bucket.rate",
                  "source = self._buckets[0].rate",
                  "nn.Momentum([{'params': p[:2], 'lr': 0.1}, {'params': p[2:]}], 0.05, 0.9)"),
        optimizer("Adam's nesterov does not look ahead", 37, adam, "ahead = torch._foreach_mul(mean, beta1)",
                  "ahead = torch._foreach_mul(mean, 1.0)", "nn.Adam(p, 0.01, use_nesterov=True)"),
    ]


def _losses() -> list[Mutant]:
    kernels, cells = "ops/function/_nn_loss.py", "nn/loss/_classification.py"
    entropies = "ops/function/_nn_cross_entropy.py"

    def loss(name, rank, file, old, new, expression, labels="real", last="", stage="forward"):
        return Mutant(name, rank, file, old, new, ("one_loss.py", expression, labels, *([last] if last else [])), stage,
                      r"loss")

    return [
        loss("softmax cross entropy sums", 30, "nn/loss/_base.py", "t = t.mean() if self.average else t.sum()",
             "t = t.sum()", "nn.SoftmaxCrossEntropyWithLogits(reduction='mean')", "onehot"),
        loss("sparse softmax cross entropy sums", 30, entropies, "return F.cross_entropy(logits, labels.long())",
             "return F.cross_entropy(logits, labels.long(), reduction=\"sum\")",
             "nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')", "index"),
        loss("label smoothing ignored", 31, cells, "self.ignore_index, self.reduction, self.label_smoothing))",
             "self.ignore_index, self.reduction, 0.0))", "nn.CrossEntropyLoss(label_smoothing=0.1)", "index"),
        loss("ignore_index counts", 31, entropies,
             "F.cross_entropy(input, at, weight, None, ignore_index,", "F.cross_entropy(input, at, weight, None, -100,", "nn.CrossEntropyLoss(ignore_index=1)", "index"),
        loss("smooth L1 is reduced", 32, kernels,
             "F.smooth_l1_loss(a, b, reduction=meant_reduction(reduction, \"smooth_l1_loss\"), beta=beta)",
             "F.smooth_l1_loss(a, b, beta=beta)", "nn.SmoothL1Loss()"),
        loss("smooth L1's beta", 32, kernels,
             "F.smooth_l1_loss(a, b, reduction=meant_reduction(reduction, \"smooth_l1_loss\"), beta=beta)",
             "F.smooth_l1_loss(a, b, reduction=reduction, beta=1.0)", "nn.SmoothL1Loss(beta=0.5)"),
        loss("binary cross entropy sums", 33, cells,
             "return kernels.binary_cross_entropy(logits, labels, self.weight, self.reduction)",
             "return kernels.binary_cross_entropy(logits, labels, self.weight, \"sum\")", "nn.BCELoss()", "binary",
             "nn.Sigmoid()"),
        loss("KL divergence by batch", 34, kernels, "return reduced(loss, reduction)\n\n\n@op\ndef kl_div",
             "return loss.sum() / logits.shape[0]\n\n\n@op\ndef kl_div", "nn.KLDivLoss()", "onehot",
             "nn.LogSoftmax()"),
        loss("MSE halves", 0, "nn/loss/_regression.py",
             "wrap(kernels.squared_difference(*_pair(self, logits, labels)))",
             "wrap(kernels.squared_difference(*_pair(self, logits, labels)) / 2)", "nn.MSELoss()"),
        loss("Huber's delta", 0, kernels, "reduction=reduction, delta=delta)", "reduction=reduction, delta=1.0)",
             "nn.HuberLoss(delta=0.5)"),
        loss("BCE with logits forgets pos_weight", 0, kernels, "pos_weight=pos_weight)", "pos_weight=None)",
             "nn.BCEWithLogitsLoss(pos_weight=Tensor(np.full(4, 3.0, np.float32)))", "binary"),
        loss("L1 squared", 0, "nn/loss/_regression.py", "return kernels.l1_loss(logits, labels, self.reduction)",
             "return kernels.l1_loss(logits * 1.01, labels, self.reduction)", "nn.L1Loss()"),
        loss("the gradient of MSE reaches half", 0, "nn/loss/_regression.py",
             "wrap(kernels.squared_difference(*_pair(self, logits, labels)))",
             "wrap((d := kernels.difference(*_pair(self, logits, labels))) * d.detach())", "nn.MSELoss()",
             stage="backward"),
    ]


def _scales_and_data() -> list[Mutant]:
    def scale(name, old, new, *arguments, file="amp.py", stage="loss_scale"):
        return Mutant(name, 0, file, old, new, ("one_scaling.py", *arguments), stage, ANY)

    def data(name, file, old, new, expression, stage="data"):
        return Mutant(name, 0, file, old, new, ("one_data.py", expression), stage, ANY)

    batch = "dataset/engine/_batch.py"
    return [
        scale("the scale rises one step late", "(counter == self.scale_window - 1)", "(counter == self.scale_window)"),
        scale("the scale falls by half of the factor", "lowered = torch.clamp(scale / self.scale_factor, min=1.0)",
              "lowered = torch.clamp(scale * 2 / self.scale_factor, min=1.0)"),
        scale("the count goes on after an overflow", "self.counter._assign((counter + 1) % self.scale_window * finite)",
              "self.counter._assign((counter + 1) % self.scale_window)"),
        scale("unscaling forgotten", "return _times(inputs, self.scale_value._t.reciprocal())", "return inputs",
              stage="(optimizer|backward|loss_scale)"),
        scale("an overflow unseen", "return wrap(_amp.non_finite(inputs).logical_not())",
              "return wrap(_amp.non_finite(inputs) < 2)", stage="(optimizer|loss_scale)"),
        data("the last batch is dropped", batch,
             "if drop and len(group) < wanted:", "if len(group) < wanted:", "d.batch(6)"),
        data("shuffling with another seed", "dataset/engine/_flow.py", "draw = MT19937_64(seed)", "draw = MT19937_64(seed + 1)", "d.shuffle(8).batch(4)"),
        data("shards from the next row on", "dataset/engine/samplers.py",
             "return [order[(first + i * self.num_shards) % rows] for i in range(wanted)]",
             "return [order[(first + 1 + i * self.num_shards) % rows] for i in range(wanted)]",
             "ds.GeneratorDataset(Rows(), ['x', 'y'], num_shards=2, shard_id=0, shuffle=False).batch(4)"),
        data("Rescale forgets its shift", "dataset/vision/_values.py", "scaled += self._offset", "scaled += 0.0",
             "d.map(vision.Rescale(1 / 255, 0.5), 'x').batch(4)"),
        data("HWC2CHW swaps height and width", "dataset/vision/_values.py",
             "image.transpose(2, 0, 1)\n\n\nclass ToTensor", "image.transpose(2, 1, 0)\n\n\nclass ToTensor",
             "d.map(vision.HWC2CHW(), 'x').batch(4)"),
        data("Normalize forgets its deviation", "dataset/vision/_values.py", "np.array(std, np.float32).reshape(shape)",
             "np.ones_like(np.array(std, np.float32)).reshape(shape)", "d.map(vision.Normalize([120.0] * 3, [60.0] * 3), 'x').batch(4)"),
        data("one row of a shuffle is lost", "dataset/engine/_flow.py", "buffer = list(islice(rows, size))",
             "buffer = list(islice(rows, size))[1:]", "d.shuffle(8).batch(4, drop_remainder=True)"),
    ]


def mutants() -> list[Mutant]:
    """All planted defects."""
    return [*_layers(), *_operators(), *_optimizers(), *_losses(), *_scales_and_data()]
