"""Training networks with mixed precision and loss scaling (``mindspore.train.amp``)."""

from __future__ import annotations

import collections
import functools
import types

from ms2torch import log as logger
from ms2torch import nn, ops
from ms2torch._checkparam import IN, check, check_type_name, check_value_type
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._naming.surface import Missing, install_lazy
from ms2torch.nn.cell import Cell
from ms2torch.ops.primitive import Primitive

from ._mixed_precision import (
    AmpWithLossCell,
    _OutputTo16,
    _OutputTo32,
    by_operator,
    keep_full,
    lower_all_but,
    lower_only,
)
from .loss_scale_manager import DynamicLossScaleManager, LossScaleManager

__all__ = [
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]

_LEVELS = ["O0", "O1", "O2", "O3", "auto"]
_WHITE_CELLS = """
Conv1d Conv2d Conv3d Conv1dTranspose Conv2dTranspose Conv3dTranspose Dense LSTMCell RNNCell GRUCell
"""
_WHITE_PRIMITIVES = """
Conv2D Conv3D Conv2DTranspose Conv3DTranspose Conv2DBackpropInput MatMul BatchMatMul PReLU ReLU Ger
"""
_BLACK_CELLS = "BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm"
# What level auto computes low, and in Float32.
_AUTO_WHITE = """
Conv2D Conv3D Conv2DExt Conv3DExt ConvTranspose2D Conv2DTranspose Conv3DTranspose Convolution MatMul
MatMulExt BatchMatMul BatchMatMulExt PReLU Einsum Dense Addmm Addbmm Addmv Baddbmm Mv
"""
_AUTO_BLACK = """
Pow ACos Asin Cosh Erfinv Exp Expm1 Log Log10 Log1p Log2 Reciprocal Rsqrt Sinh Tan Softplus SoftplusExt
LayerNorm LayerNormExt BatchNorm BatchNormExt GroupNorm Norm KLDivLoss SmoothL1Loss MultilabelMarginLoss
SoftMarginLoss TripletMarginLoss MultiMarginLoss BCEWithLogitsLoss Pdist Cdist Renorm ReduceProd Softmax
LogSoftmax LogSoftmaxExt CumProd CumSum CumsumExt ProdExt SumExt L1LossExt MSELossExt NLLLoss NLLLoss2d
"""
AMP_PRIM_ARG_TABLE = collections.defaultdict(list)


def _named(home, names: str) -> list:
    found = (getattr(home, name) for name in names.split())
    return [kind for kind in found if not isinstance(kind, Missing)]


def _primitives(names: str) -> list:
    from ms2torch.ops import auto_generate, operations

    homes = (operations, auto_generate)
    return [next(getattr(home, name) for home in homes if hasattr(home, name)) for name in names.split()]


def __getattr__(name: str):
    lists = {
        "AMP_WHITE_LIST": get_white_list,
        "AMP_BLACK_LIST": get_black_list,
        "AMP_AUTO_WHITE_LIST": lambda: _primitives(_AUTO_WHITE),
        "AMP_AUTO_BLACK_LIST": lambda: _primitives(_AUTO_BLACK),
    }
    if name in lists:
        return globals().setdefault(name, lists[name]())
    raise AttributeError(name)


def get_white_list() -> list:
    """A new list of the Cells and Primitives that level O1 computes low (``amp.get_white_list``)."""
    return _named(nn, _WHITE_CELLS) + _named(ops.operations, _WHITE_PRIMITIVES)


def get_black_list() -> list:
    """A new list of the Cells that level O2 keeps in Float32 (``mindspore.amp.get_black_list``)."""
    return _named(nn, _BLACK_CELLS)


def amp_cast(value, dtype):
    """A Tensor of floats cast to ``dtype``; anything else as it is (``mindspore.train.amp.amp_cast``)."""
    is_float = isinstance(value, Tensor) and value._t.is_floating_point()
    return value.astype(dtype) if is_float else value


def auto_mixed_precision(network, amp_level="O0", dtype=_dtype.float16):
    """A network that computes partly in ``dtype``, Float16 or BFloat16 (``amp.auto_mixed_precision``).

    O0: as it is. O1: what ``get_white_list`` names computes low and gives Float32. O2: all but
    ``get_black_list`` computes low, O3: everything; the network's outputs are Float32. auto: each operator
    by MindSpore's lists, also in a function. All but O0 change the network's Cells; use what is returned.
    Parameters stay Float32, and inside low Cells casts to Float32 hold (as in graph mode; MindSpore's
    PyNative casts every operator's inputs again). TypeError for no Cell, ValueError for another level or
    dtype.
    """
    if not isinstance(network, Cell):
        if amp_level != "auto":
            raise TypeError(f"For amp_level '{amp_level}', the network type should be Cell.")
        if not isinstance(network, (types.FunctionType, types.MethodType)):
            raise TypeError("For amp_level 'auto', the network type should be Cell or function.")
    _check_dtype(dtype)
    if amp_level == "O0":
        return network
    before = getattr(network, "_amp_level", None)
    if before in _LEVELS[1:]:
        logger.warning(
            f"The network's auto mixed-precision level is adjusted from {before} to {amp_level}, and "
            "repeated calls to mixed-precision interfaces can cause performance degradation."
        )
    of_torch = hasattr(type(network), "lower_module") and amp_level in _LEVELS
    if of_torch:
        network = network.lower_module(amp_level, dtype.torch)
        network = network if amp_level in ("O1", "auto") else _OutputTo32(network)
    elif amp_level == "O1":
        network = lower_only(network, get_white_list(), dtype)
    elif amp_level == "O2":
        network = _OutputTo32(lower_all_but(network, tuple(get_black_list()), dtype, _dtype.float32))
    elif amp_level == "O3":
        network = _OutputTo32(network.to_float(dtype))
    elif amp_level == "auto":
        network = _by_operator(network, dtype)
    else:
        raise ValueError(f"The amp level {amp_level} is not supported")
    network._amp_level = amp_level
    return network


def _by_operator(network, dtype):
    if isinstance(network, Cell):
        network.__dict__["construct"] = by_operator(network.construct, dtype)
        return network
    return functools.wraps(network)(by_operator(network, dtype))


def _check_dtype(dtype) -> None:
    if dtype not in (_dtype.float16, _dtype.bfloat16):
        raise ValueError(f"The dtype should be one of (mstype.float16, mstype.bfloat16), but got {dtype}.")


def custom_mixed_precision(network, *, white_list=None, black_list=None, dtype=_dtype.float16):
    """As level O1 with an own list of Cells and Primitives, or as O2 with an own list of Cells to keep.

    TypeError for no Cell and for lists of other things; ValueError for both lists, for none, and for
    another dtype (``mindspore.amp.custom_mixed_precision``).
    """
    if not isinstance(network, Cell):
        raise TypeError("The network type should be Cell.")
    if white_list is None and black_list is None:
        raise ValueError("For custom_mixed_precision, one of white_list and black_list must be provided.")
    if white_list is not None and black_list is not None:
        raise ValueError(
            "For custom_mixed_precision, the white_list or black_list cannot be provided at the same time, "
            "please provide one or the other."
        )
    _check_dtype(dtype)
    if white_list is not None:
        _check_list(white_list, "white_list", (Cell, Primitive), "one of 'Cell' and 'Primitive'")
        return lower_only(network, white_list, dtype)
    _check_list(black_list, "black_list", Cell, "one of 'Cell'")
    for kind in get_black_list():
        if kind not in black_list:
            logger.warning(f"{kind} is removed from internal black list.")
    return _OutputTo32(lower_all_but(network, tuple(black_list), dtype, _dtype.float32))


def _check_list(given, name: str, bases, said: str) -> None:
    if not isinstance(given, list):
        raise TypeError(f"The type of {name} should be list, but got {type(given)}")
    for kind in given:
        if not isinstance(kind, type):
            raise TypeError(f"The element in {name} should be a class, but got {kind}")
        if not issubclass(kind, bases):
            raise TypeError(f"The subclass of element in {name} should be {said}, but got {kind}")


# ---- the training step -------------------------------------------------------------------------------------


def build_train_network(network, optimizer, loss_fn=None, level="O0", boost_level="O0", **kwargs):
    """The training-step Cell for a network, optimizer and loss (``mindspore.amp.build_train_network``).

    ``level`` as in ``auto_mixed_precision``, but O2 and O3 hand the loss Float32 and leave the network
    unwrapped; O2 scales the loss dynamically. ``cast_model_type``, ``keep_batchnorm_fp32`` and
    ``loss_scale_manager`` replace what the level stands for. An update Cell of the manager makes the step a
    TrainOneStepWithLossScaleCell, which (unlike MindSpore's) runs on the CPU too. TypeError and ValueError
    for bad arguments.
    """
    from ms2torch import boost  # (which few programs use)

    if not isinstance(optimizer, (nn.Optimizer, boost.FreezeOpt)):
        raise TypeError("The type of 'optimizer' should be one of '['Optimizer', 'FreezeOpt', "
                        "'AdaSumByGradWrapCell', 'AdaSumByDeltaWeightWrapCell']', but got type "
                        f"'{type(optimizer).__name__}'.")
    config = {**_config(_check_level(level, boost_level)), **_check_options(kwargs)}
    network = _in_precision(network, config, level)
    if loss_fn is not None:
        network = _with_loss(network, loss_fn, config["cast_model_type"])
    manager = config["loss_scale_manager"]
    boosted = boost_level != "O0"
    step = boost.BoostTrainOneStepCell if boosted else nn.TrainOneStepCell
    if manager is None:
        return step(network, optimizer).set_train()
    scale, cell = manager.get_loss_scale(), manager.get_update_cell()
    if cell is None:
        return step(network, optimizer, scale).set_train()
    step = boost.BoostTrainOneStepWithLossScaleCell if boosted else nn.TrainOneStepWithLossScaleCell
    return step(network, optimizer, scale_sense=cell).set_train()


def _config(level: str) -> dict:
    return {
        "keep_batchnorm_fp32": level == "O2",
        "cast_model_type": _dtype.float16 if level in ("O2", "O3") else _dtype.float32,
        "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None,
    }


def _check_level(level, boost_level) -> str:
    if not isinstance(level, str):
        raise TypeError(
            "The argument `level` must be a string in ['O0', 'O1', 'O2', 'O3', 'auto'],but got type "
            f"{type(level)}."
        )
    check("level", level, "", _LEVELS, IN)
    check("boost_level", boost_level, "", ["O0", "O1", "O2"], IN)
    return level


def _check_options(given: dict) -> dict:
    for name in given:
        if name not in ("cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager"):
            raise ValueError(f"Unsupported arg '{name}'")
    if "cast_model_type" in given:
        kinds = [_dtype.float16, _dtype.float32]
        check_type_name("cast_model_type", given["cast_model_type"], kinds, None)
    if "keep_batchnorm_fp32" in given:
        check_value_type("keep_batchnorm_fp32", given["keep_batchnorm_fp32"], bool)
    if given.get("loss_scale_manager"):
        from ms2torch import boost

        manager = given["loss_scale_manager"]
        if not isinstance(manager, (LossScaleManager, boost.GroupLossScaleManager)):
            raise TypeError("The type of 'loss_scale_manager' should be one of '['LossScaleManager', "
                            f"'GroupLossScaleManager']', but got type '{type(manager).__name__}'.")
    return given


def _in_precision(network: Cell, config: dict, level: str) -> Cell:
    low, keep = config["cast_model_type"] is _dtype.float16, config["keep_batchnorm_fp32"]
    if hasattr(type(network), "lower_module") and (low or (level == "O2" and not keep)):
        return network.lower_module("O2" if keep else "O3")
    if low:
        network.to_float(_dtype.float16)
        return (
            keep_full(network, tuple(get_black_list()), _dtype.float16, _dtype.float32) if keep else network
        )
    if not keep and level == "O2":
        return network.to_float(_dtype.float16)
    return network if level in ("O2", "O3") else auto_mixed_precision(network, level)


def _with_loss(network: Cell, loss_fn, cast_model_type) -> Cell:
    check_value_type("loss_fn", loss_fn, Cell)
    if cast_model_type is _dtype.float16 or getattr(network, "_amp_level", None) in ("O2", "O3", "auto"):
        return AmpWithLossCell(network, loss_fn)
    return nn.WithLossCell(network, loss_fn)


_OutputTo16 = _OutputTo16  # programs import it from here

install_lazy(__name__, globals())
