"""Training networks with mixed precision and loss scaling (``mindspore.train.amp``)."""

from __future__ import annotations

from ms2torch._core.errors import unsupported
from ms2torch._core.surface import install_lazy
from ms2torch.nn.cell import Cell

__all__ = ["auto_mixed_precision", "build_train_network", "custom_mixed_precision", "get_black_list",
           "get_white_list"]


def build_train_network(network, optimizer, loss_fn=None, level="O0", boost_level="O0", **kwargs):
    """The training-step Cell for a network, optimizer and loss (``mindspore.amp.build_train_network``).

    ``level``: O0 (as the network is). ``loss_scale_manager``: a manager; its update Cell makes the step a
    TrainOneStepWithLossScaleCell. TypeError and ValueError for bad arguments.
    """
    from ms2torch.nn import TrainOneStepCell, TrainOneStepWithLossScaleCell, WithLossCell

    if not isinstance(network, Cell):
        raise TypeError(f"For 'build_train_network', the 'network' must be a Cell, but got {type(network)}.")
    _check_level(level, kwargs)
    if level != "O0":
        auto_mixed_precision(network, level)
    if loss_fn is not None:
        network = WithLossCell(network, loss_fn)
    manager = kwargs.get("loss_scale_manager")
    if manager is None:
        return TrainOneStepCell(network, optimizer)
    scale = manager.get_loss_scale()
    cell = manager.get_update_cell()
    if cell is None:
        return TrainOneStepCell(network, optimizer, sens=scale)
    return TrainOneStepWithLossScaleCell(network, optimizer, scale_sense=cell).set_train()


def _check_level(level, kwargs) -> None:
    if level not in ("O0", "O1", "O2", "O3", "auto"):
        raise ValueError(f"The argument `level` must be one of ['O0', 'O1', 'O2', 'O3', 'auto'], but got {level}.")
    unknown = set(kwargs) - {"cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager"}
    if unknown:
        raise ValueError(f"Unsupported arguments: {sorted(unknown)}.")


def auto_mixed_precision(network, amp_level="O0", dtype=None):
    """The network with its Cells in mixed precision; O0 leaves it as it is."""
    if amp_level == "O0":
        return network
    raise unsupported(f"mindspore.amp.auto_mixed_precision(amp_level={amp_level!r})", "planned, not in ms2torch yet.",
                      'amp_level="O0", or network.to_float(mindspore.float16).')


def custom_mixed_precision(network, *, white_list=None, black_list=None, dtype=None):
    """The network with chosen Cells in low precision."""
    raise unsupported("mindspore.amp.custom_mixed_precision", "planned, not in ms2torch yet.",
                      "network.to_float(mindspore.float16) on the Cells that shall be low.")


def get_white_list() -> list:
    """Cells that O1 puts in low precision."""
    raise unsupported("mindspore.amp.get_white_list", "planned, not in ms2torch yet.")


def get_black_list() -> list:
    """Cells that O2 keeps in Float32."""
    raise unsupported("mindspore.amp.get_black_list", "planned, not in ms2torch yet.")


install_lazy(__name__, globals())
