"""The LSTM Primitive: one layer with packed weights."""

from __future__ import annotations

import math
import warnings
from contextlib import contextmanager, nullcontext

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import REQUIRED, primitive

_SETTINGS = ("input_size", "hidden_size", "num_layers", "has_bias", "bidirectional", "dropout")


@contextmanager
def _unwarned():
    """Without torch's word that oneDNN has no projections."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "LSTM with projections")
        yield


@primitive("LSTM", init={**dict.fromkeys(_SETTINGS, REQUIRED), "proj_size": 0})
def _lstm(input, h, c, w, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0):
    """A layer over (T, N, input_size) from states h, c of (directions, N, hidden_size).

    (``mindspore.ops.LSTM``.) ``w`` holds the input weights of both directions, their hidden weights, their
    projections to ``proj_size`` and one bias each; a second bias is not read, as on MindSpore's CPU. Gates
    in the order input, forget, cell, output. Gives (output, h, c, reserve, state), the last two empty.
    NotImplementedError for several layers, which MindSpore's CPU lacks too.
    """
    if num_layers != 1:
        raise unsupported(f"mindspore.ops.LSTM(num_layers={num_layers})", "one layer is supported.",
                          "use nn.LSTM.")
    if has_bias.__class__ is not bool or bidirectional.__class__ is not bool:
        raise TypeError("For 'LSTM', 'has_bias' and 'bidirectional' must be bool.")
    weights = unpacked(w, input_size, hidden_size, has_bias, bidirectional, proj_size)
    with _unwarned() if proj_size else nullcontext():
        output, h, c = torch.lstm(input, (h, c), weights, has_bias, 1, 0.0, False, bidirectional, False)
    empty = input.new_zeros(0)
    return output, h, c, empty, empty


def unpacked(w, input_size, hidden_size, has_bias, bidirectional, proj_size=0) -> list:
    """torch's list of a layer's weights, direction after direction, from MindSpore's one tensor."""
    n, directions, given = 4 * hidden_size, 2 if bidirectional else 1, proj_size or hidden_size
    shapes = [(n, input_size), (n, given), *([(proj_size, hidden_size)] if proj_size else ()),
              *([(n,)] if has_bias else ())]
    flat, parts, at = w.reshape(-1), [], 0
    for shape in shapes:
        size = math.prod(shape)
        parts.append([flat[at + i * size : at + (i + 1) * size].reshape(shape) for i in range(directions)])
        at += directions * size
    weights = []
    for by_input, by_state, *rest in zip(*parts, strict=True):
        biases = (rest[-1], torch.zeros_like(rest[-1])) if has_bias else ()
        weights.extend((by_input, by_state, *biases, *(rest[:1] if proj_size else ())))
    return weights
