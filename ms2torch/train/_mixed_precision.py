"""How a network is put into mixed precision: what the amp levels do to its Cells.

MindSpore's O1 rewrites the network's source; here the listed Cells are told to compute low and to hand out
Float32. O2 and O3 set all Cells low but a few, and wrap those.
"""

from __future__ import annotations

import torch

from ms2torch._core.operators import autocast
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.nn.cell import Cell
from ms2torch.ops.primitive import Primitive

FLAGS = ("fp16", "fp32", "bf16")


class _OutputTo16(Cell):
    """A Cell whose output is cast to the low dtype."""

    def __init__(self, backbone, dtype) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self.dtype = dtype
        self._get_attr_from_cell(backbone)

    def construct(self, *args, **kwargs):
        return wrap(self._backbone(*args, **kwargs)._t.to(self.dtype.torch))


class _OutputTo32(Cell):
    """A network whose float outputs are cast to Float32."""

    def __init__(self, backbone) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._get_attr_from_cell(backbone)

    def construct(self, *args, **kwargs):
        return cast(self._backbone(*args, **kwargs), torch.float32)


class AmpWithLossCell(Cell):
    """A network and its loss, which is computed in Float32."""

    def __init__(self, backbone, loss_fn) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn
        self._get_attr_from_cell(backbone)

    def construct(self, data, label):
        out = self._backbone(data)
        label = cast(label, torch.float32)
        return self._loss_fn(cast(out, torch.float32), label)


AmpWithLossCell.__name__ = AmpWithLossCell.__qualname__ = "WithLossCell"


def cast(obj, dtype: torch.dtype):
    """Float Tensors in ``obj`` cast to ``dtype``."""
    if isinstance(obj, Tensor):
        t = obj._t
        return wrap(t.to(dtype)) if t.is_floating_point() and t.dtype is not dtype else obj
    if isinstance(obj, (tuple, list)):
        return type(obj)([cast(x, dtype) for x in obj])
    if isinstance(obj, dict):
        return {key: cast(value, dtype) for key, value in obj.items()}
    return obj


# ---- O2, O3: all but a few Cells ---------------------------------------------------------------------------


def lower_all_but(network: Cell, black: tuple, dtype, full) -> Cell:
    """Everything in ``dtype``, also what the user set otherwise; Cells of ``black`` in ``full``, Float32."""
    network.to_float(dtype)
    return keep_full(network, black, dtype, full, lambda cell: cell.to_float(dtype))


def keep_full(network: Cell, black: tuple, dtype, full, visit=lambda cell: None) -> Cell:
    """Cells of ``black`` below ``network`` in ``full``, their outputs cast to ``dtype``."""
    changed = False
    for name, child in network.name_cells().items():
        if child is network or not isinstance(child, Cell):
            continue
        if isinstance(child, black):
            network._modules[name] = _OutputTo16(child.to_float(full), dtype)
            changed = True
        else:
            visit(child)
            keep_full(child, black, dtype, full, visit)
    if changed and hasattr(network, "cell_list"):
        network.__dict__["cell_list"] = list(network._modules.values())
    return network


# ---- O1: only a few ----------------------------------------------------------------------------------------


def lower_only(network: Cell, white: list, dtype) -> Cell:
    """Let the Cells and Primitives of ``white`` compute in ``dtype``.

    Gives a copy of the network itself with the same children, which are changed: as MindSpore's rewriting
    does.
    """
    cells = {kind for kind in white if issubclass(kind, Cell)} | _holding(white)
    primitives = tuple(kind for kind in white if issubclass(kind, Primitive))
    new = object.__new__(type(network))
    new.__dict__.update(network.__dict__)
    new.__dict__.pop("_records", None)
    _lower(new, cells, primitives, dtype)
    if type(network) in cells:
        _compute_low(new, dtype)
    return new


def _holding(white: list) -> set:
    """Cells that are one Primitive: listing it lists them."""
    from ms2torch import nn

    found = {kind.__name__ for kind in white if issubclass(kind, Primitive)}
    held = {"ReLU": "ReLU", "PReLU": "PReLU", "MatMul": "Dense", "Conv2D": "Conv2d", "Conv3D": "Conv3d"}
    return {getattr(nn, cell) for primitive, cell in held.items() if primitive in found}


def _lower(cell: Cell, cells: set, primitives: tuple, dtype) -> None:
    own = cell.__dict__
    own.update({name: _LowPrimitive(v, dtype) for name, v in own.items() if type(v) in primitives})
    for child in cell._modules.values():
        if not isinstance(child, Cell) or any(getattr(child, flag, False) for flag in FLAGS):
            continue
        if type(child) in cells:
            _compute_low(child, dtype)
        else:
            _lower(child, cells, primitives, dtype)


def is_lowered(cell: Cell) -> bool:
    """Whether a level of mixed precision has changed how a Cell computes, or what is in it."""
    told = any(getattr(cell, flag, False) for flag in FLAGS[::2]) or "construct" in cell.__dict__
    return told or any("_lowered" in part.__dict__ for _, part in cell.cells_and_names())


def _compute_low(cell: Cell, dtype) -> None:
    cell.__dict__["_lowered"] = True
    cell.to_float(dtype)
    cell.register_forward_hook(_output_in_float32)


def _output_in_float32(cell, args, output):
    return cast(output, torch.float32)


class _LowPrimitive:
    """A Primitive that computes low and gives Float32."""

    def __init__(self, primitive, dtype) -> None:
        self._primitive, self._dtype = primitive, dtype.torch

    def __call__(self, *args):
        return cast(self._primitive(*cast(args, self._dtype)), torch.float32)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._primitive, name)

    def __repr__(self) -> str:
        return repr(self._primitive)


# ---- auto: by operator -------------------------------------------------------------------------------------


def by_operator(function, dtype):
    """``function`` with its operators cast by MindSpore's lists."""

    def run(*args, **kwargs):
        with autocast.Autocast(dtype.torch):
            return function(*args, **kwargs)

    return run
