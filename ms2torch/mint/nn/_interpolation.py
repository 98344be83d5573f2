"""What ``mint.nn.functional.interpolate`` demands, in MindSpore's words."""

from __future__ import annotations

import torch

from ms2torch._core.checks.calls import describe

_MODES = ["nearest", "linear", "bilinear", "bicubic", "trilinear"]
_OPERATORS = {"linear": ("UpsampleLinear1D", 3), "bilinear": ("UpsampleBilinear2D", 4),
              "bicubic": ("UpsampleBicubic2D", 4), "trilinear": ("UpsampleTrilinear3D", 5)}


def check_interpolation(x, size, scale, mode, align_corners, recompute) -> None:
    """TypeError or ValueError unless a size or a scale, of numbers of the right kind, fits image and mode."""
    if not isinstance(x, torch.Tensor):
        raise TypeError("the input x must be Tensor!")
    said = "For 'interpolate',"
    if mode not in _MODES:
        raise ValueError(f"{said} 'mode' must be in '{_MODES}', but got {mode}")
    if size is not None and scale is not None:
        raise ValueError(f"{said} 'size' and 'scale_factor' cannot be set simultaneously")
    if size is None and scale is None:
        raise ValueError(f"{said} 'size' and 'scale_factor' cannot be both empty")
    if size is not None and recompute:
        raise ValueError(f"{said} it is incorrect to set 'recompute_scale_factor' to True after specifying "
                         "an explicit 'size'.")
    name, rank = _OPERATORS.get(mode, (f"UpsampleNearest{x.ndim - 2}D", x.ndim))
    given = scale if size is None else size
    given = tuple(given) if isinstance(given, (tuple, list)) else (given,) * (x.ndim - 2)
    _check_kinds(name, given, size is None, align_corners)
    if x.ndim != rank:
        raise ValueError(f"For primitive[{name}], the image rank must be equal to {rank}, but got {x.ndim}.")
    if len(given) != rank - 2:
        counted = "scales" if size is None else "size"
        raise ValueError(f"For primitive[{name}], the number of {counted} must be equal to {rank - 2}, "
                         f"but got {len(given)}.")
    wrong = next((n for n in given if isinstance(n, (int, float)) and n <= 0), None)
    if wrong is not None:
        raise ValueError(f"For primitive[{name}], the size value must be greater than 0, but got {wrong:g}.")


def _check_kinds(name, given, scales: bool, align_corners) -> None:
    kind = (float,) if scales else (int,)
    fit = all(isinstance(n, (*kind, torch.Tensor)) and not isinstance(n, bool) for n in given)
    if fit and (align_corners is None or isinstance(align_corners, bool)):
        return
    size, scale = (None, given) if scales else (given, None)
    corners = f"align_corners={'bool' if align_corners is None else describe(align_corners)}"
    made = corners if name == "UpsampleTrilinear3D" else ""
    last = "" if made or "Nearest" in name else f", {corners}"
    raise TypeError(f'Failed calling {name} with "{name}({made})(x=Tensor, output_size={describe(size)}, '
                    f'scales={describe(scale)}{last})".')
