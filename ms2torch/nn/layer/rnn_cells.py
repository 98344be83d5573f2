"""One step of a recurrent network (``mindspore.nn.layer.rnn_cells``)."""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch import _checkparam as check
from ms2torch._core.checks.calls import type_description
from ms2torch._core.checks.refusals import one_dtype
from ms2torch._core.errors import asked, final, notice
from ms2torch._core.tensor.dtype import float16, float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming import generation, generations
from ms2torch.common.initializer import Uniform, initializer
from ms2torch.common.parameter import Parameter

from ..cell import Cell

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]

_FLOATS = [float32, float16]
# How MindSpore shows the classes that it asks for.
_TYPING = "<class 'mindspore._c_expression.typing"


def need_tensor(name: str, value, cell: str) -> None:
    if not isinstance(value, Tensor) and value is not None:
        wrong = TypeError(f"For '{cell}', the '{name}' must be '{_TYPING}.TensorType'>', "
                          f"but got '{type_description(value)}'")
        raise asked(wrong) if isinstance(value, np.ndarray) else wrong      # (which has a shape to be read)


def need_pair(name: str, value, cell: str) -> None:
    """A tuple of two Tensors."""
    if not isinstance(value, tuple):
        wrong = TypeError(f"For '{cell}', the '{name}' must be '{_TYPING}.Tuple'>', "
                          f"but got '{type_description(value)}'")
        raise asked(wrong) if isinstance(value, Tensor) else wrong
    if len(value) != 2:
        raise TypeError(f"For '{cell}', the length of '{name}' must be '2', but got '{len(value)}'")
    for i, v in enumerate(value):
        need_tensor(f"{name}[{i}]", v, cell)


def _step(compute):
    """The cell function over Tensors that programs import: ``(inputs, hidden, w_ih, w_hh, b_ih, b_hh)``."""
    def call(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
        weights = [None if w is None else w._t for w in (w_ih, w_hh, b_ih, b_hh)]
        state = tuple(h._t for h in hidden) if isinstance(hidden, (tuple, list)) else hidden._t
        x = inputs._t
        first = state[0] if isinstance(state, tuple) else state
        if x.ndim == first.ndim == 2 and x.shape[0] != first.shape[0]:      # (a batch of one goes with any)
            rows = max(x.shape[0], first.shape[0])
            x, *state = (t if t.shape[0] != 1 else t.expand(rows, -1)
                         for t in (x, *(state if isinstance(state, tuple) else (state,))))
            state = tuple(state) if len(state) > 1 else state[0]
        try:
            y = compute(x, state, *weights)
        except RuntimeError:
            for t, weight in ((x, weights[0]), (first, weights[1])):
                one_dtype("MatMul", t, weight)
                if t.ndim == 2 and t.shape[1] != weight.shape[1]:
                    raise final(ValueError(
                        "For 'MatMul' the input dimensions must be equal, but got "
                        f"'x1_col': {t.shape[1]} and 'x2_row': {weight.shape[1]}.")) from None
            raise
        return tuple(wrap(v) for v in y) if isinstance(y, tuple) else wrap(y)

    call.__doc__ = compute.__doc__
    return call


_rnn_tanh_cell = _step(torch.rnn_tanh_cell)
_rnn_relu_cell = _step(torch.rnn_relu_cell)
_lstm_cell = _step(torch.lstm_cell)
_gru_cell = _step(torch.gru_cell)


class RNNCellBase(Cell):
    """What the cells share: ``weight_ih``, ``weight_hh`` and biases from U(-1/sqrt(hidden), 1/sqrt(hidden)).
    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool, num_chunks: int,
                 dtype=float32) -> None:
        super().__init__()
        check.check_value_type("has_bias", has_bias, [bool], self.cls_name)
        check.check_positive_int(hidden_size, "hidden_size", self.cls_name)
        check.check_positive_int(input_size, "input_size", self.cls_name)
        self.input_size, self.hidden_size, self.has_bias = input_size, hidden_size, has_bias
        rows = num_chunks * hidden_size
        self.bias_ih = self.bias_hh = None
        # MindSpore draws every weight twice: from randn, and then for good in reset_parameters.
        shapes = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        if has_bias:
            shapes.update(bias_ih=(rows,), bias_hh=(rows,))
        for name, shape in shapes.items():
            setattr(self, name, Parameter(Tensor(np.random.randn(*shape), dtype), name=name))
        self.reset_parameters(dtype)

    def reset_parameters(self, dtype=float32) -> None:
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.get_parameters():
            weight.set_data(initializer(Uniform(bound), weight.shape, dtype))

    def _weights(self):
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _check(self, **tensors) -> None:
        for name, x in tensors.items():
            need_tensor(name, x, self.cls_name)
            check.check_type_name(name, x.dtype, _FLOATS, self.cls_name)


class RNNCell(RNNCellBase):
    """One step of an Elman network (``mindspore.nn.RNNCell``): ``(x, hx)`` to the new state; tanh or relu."""

    _non_linearity = ["tanh", "relu"]

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, nonlinearity: str = "tanh",
                 dtype=float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        check.check_value_type("nonlinearity", nonlinearity, [str], self.cls_name)
        check.check_string(nonlinearity, self._non_linearity, "nonlinearity", self.cls_name)
        self.nonlinearity = nonlinearity

    def construct(self, x, hx):
        self._check(x=x, hx=hx)
        return (_rnn_tanh_cell if self.nonlinearity == "tanh" else _rnn_relu_cell)(x, hx, *self._weights())


_OLD = {"batch_first", "dropout", "bidirectional"}


def _asks_for_a_layer(args, kwargs) -> bool:
    """Whether a call without a chosen release can only mean the layer that LSTMCell was before 1.6."""
    fourth = len(args) > 4 or (len(args) == 4 and isinstance(args[3], bool))
    if generation.is_set() or not (fourth or _OLD & kwargs.keys()):
        return False
    notice("LSTMCell", "nn.LSTMCell with these arguments is the layer of before 1.6, and taken as such.")
    return True


class LSTMCell(RNNCellBase):
    """One step of an LSTM (``mindspore.nn.LSTMCell``): ``(x, (h, c))`` to ``(h, c)``.

    Before 1.6 this name was a whole layer, which an ``--api`` before 1.6 makes. That layer's arguments make
    it without a setting, too; under ``--api`` of 1.6 or later they raise MindSpore's ValueError.
    """

    def __new__(cls, *args, **kwargs):
        if cls is LSTMCell and (generations.has_old_meaning("mindspore.nn.LSTMCell")
                                or _asks_for_a_layer(args, kwargs)):
            return _PackedLSTM(*args, **kwargs)
        return super().__new__(cls)

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype=float32,
                 **old) -> None:
        if old:
            if (_OLD | {"batch_size"}) & set(old):
                raise ValueError("The arguments of `nn.LSTMCell` from old MindSpore version(<1.6) are "
                                 "detected, "
                                 "if you still need use single LSTM layer, please use `nn.LSTM` instead.")
            raise TypeError(f"LSTMCell.__init__() got an unexpected keyword argument '{next(iter(old))}'")
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x, hx):
        need_tensor("x", x, self.cls_name)
        need_pair("hx", hx, self.cls_name)
        self._check(**{"x": x, "hx[0]": hx[0], "hx[1]": hx[1]})
        return _lstm_cell(x, hx, *self._weights())


class _PackedLSTM(Cell):
    """``nn.LSTMCell`` before 1.6: a layer over ``(x, h, c, w)`` that gives (output, h, c, reserve, state).

    The packed weights are an argument, laid out as ``ops.LSTM`` has them.
    """

    def __init__(self, input_size, hidden_size, has_bias=True, batch_first=False, dropout=0,
                 bidirectional=False) -> None:
        super().__init__()
        self.batch_first = check.check_value_type("batch_first", batch_first, [bool], "LSTMCell")
        from ms2torch.ops import LSTM

        self.lstm = LSTM(input_size, hidden_size, 1, has_bias, bidirectional, float(dropout))

    def construct(self, x, h, c, w):
        if self.batch_first:
            x = x.swapaxes(0, 1)
        x, h, c, reserve, state = self.lstm(x, h, c, w)
        return (x.swapaxes(0, 1) if self.batch_first else x), h, c, reserve, state


class GRUCell(RNNCellBase):
    """One step of a GRU (``mindspore.nn.GRUCell``): ``(x, hx)`` to the new state."""

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype=float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x, hx):
        self._check(x=x, hx=hx)
        return _gru_cell(x, hx, *self._weights())
