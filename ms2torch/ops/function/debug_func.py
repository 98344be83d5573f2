"""Printing and dumping from inside a network (``mindspore.ops.function.debug_func``)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ms2torch._core import mode
from ms2torch._core.checks.calls import type_description
from ms2torch._core.checks.words import renderings
from ms2torch._core.errors import final
from ms2torch._core.operators.registry import PRIMITIVES, Primitive, op, primitive, primitive_class
from ms2torch._core.tensor.tensor import Tensor, wrap

__all__ = ["print_", "tensordump"]


@op(on_tensors=True)
def print_(*input_x):
    """Prints Tensors and other values, a line each (``mindspore.ops.print_``)."""
    for x in input_x:
        print(_shown(x), flush=True)


def _shown(x) -> str:
    if mode.graph or mode.inside:
        from ms2torch.language.printing import lines

        return "\n".join(lines(x))
    return repr(wrap(x._t)) if isinstance(x, Tensor) else str(x)


@primitive_class
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


@primitive("DumpGradient", on_tensors=True)
def _dump_gradient(path, x, input_output):
    """``x`` itself; a gradient that flows through what it gives is written as by `tensordump`.

    (``mindspore.ops.DumpGradient``.) Anything but a Tensor is given back as it is.
    """
    if not isinstance(x, Tensor) or not x._t.requires_grad:
        return x
    watched = x._t.view_as(x._t)
    watched.register_hook(lambda gradient: tensordump(path, wrap(gradient.detach()), input_output))
    return wrap(watched)


@primitive("TensorDump", init={"input_output": "out"}, on_tensors=True)
def _tensor_dump(file, input_x, input_output="out"):
    """Writes a Tensor as a .npy file."""
    tensordump(file, input_x, input_output)


def _dtypes_told(value) -> str:
    """The dtypes of what is asserted, as its error prints them."""
    if isinstance(value, (tuple, list)):
        inside = ", ".join(f"mindspore.tensor[{str(v.dtype).lower()}]" if isinstance(v, Tensor) else
                           _INNER.get(told := _dtypes_told(v), f"mindspore.{told.lower()}") for v in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return "[]"
    told = type_description(value)
    return told[7:-1] if isinstance(value, Tensor) else told


_INNER = {"None": "None", "String": "mindspore.string_"}


@primitive("Assert", init={"summarize": 3}, on_tensors=True)
def _assert(condition, inputs, summarize=3):
    """RuntimeError with the data where ``condition`` is false (``mindspore.ops.Assert``)."""
    kind = _dtypes_told(condition)
    if kind != "Bool":
        raise final(TypeError("For 'Assert', the type of 'condition' must be in [mindspore.bool], but got "
                              f"{kind}."))
    if not isinstance(inputs, (tuple, list, dict)):
        told = "NoneType" if inputs is None else "ellipsis" if inputs is ... else \
            f"mindspore._c_expression.typing.{renderings(inputs)['typed'].rpartition('.')[2][:-2]}"
        raise final(TypeError(f"'{told}' object is not iterable"))
    for one in inputs:
        if not isinstance(one, Tensor):
            kind = f"type '{type(one).__name__}'" if isinstance(one, (tuple, list)) else type_description(one)
            raise final(TypeError(f"For 'Assert', the element of 'input' must be Tensor, but got {kind}.The "
                                  "supported data types depend on the hardware that executes the operator, "
                                  "for more details, please refer to the MindSpore official website to get "
                                  "more information about the data type."))
    if not bool(condition):
        raise final(RuntimeError(f"assert failed\n{[str(x) for x in inputs]}"))


# What summary operators were given: (kind, tag) -> the last value, until `take_summaries`.
_summaries: dict[tuple[str, str], Tensor] = {}


def keep_summary(kind: str, tag: str, value: Tensor) -> None:
    """``value`` as that of ``tag`` for the next record."""
    _summaries[kind, tag] = wrap(value._t.detach().clone())


def take_summaries() -> dict[tuple[str, str], Tensor]:
    """What summary operators were given since the last call."""
    taken = dict(_summaries)
    _summaries.clear()
    return taken


def _summary(name: str, fits, wrong: str) -> None:
    @primitive(name, on_tensors=True)
    def summary(*args):
        tag, value = args
        if tag == "":
            raise ValueError(f"For primitive[{name}], the input argument[name] cannot be an empty string.")
        if not isinstance(tag, str):
            raise TypeError(
                f"For primitive[{name}], the input argument[name] must be a type of {{String}}, "
                f"but got {type_description(tag)}."
            )
        if not isinstance(value, Tensor):
            raise TypeError(f'For "{name}", the parameter "value" expect to be Tensor, '
                            f"but got {type(value).__name__}")
        if not fits(value._t):
            raise ValueError(f"For primitive[{name}], the v rank must be {wrong}, but got {value.ndim}.")
        keep_summary(name.removesuffix("Summary"), tag, value)

    PRIMITIVES[name].__doc__ = f"""Keeps ``value`` as that of ``name`` for the next record of an open
    `SummaryRecord` or `SummaryCollector` (``mindspore.ops.{name}``); the last value of a name counts.

    TypeError for a name that is no str or a value that is no Tensor, ValueError for an empty name or a
    shape that does not fit.
    """


_summary("ScalarSummary", lambda t: t.numel() == 1, "less than or equal to 1")
_summary("ImageSummary", lambda t: t.ndim == 4, "equal to 4")
_summary("TensorSummary", lambda t: t.ndim > 0, "greater than or equal to 1")
_summary("HistogramSummary", lambda t: t.ndim > 0, "greater than or equal to 1")

