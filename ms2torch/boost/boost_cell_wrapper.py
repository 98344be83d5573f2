"""Training steps with boost's algorithms (``mindspore.boost.boost_cell_wrapper``)."""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.tensor import wrap
from ms2torch.common import dtype as mstype
from ms2torch.common.parameter import Parameter
from ms2torch.common.tensor import Tensor
from ms2torch.communication import get_group_size
from ms2torch.nn.cell import Cell
from ms2torch.nn.wrap import TrainOneStepCell
from ms2torch.ops import composite as C
from ms2torch.ops import functional as F

from .boost import AutoBoost
from .grad_accumulation import gradient_accumulation_op, gradient_clear_op
from .grad_freeze import FreezeOpt, freeze_cell

__all__ = ["BoostTrainOneStepCell", "BoostTrainOneStepWithLossScaleCell"]

_SERVER = 8


class BoostTrainOneStepCell(TrainOneStepCell):
    """``nn.TrainOneStepCell`` with the algorithms that an AutoBoost chose, or with a FreezeOpt
    (``mindspore.boost.BoostTrainOneStepCell``).

    ``sens`` scales the gradients. Gives the loss (MindSpore's gives None where ``sens`` is None).
    NotImplementedError for dim_reduce, and for adasum on 16 devices or more, where MindSpore does it.
    """

    def __init__(self, network, optimizer, sens=None) -> None:
        super().__init__(network, optimizer, sens)
        self.hyper_map = C.HyperMap()
        self.freeze = isinstance(optimizer, FreezeOpt)
        self.train_strategy = getattr(optimizer, "train_strategy", None)
        self.auto_boost = AutoBoost()
        self.max_accumulation_step = 1
        if self.parallel_mode in ("data_parallel", "stand_alone") and \
                self.auto_boost.boost_config["grad_accumulation"]:
            self.max_accumulation_step = max(1, self.auto_boost.grad_accumulation_step)
        self.use_grad_accumulation = self.max_accumulation_step > 1
        self.accumulation_step = Parameter(Tensor(0, dtype=mstype.int32), name="accumulation_step")
        if self.use_grad_accumulation:
            self.grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self.enable_dim_reduce = self.check_dim_reduce_enable()
        self.freeze_nets = None
        self.step = Parameter(Tensor(0, dtype=mstype.int32), name="step")
        if self.freeze:
            degree = {"mean": self.mean, "degree": self.degree} if self.reducer_flag else {}
            self.freeze_nets = freeze_cell(self.reducer_flag, network, optimizer, self.sens, self.grad,
                                           self.use_grad_accumulation, **degree,
                                           max_accumulation_step=self.max_accumulation_step)
        self.enable_adasum = self.check_adasum_enable()
        self.sync_tensor = Parameter(Tensor(0, dtype=mstype.int32), name="sync_tensor")
        if self.enable_adasum or self.enable_dim_reduce:
            what = "adasum" if self.enable_adasum else "dim_reduce"
            raise unsupported(f"mindspore.boost.BoostTrainOneStepCell with {what}",
                              "it is an algorithm between many Ascend devices.",
                              "gradients averaged over the devices, as nn.TrainOneStepCell does.")

    def construct(self, *inputs):
        if self.freeze:
            return self.gradient_freeze_process(*inputs)
        loss = self.network(*inputs)
        sens = self._sensitivity(loss)
        if self.sense_flag:
            grads = self.grad(self.network, self.weights)(*inputs, sens)
        else:
            grads = self.grad_no_sens(self.network, self.weights)(*inputs)
        return self._multi_update(loss, self.grad_reducer(grads), sens, *inputs)

    def _multi_update(self, loss, grads, sens, *inputs):
        if self.use_grad_accumulation:
            return self.gradient_accumulation_process(loss, grads, sens, *inputs)
        self.optimizer(grads)
        return loss

    def gradient_freeze_process(self, *inputs):
        """A step of the group whose turn it is; gives the loss."""
        step = turn = int(self.step.asnumpy())
        last = len(self.freeze_nets)
        if self.train_strategy is not None:
            turn, last = int(self.train_strategy.asnumpy()[step]), len(self.train_strategy)
        loss = self.freeze_nets[turn](*inputs)
        F.assign(self.step, Tensor(0 if step + 1 >= last else step + 1, mstype.int32))
        return loss

    def gradient_accumulation_process(self, loss, grads, sens, *inputs):
        """Add ``grads`` up, and update by their mean after every ``max_accumulation_step`` calls; gives the
        loss."""
        self.hyper_map(F.partial(gradient_accumulation_op, self.max_accumulation_step),
                       self.grad_accumulation, grads)
        F.assign_add(self.accumulation_step, Tensor(1, mstype.int32))
        if int(self.accumulation_step.asnumpy()) >= self.max_accumulation_step:
            self.optimizer(self.grad_accumulation)
            F.assign(self.accumulation_step, Tensor(0, mstype.int32))
            self.hyper_map(gradient_clear_op, self.grad_accumulation)
        return loss

    def adasum_process(self, loss, grads):
        """Not supported: NotImplementedError."""
        raise unsupported("mindspore.boost.BoostTrainOneStepCell.adasum_process",
                          "it combines the weights of groups of Ascend devices.", "average gradients.")

    def check_adasum_enable(self) -> bool:
        """Whether AdaSum is asked for and there are 16, 32, ... devices."""
        if not getattr(self.optimizer, "adasum", None) or not self.reducer_flag:
            return False
        groups = get_group_size() // _SERVER
        return groups > 1 and groups & (groups - 1) == 0

    def check_dim_reduce_enable(self) -> bool:
        """Whether the optimizer is marked for ``dim_reduce``."""
        return bool(getattr(self.optimizer, "dim_reduce", None))


class BoostTrainOneStepWithLossScaleCell(BoostTrainOneStepCell):
    """``BoostTrainOneStepCell`` with loss scaling (``mindspore.boost.BoostTrainOneStepWithLossScaleCell``),
    which MindSpore runs on GPU and Ascend alone.

    ``scale_sense``: a loss-scale update Cell, or a Tensor of shape () or (1,). Gives (loss, overflow, scale).
    A step whose gradients overflow does not update. NotImplementedError for scales by layer.
    """

    def __init__(self, network, optimizer, scale_sense) -> None:
        super().__init__(network, optimizer, sens=None)
        self.loss_scaling_manager = None
        if self.auto_boost.boost_config["loss_scale_group"]:
            if not isinstance(scale_sense, Cell) or not hasattr(scale_sense, "set_loss_scale_status"):
                raise TypeError(f"The scale_sense must be enhanced amp Cell, bug got {type(scale_sense)}")
            raise unsupported("mindspore.boost with loss_scale_group", "Ascend tells which layer overflowed.",
                              "one scale, by nn.DynamicLossScaleUpdateCell.")
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            self.scale_sense = Parameter(Tensor(scale_sense.get_loss_scale(), dtype=mstype.float32),
                                         name="scale_sense")
        elif not isinstance(scale_sense, Tensor):
            raise TypeError(f"The scale_sense must be Cell or Tensor, but got {type(scale_sense)}")
        elif scale_sense.shape not in ((), (1,)):
            raise ValueError(f"The shape of scale_sense must be (1,) or (),"
                             f"{' ' * 37}but got {scale_sense.shape}")
        else:
            self.scale_sense = Parameter(scale_sense, name="scale_sense")

    def construct(self, *inputs):
        loss = self.network(*inputs)
        scale = self.scale_sense.value()
        sens = wrap(torch.ones_like(loss._t) * scale._t.to(loss._t.dtype))
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        grads = self.grad_reducer(tuple(wrap(g._t * (1.0 / scale._t).to(g._t.dtype)) for g in grads))
        overflow = wrap(~torch.stack([g._t.isfinite().all() for g in grads]).all())
        if not self._process_loss_scale(overflow):
            loss = self._multi_update(loss, grads, sens, *inputs)
        return loss, overflow, scale

    def _process_loss_scale(self, overflow):
        """Let the manager update the scale; returns ``overflow``."""
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow

    def _set_sense_scale(self, sens) -> None:
        if not isinstance(sens, Tensor):
            raise TypeError(f"The input type must be Tensor, but got {type(sens)}")
        self.scale_sense.set_data(sens)
