"""Where an optimizer's learning rate and weight decay come from when they change by the step."""

from __future__ import annotations

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell
from ms2torch.nn.learning_rate_schedule import LearningRateSchedule


class _ConvertToCell(LearningRateSchedule):
    """A constant rate among dynamic ones: one is added and taken away: 0.003 counts 0.00300002."""

    def __init__(self, learning_rate) -> None:
        super().__init__()
        if not isinstance(learning_rate, Parameter):
            raise TypeError("For 'Optimizer', the argument 'learning_rate' must be Parameter, "
                            f"but got {type(learning_rate)}.")
        self.learning_rate = learning_rate

    def construct(self, global_step):
        return (self.learning_rate + 1) - 1


class _IteratorLearningRate(LearningRateSchedule):
    """A list of rates by step; RuntimeError for a step beyond its end."""

    def __init__(self, learning_rate, name: str) -> None:
        super().__init__()
        if not isinstance(learning_rate, Tensor):
            raise TypeError("For 'Optimizer', the argument 'learning_rate' must be Tensor, "
                            f"but got {type(learning_rate)}.")
        if learning_rate.ndim != 1:
            raise ValueError("For 'Optimizer', the dimension of the argument 'learning_rate' should "
                             f"be 1, but got {learning_rate.ndim}.")
        self.learning_rate = Parameter(learning_rate, name)
        self._listed = (None, [])

    def at(self, step: int) -> float:
        """The rate at ``step``: a device's from the host's copy of the list."""
        rest = self.learning_rate._rest
        key = (rest.data_ptr(), None if rest.is_cpu else rest._version)
        if self._listed[0] != key:
            self.__dict__["_listed"] = (key, rest.numpy() if rest.is_cpu else rest.tolist())
        rates = self._listed[1]
        if step >= len(rates):
            raise RuntimeError(f"For 'Gather', the 'input_indices' should be in the range [0, {len(rates)}), "
                               f"but got {step}, error_code[58]")
        return float(rates[step])

    def construct(self, global_step):
        from ms2torch.ops import gather

        return gather(self.learning_rate, global_step, 0)


class _WrappedWeightDecay(Cell):
    """A weight-decay schedule times the loss scale."""

    _never_recorded = True

    def __init__(self, weight_decay, loss_scale: float = 1.0) -> None:
        super().__init__()
        self.weight_decay = weight_decay
        self.loss_scale = Tensor(loss_scale, _dtype.float32)

    def construct(self, global_step):
        return self.weight_decay(global_step) * self.loss_scale
