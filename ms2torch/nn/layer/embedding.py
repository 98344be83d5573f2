"""Embedding tables (``mindspore.nn.layer.embedding``)."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch import _checkparam as check
from ms2torch._core.checks.refusals import translate
from ms2torch._core.gradient import rows
from ms2torch._core.tensor.dtype import Number, float32, from_torch, int32, int64
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.initializer import Normal, initializer
from ms2torch.common.parameter import Parameter

from ..cell import Cell
from ._errors import not_tensor
from ._parts import primitive

__all__ = ["Embedding", "EmbeddingExt", "EmbeddingLookup", "MultiFieldEmbeddingLookup"]

_NUMBERS = ("Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float16, Float32, Float64, BFloat16, "
            "Complex64, Complex128, Int4, Float8E4M3FN, Float8E5M2, HiFloat8")


def _number_dtype(dtype, cell: str) -> None:
    if not isinstance(dtype, Number):
        raise TypeError(
            f"For '{cell}', the element of 'dtype' must be one of {_NUMBERS}, but got {dtype}.The supported "
            "data types depend on the hardware that executes the operator, for more details, please refer to "
            "the MindSpore official website to get more information about the data type.")


def looked_up(ids: Tensor, table: Tensor, one_hot: bool = False) -> Tensor:
    """The rows of ``table`` that ``ids`` name, negative ones from the end; RuntimeError for ids out of range,
    TypeError for floats. ``one_hot``: zeros for both."""
    try:
        return wrap(F.embedding(ids._t, table._t))
    except AttributeError as err:
        raise not_tensor(err, "Gather", ids) from None
    except IndexError:
        t, size = ids._t, table.shape[0]
        if one_hot:
            inside = (t >= 0) & (t < size)
            return wrap(F.embedding(t.where(inside, 0), table._t).where(inside[..., None], 0))
        wrong = t[(t < -size) | (t >= size)]
        if wrong.numel():
            first = wrong[0].item()
            first += size if first < 0 else 0
            raise RuntimeError(f"For 'Gather', the 'input_indices' should be in the range [0, {size}), but "
                               f"got {first}, error_code[58]") from None
        return wrap(F.embedding(t.remainder(size), table._t))
    except RuntimeError as err:
        t = ids._t
        if one_hot and t.dtype in (torch.int8, torch.int16, torch.uint8):
            raise TypeError("For primitive[OneHot], the input argument[indices] must be a type of "
                            "{Tensor[Int32], Tensor[Int64]}, but got "
                            f"Tensor[{from_torch(t.dtype)}].") from None
        if t.dtype is torch.int16:
            return wrap(F.embedding(t.long(), table._t))
        if t.is_floating_point():
            raise TypeError("For primitive[Gather], the input argument[input_indices] must be a type of "
                            f"{{Int32, Int64}}, but got {from_torch(t.dtype)}.") from None
        raise translate(err, "Gather", (table._t, t)) from None


class Embedding(Cell):
    """Rows of the table ``embedding_table`` (vocab_size, embedding_size) by index
    (``mindspore.nn.Embedding``).

    The table is drawn from N(0, 0.01^2) unless ``embedding_table`` says otherwise. ``padding_idx`` zeroes a
    row at the start alone: unlike torch's, it is trained like the others. ``dtype`` concerns ``use_one_hot``
    alone. Negative indices count from the end, or give zeros with ``use_one_hot``; RuntimeError for others
    that are out of range.
    """

    def __init__(self, vocab_size, embedding_size, use_one_hot=False, embedding_table="normal", dtype=float32,
                 padding_idx=None) -> None:
        super().__init__()
        name = self.cls_name
        self.vocab_size = check.check_value_type("vocab_size", vocab_size, [int], name)
        self.embedding_size = check.check_value_type("embedding_size", embedding_size, [int], name)
        check.check_value_type("use_one_hot", use_one_hot, [bool], name)
        _number_dtype(dtype, name)
        self.use_one_hot, self.dtype = use_one_hot, dtype
        self.padding_idx = padding_idx
        table = initializer(embedding_table, [vocab_size, embedding_size])
        if padding_idx is not None:
            check.check_int_range(padding_idx, 0, vocab_size, check.INC_LEFT, "padding_idx", name)
            t = table._t.clone()
            t[padding_idx] = 0
            table = wrap(t)
        self.init_tensor = table
        self.embedding_table = Parameter(table, name="embedding_table")

    gather = primitive("Gather")

    def construct(self, ids):
        if self.use_one_hot and isinstance(ids, Tensor) and not ids._t.numel():
            raise RuntimeError("Shape of input should not contain 0, bug got shape: [const vector]{0}")
        return looked_up(ids, self.embedding_table, self.use_one_hot)

    def extend_repr(self) -> str:
        return (f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
                f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
                f"dtype={self.dtype}, padding_idx={self.padding_idx}")


class EmbeddingExt(Cell):
    """Rows of ``weight`` by index, with torch's interface (``mindspore.nn.EmbeddingExt``,
    ``mint.nn.Embedding``).

    ``padding_idx`` starts as zeros and gets no gradient, as in torch. ``sparse`` raises ValueError.
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, dtype=None) -> None:
        super().__init__()
        name = self.cls_name
        if check.check_value_type("sparse", sparse, [bool], name):
            raise ValueError("For Embedding, the scenerio, where `sparse` is True, has not be supported.")
        self.sparse = sparse
        self.num_embeddings = check.check_value_type("num_embeddings", num_embeddings, [int], name)
        self.embedding_dim = check.check_value_type("embedding_dim", embedding_dim, [int], name)
        self.dtype = float32 if dtype is None else dtype
        _number_dtype(self.dtype, name)
        if padding_idx is not None:
            check.check_int_range(padding_idx, -num_embeddings, num_embeddings, check.INC_LEFT, "padding_idx",
                                  name)
        self.padding_idx = padding_idx
        if _weight is None:
            weight = initializer(Normal(1, 0), [num_embeddings, embedding_dim], self.dtype)
            if padding_idx is not None:
                t = weight._t.clone()
                t[padding_idx] = 0
                weight = wrap(t)
        else:
            if _weight.shape != (num_embeddings, embedding_dim):
                raise ValueError("For Embedding, shape of weight should be match with num_embeddings and "
                                 f"embedding_dim, but got weight.shape: {_weight.shape}, and "
                                 f"(num_embeddings, embedding_dim): ({num_embeddings}, {embedding_dim})")
            weight = _weight
        self.weight = Parameter(weight, name="weight", requires_grad=not _freeze)
        for label, value, types in (("max_norm", max_norm, [float]), ("norm_type", norm_type, [float]),
                                    ("scale_grad_by_freq", scale_grad_by_freq, [bool])):
            if value is not None:
                check.check_value_type(label, value, types, name)
            setattr(self, label, value)

    def construct(self, input):
        from ms2torch.ops.function._nn_embedding import embedding

        return embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                         self.scale_grad_by_freq)

    def extend_repr(self) -> str:
        return (f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
                f"padding_idx={self.padding_idx}, max_norm={self.max_norm}, norm_type={self.norm_type}, "
                f"scale_grad_by_freq={self.scale_grad_by_freq}, dtype={self.dtype}")


class EmbeddingLookup(Cell):
    """Rows of a table by index (``mindspore.nn.EmbeddingLookup``); indices out of range give zeros.

    ``target``, ``slice_mode`` and ``manual_shapes`` say where and how MindSpore keeps the table; here it is a
    dense one on the device in use. ``max_norm`` clips rows to that norm on their way out. With ``sparse``
    graph mode's gradient is one of the rows that were looked up: FTRL and LazyAdam leave the others alone.
    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

    def __init__(self, vocab_size, embedding_size, param_init="normal", target="CPU",
                 slice_mode="batch_slice", manual_shapes=None, max_norm=None, sparse=True, dtype=float32, *,
                 vocab_cache_size=0) -> None:
        super().__init__()
        if isinstance(dtype, int):  # until 2.2 the ninth argument was vocab_cache_size
            dtype = float32
        name = self.cls_name
        check.check_value_type("sparse", sparse, [bool], name)
        self.vocab_size = check.check_positive_int(vocab_size, "vocab_size")
        check.check_string(target, ["CPU", "DEVICE"], "target", name)
        if not sparse and target == "CPU":
            raise ValueError(f"For '{name}', 'sparse' must be True when 'target' is \"CPU\", "
                             f"but got 'sparse': {sparse} and 'target': {target}")
        self.target, self.sparse = target, sparse
        self.embedding_size = check.check_positive_int(embedding_size, "embedding_size", name)
        self.embedding_table = Parameter(initializer(param_init, [vocab_size, embedding_size], dtype=dtype),
                                         name="embedding_table")
        self.max_norm = None if max_norm is None else check.check_positive_float(max_norm, "max_norm", name)

    def construct(self, indices):
        table, ids = self.embedding_table._t, indices._t.long()
        inside = (ids >= 0) & (ids < table.shape[0])
        sparse = self.sparse and rows.applicable()
        y = F.embedding(torch.where(inside, ids, 0), table, sparse=sparse)
        y = y * inside.unsqueeze(-1).to(table.dtype)
        if self.max_norm is not None:
            norm = torch.linalg.vector_norm(y, dim=-1, keepdim=True)
            y = y * (self.max_norm / norm.clamp_min(self.max_norm))
        return wrap(y)


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Rows of a table, joined by field (``mindspore.nn.MultiFieldEmbeddingLookup``).

    ``input_indices``, ``input_values`` and ``field_ids`` are (batch, length). Each row is multiplied by its
    value; those of one field are added ("SUM"), their maximum is taken over values other than 0 ("MAX"), or
    their sum is divided by that of the values' magnitudes ("MEAN"). The result is (batch, field_size,
    embedding_size), 0 where a field has no rows.
    """

    OPERATOR_SUM = "SUM"
    OPERATOR_MEAN = "MEAN"
    OPERATOR_MAX = "MAX"

    def __init__(self, vocab_size, embedding_size, field_size, param_init="normal", target="CPU",
                 slice_mode="batch_slice", feature_num_list=None, max_norm=None, sparse=True, operator="SUM",
                 dtype=float32) -> None:
        super().__init__(vocab_size, embedding_size, param_init, target, slice_mode, feature_num_list,
                         max_norm, sparse, dtype)
        self.field_size = check.check_positive_int(field_size, "field_size", self.cls_name)
        self.operator = check.check_string(operator, ["SUM", "MAX", "MEAN"], "operator", self.cls_name)

    def _check(self, input_indices, input_values, field_ids) -> None:
        name = self.cls_name
        for given in (input_indices, input_values, field_ids):
            if not isinstance(given, Tensor):
                raise TypeError("For primitive[Shape], the input argument must be Tensor, but got "
                                f"{type(given)}.")
        labelled = {"input_indices": input_indices, "input_values": input_values, "field_ids": field_ids}
        for label, given in labelled.items():
            if given.ndim != 2:
                raise ValueError(f"For '{name}', the dimension of '{label}' must be 2d, but got {given.ndim}")
        check.check_type_name("input_indices", input_indices.dtype, [int32, int64], name)
        check.check_type_name("input_values", input_values.dtype, [float32], name)
        check.check_type_name("field_ids", field_ids.dtype, [int32], name)
        for label, given in labelled.items():
            if given.shape != input_indices.shape:
                raise ValueError(f"For '{name}', '{label}' must have the shape of 'input_indices', "
                                 f"{input_indices.shape}, but got {given.shape}.")

    def construct(self, input_indices, input_values, field_ids):
        self._check(input_indices, input_values, field_ids)
        values = input_values._t.unsqueeze(-1)
        vectors = super().construct(input_indices)._t * values
        size = (vectors.shape[0], self.field_size, vectors.shape[2])
        fields = field_ids._t.long().unsqueeze(-1)
        if self.operator == "MAX":
            counted = vectors.masked_fill(values == 0, torch.finfo(vectors.dtype).min)
            joined = vectors.new_zeros(size).scatter_reduce(1, fields.expand_as(counted), counted, "amax",
                                                            include_self=False)
            return wrap(joined * (self._magnitudes(values, fields, size) != 0))
        joined = vectors.new_zeros(size).scatter_add(1, fields.expand_as(vectors), vectors)
        if self.operator == "MEAN":
            magnitudes = self._magnitudes(values, fields, size)
            joined = joined / torch.where(magnitudes == 0, 1.0, magnitudes) * (magnitudes != 0)
        return wrap(joined)

    @staticmethod
    def _magnitudes(values, fields, size):
        """The sum of the values' magnitudes in each field, (batch, fields, 1)."""
        return values.new_zeros((*size[:2], 1)).scatter_add(1, fields, values.abs())
