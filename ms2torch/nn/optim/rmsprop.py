"""RMSProp (``mindspore.nn.RMSProp``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch import _checkparam as validator

from ._half import in_single, nearer
from ._mixed import refuse_two_dtypes
from ._undo import atomic, renew
from .optimizer import Optimizer, opt_init_args_register


class RMSProp(Optimizer):
    """s = decay * s + (1 - decay) * g^2; v = momentum * v + lr * g / sqrt(s + epsilon); p -= v.

    s starts at 1 (torch's at 0) and the epsilon is inside the root. ``centered`` takes the square of the mean
    gradient off s; where nothing positive is left of it, p and v stay as they are. State:
    ``mean_square.*``, ``moment.*`` (``mean_grad.*``). TypeError and ValueError for hyperparameters that are
    no floats or negative.
    """

    _operator, _taken, _hyper_map = "ApplyRMSProp", "same", True
    _unlike = ("For '{operator}', 'grad' must have the same shape as 'var'. "
               "But got 'grad' shape: {grad}, 'var' shape: {var}.")
    _gathers = True
    _for_mixed = refuse_two_dtypes("ApplyRMSProp", "mean square dtype", "var dtype")

    @opt_init_args_register
    def __init__(self, params, learning_rate=0.1, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
                 centered=False, loss_scale=1.0, weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        name = self.cls_name
        validator.check_value_type("decay", decay, [float], name)
        validator.check_non_negative_float(decay, "decay", name)
        validator.check_value_type("momentum", momentum, [float], name)
        validator.check_non_negative_float(momentum, "momentum", name)
        validator.check_value_type("epsilon", epsilon, [float], name)
        validator.check_positive_float(epsilon, "epsilon", name)
        validator.check_value_type("use_locking", use_locking, [bool], name)
        validator.check_value_type("centered", centered, [bool], name)
        self.centered = centered
        if centered:
            self.mg = self.parameters.clone(prefix="mean_grad", init="zeros")
        self.momentum = momentum
        self.ms = self.parameters.clone(prefix="mean_square", init="ones")
        self.moment = self.parameters.clone(prefix="moment", init="zeros")
        self.epsilon = epsilon
        self.decay = decay

    def construct(self, gradients):
        kernel = partial(_rmsprop, self.decay, self.momentum, self.epsilon)
        kernel = in_single(kernel, halves=not self.centered)
        slots = (self.ms, self.moment) + ((self.mg,) if self.centered else ())
        return self._update(gradients, kernel, *slots)


@atomic
def _rmsprop(keep, momentum, eps, params, grads, squares, moments, *mean_rate_decay) -> None:
    *mean, rate, _ = mean_rate_decay
    found = [nearer(squares, torch._foreach_mul(grads, grads), 1 - keep)]
    below = torch._foreach_add(found[0], eps)
    if mean:
        found.append(torch._foreach_lerp(mean[0], grads, 1 - keep))
        torch._foreach_addcmul_(below, found[1], found[1], -1)
        stays = [~(b > 0) for b in below]
    torch._foreach_sqrt_(below)
    ahead = torch._foreach_mul(grads, rate)
    torch._foreach_div_(ahead, below)
    moved = torch._foreach_mul(moments, momentum)
    torch._foreach_add_(moved, ahead)
    if mean:
        steps = [m.masked_fill(s, 0) for m, s in zip(moved, stays, strict=True)]
        moved = [torch.where(s, old, new) for s, old, new in zip(stays, moments, moved, strict=True)]
    torch._foreach_sub_(params, steps if mean else moved)
    renew((moments, moved), *zip((squares, *mean), found, strict=True))
