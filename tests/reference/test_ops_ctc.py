"""CTC as operators: losses, what they keep, gradients."""

import mindspore as ms
import numpy as np
from mindspore import ops

from tests.reference.judge import case, data


def given():
    log_probs = ops.log_softmax(ms.Tensor(data((6, 2, 5))), -1)
    targets = ms.Tensor(np.array([[1, 3, 3], [4, 2, 1]], np.int32))
    return log_probs, targets, ms.Tensor([6, 3], ms.int32), ms.Tensor([3, 2], ms.int32)


@case(each={"zero_infinity": [False, True]})
def test_ctc_loss_v2(zero_infinity):
    log_probs, *rest = given()
    prim = ops.CTCLossV2(0, "none", zero_infinity)
    return prim(log_probs, *rest), ms.grad(lambda x: prim(x, *rest)[0].sum())(log_probs)


@case(raises=True)
def test_ctc_loss_v2_of_a_blank_beyond_the_classes():
    return ops.CTCLossV2(9)(*given())


@case(raises=True)
def test_ctc_loss_v2_reduces_nothing():
    return ops.CTCLossV2(0, "mean")(*given())
