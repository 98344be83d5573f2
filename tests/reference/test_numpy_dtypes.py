"""mindspore.numpy's own table of common dtypes: what two arrays become, which pairs are refused."""

import itertools

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor, nn, ops

from tests.reference.judge import case
from tests.reference.test_wrong_calls import said

UNSIGNED = (ms.uint16, ms.uint32, ms.uint64)
DTYPES = (ms.bool_, ms.int8, ms.int32, ms.int64, ms.uint8, *UNSIGNED, ms.float16, ms.float32, ms.float64, ms.bfloat16,
          ms.complex64)
# Of two different ones of these torch computes less.
PAIRS = [(a, b) for a, b in itertools.product(DTYPES, DTYPES) if a == b or not {a, b} <= set(UNSIGNED)]


def outcome(function, a, b):
    """The dtype of the result and its numbers, or the error."""
    ms.set_context(pynative_synchronize=True)
    x, y = (Tensor(np.array(v)).astype(kind) for v, kind in (([4, 1, 3], a), ([3, 1, 1], b)))
    answer = said(function, (x, y), {})
    if answer != "value":
        return answer
    found = function(x, y)
    plain = found.astype(ms.float32) if found.dtype == ms.bfloat16 else found
    return str(found.dtype), plain.asnumpy().astype(np.complex64).tolist()


@case(each={"name": ["append", "cross", "mod", "fmod", "bitwise_and"]})
def test_common_dtypes(name):
    return [outcome(getattr(mnp, name), a, b) for a, b in PAIRS]


@case()
def test_promote_types():
    def shared(a, b):
        answer = said(mnp.promote_types, (a, b), {})
        return str(mnp.promote_types(a, b)) if answer == "value" else answer

    return [shared(a, b) for a, b in PAIRS]


@case()
def test_conversions():
    whole = [d for d in DTYPES if str(d) not in ("BFloat16", "Complex64")]
    return [[outcome(getattr(mnp, name), a, b) for a, b in PAIRS if a in whole and b in whole]
            for name in ("multiply", "logical_and")]


@case()
def test_what_maximum_asks_first():
    return [outcome(getattr(mnp, name), a, b) for name in ("maximum", "minimum")
            for a, b in ((ms.bfloat16, ms.int8), (ms.float32, ms.complex64), (ms.complex64, ms.bfloat16))]


@case()
def test_complex_numbers():
    z = Tensor(np.array([1 + 2j, 3, 2j], np.complex64))
    return (mnp.isin(z, Tensor([3, 4])), mnp.in1d(z, z[1:], invert=True), mnp.gcd(z, z), mnp.mod(z, z + 1),
            mnp.divide(z, Tensor([1, 2, 4])))


@case()
def test_bounds_in_arrays():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    low, high = Tensor([1.0, 0.0, 4.0]), Tensor([2.0, 3.0, 4.5])
    return (mnp.clip(x, low, high), mnp.clip(x, Tensor([[2.0], [4.0]]), None), ops.clip_by_value(x, low, high),
            mnp.clip(x, [1, 0, 4], 4))


@case()
def test_falling_bins():
    x = Tensor(np.arange(6, dtype=np.float32))
    return [mnp.digitize(x, bins, right) for bins in ([3, 1, 0], [5, 5, 1], [0, 1, 3]) for right in (False, True)]


@case()
def test_arrays_of_numpy():
    a = np.arange(12).reshape(3, 4)
    return (mnp.trace(a), mnp.trace(a, 1), mnp.diagonal(a, 1, 1, 0), mnp.tile(Tensor([1, 2]), np.array([2, 1])),
            mnp.arange(np.array(3)), mnp.roll(Tensor([1, 2, 3]), (True,), (0,)), said(mnp.trace, (a[0],), {}))


@case()
def test_widths_of_other_kinds():
    widths = (Tensor([1, 1]), (np.int64(1), 1), (1.5, 1), (True, 1), np.int64(1), 1.5)
    return [said(mnp.pad, (Tensor([1.0, 2.0]), w, mode), {}) for mode in ("constant", "edge", "linear_ramp", "wrap")
            for w in widths]


@case()
def test_unsigned_numbers_beside_others():
    x, kinds = Tensor([1.0, 2.0, 3.0]), (*UNSIGNED, ms.uint8)
    functions = (lambda t: mnp.hstack((t, t)), lambda t: mnp.linspace(t, x, 3),
                 lambda t: mnp.polyval(x, t), lambda t: mnp.polyval(t, x), lambda t: mnp.searchsorted(x, t),
                 lambda t: mnp.interp(t, x, x), lambda t: mnp.bincount(Tensor([1, 1, 2]), t),
                 lambda t: mnp.digitize(t, x, True), lambda t: mnp.hypot(x, t), lambda t: nn.HuberLoss()(t, x))
    ms.set_context(pynative_synchronize=True)
    stacked = [said(mnp.vstack, ((x.astype(kind), x),), {}) for kind in UNSIGNED]
    return stacked, [[said(f, (x.astype(kind),), {}) for kind in kinds] for f in functions]


@case()
def test_shared_dtypes_of_more():
    a, b, z = Tensor([1, 2, 3], ms.uint32), Tensor([3, 2, 1], ms.int8), Tensor([1.0, 2.0]).astype(ms.complex64)
    return (mnp.diff(a, append=b), mnp.result_type(a, b, 1.5), mnp.choose(Tensor([0, 1, 0]), [a, b]),
            said(mnp.result_type, (a, z), {}), said(mnp.diff, (Tensor([1.0, 2.0]),), {"append": z}),
            mnp.correlate(Tensor([1.0, 2.0]), Tensor([1.0]), "SAME"))


@case()
def test_widths_of_trapezoids():
    y = Tensor((np.arange(6).reshape(2, 3) ** 2).astype(np.float32))
    return (mnp.trapz(y, dx=[1.0, 2.0]), mnp.trapz(y, [0.0, 2.0]), mnp.trapz(y, dx=[1.0, 2.0], axis=0),
            mnp.trapz(y, dx=y, axis=0), mnp.trapz(y[0], y), mnp.trapz(y, [True, False, True]),
            mnp.trapz(y.astype(ms.float64), dx=0.5), mnp.trapz(y[0].astype(ms.complex64)),
            said(mnp.trapz, (y, [0.0, 1.0, 2.0, 3.0]), {}), said(mnp.trapz, (y, y[:, :1]), {}))
