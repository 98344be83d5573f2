"""How cuDNN convolves (``mindspore.device_context.gpu.op_tuning``).

"performance" lets cuDNN try its ways and keep the fastest; "normal" leaves the choice to its heuristics.
Other names are those of single ways, which torch does not offer: accepted, and cuDNN chooses.
"""

__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo"]


def conv_fprop_algo(mode) -> None:
    """The way of the forward pass."""
    if mode in ("normal", "performance"):
        import torch

        torch.backends.cudnn.benchmark = mode == "performance"


def conv_dgrad_algo(mode) -> None:
    """Accepted: the way of the input's gradient; `conv_fprop_algo` chooses for all."""


def conv_wgrad_algo(mode) -> None:
    """Accepted: the way of the weight's gradient; `conv_fprop_algo` chooses for all."""
