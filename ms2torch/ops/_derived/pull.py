"""Gradients by differentiating a forward definition."""

from __future__ import annotations

from functools import cache

import torch

from ms2torch._core.operators.registry import MINT, OPS, PRIMITIVES


@cache
def forward(name: str):
    """The definition over torch tensors of an ``ops`` function, a Primitive or a ``mint`` function."""
    if name in OPS:
        return OPS[name].kernel
    return (PRIMITIVES[name] if name in PRIMITIVES else MINT[name]).kernel


def pull(dout, function, *inputs, **settings):
    """The gradients of ``inputs`` where ``function(*inputs, **settings)`` has the gradient ``dout``.

    One gradient for one input, else a tuple; in the inputs' dtypes. It can be differentiated again.
    """
    function = forward(function) if isinstance(function, str) else function
    out, back = torch.func.vjp(lambda *values: function(*values, **settings), *inputs)
    found = back(dout.to(out.dtype).reshape(out.shape))
    return found[0] if len(found) == 1 else found


def put_back(dy, size, chosen):
    """The gradient of a tensor of shape ``size`` of which ``chosen`` takes elements, each once.

    It is ``dy`` at their places and zeros elsewhere; of integers and bools too.
    """
    if dy.dtype.is_floating_point or dy.dtype.is_complex:
        return pull(dy, chosen, dy.new_zeros(size))
    flat = dy.new_zeros(size).reshape(-1)
    places = chosen(torch.arange(len(flat), device=dy.device).reshape(size))
    return flat.index_put((places.reshape(-1),), dy.reshape(-1)).reshape(size)


def shape(value) -> tuple[int, ...]:
    """A shape that is given as a tuple or as a tensor."""
    return tuple(int(n) for n in value)


def like_shape(value, dout, function):
    """The gradient of an input of the shape ``value``, where ``function`` is linear in it."""
    return pull(dout, function, dout.new_zeros(shape(value)))
