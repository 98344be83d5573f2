"""Layers that gather curvature for the second-order optimizer THOR (``mindspore.nn.layer.thor_layer``).

While ``thor`` is True a forward pass keeps the covariance of the layer's inputs in ``matrix_a``, and the
backward pass that of the gradients of its outputs in ``matrix_g``, both divided by the number of rows.
"""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor.dtype import float16, float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.initializer import initializer
from ms2torch.common.parameter import Parameter
from ms2torch.ops.function.parameter_func import assign

from ..cell import Cell
from ._parts import Part, primitive
from ._sizes import pair
from .activation import get_activation
from .conv import Conv2d, _Conv
from .embedding import _number_dtype

__all__ = ["Conv2dThor", "DenseThor", "EmbeddingLookupThor", "EmbeddingThor"]


def _keep(cell: Cell, name: str, value: Tensor) -> None:
    """Write the Parameter ``name`` itself, of which a Cell of half precision reads a copy."""
    assign(cell._params.tied(name), value)


def _kept(name: str, *shape: int, eye: bool = False) -> Parameter:
    """A matrix that is no weight."""
    start = torch.eye(*shape) if eye else torch.zeros(*shape)
    return Parameter(wrap(start), name=name, requires_grad=False)


def _watched(method: str = "save_gradient") -> Part:
    """The operator that hands the gradient of its input to a method of the layer."""
    def make(cell):
        from ms2torch.ops.inner import InsertGradientOf

        return InsertGradientOf(getattr(cell, method))

    return Part(make)


class DenseThor(Cell):
    """``activation(x @ weight.T + bias)`` of 2-D inputs (``mindspore.nn.DenseThor``), which keeps their
    covariance (in, in) over the number of inputs' features, and that of its gradients (out, out) over the
    batch's size.

    TypeError or ValueError for arguments of another kind, as ``nn.Dense`` has them.
    """

    def __init__(self, in_channels, out_channels, weight_init="normal", bias_init="zeros", has_bias=True,
                 activation=None) -> None:
        super().__init__()
        self.thor = True
        self.in_channels = check.check_positive_int(in_channels, "in_channels", self.cls_name)
        self.out_channels = check.check_positive_int(out_channels, "out_channels", self.cls_name)
        self.has_bias = check.check_bool(has_bias, "has_bias", self.cls_name)
        if isinstance(weight_init, Tensor) and weight_init.shape != (out_channels, in_channels):
            raise ValueError(
                f"For '{self.cls_name}', weight init shape error. The dim of 'weight_init' should be "
                "equal to 2, and the first dim must be equal to 'out_channels', and the second dim must be "
                f"equal to 'in_channels'. But got 'weight_init': {weight_init}, 'out_channels': "
                f"{out_channels}, 'in_channels': {in_channels}.")
        self.weight = Parameter(initializer(weight_init, [out_channels, in_channels]), name="weight")
        self.bias = None
        if has_bias:
            if isinstance(bias_init, Tensor) and bias_init.shape != (out_channels,):
                raise ValueError(
                    f"For '{self.cls_name}', bias init shape error. The dim of 'bias_init' should be equal "
                    "to 1, and the first dim must be equal to 'out_channels'. But got 'bias_init': "
                    f"{bias_init}, 'out_channels': {out_channels}.")
            self.bias = Parameter(initializer(bias_init, [out_channels]), name="bias")
        self.activation = get_activation(activation)
        self.activation_flag = self.activation is not None
        self.matrix_a = _kept("matrix_a", in_channels, eye=True)
        self.matrix_g = _kept("matrix_g", out_channels, eye=True)

    matmul = primitive("MatMul", transpose_b=True)
    cube_matmul = primitive("MatMul", transpose_a=True)
    bias_add = primitive("BiasAdd")
    getG = _watched()

    def save_gradient(self, dout):
        """Keeps the covariance of the gradients ``dout`` and passes them on."""
        _keep(self, "matrix_g", self.cube_matmul(dout, dout) * (1.0 / dout.shape[0]))
        return dout

    def construct(self, x):
        if self.thor:
            # MindSpore divides by the number of features, not of inputs.
            together = self.cube_matmul(x, x)
            y = self.getG(self.matmul(x, self.weight))
            _keep(self, "matrix_a", together * (1.0 / together.shape[0]))
        else:
            y = self.matmul(x, self.weight)
        if self.has_bias:
            y = self.bias_add(y, self.bias)
        return self.activation(y) if self.activation_flag else y

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        return text + f", has_bias={self.has_bias}" * self.has_bias


class Conv2dThor(_Conv):
    """A 2-D convolution (``mindspore.nn.Conv2dThor``) that keeps the covariance of the patches it reads,
    averaged over the batch, and that of its gradients, both over the number of places.

    MindSpore gathers them on GPU and Ascend alone; these are the GPU's matrices.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, has_bias=False, weight_init="normal", bias_init="zeros") -> None:
        kernel_size, stride, dilation = pair(kernel_size), pair(stride), pair(dilation)
        for name, sizes in (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation)):
            if not all(type(n) is int and n > 0 for n in sizes):
                raise ValueError(f"For '{type(self).__name__}', all elements in '{name}' must be int or "
                                 f"tuple and equal to or greater than 1, but got '{name}': {sizes}.")
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
                         has_bias, weight_init, bias_init)
        self._settle_padding(padding)
        del self.weight_init        # a layer's own Parameter, where nn.thor puts this in its place
        self.thor = True
        self.hw = kernel_size[0] * kernel_size[1]
        self.matrix_a_dim, self.matrix_g_dim = in_channels * self.hw, out_channels
        self.a_normalizer = Parameter(initializer(1, [1], float32), name="a_normalizer", requires_grad=False)
        self.g_normalizer = Parameter(initializer(1, [1], float32), name="g_normalizer", requires_grad=False)
        from ms2torch.ops.operations._thor_ops import ThorIm2Col

        self.img2col = ThorIm2Col(kernel_size=kernel_size, stride=stride, pad_mode="same")
        self.matrix_a_cov = _kept("matrix_a", self.matrix_a_dim, self.matrix_a_dim)
        self.matrix_g_cov = _kept("matrix_g", out_channels, out_channels)

    _conv_arguments = Conv2d._conv_arguments
    conv2d = primitive("Conv2D", all="_conv_arguments")
    getG = _watched()

    def _keep(self, letter: str, rows) -> None:
        """Keeps ``rows`` (n, places) times their transpose over the number of places."""
        places = rows.shape[1]
        _keep(self, f"{letter}_normalizer", wrap(rows.new_full((1,), places)))
        _keep(self, f"matrix_{letter}_cov", wrap(rows @ rows.T / places))

    def save_gradient(self, dout):
        """Keeps the covariance of the gradients ``dout`` and passes them on."""
        self._keep("g", dout._t.detach().float().mean(0).flatten(1))
        return dout

    def _patches(self, x):
        """The patches (channels * kernel's size, places) of "same" padding, averaged over the batch."""
        return self.img2col(x)._t.mean(3).flatten(3).flatten(0, 2)

    def construct(self, x):
        y = self.conv2d(x, self.weight)
        if self.thor:
            self._keep("a", self._patches(wrap(x._t.detach().float())))
            y = self.getG(y)
        return self.bias_add(y, self.bias) if self.has_bias else y

    def extend_repr(self) -> str:
        return (f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
                f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
                f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
                f"has_bias={self.has_bias}, bias_init={self.bias_init}")


class EmbeddingThor(Cell):
    """Rows of a table by index (``mindspore.nn.EmbeddingThor``), which keeps how often each was read in
    ``matrix_a`` (vocab_size,), and the covariance of its gradients over their number.
    """

    def __init__(self, vocab_size, embedding_size, use_one_hot=False, embedding_table="normal",
                 dtype=float32, padding_idx=None) -> None:
        super().__init__()
        name = self.cls_name
        self.vocab_size = check.check_value_type("vocab_size", vocab_size, [int], name)
        self.embedding_size = check.check_value_type("embedding_size", embedding_size, [int], name)
        check.check_value_type("use_one_hot", use_one_hot, [bool], name)
        _number_dtype(dtype, name)
        self.use_one_hot, self.dtype, self.padding_idx, self.thor = use_one_hot, dtype, padding_idx, True
        table = initializer(embedding_table, [vocab_size, embedding_size])
        if padding_idx is not None:
            check.check_int_range(padding_idx, 0, vocab_size, check.INC_BOTH, "padding_idx", name)
            t = table._t.clone()
            t[padding_idx] = 0
            table = wrap(t)
        self.init_tensor = table
        self.embedding_table = Parameter(table, name="embedding_table")
        self.on_value, self.off_value = Tensor(1.0, dtype), Tensor(0.0, dtype)
        self.matrix_a = _kept("matrix_a", vocab_size)
        self.matrix_g = _kept("matrix_g", embedding_size, embedding_size)

    expand = primitive("ExpandDims")
    one_hot = primitive("OneHot")
    array_mul = primitive("MatMul")
    gather = primitive("Gather")
    cube_matmul = primitive("MatMul", transpose_a=True)
    getG = _watched()

    def save_gradient(self, dout):
        """Keeps the covariance of the gradients ``dout`` and passes them on."""
        _keep(self, "matrix_g", self.cube_matmul(dout, dout) * (1.0 / dout.shape[0]))
        return dout

    def construct(self, ids):
        flat = self.expand(ids, -1).reshape((-1,))
        read = None
        if self.use_one_hot or self.thor:
            read = self.one_hot(flat, self.vocab_size, self.on_value, self.off_value)
        if self.use_one_hot:
            rows = self.array_mul(read, self.embedding_table)
        else:
            rows = self.gather(self.embedding_table, flat, 0)
            if self.thor:
                _keep(self, "matrix_a", read.sum(0))
                rows = self.getG(rows)
        return rows.reshape((*ids.shape, self.embedding_size))

    def extend_repr(self) -> str:
        return (f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
                f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
                f"dtype={self.dtype}, padding_idx={self.padding_idx}")


class EmbeddingLookupThor(Cell):
    """Rows of a float16 table by index (``mindspore.nn.EmbeddingLookupThor``). With ``target`` "DEVICE" it
    keeps how often each was read, and the covariance of its gradients over the number of indices' rows.

    ``slice_mode`` and ``manual_shapes`` say where MindSpore keeps the table; here it is on one device.
    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

    def __init__(self, vocab_size, embedding_size, param_init="normal", target="CPU",
                 slice_mode="batch_slice", manual_shapes=None, max_norm=None, sparse=True) -> None:
        super().__init__()
        name = self.cls_name
        check.check_value_type("sparse", sparse, [bool], name)
        self.vocab_size = check.check_positive_int(vocab_size, "vocab_size", name)
        if target not in ("CPU", "DEVICE"):
            raise ValueError(f"For '{name}', the 'target' must be one of values in ('CPU', 'DEVICE'), but "
                             f"got {target}.")
        if not sparse and target == "CPU":
            raise ValueError(f"For '{name}', embedding_lookup must be sparse when 'target' is CPU, but got "
                             f"'sparse': {sparse}, 'target': {target}.")
        self.target, self.sparse, self.forward_unique, self.dtype = target, sparse, False, float16
        self.embedding_size = check.check_positive_int(embedding_size, "embedding_size", name)
        self.embedding_table = Parameter(initializer(param_init, [vocab_size, embedding_size], float16),
                                         name="embedding_table")
        self.max_norm = max_norm
        if max_norm is not None:
            self.max_norm = Tensor(check.check_positive_float(max_norm, "max_norm", name), float16)
        self.thor = True
        self.matrix_a = _kept("matrix_a", vocab_size)
        self.matrix_g = _kept("matrix_g", embedding_size, embedding_size)

    embeddinglookup = primitive("EmbeddingLookup")
    gatherv2 = primitive("Gather")
    getG = _watched()

    def save_gradient(self, dout):
        """Keeps the covariance of the gradients ``dout`` and passes them on."""
        rows = dout._t.detach().flatten(0, -2)
        _keep(self, "matrix_g", wrap((rows.T @ rows / dout.shape[0]).float()))
        return dout

    def construct(self, indices):
        if self.target == "CPU":
            y = self.embeddinglookup(self.embedding_table, indices, 0)
        else:
            y = self.gatherv2(self.embedding_table, indices, 0)
            if self.thor:
                read = torch.bincount(indices._t.flatten(), minlength=self.vocab_size)
                _keep(self, "matrix_a", wrap(read.float()))
                y = self.getG(y)
        if self.max_norm is not None:
            from ms2torch.nn import ClipByNorm

            y = ClipByNorm(tuple(range(indices.ndim, y.ndim)))(y, self.max_norm)
        return y
