"""CUDA devices (``mindspore.device_context.gpu``)."""

from . import op_precision, op_tuning

# The submodules are documented, but an import of * does not bring them.
__all__ = ["device_count", "is_available"]


def device_count() -> int:
    """How many CUDA devices there are. RuntimeError where there is none."""
    if not is_available():
        raise RuntimeError("Device_target GPU not exist.")
    import torch

    return torch.cuda.device_count()


def is_available() -> bool:
    """Whether CUDA devices can be used."""
    import torch

    return torch.cuda.is_available()
