"""What MindSpore says of a convolution whose shapes do not fit each other."""

from __future__ import annotations

import torch


def shape_error(x, weight, bias, stride, groups, dims: int, name: str) -> Exception | None:
    """The error of the first thing that does not fit, in MindSpore's order; None where it is no shape.

    ``name`` is the operator ("Conv2D") or, where a function sees to it itself, the function ("conv1d").
    """
    if not (isinstance(x, torch.Tensor) and isinstance(weight, torch.Tensor)):
        return None
    if x.dtype is not weight.dtype or x.ndim < 2 or weight.ndim < 2 or groups.__class__ is not int:
        return None
    channels, out = x.shape[1], weight.shape[0]
    if not groups or channels % groups or out % groups:
        got = f", but got group:{groups}, in_channel:{channels}, out_channel:{out}." * (dims < 3)
        return ValueError(f"The argument 'groups' should be divisible by 'in_channel' and 'out_channel'{got}")
    if stride.__class__ is int and stride <= 0 and dims == 2:
        return ValueError("For 'Conv2D' attr 'stride' must be an positive int number or a tuple of two or "
                          f"four positive int numbers, but got {stride}")
    if isinstance(bias, torch.Tensor) and bias.ndim and dims < 3 and bias.shape[0] != out:
        given = "given" if dims == 1 else "Given"
        return ValueError(f"For 'conv{dims}d', {given} weight of size {tuple(weight.shape)}, expected bias "
                          f"to be 1-dimensional with {out} elements, but got bias of size {bias.shape[0]} "
                          "instead.")
    operator = "Conv2D" if dims == 1 else name
    if weight.ndim < dims + 2 and dims == 2:
        return ValueError("For 'Conv2D' attr 'kernel_size' must be an positive int number or a tuple of two "
                          f"positive int numbers, but got {tuple(weight.shape[2:])}")
    if weight.ndim != dims + 2:
        return None
    if x.ndim != dims + 2:
        return ValueError(f"For primitive[{operator}], the x shape size must be equal to {dims + 2}, but got "
                          f"{x.ndim}.")
    if channels != weight.shape[1] * groups:
        return (ValueError if dims == 3 else RuntimeError)(
            f"For '{operator}', 'C_in' of input 'x' shape divide by parameter 'group' must be equal to "
            f"'C_in' of input 'weight' shape: {weight.shape[1]}, but got 'C_in' of input 'x' shape: "
            f"{channels}, and 'group': {groups}.")
    if isinstance(bias, torch.Tensor) and bias.ndim != 1:
        return ValueError("For primitive[BiasAdd], the rank of bias must be equal to 1, but got "
                          f"{bias.ndim}.")
    if dims == 2:
        return ValueError("For 'Conv2d', input shape's h and w after padding must be greater than or equal "
                          "to kernel_size's h and w respectively.")
    return None
