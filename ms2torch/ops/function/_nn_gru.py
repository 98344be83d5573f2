"""The GRU Primitive: one layer with packed weights."""

from __future__ import annotations

import math

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import REQUIRED, primitive

_SETTINGS = ("input_size", "hidden_size", "num_layers", "has_bias", "bidirectional", "dropout")


@primitive("GRUV2", init={**dict.fromkeys(_SETTINGS, REQUIRED), "is_train": True})
def _gru(input, h, w, seq_lengths, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout,
         is_train=True):
    """A layer over (T, N, input_size) from the state h of (directions, N, hidden_size).

    (``mindspore.ops.GRUV2``.) ``w`` holds the input weights of both directions, their hidden weights and one
    bias each; a second bias, and ``seq_lengths``, are not read, as on MindSpore's CPU. Gates in the order
    update, reset, new; the reset gate is applied to the state, before its weights. Gives (output, h, reserve,
    state), the last two empty. Its gradient, which is NaN on MindSpore's CPU, is the derivative.
    NotImplementedError for several layers, which MindSpore's CPU lacks too.
    """
    _check(input, h, seq_lengths, input_size, num_layers, bidirectional)
    directions = 2 if bidirectional else 1
    parts = _unpacked(w, input_size, hidden_size, has_bias, directions)
    found = []
    for k, (by_input, by_state, bias) in enumerate(parts):
        outputs = _layer(input.flip(0) if k else input, h[k], by_input, by_state, bias)
        found.append(outputs.flip(0) if k else outputs)
    last = torch.stack([one[0 if k else -1] for k, one in enumerate(found)])
    empty = input.new_zeros(1, 1)
    return torch.cat(found, 2), last, empty, empty.clone()


def _check(input, h, seq_lengths, input_size, num_layers, bidirectional) -> None:
    if input.ndim != 3:
        raise ValueError(f"For primitive[GRUV2], the input dims must be equal to 3, but got {input.ndim}.")
    if input.shape[2] != input_size:
        raise ValueError("For dynamic rnn, the input_shape[2] should equal to input_size.")
    if h.shape[0] != num_layers * (2 if bidirectional else 1):
        raise ValueError("For dynamic rnn, the h_shape[0] should equal to num_directions * num_layers.")
    if not input.shape[1] == h.shape[1] == seq_lengths.shape[0]:
        raise ValueError("For dynamic rnn, the batch_size should be the same between input, h, and "
                         "seq_lengths.")
    if num_layers != 1:
        raise unsupported(f"mindspore.ops.GRUV2(num_layers={num_layers})", "one layer is supported.",
                          "use nn.GRU.")


def _unpacked(w, input_size: int, hidden_size: int, has_bias: bool, directions: int) -> list:
    """(input weights, hidden weights, bias) of each direction."""
    n, flat, at, parts = 3 * hidden_size, w.reshape(-1), 0, []
    for shape in ((n, input_size), (n, hidden_size), *([(n,)] if has_bias else ())):
        size = math.prod(shape)
        parts.append([flat[at + i * size : at + (i + 1) * size].reshape(shape) for i in range(directions)])
        at += directions * size
    if not has_bias:
        parts.append([w.new_zeros(n)] * directions)
    return list(zip(*parts, strict=True))


def _layer(input, state, by_input, by_state, bias):
    """The states after each step of one direction."""
    hidden, states = state.shape[-1], []
    given = input @ by_input.T + bias
    for step in given:
        update, reset = torch.sigmoid(step[:, : 2 * hidden] + state @ by_state[: 2 * hidden].T).chunk(2, 1)
        new = torch.tanh(step[:, 2 * hidden :] + (reset * state) @ by_state[2 * hidden :].T)
        state = (1 - update) * new + update * state
        states.append(state)
    return torch.stack(states)
