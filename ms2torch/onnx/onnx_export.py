"""ONNX files by torch's exporter (``mindspore.onnx.export``)."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import logging
import os
import warnings

import torch

from ms2torch import _checkparam as validator
from ms2torch._core import torch_private
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.tensor import lower
from ms2torch._core.torch_private import EXPORTS
from ms2torch.nn.cell import Cell

_LARGEST = 2 << 30      # bytes that one protobuf message can hold; beyond, weights go to a file of their own


def export(net, *inputs, file_name, input_names=None, output_names=None, export_params=True,
           keep_initializers_as_inputs=False, dynamic_axes=None) -> None:
    """``net`` in evaluation as an ONNX file, which other programs run (``mindspore.onnx.export``).

    ``inputs`` are examples of what it takes. The names of its inputs are those of ``construct`` unless
    ``input_names`` gives others; ``dynamic_axes`` ({"x": {0: "batch"}}) leaves axes open. Needs
    ``pip install onnx onnxscript``, NotImplementedError without. ValueError for arguments of the wrong kinds.
    An axis that the network's own arithmetic fixes cannot be open: torch's exporter says which.
    """
    validator.check_isinstance("net", net, Cell)
    input_names, output_names, dynamic_axes = input_names or [], output_names or [], dynamic_axes or {}
    validator.check_isinstance("input_names", input_names, list)
    validator.check_isinstance("output_names", output_names, list)
    validator.check_isinstance("dynamic_axes", dynamic_axes, dict)
    if any(hasattr(x, "create_dict_iterator") for x in inputs):
        raise ValueError("Can not support dataset as inputs to export ONNX model.")
    _check_packages("mindspore.onnx.export")
    from ms2torch.migrate.to_torch import to_torch

    names = input_names or list(inspect.signature(net.construct).parameters)[: len(inputs)]
    if unknown := set(dynamic_axes) - set(names):
        raise ValueError(f"For 'export', 'dynamic_axes' names {sorted(unknown)}, but the inputs are {names}.")
    path = os.path.abspath(file_name if file_name.endswith(".onnx") else f"{file_name}.onnx")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    size = sum(p._t.numel() * p._t.element_size() for p in net.get_parameters())
    part = path if size > _LARGEST else f"{path}.part{os.getpid()}"
    try:
        with _evaluating(net), _quiet():
            torch.onnx.export(
                to_torch(net), tuple(lower(list(inputs))), part, dynamo=True, verbose=False,
                input_names=names if len(names) == len(inputs) else None, output_names=output_names or None,
                export_params=export_params, keep_initializers_as_inputs=keep_initializers_as_inputs,
                dynamic_shapes=_open_axes(names, dynamic_axes), external_data=size > _LARGEST,
                custom_translation_table=_translations(),
            )
        os.replace(part, path)
    finally:
        if part != path and os.path.exists(part):
            os.remove(part)


def write_program(program, path: str, names: list[str]) -> None:
    """A program of torch.export's as an ONNX file, its inputs called ``names``."""
    _check_packages("ms2torch convert to ONNX")
    size = sum(t.numel() * t.element_size() for t in program.state_dict.values())
    with _quiet():
        torch.onnx.export(
            program, (), path, dynamo=True, verbose=False, input_names=names, external_data=size > _LARGEST,
            custom_translation_table=_translations(),
        )


def _check_packages(what: str) -> None:
    if missing := [name for name in ("onnx", "onnxscript") if importlib.util.find_spec(name) is None]:
        why = f"{' and '.join(missing)} cannot be imported."
        raise unsupported(what, why, "pip install onnx onnxscript.")
    if not EXPORTS:
        why = f"torch {torch.__version__} is too old to export this."
        raise unsupported(what, why, "torch 2.6 or newer.")


def _sorted(x, stable=None, dim=-1, descending=False):
    """A stable sort as ONNX's TopK of all, which puts the lower index first among equals; torch lacks it."""
    from onnxscript import opset18 as op

    count = op.Gather(op.Shape(x), op.Constant(value_ints=[dim]), axis=0)
    values, places = op.TopK(x, count, axis=dim, largest=int(descending), sorted=1)
    return values, places


def _extreme(reduced: str):
    """The greatest or the least, along ``dim`` or of all; torch's translation asks for ``dim``."""

    def translate(x, dim=None, keepdim=False):
        from onnxscript import opset18 as op

        reduce = getattr(op, reduced)
        if not dim:
            return reduce(x, keepdims=int(keepdim))
        return reduce(x, op.Constant(value_ints=list(dim)), keepdims=int(keepdim))

    return translate


def _looped(cond_func, body_func, carried_inputs, additional_inputs):
    """torch's form of a while_loop, whose first call of its condition claims a release that no other call
    has: beside a branch that keeps the exporter from writing the file."""
    outputs = torch_private.onnx_while_loop(cond_func, body_func, carried_inputs, additional_inputs)
    first = outputs[0].producer().inputs[1].producer()
    if first.op_type == cond_func.name:
        first.version = 1
    return outputs


_TRANSLATIONS = {
    torch.ops.aten.sort.stable: _sorted,
    torch.ops.aten.amax.default: _extreme("ReduceMax"),
    torch.ops.aten.amin.default: _extreme("ReduceMin"),
}


def _translations() -> dict:
    """What is written otherwise than torch does."""
    try:
        torch_private.onnx_while_loop  # noqa: B018 - looked up here
    except ImportError:
        return _TRANSLATIONS
    return _TRANSLATIONS | {torch.ops.higher_order.while_loop: _looped}


def _open_axes(names, dynamic_axes):
    """torch's form of ``dynamic_axes``: for each input a dict of axes; one name is one size everywhere."""
    if not dynamic_axes:
        return None
    sizes = {axis: torch.export.Dim(axis) for axes in dynamic_axes.values() for axis in axes.values()}
    return {
        "args": tuple({i: sizes[axis] for i, axis in dynamic_axes.get(name, {}).items()} for name in names)
    }


@contextlib.contextmanager
def _evaluating(net):
    training = net.training
    net.set_train(False)
    try:
        yield
    finally:
        net.set_train(training)


@contextlib.contextmanager
def _quiet():
    """Without the exporter's talk of packages that it would know, too."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
