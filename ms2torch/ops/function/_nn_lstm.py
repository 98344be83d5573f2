"""The LSTM Primitive: one layer with packed weights."""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import REQUIRED, primitive

_SETTINGS = ("input_size", "hidden_size", "num_layers", "has_bias", "bidirectional", "dropout")


@primitive("LSTM", init={**dict.fromkeys(_SETTINGS, REQUIRED), "proj_size": 0})
def _lstm(input, h, c, w, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0):
    """A layer over (T, N, input_size) from states h, c of (directions, N, hidden_size).

    (``mindspore.ops.LSTM``.) ``w`` holds the input weights of both directions, their hidden weights and one
    bias each; a second bias is not read, as on MindSpore's CPU. Gates in the order input, forget, cell,
    output. Gives (output, h, c, reserve, state), the last two empty. NotImplementedError for several layers,
    which MindSpore's CPU lacks too.
    """
    if num_layers != 1 or proj_size:
        raise unsupported(f"mindspore.ops.LSTM(num_layers={num_layers}, proj_size={proj_size})",
                          "one layer without projection is supported.", "use nn.LSTM.")
    if has_bias.__class__ is not bool or bidirectional.__class__ is not bool:
        raise TypeError("For 'LSTM', 'has_bias' and 'bidirectional' must be bool.")
    n, directions = 4 * hidden_size, 2 if bidirectional else 1
    shapes = [(n, input_size), (n, hidden_size), (n,)][: 2 + has_bias]
    flat, parts, at = w.reshape(-1), [], 0
    for shape in shapes:
        size = n * (shape[1] if len(shape) == 2 else 1)
        parts.append([flat[at + i * size : at + (i + 1) * size].reshape(shape) for i in range(directions)])
        at += directions * size
    weights = []
    for direction in zip(*parts, strict=True):
        weights.extend(direction)
        if has_bias:
            weights.append(torch.zeros_like(direction[-1]))
    output, h, c = torch.lstm(input, (h, c), weights, has_bias, 1, 0.0, False, bidirectional, False)
    empty = input.new_zeros(0)
    return output, h, c, empty, empty
