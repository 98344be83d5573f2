"""What MindSpore's pooling operators say of a layer's sizes when the layer is made."""

from __future__ import annotations

from ms2torch._core.tensor.dtype import int32
from ms2torch.common.tensor import Tensor

_THREE = "an positive integer or a tuple of three positive integer"
_THREE_OR_FIVE = "an positive integer or a tuple of three or five positive integer"
_TWO = "an positive int number or a tuple of two positive int numbers"


def _are_whole(sizes) -> bool:
    return all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in sizes)


def check_sizes(operator: str, lead: tuple[int, ...], dims: int, **sizes) -> None:
    """ValueError for a tuple of other than ``dims`` numbers, or in which something is no positive whole
    number, as True is none: shown behind the ones that MindSpore puts before it."""
    what = _TWO if operator == "MaxPool" else _THREE
    for name, value in sizes.items():
        if not isinstance(value, tuple) or (len(value) == dims and _are_whole(value)):
            continue
        called = f"'{operator}' attr '{name}'" if operator == "MaxPool" else \
            f"'{operator}', the parameter '{name}'"
        shown = (*lead, *value) if len(value) == dims else value
        raise ValueError(f"For {called} must be {what}, but got {shown}")


def check_dilation(dims: int, dilation) -> None:
    """What the operator with indices says of a layer's ``dilation``; of a tuple of one the element."""
    operator = "MaxPool3DWithArgmax"
    if isinstance(dilation, tuple) and dims < 3:
        dilation = dilation[0] if len(dilation) == 1 else (1,) * (3 - dims) + dilation
    if not isinstance(dilation, (int, tuple)) or isinstance(dilation, bool):
        raise TypeError(f"For '{operator}', the type of 'dilation' should be one of '['int', 'tuple']', but "
                        f"got type '{type(dilation).__name__}'.")
    sizes = (dilation,) * 3 if isinstance(dilation, int) else dilation[2:] if len(dilation) == 5 else dilation
    if len(sizes) != 3 or not _are_whole(sizes):
        raise ValueError(f"For '{operator}', the parameter 'dilation' must be {_THREE_OR_FIVE}, but got "
                         f"{sizes}")


def check_output_size(output_size, layer: str) -> None:
    """What is made of an adaptive layer's ``output_size`` with it: of some layers nothing, of
    AdaptiveMaxPool3d a Tensor."""
    if layer == "AdaptiveMaxPool3d":
        if output_size.__class__ is not int:
            Tensor(output_size, int32)
    elif layer == "AdaptiveAvgPool2d" and isinstance(output_size, tuple) and len(output_size) == 2:
        for k, size in enumerate(output_size):
            if size is not None and (not isinstance(size, int) or isinstance(size, bool)):
                raise TypeError(f"For 'AdaptiveAvgPool2D', the type of 'output_size[{k}]' should be one of "
                                f"'['int', 'NoneType']', but got type '{type(size).__name__}'.")
