"""How exactly CUDA devices compute (``mindspore.device_context.gpu.op_precision``)."""

from ms2torch._checkparam import args_type_check

__all__ = ["conv_allow_tf32", "matmul_allow_tf32"]


@args_type_check(value=bool)
def matmul_allow_tf32(value) -> None:
    """Whether products of float32 matrices may be rounded to TF32 on the way; at first they are not."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = bool(value)


@args_type_check(value=bool)
def conv_allow_tf32(value) -> None:
    """Whether convolutions of float32 may be rounded to TF32 on the way; at first they may."""
    import torch

    torch.backends.cudnn.allow_tf32 = bool(value)
