"""Operators of no other kind (``mindspore.ops.operations.other_ops``)."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.operators.registry import Primitive
from ms2torch._core.tensor.dtype import to_torch
from ms2torch._core.tensor.tensor import Tensor, wrap


class PyFunc(Primitive):
    """Calls a function of numpy arrays, or of numbers where a shape is empty, on Tensors, which older
    programs give in one tuple.

    MindSpore: ``mindspore.ops.PyFunc``. Gives a tuple of Tensors of ``out_types``; no gradient passes.
    """

    def __init__(self, fn, in_types, in_shapes, out_types, out_shapes, stateful=True) -> None:
        super().__init__("PyFunc")
        for name, value in (
            ("in_types", in_types),
            ("in_shapes", in_shapes),
            ("out_types", out_types),
            ("out_shapes", out_shapes),
        ):
            if not isinstance(value, (list, tuple)):
                raise TypeError(
                    f"For 'PyFunc', the type of '{name}' should be one of 'list' and 'tuple', but got "
                    f"'{value}' with type '{type(value).__name__}'."
                )
        if len(in_types) != len(in_shapes):
            raise ValueError(
                f"For 'PyFunc', the 'in_types length' should be equal to 'in_shapes length', but got "
                f"'in_types length': {len(in_types)} and 'in_shapes length': {len(in_shapes)}."
            )
        self.fn, self.in_shapes, self.out_types = fn, in_shapes, out_types

    def __call__(self, *inputs):
        if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
            inputs = inputs[0]
        given = [
            t.asnumpy().reshape(shape) if len(shape) else t.asnumpy().item()
            for t, shape in zip(inputs, self.in_shapes, strict=True)
        ]
        found = self.fn(*given)
        found = found if isinstance(found, tuple) else () if found is None else (found,)
        return tuple(
            wrap(torch.as_tensor(np.asarray(v)).to(device(), to_torch(dtype)))
            for v, dtype in zip(found, self.out_types, strict=True)
        )


class MoveTo(Primitive):
    """Copies a Tensor to another memory (``mindspore.ops.MoveTo``): "CPU", or "Ascend" for this device."""

    def __init__(self) -> None:
        super().__init__("MoveTo")
        self.init_attrs = {}

    def __call__(self, input, to="CPU", blocking=True) -> Tensor:
        t = input._t if isinstance(input, Tensor) else torch.tensor(input)
        return wrap(t.clone() if to == "CPU" and t.is_cpu else t.to("cpu" if to == "CPU" else device()))


def move_to(input, to="CPU", blocking=True) -> Tensor:
    """A copy in the memory of ``to`` (``mindspore.ops.move_to``)."""
    return MoveTo()(input, to, blocking)
