"""Right calls as programs write them too, lists by name and what widens a product, and wrong ones beside them.
One line a case."""

from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

RIGHT = lines("""
ms.numpy.repeat(a=[1, 2], repeats=2)
ms.numpy.mean(a=[[1, 2.0]])
ms.numpy.cov(m=[1.0, 2], y=[3.0, 5])
ms.numpy.polyadd(a1=[1, 2], a2=[3, 4])
ms.numpy.trapz(y=[1, 2, 3], x=[4, 6, 8])
ms.numpy.cross(a=[1, 2, 3], b=[4, 5, 6])
ms.numpy.searchsorted(a=[1, 2, 3], v=[2])
ms.numpy.intersect1d([1, 2], ar2=[2, 3])
ms.numpy.unravel_index(indices=[3, 1], shape=(2, 2))
ms.numpy.norm(x=[3.0, 4.0])
ms.numpy.digitize(x=[1.0, 2], bins=[1.5])
ms.numpy.matrix_power(T((2, 2)), True)
ms.numpy.norm(T((2, 3)), np.float32(np.inf))
ms.numpy.norm(T((2, 3)), np.float64(1))
g(lambda x, a, b: ops.addmm(x, a, b, alpha=3), T((3, 3)), T((1, 2)), T((2, 3)))
ops.addmm(T((3,)), T((1, 2)), T((2, 1)))
ops.addmm(T((2, 3)), T((1, 2)), T((2, 1)))
T((3, 3)).addmm(T((3, 2)), T((2, 1)))
ops.addmv(T((3,)), T((1, 2)), T((2,)))
g(lambda x, a, b: ops.addr(x, a, b, beta=2), T((3, 3)), T((1,)), T((3,)))
ops.addr(T((3,)), T((1,)), T((1,)))
T((2, 3)).addr(T((1,)), T((1,)))
T((3, 1)).addr(T((1,)), T((3,)))
g(ops.baddbmm, T((3, 3)), T((2, 1, 2)), T((2, 2, 3)))
ops.baddbmm(T((2, 3, 3)), T((1, 1, 2)), T((1, 2, 1)))
g(ops.addbmm, T((3, 3)), T((2, 1, 2)), T((2, 2, 3)))
ops.addbmm(T((3,)), T((1, 1, 2)), T((1, 2, 1)))
ops.composite.ones_like((T((2,)), (T((3,)),)))
ops.composite.ones_like((1, 2))
T((2, 3)).float_power(np.float64(2))
ms.mint.float_power(T((2, 3)), True)
A([3.5], "float32").item()
ops.nanmean(T((2, 3)), Tensor([0]))
ops.nanmean(T((2, 3)), Tensor([0, 1]))
ops.linspace(np.array(1), 10, 5)
ops.linspace(1, np.array(10.0), 5)
ops.bitwise_left_shift(A([1, 2]), True)
ops.bitwise_right_shift(A([1, 2]), True)
ops.clip_by_global_norm([T((2, 3)), T((3,))], np.array(0.3))
T((2, 3, 4)).flatten(0, 1)
T((2, 3, 4)).flatten("C")
T((2, 3, 4)).flatten(start_dim=1)
ms.numpy.apply_over_axes(ms.numpy.sum, T((2, 3)), (0, -1))
ops.fractional_max_pool2d(T((1, 1, 4, 4)), 1, output_ratio=0.5, _random_samples=Tensor(np.full((1, 1, 2), 0.5, np.float32)))
ops.fractional_max_pool3d(T((1, 1, 4, 4, 4)), 1, output_ratio=0.5, _random_samples=Tensor(np.full((1, 1, 3), 0.5, np.float32)))
ops.nonzero(A([2**64 - 1, 0], "uint64"))
ops.argwhere(A([2**64 - 1, 0], "uint64"))
ms.numpy.argwhere(A([2**64 - 1, 0], "uint64"))
ms.amp.StaticLossScaler(np.float64(1024.0)).scale_value
ops.random_poisson(A([2]), 7).shape
ops.count_nonzero(T((2, 3)), np.int64(1))
g(lambda x, v: nn.GaussianNLLLoss(reduction="none")(x, A([[0, 1], [1, 1]], "float32"), v), T((2, 2)), A([0.5, 2.0], "float32"))
ops.gaussian_nll_loss(T((2, 3)), T((2, 3), seed=1), A([0.5, 2.0], "float32"))
ops.gaussian_nll_loss(T((2, 3)), T((2, 3), seed=1), A([0.5, 2.0, 3.0], "float32"))
ops.gaussian_nll_loss(T((2, 2, 2)), T((2, 2, 2), seed=1), A([[1, 2], [3, 4]], "float32"))
ms.numpy.asfarray([Tensor(1), Tensor(2)])
ms.numpy.asfarray([Parameter(Tensor(1)), 2])
ms.numpy.array([Tensor(1), 2], ms.float16)
ms.numpy.asarray([[Tensor(1)], [Tensor(2)]], ms.float16)
ops.dense_to_sparse_coo(A([[1, 0], [0, 2]], "uint32")).values
A([[1, 0], [0, 2]], "uint64").to_coo().indices
""")
WRONG = lines("""
ops.ones_like([T((2,)), T((2,))])
ops.ones_like((T((2,)),))
ops.ones_like(())
T((2,)).float_power(np.float32(2))
T((2,)).float_power([1, 2])
T((2,)).float_power(1j)
ms.mint.float_power(T((2,)), np.int64(2))
ms.mint.float_power(np.bool_(True), T((2,)))
ms.mint.float_power([1, 2], T((2,)))
ms.mint.float_power("a", "a")
ms.numpy.norm(T((2, 3)), np.int64(1))
ms.numpy.norm(T((3,)), np.float32(2))
ms.numpy.norm(T((3,)), "fro")
ms.mint.norm(T((3,)), np.int64(1))
ops.norm(T((2, 3)), [])
T((2, 3)).norm(3)
T((2, 3)).norm(0)
T((3,)).norm("fro")
A([3.5], "float32").item(None)
T((2, 2)).matrix_power(np.int64(2))
T((2, 2)).matrix_power(True)
T((2, 2)).matrix_power(2.0)
ops.histc(T((3,)), min=float("nan"))
T((3,)).histc(max=float("nan"))
T((3,)).histc(min=3.0, max=1.0)
ops.Histogram(min=float("nan"))(T((3,)))
ms.numpy.array([Tensor(1), 2])
ms.numpy.asarray((Tensor(1), 2))
ms.numpy.apply_over_axes(ms.numpy.sum, T((2, 3)), (5,))
ops.fractional_max_pool2d(T((1, 1, 4, 4)), 1, output_ratio=1.5)
ops.space_to_batch_nd(T((1, 1, 2, 2)), [2, 2], "")
T((2, 3)).flatten(0, Tensor(1))
T((2, 3)).flatten(start_dim=np.int64(0))
ops.nanmean(T((2, 3)), Tensor(0))
ms.numpy.linspace((), 2, 3)
ms.numpy.geomspace(1, [], 3)
ms.numpy.logspace((), 2, 3)
""")


@case(each={"line": RIGHT})
def test_right(line):
    return evaluate(line)


@case(raises=True, each={"line": WRONG})
def test_refused(line):
    return evaluate(line)


@case(raises="must be all tensor and those type must be same", each={"name": ["igamma", "igammac"]})
def test_no_numpy_numbers(name):
    return evaluate(f"ops.{name}(np.int64(1), T((2,)))")


@case(raises=", dtype=mindspore.dtype", each={"given": ["[T((2,)), T((2,))]", "[]", "1.5"]})
def test_ones_like_tensors_alone(given):
    return evaluate(f"ms.mint.ones_like({given})")


@case(raises="Failed calling pow with", each={"order": ["()", "[]"]})
def test_no_order_of_a_vector(order):
    return evaluate(f"ops.norm(T((3,)), {order})")


# (What it was given is told without the names.)
@case(raises="Failed calling scatter with", each={"named": ["dim", "axis"]})
def test_no_value_for_scatter(named):
    return evaluate(f"T((2, 3)).scatter({named}=0, index=A([[0, 1]], 'int64'), value=1.0)")
