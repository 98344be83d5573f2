"""Rows of a table by indices that count from its end, and beyond its beginning."""

import mindspore as ms
from mindspore import Tensor, nn, ops

from tests.reference.judge import case, data

TABLE = data((5, 2))
FORMS = {
    "layer": lambda i: nn.Embedding(5, 2, embedding_table=Tensor(TABLE))(i),
    "function": lambda i: ops.gather(Tensor(TABLE), i, 0),
    "Primitive": lambda i: ops.Gather()(Tensor(TABLE), i, 0),
}


@case(each={"form": list(FORMS), "dtype": [ms.int32, ms.int64]}, mode="BOTH")
def test_from_the_end(form, dtype):
    return FORMS[form](Tensor([[-1, 2], [-5, 4]], dtype))


@case
def test_none_of_the_classes():
    layer = nn.Embedding(5, 2, True, Tensor(TABLE))
    found = layer(Tensor([-1, 2, 7], ms.int32))
    grads = ms.grad(lambda i: layer(i).sum(), None, layer.trainable_params())(Tensor([-1, 2, 7], ms.int32))
    return found, grads


@case(each={"form": list(FORMS), "index": [-6, 5]}, raises=True)
def test_beyond(form, index):
    FORMS[form](Tensor([0, index], ms.int32)).asnumpy()
