"""What calls and attributes of MindSpore give, where it is sure: Tensors stay Tensors, datasets datasets."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .answers import look_up

TENSOR = "mindspore.Tensor"
_PARAMETER = "mindspore.Parameter"
_DATASET = "mindspore.dataset.Dataset"
# Methods of PyTorch that MindSpore's objects lack, with what does it in MindSpore.
_HABITS = Path(__file__).parent / "data" / "pytorch_habits.tsv"
PYTORCH_HABITS = dict(row.split("\t") for row in _HABITS.read_text(encoding="utf-8").splitlines())

# Functions, and methods of Tensors, whose result is one Tensor whatever they are given.
_GIVE_TENSORS_NAMES = """
abs acos add arange argmax argmin asin astype atan bmm broadcast_to cast ceil clamp clip clone concat
contiguous cos cosh cumsum div equal erf exp expand_dims eye fill flatten flip float floor full
full_like gather gather_elements gelu greater greater_equal half index_select int less less_equal
linspace log log_softmax logical_and logical_not logical_or long masked_fill matmul maximum mean
minimum mm mul neg not_equal one_hot ones ones_like outer permute pow prod rand randint randn randperm
relu reshape round rsqrt sigmoid sign sin sinh softmax sqrt square squeeze stack standard_normal std
sub sum swapaxes tan tanh tensor tile to transpose tril triu unsqueeze var view zeros zeros_like
"""
_GIVE_TENSORS = frozenset(_GIVE_TENSORS_NAMES.split())
_MODULES = ("mindspore.ops.", "mindspore.mint.", "mindspore.numpy.", "mindspore.tensor", "mindspore.Tensor.")
# Layers and losses of ``mindspore.nn`` whose call gives one Tensor whatever they are given.
_GIVE_TENSORS_CELLS = """
AdaptiveAvgPool1d AdaptiveAvgPool2d AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d
BatchNorm2d BatchNorm3d Conv1d Conv1dTranspose Conv2d Conv2dTranspose Conv3d Conv3dTranspose
CrossEntropyLoss Dense Dropout ELU Embedding FastGelu Flatten GELU GroupNorm HSigmoid HSwish HuberLoss
InstanceNorm1d InstanceNorm2d KLDivLoss L1Loss LayerNorm LeakyReLU LogSigmoid LogSoftmax MAELoss MSELoss
Mish NLLLoss Pad PixelShuffle PReLU ReLU ReLU6 RMSELoss SeLU Sigmoid SiLU SmoothL1Loss Softmax
SoftmaxCrossEntropyWithLogits Softplus Softsign Tanh Unfold Upsample ZeroPad2d
"""
_CELLS = frozenset(f"mindspore.nn.{name}" for name in _GIVE_TENSORS_CELLS.split())
_GIVE_DATASETS_NAMES = """
batch map shuffle repeat project rename skip take filter zip concat padded_batch
"""
_GIVE_DATASETS = frozenset(_GIVE_DATASETS_NAMES.split())


@cache
def _class(path: str) -> type | None:
    answer = look_up(path)
    found = answer.found
    return found if answer.name == path and isinstance(found, type) and not answer.kind else None


@cache
def _kind(path: str) -> str | None:
    """``mindspore.Tensor`` for its spellings and itself, the class's own name for others."""
    from ms2torch.common.tensor import Tensor

    cls = _class(path)
    return None if cls is None else TENSOR if cls is Tensor else path


@cache
def result(path: str, of):
    """What a call of a MindSpore name gives: an instance of a class, a Tensor, or nothing that is told."""
    kind = _kind(path)
    if kind is not None:
        return of(kind)
    leaf = path.rpartition(".")[2]
    if leaf in _GIVE_TENSORS and path.startswith(_MODULES) and not look_up(path).kind:
        return of(TENSOR)
    return None


def returned(owner: str, method: str, of):
    """What a method of an instance gives."""
    if owner == TENSOR and method in _GIVE_TENSORS:
        return of(TENSOR)
    return of(_DATASET) if method in _GIVE_DATASETS and _is_dataset(owner) else None


def called(owner: str, of):
    """What a call of an instance gives."""
    return of(TENSOR) if owner in _CELLS else None


def attribute(owner: str, name: str, of):
    """What an attribute of an instance gives."""
    if owner in _CELLS and name in ("weight", "bias", "gamma", "beta", "moving_mean", "moving_variance"):
        return of(_PARAMETER)
    return of(TENSOR) if owner == TENSOR and name == "T" else None


@cache
def _is_dataset(path: str) -> bool:
    from ms2torch.dataset import Dataset

    cls = _class(path)
    return cls is not None and issubclass(cls, Dataset)
