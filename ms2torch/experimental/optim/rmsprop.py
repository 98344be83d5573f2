"""RMSprop (``mindspore.experimental.optim.RMSprop``)."""

from __future__ import annotations

import torch

from ms2torch.nn.optim._undo import atomic, renew

from .optimizer import Optimizer, check_not_less_than, check_not_less_than_without_equal


class RMSprop(Optimizer):
    """s = alpha * s + (1 - alpha) * g^2; v = momentum * v + g / (sqrt(s) + eps); p -= lr * v.

    As torch's, not as ``nn.RMSProp``. ``centered`` takes the square of the mean gradient off s. State:
    ``mean_grad.*``, ``mean_square.*`` (s), ``moment.*`` (v).
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0.0,
        momentum=0.0,
        centered=False,
        maximize=False,
    ) -> None:
        name = type(self).__name__
        check_not_less_than_without_equal(lr, "lr", name)
        check_not_less_than(alpha, "alpha", name)
        check_not_less_than_without_equal(eps, "eps", name)
        check_not_less_than(momentum, "momentum", name)
        check_not_less_than(weight_decay, "weight_decay", name)
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )
        self.mean_grad = self.parameters.clone(prefix="mean_grad", init="zeros")
        self.mean_square = self.parameters.clone(prefix="mean_square", init="zeros")
        self.moment = self.parameters.clone(prefix="moment", init="zeros")

    def construct(self, gradients):
        return self._update(gradients, _rmsprop, self.mean_grad, self.mean_square, self.moment)


@atomic
def _rmsprop(group, params, grads, means, squares, moments, rate) -> None:
    alpha = group["alpha"]
    square = torch._foreach_mul(squares, alpha)
    torch._foreach_addcmul_(square, grads, grads, 1 - alpha)
    found = [(squares, square)]
    if group["centered"]:
        mean = torch._foreach_lerp(means, grads, 1 - alpha)
        found.append((means, mean))
        below = torch._foreach_addcmul(square, mean, mean, -1)
        torch._foreach_sqrt_(below)
    else:
        below = torch._foreach_sqrt(square)
    torch._foreach_add_(below, group["eps"])
    if group["momentum"] > 0:
        moved = torch._foreach_mul(moments, group["momentum"])
        torch._foreach_addcdiv_(moved, grads, below)
        found.append((moments, moved))
        torch._foreach_add_(params, moved, alpha=-rate)
    else:
        torch._foreach_addcdiv_(params, grads, below, -rate)
    renew(*found)
