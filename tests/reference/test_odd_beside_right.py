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


def calls_of_functions():
    """Odd values beside right ones that functions and methods look closer at."""
    x, flat, at = Tensor(data((2, 2))), Tensor(data((3,))), Tensor([[0, 1]])
    return {
        "cov": [lambda v=v: ops.cov(x, correction=v) for v in (1j, range(2))],
        "celu": [lambda v=v: ops.celu(x, v) for v in (Tensor(1), Tensor(1.0))],
        "addcmul": [lambda: ops.addcmul(x, x, x, np.bool_(True)), lambda: x.addcmul(x, x, np.bool_(True))],
        "clip_by_norm": [lambda v=v: ops.clip_by_norm(x, v) for v in (2**63, np.array(1.0), np.array([1.0]))],
        "clip_by_value": [lambda v=v: ops.clip_by_value(x, v, 3) for v in ([-3], -3)],
        "cross": [lambda: ops.cross(flat, Tensor(1.0))],
        "cosine": [lambda v=v: ops.cosine_embedding_loss(x, x, Tensor([1, 1]), v) for v in (Tensor(0.0), np.float32(1))],
        "crop": [lambda: ops.crop_and_resize(x.reshape(1, 2, 2, 1), Tensor([[0.0, 0.0, 1.0, 1.0]]),
                                             Tensor([0], ms.int32), b"ab")],
        "pool": [lambda v=v: ops.avg_pool1d(x.reshape(1, 1, 4), 2, v) for v in (range(2), "")]
        + [lambda: ops.avg_pool2d(x.reshape(1, 1, 2, 2), 2, "")],
        "fmod": [lambda: ops.fmod(np.float32(3), 2), lambda: ops.fmod(np.int64(3), np.int64(2))],
        "power": [lambda v=v: ops.float_power_ext(v, x) for v in (np.int64(2), 1j)]
        + [lambda: ops.float_power(np.bool_(True), x)],
        "full_like": [lambda: ops.full_like(ms.COOTensor(Tensor([[0, 1]], ms.int32), Tensor([1.0]), (2, 2)), 1,
                                            dtype=ms.int32)],
        "index_fill": [lambda v=v: ops.index_fill(x, 0, Tensor([0], ms.int32), v)
                       for v in (np.int64(3), np.float32(3), np.bool_(True))],
        "gather": [lambda: ops.gather(x, Tensor([0]), 0, None)],
        "gumbel": [lambda: ops.gumbel_softmax(x, float("nan"))],
        "fractional": [lambda v=v: ops.fractional_max_pool3d(Tensor(np.ones((1, 1, 4, 4, 4), np.float32)), v,
                                                             output_size=(2, 2, 2)) for v in (-1, (1, 0, 1))],
        "transpose": [lambda: x.transpose(0, dim1=1), lambda: x.transpose(0, 1, dim1=1),
                      lambda: x.transpose((0, 1), dim1=1)],
        "chunk": [lambda: x.chunk(2, 0, dim=0), lambda: ops.chunk(x, float("inf"))],
        "index_put": [lambda v=v: x.index_put((v,), Tensor([1.0, 1.0]))
                      for v in (Tensor(1), Tensor([1]), Tensor([[1]]), Tensor([True, False]))],
        "repeats": [lambda v=v: x.repeat_interleave(v, 0) for v in ((np.int64(2),), (Tensor(2),), (2,), np.int64(2))]
        + [lambda: ops.repeat_interleave(x, (np.int64(2),), 0)],
        "axes": [lambda: x.ptp((np.int64(1),)), lambda: x.max(axis=(np.int64(1),)), lambda: x.min(axis=(Tensor(1),))],
        "choose": [lambda: Tensor([0, 1, 0]).choose(Tensor([1.0, 2.0])), lambda: at.choose(x), lambda: at.choose(flat)],
        "astype": [lambda: x.astype(ms.int32, flat), lambda: x.astype(ms.int32, False)],
        "nptype": [lambda: ms.dtype_to_nptype(Tensor)],
        "alpha": [lambda: x.add(x, alpha=2**63), lambda: x.sub(x, alpha=2**63), lambda: x.add(x, alpha=2)],
    }


@case(each={"name": [*calls_of_functions()]})
def test_what_functions_and_methods_look_at(name):
    return answers(lambda call: call(), calls_of_functions()[name])


NUMBERS = (1, 1.5, True, np.float32(2), np.float64(2), np.int64(2), 2**63, 1j, (1,), [1.0], (Tensor(1),), None)


@case(each={"name": ["assign", "assign_add", "assign_sub"],
            "dtype": [ms.float32, ms.int32, ms.uint16, ms.float16]})
def test_numbers_for_a_parameter(name, dtype):
    """A number goes into a Parameter whose kind it has; a sequence never does."""
    return answers(lambda v: getattr(ops, name)(ms.Parameter(Tensor(np.ones(()), dtype), name="p"), v), NUMBERS)


def calls_of_more_functions():
    """The same of the functions from l to z."""
    x, flat, image = Tensor(data((2, 2))), Tensor(data((2,))), Tensor(np.ones((1, 1, 4, 4), np.float32))
    one = np.int64(1)
    return {
        "split": [lambda f=f: f(x, (one,)) for f in (ops.tensor_split, ops.hsplit, ops.vsplit)]
        + [lambda: x.tensor_split((one,)), lambda: x.hsplit((Tensor(1),)), lambda: x.tensor_split((1,))],
        "unfold": [lambda: ops.unfold(image, (one,)), lambda: ops.unfold(image, 2, stride=(one,)),
                   lambda: ops.unfold(image, 2, dilation=(one,)), lambda: ops.unfold(image, [2, 2])],
        "matrix_diag": [lambda v=v: ops.matrix_diag(flat, 0, -1, -1, v)
                        for v in (one, np.float32(1), "", (), [-3], (one,), 1, np.float64(1))],
        "vecdot": [lambda v=v: ops.vecdot(flat, flat, axis=v) for v in ((), (0,), 0)],
        "mirror_pad": [lambda v=v: ops.mirror_pad(x, v, "REFLECT") for v in ((), "", ((1, 1), (1, 1)))],
        "elements": [lambda v=v: ops.tensor_scatter_elements(x, Tensor([[0, 1]]), v) for v in (one, np.bool_(True))],
        "svd": [lambda v=v: ops.svd(x, compute_uv=v) for v in (range(2), ..., False)],
        "renorm": [lambda v=v: ops.renorm(x, 1, 0, v) for v in (Tensor(1), 1.0)] + [lambda: x.renorm(1, 0, Tensor(1))],
        "logspace": [lambda v=v: ops.logspace(Tensor(1.0), Tensor(3.0), *v) for v in ((one,), (3, one), (3, 2))],
        "normal": [lambda v=v: ops.normal((2,), v, 1.0) for v in (one, np.float32(0), 1j, np.float64(0), 0)]
        + [lambda: ops.normal((2,), 0.0, one), lambda: ops.laplace((2,), 1j, Tensor(1.0))],
        "dtype": [lambda v=v: ops.scalar_to_tensor(1, v) for v in (int, np.float32, ms.float32)],
        "pad": [lambda v=v: ops.pad(image, v) for v in ("", b"ab", (1, 1))],
        "pool": [lambda: ops.max_pool2d(image, 2, ""), lambda: ops.lp_pool2d(image, 2, 2, ""),
                 lambda: ops.lp_pool1d(image[0], 2, 2, range(2))],
        "unpool": [lambda v=v: ops.max_unpool2d(image, Tensor(np.arange(16).reshape(1, 1, 4, 4)), **v) for v in (
            {"kernel_size": (True, 1)}, {"kernel_size": b"ab"}, {"kernel_size": 1, "padding": range(2)})],
        "sampler": [lambda v=v: ops.uniform_candidate_sampler(Tensor([[1], [3]]), 1, 2, False, 5, 0, v) for v in (1, True)],
    }


@case(each={"name": [*calls_of_more_functions()]})
def test_what_more_functions_look_at(name):
    return answers(lambda call: call(), calls_of_more_functions()[name])


@case(each={"name": ["LSTM", "MaxPoolWithArgmaxV2", "pads", "InplaceUpdateV2"]})
def test_settings_and_indices_of_operators(name):
    x, row = Tensor(data((2, 2))), Tensor(data((1, 2)))
    calls = {"LSTM": (lambda v: ops.LSTM(2, 2, 1, True, False, 0.0, v), (None, 1.0, True, 2, -1, 0, 1)),
             "MaxPoolWithArgmaxV2": (lambda v: ops.MaxPoolWithArgmaxV2(2, v), (-1, 0, None, 1, (2, 1))),
             "pads": (lambda v: ops.MaxPoolWithArgmaxV2(2, 1, v), (-1, (0, -1), 1, (1, 0))),
             "InplaceUpdateV2": (lambda v: ops.InplaceUpdateV2()(x, v, row),
                                 (Tensor([1.0]), Tensor([True]), Tensor([1], ms.int16), Tensor([1]), (1,), 1))}
    return answers(*calls[name])
