"""Constants of shapes and axes, worked out as MindSpore's numpy does (``mindspore.numpy.utils_const``)."""

from __future__ import annotations

from ms2torch._naming.surface import install_lazy


def _infer_out_shape(*shapes) -> tuple:
    """The shape to which ``shapes`` broadcast; ValueError where they do not."""
    made = []
    longest = max(map(len, shapes), default=0)
    for sizes in zip(*[(1,) * (longest - len(shape)) + tuple(shape) for shape in shapes], strict=True):
        wider = {size for size in sizes if size != 1}
        if len(wider) > 1:
            raise ValueError(f"operands could not be broadcast together with shapes {shapes}")
        made.append(wider.pop() if wider else 1)
    return tuple(made)


def _canonicalize_axis(axis, ndim: int):
    """``axis`` counted from the front: an int, or a tuple of several."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    for one in axes:
        if not -ndim <= one < ndim:
            raise ValueError(f"axis {one} is out of bounds for array of dimension {ndim}")
    made = tuple(one % ndim for one in axes)
    if len(set(made)) < len(made):
        raise ValueError(f"duplicate axes in {axis}.")
    return made if len(made) > 1 else made[0]


install_lazy(__name__, globals())
