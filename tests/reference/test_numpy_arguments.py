"""mindspore.numpy's functions with arguments in odd forms: what they give, and what they refuse. One line a case."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np

from tests.reference import expressions
from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

expressions.NAMES["mnp"] = mnp

VALUES = lines("""
bool(mnp.array([0.1], ms.float64).asnumpy()[0] == 0.1)
bool(mnp.array(0.1, "float64").asnumpy() == 0.1)
bool(mnp.asfarray([0.1], ms.float64).asnumpy()[0] == 0.1)
bool(mnp.full((2,), 0.1, ms.float64).asnumpy()[0] == 0.1)
bool(mnp.full_like([1, 2], 0.1, ms.float64).asnumpy()[0] == 0.1)
mnp.array([16777217.0], "int64")
mnp.array([2**40], "int64")
bool(ops.cast(0.1, ms.float64).asnumpy() == 0.1)
ops.cast(16777217.0, ms.int64)
ops.cast(1e-50, ms.bool_)
mnp.array([1, 2], ndmin=3), mnp.array([[1, 2]], "float16"), mnp.asarray([Tensor(1.5), 2]), mnp.asfarray([1, 2], "int")
mnp.zeros(I(2, 3)), mnp.ones_like([[1, 2]], shape=()), mnp.full((2, 3), [1, 2, 3], "float"), mnp.full_like(I(1, 2), 7.5)
mnp.arange(True, 3), mnp.arange(I(3, 3)[0]), mnp.arange(3.5, dtype="int8"), mnp.arange(5, 1, -1), mnp.arange(3, step=2)
mnp.linspace([1, 2], [3, 4], 3, axis=-1), mnp.linspace(1, 3, 3, dtype=int), mnp.linspace(1, 3, 1, False, True)
mnp.geomspace(-1, -8, 4), mnp.geomspace(0, 3, 3), mnp.geomspace(1, 3, 3, dtype="int"), mnp.logspace(1, 3, 3, dtype="uint")
mnp.tri(3, k=True + 0), mnp.tril(I(1, 2, 3)), mnp.triu([[1, 2], [3, 4]], -1), mnp.trace(A([[1, 0], [1, 1]], "bool"))
mnp.tril_indices(2.5, 1.5, 3.5), mnp.triu_indices(3, -0.5), mnp.tril_indices_from([[1, 2], [3, 4]], 1.0)
mnp.vander(T((3,)), 0), mnp.meshgrid(T((0,)), T((3,))), mnp.indices((2, 3), "float32", True)
[mnp.pad(T((2, 3)), ((1, 2), (2, 1)), m, reflect_type="odd") for m in ("reflect", "symmetric")]
[mnp.pad(T((2, 3)), ((3, 5), (7, 4)), m, reflect_type="odd") for m in ("reflect", "symmetric")]
mnp.pad(A([[5.0]], "float32"), 2, "reflect", reflect_type="odd"), mnp.pad(T((2, 3)), I(1, 2), "wrap"), mnp.pad(3, 1)
mnp.histogram(T((2, 3)), 0), mnp.histogram2d(T((3,)), I(1, 2, 3), [[0, 1, 2], 3])
ms.set_seed(3);; mnp.rand(3), mnp.randn(2, 2), mnp.randint(10, shape=4), mnp.rand(3, dtype="float16"), mnp.randint(5, 9, [3])
mnp.randn(()).shape, mnp.rand().shape, mnp.randint(1), mnp.randint(True), mnp.randn([2], dtype=ms.float64).dtype
mnp.nansum(I(1, 2, dt="int8")), mnp.nansum(A([1, 0, 1], "bool")), mnp.nansum(T((0, 3))), mnp.nansum(T((2, 3)), (), keepdims=2)
[mnp.nanmean(x) for x in (T((3,), "float16"), A([1, 0], "bool"))], mnp.nanmean(I(1, 2, 4), dtype="int32")
mnp.nanvar(T((3,), "float64")), mnp.nanstd(I(1, 2, 4), dtype=int), mnp.nanvar(A([1, 0], "bool"), 0, ddof=True - 1)
mnp.nanmax(A([[np.nan, 1], [np.nan, np.nan]], "float32"), 1), mnp.nanmin(I(3, 1), keepdims=1), mnp.nanmax(T((0,)))
mnp.average(I(1, 2, 5), weights=I(1, 2, 1)), mnp.average(I(1, 2, 5), weights=A([1, 0, 1], "float16"))
mnp.average(T((2, 3)), -1, I(1, 2, 3), True), mnp.average(T((2, 3)), weights=A([[1, 0, 1], [0, 1, 0]], "bool"), returned=True)
mnp.sum(I(1, 2), initial=-10.5), mnp.sum(I(1, 2), initial=T(())), mnp.max(T((2, 3)), 1, initial=0, where=1)
mnp.cumprod([1, 2, 3]), mnp.cumprod(I(1, 2, dt="uint8")), mnp.count_nonzero(T((0, 3)), 0), mnp.mean(I(1, 2), dtype="float16")
mnp.sometrue(I(0, 2), -1, 0), mnp.sometrue(T((2, 3)) > 3, (0, 1), 1), mnp.sometrue(I(1, 0, dt="uint8"), keepdims=2)
mnp.gcd(A([1, 5, 3], "float32"), A([1.5, -2, 0.25], "float32")), mnp.lcm(A([1, 5], "float64"), 2.5), mnp.gcd(True, True)
mnp.mod(A([1, 0], "bool"), A([1, 0], "bool")), mnp.heaviside(A([np.nan, -1], "float32"), 2.0), mnp.divmod(2, 3)
mnp.reciprocal(I(0, 1, -1, 4)), mnp.reciprocal(A([0, 1], "bool")), mnp.cbrt(A([0, 8, np.inf], "float32")), mnp.sign(A([np.inf, 0], "float32"))
mnp.arctan2(T((2,), "float16"), I(1, 2, dt="int64")), mnp.maximum(I(1, 5), A(2.5, "float32")), mnp.clip(True, 0, 2)
mnp.deg2rad(A([1, -2], "float16")), mnp.round([1, 2], 1), mnp.around(T((3,)), 2), mnp.divmod(T((2,), "float16"), 2.5)
mnp.stack((T((2, 3)), T((2, 3))), 5), mnp.stack(T((2, 3, 4)), -1), mnp.vstack(T((3,))), mnp.dstack(T((2, 3))), mnp.hstack(T(()))
mnp.squeeze(T((1, 2)), (0, 0)), mnp.squeeze(T((1, 2)), ()), mnp.flip(T((2, 3)), True), mnp.reshape(T((2, 3)), I(3, 2))
mnp.select([T((3,)) > 0], [I(2, 0, 1, dt="int64")], 2.5), mnp.select([[True, False]], [[1, 2]], 9), mnp.select([], [])
mnp.piecewise(T((2, 3)), True, [1]), mnp.piecewise(T((2, 3)), [True, False], [1, 2]), mnp.piecewise([1.5, 2], [0, 1, 1], [1, 2, 3])
mnp.piecewise(T(()), T(()) > 0, [1, 2]), mnp.piecewise(T((2, 3)), T((2, 3)) > 0, [1, 2])
mnp.take(T((2, 3)), I(-1, 7, -9)), mnp.take(T((2, 3)), I(-1, 7), 1), mnp.unravel_index(100, (3, 4)), mnp.unravel_index(-100, (3, 4), "F")
mnp.unravel_index(5, 7), mnp.unravel_index(A([1, 3], "uint8"), (2, 3)), mnp.searchsorted([3, 1, 2], 1.5, sorter=I(1, 2, 0))
mnp.convolve([1, 2], [1, 2]), mnp.convolve(3, [1.5, 2]), mnp.polyval([1, 2], np.inf), mnp.intersect1d(I(1, 2, dt="uint8"), [1, 3])
mnp.isscalar(np.float32(1)), mnp.isscalar(1j), mnp.bincount(I(-1, 2)), mnp.cross([1, 2, 3], [1, 2])
""")

REFUSALS = lines("""
mnp.array([[1], [2, 3]])
mnp.full_like([[1, 2], [3]], 2)
mnp.array([], ndmin=2)
mnp.zeros((2, 3), "a")
mnp.ones((2.0,))
mnp.full((2, -1), 7)
mnp.eye(3, 2.0)
mnp.rand(2, dtype=ms.int32)
mnp.randn(2, dtype="int32")
mnp.rand("a")
mnp.rand(2, (3,))
mnp.rand(2, -1)
mnp.randn(-1)
mnp.randint(0)
mnp.randint(3, 3)
mnp.randint(1.5)
mnp.randint(1, "a")
mnp.randint(1, dtype=ms.float32)
mnp.randint(1, dtype="int8")
mnp.randint(1, shape=4.0)
mnp.tril_indices("3")
mnp.triu_indices(3, [1])
mnp.tril_indices_from([1, 2])
mnp.tril(T((2, 3)), 1.0)
mnp.triu(T(()))
mnp.linspace(1, 3, 2.0)
mnp.linspace(1, 3, 3, 1)
mnp.linspace([1, 2], [1, 2, 3], 3)
mnp.logspace([1, 2], [3, 4], 3, axis=2)
mnp.vander(T((3,)), 2.0)
mnp.pad(T((2, 3)), 1.5)
mnp.pad(T((2, 3)), (1, 2, 3))
mnp.pad(T((2, 3)), 1, "median")
mnp.histogram(T((3,)), 4, (5, 0))
mnp.histogramdd(T((3,)))
mnp.sin(T((3,)), "float16")
mnp.add(T((3,)), 1, int)
mnp.signbit(T((3,)), ms.float32)
mnp.log2(3)
mnp.nanmax(T((2, 3)), keepdims="a")
mnp.nansum(T((2, 3)), (0, 1.5))
mnp.nanmean(T((2, 3)), (0, 0))
mnp.mean(T((2, 3)), 2)
mnp.max([1, 2])
mnp.amin((1.5, 2))
mnp.average(T((2, 3)), weights=T((3,)))
mnp.average(T((2, 3)), (0, 0))
mnp.cumprod(T((2, 3)), (0, 1))
mnp.sometrue(T((2, 3)), "a")
mnp.sometrue(T((2, 3)), 1, "a")
mnp.expand_dims(T((2, 3)), (0, 0))
mnp.rollaxis(T((2, 3)), 1, 5)
mnp.stack(2.5)
mnp.split(T((2, 3)), 2, "a")
mnp.split(T((2, 3)), [1.0])
mnp.split(T((2, 3)), [2, 1])
mnp.array_split(T((2, 3)), 5)
mnp.piecewise(T((3,)), [T((3,)) > 0], [1, 2, 3])
mnp.select(True, 1)
mnp.choose([1, 0], [1, 2], "raise")
mnp.take(T((3,)), I(1), 0, "a")
mnp.unravel_index(5, (2, 3), "a")
mnp.matrix_power(T((2, 3)), 2)
mnp.polyadd(T((2, 3)), [1, 2])
mnp.bincount(T((2,)))
mnp.around(T((2,)), 1.5)
mnp.isclose(I(1), 1.0)
mnp.copy([[1], [2, 3]])
""")


@case(each={"line": VALUES})
def test_value(line):
    return evaluate(line)


@case(each={"kind": ["int32", "uint8", "float32"], "sizes": ["int32", "int64", "float16", "array"]})
def test_sizes_of_a_shape_in_an_array(kind, sizes):
    at = ms.Tensor(np.array([5, 7], kind))
    shape = np.array([2, 3, 4]) if sizes == "array" else ms.Tensor(np.array([2, 3, 4], sizes))
    return mnp.unravel_index(at, shape), mnp.unravel_index(at, shape, "F")


@case(raises="Failed calling prod with \"prod(int, <class 'numpy.bool_'>)\".")
def test_a_bool_of_numpy_is_no_dtype():
    return ms.Tensor([[1.0, 2.0]]).prod(0, np.bool_(True))


@case(raises="dim must in the range of [1, 8]")
def test_a_shape_of_no_axes():
    return mnp.unravel_index(ms.Tensor([5]), ms.Tensor(7))


@case(raises=True, each={"line": REFUSALS})
def test_refusal(line):
    return evaluate(line)
