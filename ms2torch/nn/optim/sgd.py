"""SGD (``mindspore.nn.SGD``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch import _checkparam as validator
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._core.torch_private import address
from ms2torch.common.parameter import Parameter

from ._mixed import in_widest
from ._sgd import sgd
from .optimizer import Optimizer, opt_init_args_register


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum where asked for.

    v = momentum * v + (1 - dampening) * g, at the first step v = g; p -= lr * v, with ``nesterov`` p -= lr *
    (g + momentum * v). Parameters in its state: ``accum.*`` and ``stat.*`` (1 until the first step). Raises
    TypeError and ValueError for bad hyperparameters. torch's SGD has the same formula.
    """

    _taken = frozenset((torch.float16, torch.float32, torch.bfloat16))
    _hyper_map = True
    _kernel_decays = True
    _for_mixed = in_widest

    @opt_init_args_register
    def __init__(self, params, learning_rate=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0,
                 nesterov=False, loss_scale=1.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        momentum = _checked("momentum", momentum, end=".")
        dampening = _checked("dampening", dampening, got="'dampening' ")
        validator.check_value_type("nesterov", nesterov, [bool], self.cls_name)
        if nesterov and (momentum <= 0.0 or dampening != 0.0):
            raise ValueError("For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' "
                             f"must equal to 0.0, but got 'momentum' {momentum}, 'dampening' {dampening}.")
        if self.dynamic_weight_decay:
            raise TypeError("For 'SGD', dynamic weight decay is currently not supported, the argument "
                            "'weight_decay' or 'weight_decay' set in grouped 'params' must be float or int "
                            "type.")
        self.dampening, self.nesterov = dampening, nesterov
        self._made = dampening, nesterov                        # the operator's, whatever is assigned later
        self.momentum = Parameter(Tensor(momentum, _dtype.float32), name="momentum")
        self.accum = self.parameters.clone(prefix="accum", init="zeros")
        self.stat = self.parameters.clone(prefix="stat", init="ones")
        self._fresh = None

    def construct(self, gradients):
        momentum = self._host(self.momentum)
        if not momentum:
            return self._update(gradients, partial(sgd, 0.0, 0.0, False, False))
        first = self._is_first()
        kernel = partial(sgd, momentum, *self._made, first)
        if first:
            for s in self.stat:
                self._save_number(s._rest, 1.0)
            torch._foreach_zero_([s._rest for s in self.stat])
        done = self._update(gradients, kernel, self.accum)
        if first:
            self.__dict__["_fresh"] = self._stat_state(), False
        return done

    def _stat_state(self):
        rest = self.stat[0]._rest
        return address(rest), rest._version

    def _is_first(self) -> bool:
        # ``stat`` is 1 before the first step, also when it came from a checkpoint.
        state = self._stat_state()
        if self._fresh is None or self._fresh[0] != state:
            self.__dict__["_fresh"] = state, bool(self.stat[0]._rest.any())
        return self._fresh[1]


def _checked(name: str, value, got: str = "", end: str = "") -> float:
    value = float(value) if isinstance(value, int) else value
    if not isinstance(value, float):
        raise TypeError(f"For 'SGD', the argument '{name}' must be float type, but got {type(value)}.")
    if value < 0.0:
        raise ValueError(f"For 'SGD', the argument '{name}' must be at least 0.0, but got {got}{value}{end}")
    return value
