"""Printing and dumping from inside a network (``mindspore.ops.function.debug_func``)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ms2torch._core.errors import notice, said
from ms2torch._core.registry import PRIMITIVES, Primitive, op, primitive
from ms2torch._core.tensor import Tensor, wrap

__all__ = ["print_", "tensordump"]


@op(on_tensors=True)
def print_(*input_x):
    """Prints Tensors and other values, a line each (``mindspore.ops.print_``)."""
    for x in input_x:
        print(_shown(x), flush=True)


def _shown(x) -> str:
    return repr(wrap(x._t)) if isinstance(x, Tensor) else str(x)


class Print(Primitive):
    """Prints what it is called with (``mindspore.ops.Print``)."""

    def __init__(self) -> None:
        super().__init__("Print")
        self.add_prim_attr("side_effect_io", True)

    def __call__(self, *args) -> None:
        print_(*args)


@op(on_tensors=True)
def tensordump(file_name, tensor, mode="out"):
    """Writes a Tensor to ``<file_name>_<dtype>_<number>.npy`` (``mindspore.ops.tensordump``)."""
    file = Path(file_name)
    if file.suffix == ".npy":
        file = file.with_suffix("")
    number = _dumped.get(str(file), 0)
    _dumped[str(file)] = number + 1
    np.save(f"{file}_{str(tensor.dtype).lower()}_{number}.npy", tensor.asnumpy())


_dumped: dict[str, int] = {}


@primitive("TensorDump", init={"input_output": "out"}, on_tensors=True)
def _tensor_dump(file, input_x, input_output="out"):
    tensordump(file, input_x, input_output)


@primitive("Assert", init={"summarize": 3}, on_tensors=True)
def _assert(condition, input_data, summarize=3):
    """RuntimeError with the data where ``condition`` is false (``mindspore.ops.Assert``)."""
    if not bool(condition):
        raise said(RuntimeError(f"assert failed: {[str(x) for x in input_data]}"))


def _summary(name: str) -> None:
    @primitive(name, on_tensors=True)
    def summary(*args):
        notice(f"ops.{name}", f"ops.{name} records nothing: use mindspore.SummaryCollector's callbacks.")


for _name in ("ScalarSummary", "ImageSummary", "TensorSummary", "HistogramSummary"):
    _summary(_name)


PRIMITIVES["Print"] = Print
