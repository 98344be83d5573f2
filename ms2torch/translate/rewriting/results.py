"""What calls of MindSpore give, as far as the rewriting asks: a Tensor, several, an array, a plain value."""

from __future__ import annotations

import ast

from .inferred import (
    ARRAY,
    DTYPE,
    PARAMETER,
    PLAIN,
    SHAPE,
    TENSOR,
    Const,
    Dict,
    Many,
    Of,
    Seq,
    is_a,
    is_cell,
    resolve,
)

_TENSORS_NAMES = """
split chunk unbind unstack meshgrid tensor_split hsplit vsplit dsplit clip_by_global_norm Split
Unstack Meshgrid broadcast_tensors atleast_1d nonzero_tuple
"""
_TENSORS = frozenset(_TENSORS_NAMES.split())
_PAIRS_NAMES = """
topk TopK sort Sort unique Unique max_with_index ArgMaxWithValue ArgMinWithValue var_mean std_mean
SoftmaxCrossEntropyWithLogits qr eigh slogdet
"""
_PAIRS = frozenset(_PAIRS_NAMES.split())
_PLAIN_NAMES = """
shape Shape size rank Rank item tolist dim ndimension nelement numel is_tensor len get_dataset_size
get_batch_size get_rank get_group_size
"""
_PLAIN = frozenset(_PLAIN_NAMES.split())
_DTYPES = frozenset(("dtype", "DType"))
_TENSOR_PARTS = {
    "shape": SHAPE,
    "dtype": DTYPE,
    "ndim": PLAIN,
    "size": PLAIN,
    "name": PLAIN,
    "requires_grad": PLAIN,
    "itemsize": PLAIN,
    "nbytes": PLAIN,
    "strides": PLAIN,
}
_RECURRENT = {
    "LSTM": Many((TENSOR, Many((TENSOR, TENSOR)))),
    "LSTMCell": Many((TENSOR, TENSOR)),
    "GRU": Many((TENSOR, TENSOR)),
    "RNN": Many((TENSOR, TENSOR)),
    "MultiheadAttention": Many((TENSOR, TENSOR)),
}
LOSS_SCALER = "mindspore.amp.LossScaler"
# What a step gives whose loss is scaled.
SCALED_STEP = "mindspore.nn.TrainOneStepWithLossScaleCell"
LOSS_OVERFLOW_SCALE = Many((TENSOR, TENSOR, TENSOR))
# What load_param_into_net gives: the names that had no partner, of either side.
NOT_LOADED = Many((Seq(PLAIN), Seq(PLAIN)))
_SCHEDULES_NAMES = """
cosine_decay_lr exponential_decay_lr inverse_decay_lr natural_exp_decay_lr piecewise_constant_lr
polynomial_decay_lr warmup_lr
"""
_SCHEDULES = frozenset(_SCHEDULES_NAMES.split())


def of_function(path: str):
    """What a call of a MindSpore function gives."""
    leaf = path.rpartition(".")[2]
    if leaf in _SCHEDULES:
        return Seq(PLAIN)
    if leaf == "load_checkpoint":
        return Dict(PARAMETER)
    if leaf == "load_param_into_net":
        return NOT_LOADED
    if path.startswith(("mindspore.ops.", "mindspore.mint.", "mindspore.numpy.")):
        return by_name(leaf)
    if path == "mindspore.dataset.zip":
        return Of("mindspore.dataset.ZipDataset")
    if leaf == "jvp":
        return Many((TENSOR, TENSOR))
    if path == "mindspore.common.initializer.initializer":
        return TENSOR
    if path in ("mindspore.tensor", "mindspore.from_numpy", "mindspore.amp.all_finite"):
        return TENSOR
    if leaf == "auto_parallel_context":
        return Of(path)
    return PLAIN if leaf in _PLAIN else None


def by_name(leaf: str):
    """What an operator or a Tensor's method of this name gives."""
    if leaf in _TENSORS:
        return Seq(TENSOR)
    if leaf in _PAIRS:
        return Many((TENSOR, TENSOR))
    if leaf in _PLAIN:
        return SHAPE if leaf in ("shape", "Shape") else PLAIN
    if leaf in _DTYPES:
        return DTYPE
    return ARRAY if leaf in ("asnumpy", "numpy") else TENSOR


def of_instance(instance: Of, call: ast.Call):
    """What a call of an instance of a MindSpore class gives."""
    path = instance.cls
    leaf = path.rpartition(".")[2]
    if is_a(path, "mindspore.ops.Primitive"):
        return by_name(leaf)
    if leaf == "ForwardValueAndGrad":
        return Many((TENSOR, Seq(TENSOR)))
    if is_a(path, SCALED_STEP):
        return LOSS_OVERFLOW_SCALE
    if path.startswith("mindspore.nn.") and leaf in _RECURRENT:
        return _RECURRENT[leaf]
    return TENSOR if is_cell(path) else None


def of_method(name: str, call: ast.Call):
    """What a Tensor's method gives."""
    if name in ("max", "min") and any(k.arg == "return_indices" for k in call.keywords):
        return Many((TENSOR, TENSOR))
    return by_name(name)


def attribute_type(owner: Of, name: str):
    """What is inferred of an instance's attribute."""
    if owner.cls in (TENSOR.cls, PARAMETER.cls):
        return _TENSOR_PARTS.get(name, TENSOR if name in ("T", "mT", "H", "grad", "data") else None)
    if name == "scale_value" and is_a(owner.cls, LOSS_SCALER):
        return TENSOR
    if name == "parameters" and any(is_a(owner.cls, base) for base in _OPTIMIZERS):
        return Seq(PARAMETER)
    if name == "learning_rate" and is_a(owner.cls, _OPTIMIZERS[0]):
        return PARAMETER
    if is_cell(owner.cls) and name in _WEIGHTS:
        return PARAMETER
    return None


_OPTIMIZERS = ("mindspore.nn.Optimizer", "mindspore.experimental.optim.Optimizer")
_WEIGHTS_NAMES = """
weight bias gamma beta moving_mean moving_variance embedding_table
"""
_WEIGHTS = frozenset(_WEIGHTS_NAMES.split())


def constant_type(path: str):
    """What is inferred of a MindSpore name that is no function or class: its value where that is plain."""
    from ms2torch.common.dtype import Type

    thing = resolve(path)
    if isinstance(thing, Type):
        return DTYPE
    return Const(thing) if isinstance(thing, (int, float, str, bool)) else None
