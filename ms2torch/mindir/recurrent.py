"""A recurrent layer over a number of steps that stays open in an exported program: torch's scan."""

from __future__ import annotations

import torch

from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function._nn_lstm import unpacked


def is_open(op: str, values: list) -> bool:
    """Whether a node is such a layer; torch's exporter writes its steps out one by one."""
    return op == "LSTM" and torch.compiler.is_compiling() and isinstance(values[0]._t.shape[0], torch.SymInt)


def lstm(values: list, settings: dict) -> tuple:
    """What the LSTM Primitive gives."""
    x, h, c, w = (v._t for v in values)
    has_bias, both = bool(settings["has_bias"]), bool(settings["bidirectional"])
    size, projected = settings["hidden_size"], settings.get("proj_size") or 0
    weights = unpacked(w, settings["input_size"], size, has_bias, both, projected)
    each = len(weights) // (2 if both else 1)
    outputs, states = [], []
    for at in range(2 if both else 1):
        by_input, by_state, *rest = weights[at * each : (at + 1) * each]
        given = torch.nn.functional.linear(x.flip(0) if at else x, by_input, rest[0] if has_bias else None)
        # A scan's carry has memory of its own.
        start = [h[at].clone(), c[at].clone()]
        further = [by_state.t().contiguous(), *([rest[-1].t().contiguous()] if projected else ())]
        *state, output = torch.ops.higher_order.scan(_step, start, [given], tuple(further))
        outputs.append(output.flip(0) if at else output)
        states.append(state)
    empty = x.new_zeros(0)
    result = torch.cat(outputs, -1), *(torch.stack(s) for s in zip(*states, strict=True)), empty, empty
    return tuple(map(wrap, result))


def _step(h, c, given, by_state, *projection):
    """One step: gates in the order input, forget, cell, output."""
    i, f, g, o = (given + h @ by_state).chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    if projection:
        h = h @ projection[0]
    return h, c, h.clone()
