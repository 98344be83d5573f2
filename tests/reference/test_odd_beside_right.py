"""One odd value beside documented ones, by what makes it odd: classes, objects, numbers of numpy, sequences."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.scipy import fft

from tests.reference.judge import case, data
from tests.reference.test_odd_arguments import X, answers

V = Tensor(data((3,)))
OBJECTS = (slice(0, 2), ..., nn.ReLU(), Tensor, ms.int32, 1 + 2j, {}, b"ab")
SEQUENCES = ((1, 2), [-3], ((1, 2), (3, 4)), (), (None,), (True, 1), (1, "a"), (Tensor(1),), (np.int64(1),))

FUNCTIONS = {
    "t": ops.t, "inner": lambda v: ops.inner(v, V), "addn": ops.addn, "positive": ops.positive, "isnan": ops.isnan,
    "amax": lambda v: ops.amax(X, v), "vector_norm": lambda v: ops.vector_norm(V, ord=v), "softplus": ops.softplus,
    "hsplit": lambda v: ops.hsplit(X, v), "broadcast_to": lambda v: ops.broadcast_to(V, v),
    "heaviside": lambda v: ops.heaviside(V, v), "index_fill": lambda v: ops.index_fill(X, v, Tensor([0], ms.int32), 1.0),
    "csr_softmax": lambda v: ops.csr_softmax(ms.CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([0, 1], ms.int32),
                                                          Tensor([1.0, 2.0]), (2, 2)), v),
    "dct": lambda v: fft.dct(V, 2, 3, v), "nan_to_num": lambda v: ops.nan_to_num(X, v)}


@case(each={"name": [*FUNCTIONS]})
def test_objects_and_sequences(name):
    return answers(FUNCTIONS[name], [v for v in OBJECTS + SEQUENCES if v is not Tensor or name != "inner"])


@case(each={"name": ["tile", "stack", "concatenate", "multi_dot", "broadcast_to", "amax", "promote_types", "tri"]})
def test_what_numpy_asks(name):
    beside = {"tile": (X,), "broadcast_to": (V,), "amax": (X,), "promote_types": (ms.int32,)}.get(name, ())
    out = {"multi_dot": ((1, 2), (True, 1), b"ab"), "tile": ((None,),), "broadcast_to": ((1, "a"),)}.get(name, ())
    values = [v for v in OBJECTS + SEQUENCES if not any(v is x or (type(v) is type(x) and v == x) for x in out)]
    return answers(lambda v: getattr(mnp, name)(*beside, v), values)


@case(each={"name": ["LinSpace", "KLDivLoss", "Polygamma", "EqualCount", "MultiMarginLoss", "Assert"]})
def test_what_primitives_ask(name):
    beside = {"LinSpace": (Tensor(2.0), 4), "KLDivLoss": (V,), "Polygamma": (V,), "EqualCount": (V,), "Assert": ([V],)}
    if name == "MultiMarginLoss":
        return answers(lambda v: ops.MultiMarginLoss()(X, Tensor([0, 1]), v), (1, [-3], np.bool_(True), Tensor, b"ab"))
    return answers(lambda v: getattr(ops, name)()(v, *beside[name]),
                   (np.float32(2), np.int64(1), np.bool_(True), 1 + 2j, (1, 2), (Tensor(1),)))


@case
def test_arguments_of_no_name_none_and_too_many():
    """Primitives told of none and of unknown ones, methods that are compiled, functions without an older name."""
    rows, at = ms.Parameter(Tensor(data((2, 3))), name="rows"), Tensor([0], ms.int32)
    new, value = Tensor(data((1, 3))), Tensor(data((2,)))
    calls = [lambda: ops.Adam()(unknown=1), lambda: ops.ApplyAdagrad()(unknown=1), lambda: ops.Dropout3D()(unknown=1),
             lambda: ops.UniformReal()(unknown=1), lambda: ops.EqualCount()(),
             lambda: ops.scatter_add(rows, at, new, True), lambda: ops.scatter_max(rows, at, new, 1),
             lambda: ops.unstack(X, 0, 2), lambda: value.set_dtype()]
    methods = [getattr(value, n) for n in ("is_shared", "is_pinned", "is_signed", "is_complex", "is_init")]
    return answers(lambda call: call(), calls), answers(lambda m: m(1), methods), answers(lambda m: m(a=1), methods)
