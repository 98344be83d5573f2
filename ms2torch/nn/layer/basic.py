"""Dense, Dropout, Flatten and other basic layers (``mindspore.nn.layer.basic``)."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch import _checkparam as check
from ms2torch._core import mode
from ms2torch._core.operators.registry import Primitive
from ms2torch._core.random.random_streams import Stream
from ms2torch._core.tensor.dtype import Type, float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming import generations
from ms2torch.common.initializer import HeUniform, Uniform, initializer
from ms2torch.common.parameter import Parameter
from ms2torch.common.seed import _get_graph_seed
from ms2torch.ops.function._nn_dropout import dropped, dropped_channels

from ..cell import Cell
from . import _arrange
from ._arrange import *  # noqa: F403
from ._errors import dense_error
from ._late import refused_when_called
from ._parts import Part, bias_of, primitive
from .activation import get_activation

__all__ = ["Dense", "Dropout", "Dropout1d", "Dropout2d", "Dropout2dExt", "Dropout3d", "Flatten", "Identity",
           "Linear",
           *_arrange.__all__]


def check_dense_input_shape(x, prim_name=None) -> None:
    """ValueError where a shape has less than two dimensions (r1.2 to 2.2); what layers of users borrow."""
    if len(x) < 2:
        prefix = f"For '{prim_name}', the" if prim_name else "The"
        raise ValueError(f"{prefix} dimension of 'x' should not be less than 2, but got {len(x)}.")


def _is_equal_one(x):
    """Whether the mean of ``x`` is one, as a Tensor; what layers of users borrow."""
    from ms2torch import ops

    return ops.Equal()(ops.ReduceMean()(x), 1.0)


def _linear_parameters(cell: Cell, n_in: int, n_out: int, weight_init, bias_init, names, dtype) -> None:
    """``weight`` (out, in) and, where ``cell.has_bias``, ``bias`` (out,): drawn in this order."""
    if isinstance(weight_init, Tensor) and weight_init.shape != (n_out, n_in):
        raise ValueError(
            f"For '{cell.cls_name}', weight init shape error. The ndim of 'weight_init' must be equal to 2, "
            f"and the first dim must be equal to '{names[1]}', and the second dim must be equal to "
            f"'{names[0]}'. But got 'weight_init': {weight_init}, '{names[1]}': {n_out}, '{names[0]}': "
            f"{n_in}.")
    if generations.has_old_meaning("mindspore.nn.Dense"):
        weight_init = "normal" if weight_init is None else weight_init
        bias_init = "zeros" if bias_init is None else bias_init
    init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
    cell.weight = Parameter(initializer(init, [n_out, n_in], dtype=dtype), name="weight")
    cell.bias = None
    if cell.has_bias:
        if isinstance(bias_init, Tensor) and bias_init.shape != (n_out,):
            raise ValueError(
                f"For '{cell.cls_name}', bias init shape error. The ndim of 'bias_init' must be equal to 1, "
                f"and the first dim must be equal to '{names[1]}'. But got 'bias_init': {bias_init}, "
                f"'{names[1]}': {n_out}.")
        init = Uniform(1 / math.sqrt(n_in)) if bias_init is None else bias_init
        cell.bias = Parameter(initializer(init, [n_out], dtype=dtype), name="bias")


class Dense(Cell):
    """``activation(x @ weight.T + bias)`` over the last dimension of ``x`` (``mindspore.nn.Dense``; torch's
    Linear).

    ``weight`` is (out_channels, in_channels), drawn from U(-1/sqrt(in), 1/sqrt(in)) like ``bias`` where no
    initializer is given (before 2.0: N(0, 0.01^2) and zeros). ``activation`` is a name, a Cell or a
    Primitive. TypeError or ValueError for arguments of another kind, TypeError for an input of another dtype
    than the weight's, ValueError for another last dimension.
    """

    def __init__(self, in_channels, out_channels, weight_init=None, bias_init=None, has_bias=True,
                 activation=None, dtype=float32) -> None:
        super().__init__()
        self.in_channels = check.check_positive_int(in_channels, "in_channels", self.cls_name)
        self.out_channels = check.check_positive_int(out_channels, "out_channels", self.cls_name)
        self.has_bias = check.check_bool(has_bias, "has_bias", self.cls_name)
        _linear_parameters(self, in_channels, out_channels, weight_init, bias_init, ("in_channels",
                                                                                     "out_channels"),
                           dtype)
        self.activation = get_activation(activation) if isinstance(activation, str) else activation
        if activation is not None and not isinstance(self.activation, (torch.nn.Module, Primitive)):
            raise TypeError(f"For '{self.cls_name}', the 'activation' must be str or Cell or Primitive, but "
                            f"got {type(activation).__name__}.")
        self.activation_flag = self.activation is not None

    matmul = primitive("MatMul", transpose_b=True)
    bias_add = primitive("BiasAdd")
    reshape = primitive("Reshape")
    shape_op = primitive("Shape")

    def construct(self, x):
        weight, bias = self.weight, self.bias if self.has_bias else None
        if bias is None and self.has_bias:
            bias_of(self, "bias" in self._params)
        if mode.mesh is not None and hasattr(self.matmul, "_strategies"):
            y = self.matmul(x if x.ndim == 2 else self.reshape(x, (-1, x.shape[-1])), weight)
            y = y if bias is None else self.bias_add(y, bias)
            y = self.activation(y) if self.activation_flag else y
            return y if x.ndim == 2 else self.reshape(y, (*x.shape[:-1], y.shape[-1]))
        try:
            y = wrap(F.linear(x._t, weight._t, None if bias is None else bias._t))
        except (RuntimeError, AttributeError) as err:
            raise dense_error(err, x, weight) from None
        return self.activation(y) if self.activation_flag else y

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += f", has_bias={self.has_bias}"
        if self.activation_flag:
            text += f", activation={self.activation}"
        return text


class Linear(Cell):
    """``x @ weight.T + bias`` (``mindspore.nn.Linear``), with torch's argument names."""

    def __init__(self, in_features, out_features, bias=True, weight_init=None, bias_init=None,
                 dtype=None) -> None:
        super().__init__()
        self.in_features = check.check_positive_int(in_features, "in_features", self.cls_name)
        self.out_features = check.check_positive_int(out_features, "out_features", self.cls_name)
        self.has_bias = check.check_bool(bias, "has_bias", self.cls_name)
        _linear_parameters(self, in_features, out_features, weight_init, bias_init, ("in_features",
                                                                                     "out_features"),
                           float32 if dtype is None else dtype)

    def construct(self, x):
        weight, bias = self.weight, self.bias
        try:
            return wrap(F.linear(x._t, weight._t, None if bias is None else bias._t))
        except (RuntimeError, AttributeError) as err:
            raise dense_error(err, x, weight) from None

    def extend_repr(self) -> str:
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text


class Dropout(Cell):
    """Zeroes elements at random while training, and scales the rest up (``mindspore.nn.Dropout``).

    The first argument is ``keep_prob``, the share that *stays*: ``Dropout(0.9)`` drops 10 %. ``p``, a keyword
    in 2.x, is torch's: the share that goes. On the CPU the masks are those of MindSpore under the same
    ``set_seed``.
    """

    def __init__(self, keep_prob=0.5, p=None, dtype=float32) -> None:
        super().__init__()
        if isinstance(p, Type) and not generations.has_new_meaning("mindspore.nn.Dropout"):
            p = None                                # before 2.0 the dtype, which changed nothing, was here
        if p is None:
            check.check_value_type("keep_prob", keep_prob, [float], self.cls_name)
            if keep_prob <= 0 or keep_prob > 1:
                raise ValueError(f"For '{self.cls_name}', the 'keep_prob' must be a number in range (0, 1], "
                                 f"but got {keep_prob}.")
            keep = keep_prob
        else:
            check.check_value_type("p", p, [float, int], self.cls_name)
            if p < 0 or p >= 1:
                raise ValueError(f"For '{self.cls_name}', the 'p' must be a number in range [0, 1), but got "
                                 f"{p}.")
            keep = 1.0 - p
        self.seed0, self.seed1 = _get_graph_seed(0, "dropout")
        self._stream = Stream(self.seed0, self.seed1)
        self._keep = keep
        self.p = p
        self.keep_prob = keep_prob

    dropout = Part(lambda cell: cell._operator())

    def _operator(self):
        from ms2torch import ops

        return ops.Dropout(self._keep, self.seed0, self.seed1)

    def construct(self, x):
        if not self.training or self.keep_prob == 1 or self.p == 0:
            return x
        t = x._t
        if t.dtype.is_complex:
            raise TypeError("For primitive[Dropout], the input argument[x] must be a type of "
                            "{Tensor[BFloat16], Tensor[Float16], Tensor[Float32], Tensor[Float64]}, but got "
                            f"Tensor[{x.dtype}].")
        return wrap(dropped(t, self._stream.dropout_mask(t.shape, self._keep), self._keep))

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _ChannelDropout(Cell):
    """Zeroes whole channels at random while training; ``p`` is the share that goes."""

    _dims = 0
    _shown = ""
    _ranks: tuple[int, ...] = ()
    _wrong_rank = ""

    def __init__(self, p=0.5) -> None:
        super().__init__()
        check.check_value_type("p", p, [float], self.cls_name)
        if p < 0 or p > 1:
            raise ValueError(f"For '{self.cls_name}', the 'p' must be a number in range [0, 1], but got {p}.")
        self.keep_prob = 1.0 - p
        self._share = self.keep_prob                # the operator's, whatever is assigned

    def construct(self, x):
        if not self.training or self.keep_prob == 1:
            return x
        if x.ndim not in self._ranks:
            raise ValueError(self._wrong_rank + f"{x.ndim}.")
        return wrap(dropped_channels(x._t, 1.0 - self._share, self._dims))


class Dropout1d(_ChannelDropout):
    """Zeroes channels of (N, C, L) or (C, L) while training (``mindspore.nn.Dropout1d``); ``p`` is the share.
    """

    _dims = 1
    _ranks = (2, 3)
    _wrong_rank = "For dropout1d, input shape should be 2D or 3D, but got "

    def __init__(self, p=0.5) -> None:
        super().__init__(p)
        self.prob = p


class Dropout2d(_ChannelDropout):
    """Zeroes channels of (N, C, H, W) while training (``mindspore.nn.Dropout2d``); ``p`` is the share."""

    _dims = 2
    _ranks = (4,)
    _wrong_rank = "For primitive[Dropout2D], the rank of input  must be equal to 4 , but got "

    def extend_repr(self) -> str:
        # MindSpore shows the share that stays under the name of the one that goes.
        return f"p={self.keep_prob}"


class Dropout2dExt(Cell):
    """Zeroes channels of (N, C, H, W) while training; torch's arguments (``mindspore.nn.Dropout2dExt``)."""

    def __init__(self, p=0.5, inplace=False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input):
        if not self.training or not self.p:
            return input
        result = wrap(F.dropout2d(input._t, self.p))
        return input.copy_(result) if self.inplace else result


class Dropout3d(_ChannelDropout):
    """Zeroes channels of (N, C, D, H, W) while training (``mindspore.nn.Dropout3d``); ``p`` is the share."""

    _dims = 3
    _ranks = (5,)
    _wrong_rank = "For primitive[Dropout3D], the rank of input  must be equal to 5 , but got "

    def extend_repr(self) -> str:
        return f"p={self.keep_prob}"


class Flatten(Cell):
    """Joins the dimensions ``start_dim`` to ``end_dim`` into one (``mindspore.nn.Flatten``).

    ValueError for dimensions that the input does not have, also for the default 1 and an input of one
    dimension.
    """

    def __init__(self, start_dim=1, end_dim=-1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim
        dims = (start_dim, end_dim)
        if all(isinstance(one, (int, float, np.generic)) for one in dims) and {int} != set(map(type, dims)):
            refused_when_called(self, TypeError, "For 'flatten', both 'start_dim' and 'end_dim' must be int.")

    def construct(self, x):
        t = x._t
        rank = t.ndim or 1
        start, end = self.start_dim, self.end_dim
        if not (-rank <= start < rank and -rank <= end < rank):
            raise ValueError("'start_dim' or 'end_dim' out of range.")
        if start % rank > end % rank:
            raise ValueError("For 'flatten', 'start_dim' cannot come after 'end_dim'.")
        t = t.flatten(start, end)
        return wrap(t.clone() if mode.differentiation is None else t)


class Identity(Cell):
    """Gives its input back; any arguments are taken when it is made (``mindspore.nn.Identity``)."""

    # In train cells it stands for a reducer of gradients.
    _never_recorded = True

    def __init__(self, *args, **kwargs) -> None:
        super().__init__()

    def construct(self, input):
        return input
