"""Momentum (``mindspore.nn.Momentum``)."""

from __future__ import annotations

from functools import partial

from ms2torch import _checkparam as validator
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter

from ._mixed import refuse_cast
from ._sgd import sgd
from .optimizer import Optimizer, opt_init_args_register


class Momentum(Optimizer):
    """Gradient descent with momentum: v = momentum * v + g; p -= lr * v.

    ``use_nesterov``: p -= lr * (g + momentum * v), as documented. (MindSpore 2.10 on a CPU does not heed
    ``use_nesterov``.) Parameters in its state: ``momentum`` and ``moments.*``. TypeError where ``momentum``
    is no float, ValueError where it is negative. torch's SGD with momentum and no dampening has the same
    formula.
    """

    _written = "the argument[variable]'s data type of primitive[ApplyMomentum]"
    _for_mixed = refuse_cast("the argument[accumulation]'s data type of primitive[ApplyMomentum]")

    _operator, _hyper_map = "ApplyMomentum", True
    _unlike = ("For primitive[{operator}], the gradient_shape must be equal to variable_shape which is "
               "{var_vector} , but got {grad_vector}.")
    _kernel_decays = True

    @opt_init_args_register
    def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0,
                 use_nesterov=False) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        validator.check_value_type("momentum", momentum, [float], self.cls_name)
        if momentum < 0.0:
            raise ValueError("For 'Momentum', the argument 'momentum' must be at least 0.0, but got "
                             f"{momentum}")
        self.momentum = Parameter(Tensor(momentum, _dtype.float32), name="momentum")
        self.params = self.parameters
        self.use_nesterov = self._nesterov = validator.check_bool(use_nesterov)     # (the operator's)
        self.moments = self.parameters.clone(prefix="moments", init="zeros")

    def construct(self, gradients):
        kernel = partial(sgd, self._host(self.momentum), 0.0, self._nesterov, False)
        return self._update(gradients, kernel, self.moments)
