"""Recurrent layers (``mindspore.nn.layer.rnns``) over torch's fused kernels."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ms2torch import _checkparam as check
from ms2torch._core.checks.refusals import translate
from ms2torch._core.tensor.dtype import float16, float32, int32, int64
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter, ParameterTuple

from ..cell import Cell
from .basic import Dropout
from .rnn_cells import need_pair, need_tensor

__all__ = ["GRU", "LSTM", "RNN"]

_FLOATS = [float32, float16]
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_KERNELS = {"LSTM": torch.lstm, "GRU": torch.gru, "RNN_TANH": torch.rnn_tanh, "RNN_RELU": torch.rnn_relu}


class _Layers(Cell):
    """The child ``rnn`` that MindSpore's layers show: runs stacked layers in torch's fused kernel."""

    _mode = ""

    def construct(self, x, state, weights, has_bias, layers, bidirectional, lengths=None):
        """``x`` is (T, N, in), ``state`` (h, c) or (h,), all torch tensors; gives the output and the final
        state."""
        kernel = _KERNELS[self._mode]
        hidden = state if self._mode == "LSTM" else state[0]
        if lengths is None:
            y, *final = kernel(x, hidden, weights, has_bias, layers, 0.0, False, bidirectional, False)
            return y, final
        # torch packs sequences of at least one step; those of none keep their state, and give zeros.
        none = lengths == 0
        packed = pack_padded_sequence(x, lengths.clamp(1, x.shape[0]).cpu(), enforce_sorted=False)
        order = packed.sorted_indices
        hidden = [s.index_select(1, order) for s in state]
        data, *final = kernel(packed.data, packed.batch_sizes, hidden if self._mode == "LSTM" else hidden[0],
                              weights, has_bias, layers, 0.0, False, bidirectional)
        y, _ = pad_packed_sequence(packed._replace(data=data), total_length=x.shape[0])
        final = [s.index_select(1, packed.unsorted_indices) for s in final]
        if none.any():
            keep = none.to(y.device)[:, None]
            y = torch.where(keep, 0.0, y)
            final = [torch.where(keep, s, f) for s, f in zip(state, final, strict=True)]
        return y, final


class _DynamicLSTMCPUGPU(_Layers):
    _mode = "LSTM"


class _DynamicGRUCPUGPU(_Layers):
    _mode = "GRU"


class _DynamicRNNTanh(_Layers):
    _mode = "RNN_TANH"


class _DynamicRNNRelu(_Layers):
    _mode = "RNN_RELU"


_CHILDREN = {c._mode: c for c in (_DynamicLSTMCPUGPU, _DynamicGRUCPUGPU, _DynamicRNNTanh, _DynamicRNNRelu)}


class _DynamicRNNBase(_Layers):
    """One layer in one direction over weights that are arguments: what packages build recurrent layers of."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        if mode not in _KERNELS:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self._mode, self.is_lstm = mode, mode == "LSTM"

    def construct(self, x, h, seq_length, w_ih, w_hh, b_ih, b_hh):
        """``x`` (T, N, in), ``h`` (N, hidden) or a pair of these; the output and the final state."""
        given = (w_ih, w_hh) if b_ih is None else (w_ih, w_hh, b_ih, b_hh)
        state = [s._t.unsqueeze(0) for s in (h if self.is_lstm else (h,))]
        weights = [w._t.to(x._t.dtype) for w in given]
        lengths = None if seq_length is None else seq_length._t
        y, final = super().construct(x._t, state, weights, b_ih is not None, 1, False, lengths)
        final = tuple(wrap(s.squeeze(0)) for s in final)
        return wrap(y), final if self.is_lstm else final[0]


# Of the recurrent layers' docstrings.
_SHARED = """

    ``construct(x, hx=None, seq_length=None)`` takes x as (T, N, in), or (N, T, in) where ``batch_first``;
    gives the outputs and the final state. Steps beyond ``seq_length`` give zeros. Parameters
    ``weight_ih_l0``, ``weight_hh_l0``, ``bias_ih_l0``, ``bias_hh_l0`` and so on, all of a kind together.
    """


class _RNNBase(Cell):
    """What the recurrent layers share."""

    def __init__(self, mode, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, dtype=float32) -> None:
        super().__init__()
        name = self.cls_name
        for label, value in (("hidden_size", hidden_size), ("input_size", input_size),
                             ("num_layers", num_layers)):
            check.check_positive_int(value, label, name)
        check.check_is_float(dropout, "dropout", name)
        for label, value in (("has_bias", has_bias), ("batch_first", batch_first), ("bidirectional",
                                                                                    bidirectional)):
            check.check_value_type(label, value, [bool], name)
        if not 0 <= dropout < 1:
            raise ValueError(f"For '{name}', the 'dropout' must be a number in range [0, 1) representing the "
                             f"probability of an element being zeroed, but got {dropout}.")
        if mode not in _GATES:
            raise ValueError(f"For '{name}', the 'mode' must be in ['RNN_RELU', 'RNN_TANH', 'LSTM', 'GRU'], "
                             f"but got {mode}.")
        self.rnn = _CHILDREN[mode]()
        self.hidden_size, self.num_layers, self.has_bias = hidden_size, num_layers, has_bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        self.dropout_op = Dropout(p=float(dropout))
        self.is_lstm = mode == "LSTM"
        self._make_weights(_GATES[mode] * hidden_size, input_size, dtype)

    def _make_weights(self, rows: int, input_size: int, dtype) -> None:
        bound = 1 / math.sqrt(self.hidden_size)
        ways = 2 if self.bidirectional else 1
        kinds: dict[str, list] = {"w_ih": [], "w_hh": [], "b_ih": [], "b_hh": []}
        for layer in range(self.num_layers):
            inside = input_size if layer == 0 else self.hidden_size * ways
            for way in range(ways):
                shapes = {"w_ih": (rows, inside), "w_hh": (rows, self.hidden_size)}
                if self.has_bias:
                    shapes.update(b_ih=(rows,), b_hh=(rows,))
                for kind, shape in shapes.items():
                    # numpy's own uniform, not an initializer: so are MindSpore's.
                    data = np.random.uniform(-bound, bound, shape).astype(np.float32)
                    word = "weight" if kind[0] == "w" else "bias"
                    name = f"{word}_{kind[2:]}_l{layer}{'_reverse' if way else ''}"
                    kinds[kind].append(Parameter(Tensor(data, dtype), name=name))
        for kind, weights in kinds.items():
            setattr(self, f"{kind}_list", ParameterTuple(weights))

    def _flat_weights(self, dtype: torch.dtype, first: int, last: int) -> list[torch.Tensor]:
        """The weights of layers ``first`` to ``last`` as torch's kernels take them."""
        ways = 2 if self.bidirectional else 1
        kinds = [self.w_ih_list, self.w_hh_list] + ([self.b_ih_list, self.b_hh_list] if self.has_bias else [])
        flat = [kind[i]._t for i in range(first * ways, last * ways) for kind in kinds]
        return flat if flat[0].dtype is dtype else [w.to(dtype) for w in flat]

    def construct(self, x, hx=None, seq_length=None):
        t, state = self._checked(x, hx, seq_length)
        lengths = None if seq_length is None else seq_length._t.long()
        ways = 2 if self.bidirectional else 1
        try:
            if self.dropout == 0 or not self.dropout_op.training or self.num_layers == 1:
                weights = self._flat_weights(t.dtype, 0, self.num_layers)
                y, final = self.rnn(t, state, weights, self.has_bias, self.num_layers, self.bidirectional,
                                    lengths)
            else:
                # MindSpore's dropout mask between layers is its own stream: one layer at a time.
                y, parts = t, []
                for i in range(self.num_layers):
                    own = [s[i * ways:(i + 1) * ways] for s in state]
                    weights = self._flat_weights(t.dtype, i, i + 1)
                    y, part = self.rnn(y, own, weights, self.has_bias, 1, self.bidirectional, lengths)
                    parts.append(part)
                    if i < self.num_layers - 1:
                        y = self.dropout_op(wrap(y))._t
                final = [torch.cat(p) for p in zip(*parts, strict=True)]
        except RuntimeError as err:
            raise translate(err, self.cls_name, (t, *state)) from None
        y = wrap(y.transpose(0, 1) if self.batch_first else y)
        return y, (tuple(wrap(f) for f in final) if self.is_lstm else wrap(final[0]))

    def _checked(self, x, hx, seq_length):
        """``x`` as (T, N, in) and the state as a list of torch tensors, zeros where none was given."""
        name = self.cls_name
        need_tensor("x", x, name)
        if self.is_lstm and hx is not None:
            need_pair("hx", hx, name)
        t = x._t
        inside = self.w_ih_list[0].shape[1]
        if t.ndim != 3 or t.shape[2] != inside:
            # torch's kernels read out of bounds here instead of refusing.
            got = t.shape[-1] if t.ndim else 0
            raise ValueError(
                f"For primitive[LSTM], the x_shape[2] must be equal to {inside}, but got {got}."
                if self.is_lstm else "For 'MatMul' the input dimensions must be equal, but got "
                                     f"'x1_col': {got} and 'x2_row': {inside}.")
        made = self.w_hh_list[0].shape[1]
        if hx is None and self.hidden_size != made:
            raise ValueError(
                f"For primitive[LSTM], the h_shape[2] must be equal to {made}, but got {self.hidden_size}."
                if self.is_lstm else "For 'MatMul' the input dimensions must be equal, but got "
                                     f"'x1_col': {self.hidden_size} and 'x2_row': {made}.")
        if self.batch_first:
            t = t.transpose(0, 1)
        batch = t.shape[1]
        wanted = (self.num_layers * (2 if self.bidirectional else 1), batch, self.hidden_size)
        if hx is None:
            if t.dtype is not torch.float64:                # (which only a state of one's own forbids)
                check.check_types_same_and_valid({"x": x.dtype}, _FLOATS, name)
            state = [t.new_zeros(wanted) for _ in range(2 if self.is_lstm else 1)]
        elif self.is_lstm:
            check.check_types_same_and_valid({"x": x.dtype, "hx[0]": hx[0].dtype, "hx[1]": hx[1].dtype},
                                             _FLOATS, name)
            state = [hx[0]._t, hx[1]._t]
        else:
            need_tensor("h", hx, name)
            check.check_types_same_and_valid({"x": x.dtype, "hx": hx.dtype}, _FLOATS, name)
            state = [hx._t]
        for s in state:
            if tuple(s.shape) != wanted:
                raise ValueError(f"For '{name}', the state must have the shape {wanted}, but got "
                                 f"{tuple(s.shape)}.")
        if seq_length is not None:
            check.check_type_name("seq_length", seq_length.dtype, [int32, int64], name)
            if seq_length.shape[0] != batch:
                raise ValueError(f"For '{name}' batch size of x and seq_length must be equal, "
                                 f"but got {batch} of x and {seq_length.shape[0]} of seq_length.")
        return t, state


class RNN(_RNNBase):
    """Elman network (``mindspore.nn.RNN``); ``nonlinearity`` is "tanh" or "relu"."""

    __doc__ += _SHARED
    def __init__(self, *args, **kwargs) -> None:
        nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"For '{type(self).__name__}', the 'nonlinearity' must be in ['tanh', 'relu'], "
                             f"but got {nonlinearity}.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)


class GRU(_RNNBase):
    """Gated recurrent units (``mindspore.nn.GRU``): ``(x, h)`` to ``(output, h)``."""

    __doc__ += _SHARED
    def __init__(self, *args, **kwargs) -> None:
        super().__init__("GRU", *args, **kwargs)


class LSTM(_RNNBase):
    """Long short-term memory (``mindspore.nn.LSTM``): ``(x, (h, c))`` to ``(output, (h, c))``.

    Arguments: input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0,
    bidirectional=False, dtype=float32.
    """

    __doc__ += _SHARED

    def __init__(self, *args, **kwargs) -> None:
        super().__init__("LSTM", *args, **kwargs)
