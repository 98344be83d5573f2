"""Recurrent layers of Ascend as Primitives: one layer, one direction, all gates among the results.

Computed in float32 from the float16 inputs that Ascend asks for; results have the dtype of the bias.
"""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import primitive

_GRU = {"direction": "UNIDIRECTIONAL", "cell_depth": 1, "keep_prob": 1.0, "cell_clip": -1.0, "num_proj": 0,
        "time_major": True, "activation": "tanh", "gate_order": "rzh", "reset_after": True,
        "is_training": True}
_LSTM = {"cell_type": "LSTM", "direction": "UNIDIRECTIONAL", "cell_depth": 1, "use_peephole": False,
         "keep_prob": 1.0, "cell_clip": -1.0, "num_proj": 0, "time_major": True, "activation": "tanh",
         "forget_bias": 0.0, "is_training": True}


def _only(name: str, defaults: dict, seq_length, **given) -> None:
    """NotImplementedError for settings that MindSpore documents as not supported yet."""
    for key, value in given.items():
        if value != defaults[key]:
            raise unsupported(f"mindspore.ops.{name}({key}={value!r})",
                              f"only {defaults[key]!r} is supported.",
                              "use nn.GRU or nn.LSTM.")
    if seq_length is not None:
        raise unsupported(f"mindspore.ops.{name}(seq_length=...)", "only None is supported.",
                          "use nn.GRU or nn.LSTM, which take seq_length.")


@primitive("DynamicGRUV2", init=_GRU)
def _dynamic_gru(x, weight_input, weight_hidden, bias_input, bias_hidden, seq_length, init_h,
                 direction="UNIDIRECTIONAL", cell_depth=1, keep_prob=1.0, cell_clip=-1.0, num_proj=0,
                 time_major=True, activation="tanh", gate_order="rzh", reset_after=True, is_training=True):
    """A GRU layer over (T, N, input) from a state of (N, hidden) (``mindspore.ops.DynamicGRUV2``).

    Weights are (input, 3 hidden) and (hidden, 3 hidden), transposed as compared with torch's; ``gate_order``
    "rzh" (torch's) or "zrh". Gives (y, output_h, update, reset, new, hidden_new), each (T, N, hidden).
    """
    _only("DynamicGRUV2", _GRU, seq_length, direction=direction, cell_depth=cell_depth, keep_prob=keep_prob,
          cell_clip=cell_clip, num_proj=num_proj, time_major=time_major, activation=activation,
          reset_after=reset_after)
    if gate_order not in ("rzh", "zrh"):
        raise ValueError(f"For 'DynamicGRUV2', the 'gate_order' must be str and must be in '['zrh', 'rzh']', "
                         f"but got '{gate_order}'.")
    dtype = next((b.dtype for b in (bias_input, bias_hidden) if b is not None), init_h.dtype)
    size = 3 * init_h.shape[-1]
    weights = [weight_input.float().T, weight_hidden.float().T]
    weights += [x.new_zeros(size, dtype=torch.float32) if b is None else b.float()
                for b in (bias_input, bias_hidden)]
    if gate_order == "zrh":
        weights = [torch.cat([w.chunk(3)[i] for i in (1, 0, 2)]) for w in weights]
    weights = [w.contiguous() for w in weights]
    x, start = x.float(), init_h.float()
    output, _ = torch.gru(x, start[None], weights, True, 1, 0.0, False, False, False)
    # The gates again, all steps at once: the states that they were computed from are known now.
    w_ih, w_hh, b_ih, b_hh = weights
    from_x = (x @ w_ih.T + b_ih).chunk(3, -1)
    from_h = (torch.cat((start[None], output[:-1])) @ w_hh.T + b_hh).chunk(3, -1)
    reset, update = torch.sigmoid(from_x[0] + from_h[0]), torch.sigmoid(from_x[1] + from_h[1])
    new = torch.tanh(from_x[2] + reset * from_h[2])
    return tuple(t.to(dtype) for t in (output, output, update, reset, new, from_h[2]))


@primitive("DynamicRNN", init=_LSTM)
def _dynamic_rnn(x, w, b, seq_length, init_h, init_c, cell_type="LSTM", direction="UNIDIRECTIONAL",
                 cell_depth=1, use_peephole=False, keep_prob=1.0, cell_clip=-1.0, num_proj=0, time_major=True,
                 activation="tanh", forget_bias=0.0, is_training=True):
    """An LSTM layer over (T, N, input) from states of (1, N, hidden) (``mindspore.ops.DynamicRNN``).

    ``w`` is (input + hidden, 4 hidden) with the gates in the order input, cell, forget, output (torch's:
    input, forget, cell, output). Gives (y, output_h, output_c, i, j, f, o, tanhct), each (T, N, hidden).
    """
    _only("DynamicRNN", _LSTM, seq_length, cell_type=cell_type, direction=direction, cell_depth=cell_depth,
          use_peephole=use_peephole, keep_prob=keep_prob, cell_clip=cell_clip, num_proj=num_proj,
          time_major=time_major, activation=activation)
    w = w.float()
    from_x = x.float() @ w[:x.shape[-1]] + b.float()
    w_hidden = w[x.shape[-1]:]
    h, c = init_h.float().squeeze(0), init_c.float().squeeze(0)
    steps = []
    for at in from_x:
        i, j, f, o = (at + h @ w_hidden).chunk(4, -1)
        i, j, f, o = torch.sigmoid(i), torch.tanh(j), torch.sigmoid(f + forget_bias), torch.sigmoid(o)
        c = f * c + i * j
        tanh = torch.tanh(c)
        h = o * tanh
        steps.append((h, h, c, i, j, f, o, tanh))
    return tuple(torch.stack(kind).to(b.dtype) for kind in zip(*steps, strict=True))
