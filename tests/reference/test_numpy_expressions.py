"""mindspore.numpy: polynomials, histograms, sets, grids, functions along axes. One line a case."""

import mindspore.numpy as mnp

from tests.reference import expressions
from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

expressions.NAMES["mnp"] = mnp

LINES = lines("""
[mnp.add(A([1, 2, 3], d), 2) for d in ("int8", "bool", "int64", "float16")], mnp.add(A([1, 2], "float16"), 2.5)
[f(A([3, 4], "int8"), 2) for f in (mnp.subtract, mnp.power, mnp.mod, mnp.floor_divide, mnp.fmod)]
[f(A([3, 4], "float16"), 2.5) for f in (mnp.remainder, mnp.heaviside, mnp.hypot)]
mnp.bitwise_and(A([1, 2], "int8"), 2), mnp.gcd(A([4, 6], "int8"), 2), mnp.maximum(A([3, 1], "int32"), 2.5)
[mnp.divide(A([3, 4], d), 2) for d in ("float16", "float64", "int32")], mnp.divide(T((2,)), A([1, 2], "float64"))
[f(A([1.5, -2.5], d)) for d in ("float64", "float16") for f in (mnp.ceil, mnp.trunc, mnp.fix, mnp.sign, mnp.cbrt)]
[f(A([3, -2], "int32")) for f in (mnp.ceil, mnp.trunc, mnp.fix, mnp.sign, mnp.exp2)], mnp.sign(-2)
[f(A([1, 0], d)) for d in ("int8", "bool") for f in (mnp.sin, mnp.arctan, mnp.tanh, mnp.arcsinh)]
mnp.arctan2(A([1, 2], "int8"), A([1, 3], "int8")), mnp.arctan2(A([1, 2], "int8"), A([1, 3], "int32"))
mnp.hypot(A([3, 5], "int32"), A([4, 12], "int32")), mnp.logaddexp2(A([3, -3], "int32"), A([1.0, 2.5], "float32"))
mnp.var(A([[3, -3, -4], [4, 5, 4]])), mnp.std(A([[3, -3, -4], [4, 5, 4]], "int8"), 0, 1)
mnp.average(A([[3, -3, -4], [4, 5, 4]]), 1), mnp.average(A([[3, -3], [4, 5]]), weights=A([[1, 2], [3, 4]]))
mnp.mean(T((2, 3)), True), mnp.max(T((2, 3)), True), mnp.ptp(T((2, 3)), True), mnp.average(T((2, 3)), True)
mnp.clip(A([0, 1, 1], "bool"), 0, 2), mnp.float_power(A([1, 2], "float64"), A([2, 3], "float64"))
mnp.choose([1, 0], 7), mnp.polyder(7), mnp.polyder([]), mnp.convolve(7, [1.0, 2.0]), mnp.indices(())
mnp.trapz(T((2, 3)), dx=[3], axis=0), mnp.trapz(T((2, 3)), dx=True), mnp.rot90(T((2, 3)), True)
mnp.apply_over_axes(mnp.sum, [[1.0, 2.0], [3.0, 4.0]], 0), mnp.tril_indices_from([[1.0, 2.0], [3.0, 4.0]])
mnp.polyadd([1, 2, 3], [4, 5]), mnp.polyadd(Tensor([1.0, 2.0]), [1, 2, 3])
mnp.polysub([1, 2], [4, 5, 6]), mnp.polysub(Tensor([1.0]), Tensor([2.0]))
mnp.polymul([1, 2, 3], [4, 5]), mnp.polymul(Tensor([1.0, 2.0]), [1.0, 2.0])
mnp.polyval([3.0, 0.0, 1.0], 5.0), mnp.polyval([3, 0, 1], T((2, 2))), mnp.polyval([3, 0, 1], 5)
mnp.polyder(Tensor([1.0, 1.0, 1.0, 1.0])), mnp.polyder(Tensor([1.0, 1.0, 1.0, 1.0]), m=2), mnp.polyder([1, 2, 3])
mnp.polyint(Tensor([1.0, 1.0, 1.0])), mnp.polyint(Tensor([1.0, 2.0]), m=2, k=[3, 4]), mnp.polyint([6.0, 2.0], k=1)
mnp.correlate(Tensor([1.0, 2.0, 3.0]), Tensor([0.0, 1.0, 0.5])), mnp.correlate([1, 2, 3], [0, 1])
[mnp.correlate(Tensor([1.0, 2.0, 3.0]), Tensor([0.0, 1.0, 0.5]), m) for m in ("same", "full", "valid")]
mnp.correlate(Tensor([1.0, 2.0]), Tensor([0.0, 1.0, 0.5, 2.0]), "full")
mnp.digitize(Tensor([0.2, 6.4, 3.0, 1.6]), Tensor([0.0, 1.0, 2.5, 4.0, 10.0]))
mnp.digitize(Tensor([1.2, 10.0, 12.4, 15.5, 20.0]), [0, 5, 10, 15, 20], right=True)
mnp.digitize(Tensor([[0.2, 6.4]]), Tensor([10.0, 4.0, 2.5, 1.0, 0.0])), mnp.digitize(3, [1, 2, 4])
mnp.histogram(Tensor([1.0, 2.0, 1.0]), Tensor([0, 1, 2, 3])), mnp.histogram(Tensor([1.0, 2.0, 1.0, 5.0]), 4)
mnp.histogram(T((20,)), bins=5, range=(-1.0, 1.0)), mnp.histogram(T((20,)), 4, density=True)
mnp.histogram([1.0, 2.0, 2.5], [0.0, 2.0, 3.0], weights=[1.0, 2.0, 3.0])
mnp.histogram_bin_edges(Tensor([1, 2, 2, 3, 4, 5]), 4), mnp.histogram_bin_edges(T((6,)), [1, 2])
mnp.histogram2d(Tensor([2.0, 1.0, 3.0]), Tensor([1.0, 3.0, 2.0]), bins=3)
mnp.histogram2d(T((9,)), T((9,), seed=1), [2, 3], [(-1, 1), (-2, 2)])
mnp.histogramdd(T((9, 2)), bins=3)
mnp.histogramdd(T((9, 3)), bins=[2, 3, 2], range=[(-1, 1), (-2, 2), (-1.5, 1.5)], density=True)
mnp.nancumsum(Tensor([[1.0, 2.0], [3.0, np.nan]])), mnp.nancumsum(Tensor([[1.0, np.nan], [3.0, 4.0]]), axis=0)
mnp.nancumsum(T((2, 3)), 1, ms.float16)
mnp.nanstd(Tensor([[1.0, np.nan], [3.0, 4.0]])), mnp.nanstd(Tensor([[1.0, np.nan], [3.0, 4.0]]), 0, ddof=1)
mnp.nanvar(Tensor([[1.0, np.nan], [3.0, 4.0]]), axis=1, keepdims=True), mnp.nanvar(T((3, 4)), ddof=1)
mnp.unwrap(Tensor([0.0, 0.78, 1.57, 5.49, 6.28])), mnp.unwrap(mnp.arange(6.0).reshape(2, 3) * 3, axis=0)
mnp.argwhere(Tensor([[[1, 0], [-4, 0]]])), mnp.argwhere(T((2, 3)) > 0)
mnp.intersect1d([1, 3, 4, 3], [3, 1, 2, 1]), mnp.intersect1d(Tensor([1, 2]), Tensor([2, 3]), True, True)
mnp.intersect1d([4, 3, 1, 3], [3, 1, 2, 1], return_indices=True)
mnp.setdiff1d(Tensor([1, 2, 3, 2, 4, 1]), Tensor([3, 4, 5, 6])), mnp.setdiff1d([3, 1, 3], [2], True)
mnp.ix_(Tensor([0, 1]), Tensor([2, 4])), mnp.ix_(Tensor([True, False, True]), Tensor([1]))
mnp.diag_indices(3), mnp.diag_indices(2, 3)
mnp.tril_indices_from(mnp.ones((3, 3))), mnp.triu_indices_from(mnp.ones((3, 3)), 1)
mnp.vander([1, 2, 3, 5]), mnp.vander(Tensor([1.0, 2.0, 3.0]), 2), mnp.vander(Tensor([1.0, 2.0]), 3, increasing=True)
mnp.indices((2, 3)), mnp.indices((2, 3), ms.float32), mnp.indices((2, 3), sparse=True)
mnp.mgrid[0:3:0], mnp.mgrid[0:3:0j], mnp.mgrid[[slice(0, 3)]], mnp.ogrid[(slice(0, 3, 0.5),)]
[I(*i).choose([I(1, 2), I(3, 4)], mode=m) for i in ((1, 0), (-1, 3)) for m in ("clip", "wrap")], A([[1], [0]]).choose([I(1, 2), I(3, 4)]), A([1.0, 2.6], "float32").choose([I(1, 2), I(3, 4)], "wrap")
mnp.mgrid[0:3], mnp.mgrid[0:2, 0:3:2], mnp.mgrid[0:1:3j], mnp.mgrid[-1:1:5j, 0:2:2j], mnp.mgrid[2:0:-1]
mnp.ogrid[0:3], mnp.ogrid[0:2, 0:3:2], mnp.ogrid[-1:1:5j, 0:2]
mnp.ravel_multi_index((7, 4), (10, 8)), mnp.ravel_multi_index(Tensor([[3, 6, 6], [4, 5, 1]]), (7, 6))
mnp.ravel_multi_index(Tensor([[3, 6, 6], [4, 5, 1]]), (7, 6), order="F")
mnp.ravel_multi_index(Tensor([[3, 6, 6], [4, 5, 1]]), (4, 6)), mnp.ravel_multi_index(Tensor([[3, 9], [4, 5]]), (4, 4), "wrap")
mnp.unravel_index([22, 41, 37], (7, 6)), mnp.unravel_index(Tensor([31, 41, 13]), (7, 6), order="F")
mnp.unravel_index(1621, (6, 7, 8, 9)), mnp.unravel_index(Tensor([[1, 2]]), 4)
mnp.choose(Tensor([2, 3, 1, 0]), [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]])
mnp.choose(Tensor([2, 4, 1, -1]), Tensor([[0, 1, 2, 3], [10, 11, 12, 13]])), mnp.choose([[1, 0], [0, 1]], [-10, 10], "wrap")
mnp.piecewise(T((4,)), [T((4,)) < 0, T((4,)) >= 0], [-1, 1])
mnp.piecewise(T((4,)), [T((4,)) < 0, T((4,)) >= 0], [lambda x: -x, lambda x: x * 2])
mnp.apply_along_axis(lambda a: (a[0] + a[-1]) * 0.5, 0, T((3, 4))), mnp.apply_along_axis(mnp.diag, -1, T((2, 3)))
mnp.apply_along_axis(lambda a, k: a * k, 1, T((2, 3)), 2.0), mnp.apply_along_axis(mnp.sum, 1, T((2, 3, 4)))
mnp.apply_over_axes(mnp.sum, T((2, 3, 4)), [0, 2]), mnp.apply_over_axes(mnp.mean, T((2, 3)), 1)
mnp.unique(Tensor([1, 2, 2, 2, 3, 4, 5])), mnp.unique(Tensor([[3, 2], [2, 3]]), return_inverse=True)
mnp.unique(Tensor([1.5, 0.5, 1.5]), True), mnp.unique(I(3, 1, 3), True)
mnp.bitwise_not(A([13, 0], "uint16")), mnp.bitwise_not(I(13)), mnp.invert(A([1, 2], "uint8"))
mnp.copysign([1, -1, 1], [-1, 1, -1]), mnp.copysign(T((3,)), -1), mnp.copysign(2.0, I(-1, 1))
[str(mnp.result_type(*x)) for x in (("i2", mnp.float32), (3, T((2,), "float16")), (True, I(1)), (3.0, I(1)))]
mnp.pad(Tensor([1.0, 2.0, 3.0]), 2, "linear_ramp", end_values=((5, -4),)), mnp.pad(I(1, 2, 3), (1, 2), "maximum")
mnp.pad(T((2, 3)), 1, "mean"), mnp.pad(T((2, 3)), ((1, 0), (2, 1)), "minimum")
mnp.pad(T((2, 3)), ((1, 2), (0, 1)), "symmetric"), mnp.pad(T((4,)), 2, "maximum", stat_length=2)
mnp.isin(Tensor([True, False]), [1]), mnp.in1d(Tensor([True, False]), [True]), mnp.isin(I(1, 2), Tensor([2.0]))
mnp.nancumsum(Tensor([[True, False], [True, True]]), 0), mnp.nancumsum(I(1, 2, dt="int8")), mnp.cumsum(Tensor([True, True]))
mnp.piecewise(I(2, 1, 3), [I(2, 1, 3) < 2, I(2, 1, 3) < 3], [1, 2]), mnp.piecewise(I(2, 1), [I(2, 1) < 2], [lambda x: x * 2.5])
mnp.pad(T((2, 3)), ((1, 2), (3, 1)), constant_values=((1, 2), (3, 4))), mnp.pad(T((2, 3)), 1, "empty").shape
""")


@case(each={"line": LINES})
def test_value(line):
    return evaluate(line)
