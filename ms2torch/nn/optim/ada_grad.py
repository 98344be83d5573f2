"""Adagrad (``mindspore.nn.Adagrad``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch import _checkparam as validator

from ._gradients import EVALUATED
from ._half import in_single
from ._mixed import refuse_cast
from ._undo import atomic, renew
from .optimizer import Optimizer, opt_init_args_register


class Adagrad(Optimizer):
    """s += g^2; p -= lr * g / sqrt(s), with s starting at ``accum`` and no epsilon, unlike torch's.

    Without ``update_slots`` s stays as it is. State: ``accum.*``. TypeError and ValueError for a bad
    ``accum``.
    """

    _operator, _unlike = "ApplyAdagrad", EVALUATED
    _gathers = True

    _written = ""
    _for_mixed = refuse_cast()

    @opt_init_args_register
    def __init__(self, params, accum=0.1, learning_rate=0.001, update_slots=True, loss_scale=1.0,
                 weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        validator.check_value_type("accum", accum, [float], self.cls_name)
        validator.check_value_type("update_slots", update_slots, [bool], self.cls_name)
        validator.check_non_negative_float(accum, "accum", self.cls_name)
        self.accum = self.parameters.clone(prefix="accum", init=accum)
        self.update_slots = update_slots

    def construct(self, grads):
        return self._update(grads, in_single(partial(_adagrad, self.update_slots)), self.accum)


@atomic
def _adagrad(update_slots, params, grads, accum, rate, _) -> None:
    found = torch._foreach_addcmul(accum, grads, grads, 1) if update_slots else accum
    ahead = torch._foreach_mul(grads, rate)
    torch._foreach_div_(ahead, torch._foreach_sqrt(found))
    torch._foreach_sub_(params, ahead)
    if update_slots:
        renew((accum, found))
