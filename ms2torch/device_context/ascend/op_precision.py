"""How exactly Ascend chips compute (``mindspore.device_context.ascend.op_precision``); here nothing is
rounded for their sake.
"""

from ms2torch._checkparam import args_type_check

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]


def precision_mode(mode) -> None:
    """Accepted: which operators an Ascend chip computes in half precision."""


@args_type_check(path=str)
def op_precision_mode(path) -> None:
    """Accepted: a file that says so by operator."""


def matmul_allow_hf32(value) -> None:
    """Accepted: whether an Ascend chip multiplies matrices in HF32."""


def conv_allow_hf32(value) -> None:
    """Accepted: whether an Ascend chip convolves in HF32."""
