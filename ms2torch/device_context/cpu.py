"""The CPU as a device (``mindspore.device_context.cpu``)."""

from ms2torch._checkparam import args_type_check, check_positive_int

__all__ = ["device_count", "is_available", "threads_num"]


def device_count() -> int:
    """How many CPUs MindSpore counts as devices: one."""
    return 1


def is_available() -> bool:
    """Whether the CPU can be used."""
    return True


@args_type_check(num=int)
def threads_num(num) -> None:
    """Let each operator use up to ``num`` threads. ValueError unless it is positive."""
    import torch

    torch.set_num_threads(check_positive_int(num, "num"))
