"""What layers refuse: the error's type and its words."""
import mindspore as ms
import numpy as np
from mindspore import nn

from tests.reference.judge import case, data


def t(*shape, dtype="float32"):
    return ms.Tensor(data(shape, dtype))


MADE = {
    "Dense channels": lambda: nn.Dense(2, 0),
    "Dense bias": lambda: nn.Dense(2, 3, has_bias=0),
    "Dense channels of a float": lambda: nn.Dense(2.0, 3),
    "Dense activation": lambda: nn.Dense(2, 3, activation=3),
    "Dense activation's name": lambda: nn.Dense(2, 3, activation="foo"),
    "Dense weight": lambda: nn.Dense(2, 3, weight_init=t(2, 3)),
    "Conv2d mode": lambda: nn.Conv2d(2, 3, 3, pad_mode="foo"),
    "Conv2d padding": lambda: nn.Conv2d(2, 3, 3, padding=1),
    "Conv2d padding list": lambda: nn.Conv2d(2, 3, 3, pad_mode="pad", padding=[1, 1, 1, 1]),
    "Conv2d two paddings": lambda: nn.Conv2d(2, 3, 3, pad_mode="pad", padding=(1, 1)),
    "Conv2d padding sign": lambda: nn.Conv2d(2, 3, 3, pad_mode="pad", padding=-1),
    "Conv3d padding": lambda: nn.Conv3d(2, 3, 3, padding=1),
    "Conv3dTranspose padding": lambda: nn.Conv3dTranspose(2, 3, 3, pad_mode="valid", padding=(1,) * 6),
    "Conv2D padding": lambda: ms.ops.Conv2D(2, 3, pad_mode="same", pad=1),
    "Conv3D padding": lambda: ms.ops.Conv3D(2, 3, pad_mode="same", pad=(0, 0, 1, 0, 0, 0)),
    "Conv2d group": lambda: nn.Conv2d(2, 3, 3, group=2),
    "Conv2d kernel": lambda: nn.Conv2d(2, 3, 0),
    "Conv2d kernel of a float": lambda: nn.Conv2d(2, 3, 1.5),
    "Conv2d three": lambda: nn.Conv2d(2, 3, (1, 2, 3)),
    "Conv2d stride": lambda: nn.Conv2d(2, 3, 3, stride=0),
    "Conv1d kernel": lambda: nn.Conv1d(2, 3, (1, 2)),
    "BatchNorm2d features": lambda: nn.BatchNorm2d(0),
    "BatchNorm2d float": lambda: nn.BatchNorm2d(1.5),
    "BatchNorm2d momentum": lambda: nn.BatchNorm2d(3, momentum=2),
    "BatchNorm2d statistics": lambda: nn.BatchNorm2d(3, use_batch_statistics=1),
    "LayerNorm int": lambda: nn.LayerNorm(3),
    "LayerNorm empty": lambda: nn.LayerNorm(()),
    "GroupNorm groups": lambda: nn.GroupNorm(3, 4),
    "MaxPool2d kernel": lambda: nn.MaxPool2d(0),
    "MaxPool2d mode": lambda: nn.MaxPool2d(2, pad_mode="foo"),
    "MaxPool2d list": lambda: nn.MaxPool2d([2, 2]),
    "MaxPool2d padding": lambda: nn.MaxPool2d(2, padding=1),
    "MaxPool2d paddings": lambda: nn.MaxPool2d(2, pad_mode="pad", padding=(1, 1, 1, 1)),
    "AvgPool2d padding": lambda: nn.AvgPool2d(2, padding=1),
    "Dropout 0": lambda: nn.Dropout(0.0),
    "Dropout int": lambda: nn.Dropout(1),
    "Dropout p": lambda: nn.Dropout(p=1.0),
    "Dropout text": lambda: nn.Dropout(p="a"),
    "Embedding size": lambda: nn.Embedding(4.0, 2),
    "Embedding padding": lambda: nn.Embedding(4, 2, padding_idx=5),
    "Embedding dtype": lambda: nn.Embedding(4, 2, dtype="x"),
    "Pad list": lambda: nn.Pad([(0, 0)]),
    "Pad three": lambda: nn.Pad(((0, 0, 1),)),
    "attention heads": lambda: nn.MultiheadAttention(5, 2),
    "Range": lambda: nn.Range(0, 4, 0),
    "ClipByNorm": lambda: nn.ClipByNorm()(t(2), 0.5),
}
CALLED = {
    "Dense columns": lambda: nn.Dense(2, 3)(t(4, 5)),
    "Dense half": lambda: nn.Dense(2, 3)(t(4, 2, dtype="float16")),
    "Dense int": lambda: nn.Dense(2, 3)(t(4, 2, dtype="int32")),
    "Dense scalar": lambda: nn.Dense(2, 3)(ms.Tensor(np.float32(1))),
    "Conv2d channels": lambda: nn.Conv2d(2, 3, 3)(t(1, 4, 5, 5)),
    "Conv2d rank": lambda: nn.Conv2d(2, 3, 3)(t(2, 5, 5)),
    "Conv2d small": lambda: nn.Conv2d(2, 3, 5, pad_mode="valid")(t(1, 2, 4, 4)),
    "BatchNorm2d rank": lambda: nn.BatchNorm2d(3)(t(2, 3)),
    "BatchNorm1d rank": lambda: nn.BatchNorm1d(3)(t(2, 3, 4, 4)),
    "BatchNorm2d channels": lambda: nn.BatchNorm2d(3)(t(2, 4, 2, 2)),
    "BatchNorm2d double": lambda: nn.BatchNorm2d(3)(t(2, 3, 2, 2, dtype="float64")),
    "LayerNorm shape": lambda: nn.LayerNorm((3,))(t(2, 4)),
    "GroupNorm channels": lambda: nn.GroupNorm(2, 4)(t(1, 6, 2, 2)),
    "MaxPool2d window": lambda: nn.MaxPool2d(5)(t(1, 1, 4, 4)),
    "MaxPool2d rank": lambda: nn.MaxPool2d(2)(t(4, 4)),
    "MaxPool2d wide padding": lambda: nn.MaxPool2d(2, pad_mode="pad", padding=2)(t(1, 1, 4, 4)),
    "Flatten": lambda: nn.Flatten()(t(3)),
    "Flatten order": lambda: nn.Flatten(2, 1)(t(2, 3, 4)),
    "Embedding index": lambda: nn.Embedding(4, 2)(ms.Tensor(np.array([0, 4], np.int32))),
    "MatMul": lambda: nn.MatMul()(t(2, 3), t(2, 3)),
}


@case(raises=True, each={"what": list(MADE)})
def test_arguments(what):
    return MADE[what]()


@case(raises=True, each={"what": list(CALLED)})
def test_inputs(what):
    return CALLED[what]()
