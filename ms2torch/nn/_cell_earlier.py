"""Methods of Cell that MindSpore has dropped, or keeps until it does. Mixed into Cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms2torch._core.errors import notice
from ms2torch._core.tensor.tensor import Tensor

if TYPE_CHECKING:
    from .cell import Cell


def _deprecated(name: str) -> None:
    notice(f"Cell.{name}", f"'{name}' function is deprecated.")


class CellEarlier:
    """What programs of 1.x and 2.x up to 2.6 may call on a Cell."""

    def auto_cast_inputs(self, inputs):
        """A tuple whose float Tensors have the dtype of ``to_float``, if it was called (up to 2.6)."""
        from ms2torch.common.dtype import float16, float32

        flags = self.get_flags()
        chosen = float16 if flags.get("fp16") else float32 if flags.get("fp32") else None
        if chosen is None:
            return inputs
        floats = [isinstance(x, Tensor) and x._t.is_floating_point() for x in inputs]
        return tuple(x.astype(chosen) if of_floats else x
                     for x, of_floats in zip(inputs, floats, strict=True))

    def cast_param(self, param):
        """The parameter itself: under ``to_float`` it is cast where ``construct`` reads it (up to 2.6)."""
        return param

    def load_parameter_slice(self, params) -> None:
        """Does nothing, as in MindSpore (up to 2.6)."""
        _deprecated("load_parameter_slice")

    def set_parallel_input_with_inputs(self, *inputs) -> None:
        """Does nothing, as in MindSpore (up to 2.6)."""
        _deprecated("set_parallel_input_with_inputs")

    def auto_parallel_compile_and_run(self) -> None:
        """Does nothing, as in MindSpore (up to 2.6)."""
        _deprecated("auto_parallel_compile_and_run")

    def set_acc(self, acc_type: str) -> Cell:
        """`set_boost` under the name of 1.3: "less_bn" alone, ValueError for another."""
        if acc_type != "less_bn":
            raise ValueError(f"The acc_type is not in ['less_bn'], but got {acc_type}.")
        return self.add_flags_recursive(less_bn=True)
