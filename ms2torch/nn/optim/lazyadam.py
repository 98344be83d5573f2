"""LazyAdam (``mindspore.nn.LazyAdam``)."""

from __future__ import annotations

from ms2torch import _checkparam as validator

from .adam import AdamBase, check_hyper
from .optimizer import opt_init_args_register


class LazyAdam(AdamBase):
    """Adam that leaves rows without gradient alone where gradients are row-sparse; with dense ones it is
    Adam.

    Row-sparse is what ``EmbeddingLookup(sparse=True)`` gives in graph mode. State as Adam's.
    """

    use_lazy, _operator = True, "Adam"

    @opt_init_args_register
    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        # (The misspelt name is in MindSpore's message.)
        validator.check_value_type("weight_dacay", weight_decay, [float], self.cls_name)
        check_hyper(beta1, beta2, eps, self.cls_name)
        validator.check_value_type("use_locking", use_locking, [bool], self.cls_name)
        validator.check_value_type("use_nesterov", use_nesterov, [bool], self.cls_name)
        self._init_adam(beta1, beta2, eps, use_locking, use_nesterov, (1,))
