import mindspore as ms
import mindspore.nn as nn
from mindspore import Tensor, context, ops

context.set_context(device_target="GPU")
layer = nn.Dense(2, 2)
twice = Tensor([1.0, 2.0, 3.0, 4.0]).repeat(2)
ms.obfuscate_ckpt(layer, "layer.ckpt")
total = ops.ReduceSum(keepdims=True)
