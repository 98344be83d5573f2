"""Tensor (``mindspore.common.tensor``)."""

from ms2torch._core.surface import install_lazy
from ms2torch._core.tensor import Tensor, as_torch, wrap

__all__ = ["Tensor", "tensor"]

# What print(type(x)) shows in MindSpore.
Tensor.__module__ = "mindspore.common.tensor"


def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None) -> Tensor:
    """A new Tensor; the arguments are ``Tensor``'s. Data is always copied (``mindspore.tensor``)."""
    if isinstance(input_data, Tensor) and dtype is None and shape is None and init is None:
        return wrap(as_torch(input_data).clone())
    return Tensor(input_data, dtype, shape, init, const_arg, device)


install_lazy(__name__, globals())
