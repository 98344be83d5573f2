"""Reductions, extremes, scans: axes, dtypes, gradients, errors, and the methods with their own signatures."""

import mindspore as ms
import numpy as np
from mindspore import mint, ops

from tests.reference.judge import case, data
from tests.reference.test_wrong_calls import told

F, I = data((2, 3, 4)), data((2, 3, 4), "int32")
AXES = [0, -1, (0, 1), (0, -1), [0, 2], ()]


def through(prim):
    """A Primitive as a function: MindSpore's grad takes no Primitive."""

    def call(*args):
        return prim(*args)

    return call


REDUCE = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"]


@case(each={"name": REDUCE, "axis": [0, -1, (0, 2)], "keep": [False, True]})
def test_primitive(name, axis, keep):
    prim, x = getattr(ops, name)(keep_dims=keep), ms.Tensor(F)
    return prim(x, axis), ms.grad(through(prim))(x, axis), prim(ms.Tensor(I), axis)


@case(each={"name": REDUCE[:-1]})  # MindSpore's gradient of ReduceProd over () is 1
def test_primitive_over_all(name):
    prim, x = getattr(ops, name)(), ms.Tensor(F)
    return prim(x), prim(x, ()), ms.grad(through(prim))(x), prim(ms.Tensor(2.5))


@case(each={"name": ["ReduceAll", "ReduceAny"], "axis": [0, (0, 1), ()]})
def test_truth_primitive(name, axis):
    return getattr(ops, name)()(ms.Tensor(data((2, 3), "bool")), axis)


@case(each={"name": ["sum", "mean", "amax", "amin", "all", "any", "prod", "nansum"], "axis": AXES})
def test_function_over_axes(name, axis):
    return getattr(ops, name)(ms.Tensor(F), axis), getattr(ops, name)(ms.Tensor(I), axis, True)


@case(each={"name": ["sum", "mean", "amax", "amin", "prod"]})
def test_function_over_all(name):
    function, x = getattr(ops, name), ms.Tensor(F)
    return function(x), ms.grad(function)(x), function(ms.Tensor(2.5)), function(ms.Tensor(I))


@case(each={"axis": [0, -1], "dtype": [ms.int32, ms.int64]})
def test_product_along_the_axis_in_a_tensor(axis, dtype):
    x, axis = ms.Tensor(F), ms.Tensor(axis, dtype)
    return mint.prod(x, axis), mint.prod(x, axis, True), x.prod(axis), ops.prod(x, axis)


@case(each={"name": ["std", "var"], "axis": [None, 0, (0, 1), -1]})
def test_spread(name, axis):
    function, x = getattr(ops, name), ms.Tensor(F)
    return (
        function(x, axis),
        function(x, axis, 1),
        function(x, axis, ddof=True, keepdims=True),
        getattr(x, name)(axis),
        getattr(x, name)(axis, 1),
        getattr(ms.Tensor(I), name)(axis),
    )


@case
def test_std_mean_and_var_mean():
    x = ms.Tensor(F)
    return ops.std_mean(x), ops.var_mean(x, 1, 1, True), ops.ReduceStd(1, False, True)(x)


@case(each={"axis": [0, (0, 1), -1, ()]})
def test_logsumexp(axis):
    x = ms.Tensor(F)
    return ops.logsumexp(x, axis), ops.logsumexp(x, axis, True), ms.grad(ops.logsumexp)(x, axis)


@case(each={"dtype": [ms.bool_, ms.int8, ms.uint8, ms.int32, ms.int64, ms.float16, ms.float64]})
def test_sum_of_each_dtype(dtype):
    x = ms.Tensor([[1, 0, 2], [3, 1, 1]], dtype)
    return ops.sum(x, 1), ops.prod(x, 1), ops.ReduceSum()(x, 1), x.sum(), ops.all(x)


@case
def test_dtype_argument():
    x = ms.Tensor(I)
    return (
        ops.sum(x, dtype=ms.float32),
        ops.prod(x, dtype=ms.float32),
        x.mean(dtype=ms.float32),
        x.sum(0, ms.float32),
        x.sum(axis=1, dtype=ms.float16, keepdims=True),
    )


@case
def test_mean_of_integers_is_cut_off():
    x = ms.Tensor([[1, -2, -2], [5, 2, 1]], ms.int32)
    return ops.mean(x, 1), x.mean(), ops.ReduceMean()(x, 0)


@case
def test_sum_initial():
    x = ms.Tensor(F)
    return x.sum(initial=2), x.sum(axis=0, initial=2.5)


@case(
    each={
        "name": ["sum", "mean", "amax", "std", "prod", "argmax", "cumsum", "logsumexp", "median", "max"],
        "axis": [3, -4],
    },
    raises=True,
)
def test_axis_out_of_range(name, axis):
    return getattr(ops, name)(ms.Tensor(F), axis)


@case(each={"name": ["ReduceSum", "ReduceMax"], "axis": [3, (0, 5), (0, 0)]}, raises=True)
def test_axis_of_a_primitive(name, axis):
    return getattr(ops, name)()(ms.Tensor(F), axis)


# ---- extremes -------------------------------------------------------------------------------------------------


@case(each={"name": ["max", "min"]})
def test_extreme_gives_values_and_indices(name):
    function, x = getattr(ops, name), ms.Tensor(F)
    return (
        function(x),
        function(x, 1),
        function(x, axis=-1, keepdims=True),
        function(ms.Tensor(I), 0),
        function(ms.Tensor(2.5)),
        function(x, axis=1, initial=0.5),
        function(x, axis=1, initial=0.0, where=ms.Tensor(data((2, 3, 4), "bool"))),
    )


@case(each={"name": ["max", "min"]})
def test_extreme_methods(name):
    method, integers = getattr(ms.Tensor(F), name), getattr(ms.Tensor(I), name)
    return (
        method(),
        method(1),
        method(dim=1),
        method(axis=1),
        method(1, True),
        method((0, 1)),
        method(axis=(0, 2)),
        method(axis=1, keepdims=True),
        method(axis=1, return_indices=True),
        method(axis=0, initial=0.5),
        method(axis=0, keepdims=True, return_indices=True),
        method(initial=2),
        integers(),
        integers(axis=0),
    )


@case(each={"name": ["max", "min"]})
def test_extreme_of_an_axis_that_is_no_int(name):
    x = ms.Tensor(F)
    try:
        getattr(ops, name)(x, (0, 1))
    except TypeError as error:
        return str(error)


@case(each={"name": ["amax", "amin", "ReduceMax", "ReduceMin"]})
def test_ties_share_the_gradient(name):
    function = through(getattr(ops, name)() if name[0] == "R" else getattr(ops, name))
    return ms.grad(function)(ms.Tensor([1.0, 3.0, 3.0, 1.0]))


@case
def test_the_gradient_of_values_goes_to_the_index():
    def first(x):
        return ops.max(x, axis=1)[0]

    return ms.grad(first)(ms.Tensor([[1.0, 3.0, 3.0], [2.0, 0.0, 1.0]]))


@case(each={"name": ["argmax", "argmin"]})
def test_index_functions(name):
    function, x = getattr(ops, name), ms.Tensor(F)
    return (
        function(x),
        function(x, 0),
        function(x, -1, True),
        function(ms.Tensor(I), 1),
        getattr(x, name)(),
        getattr(x, name)(1),
        getattr(x, name)(axis=1, keepdims=True),
        function(ms.Tensor(2.5)),
        function(ms.Tensor([1.0, 3.0, 3.0, 1.0])),
    )


@case
def test_index_primitives():
    x = ms.Tensor(F)
    return (
        ops.Argmax()(x),
        ops.Argmax(axis=0)(x),
        ops.Argmax(0, ms.int64)(x),
        ops.Argmin(1)(x),
        ops.ArgMaxWithValue()(x),
        ops.ArgMaxWithValue(axis=1, keep_dims=True)(x),
        ops.ArgMinWithValue(2)(x),
        x.argmax_with_value(1),
        x.argmin_with_value(),
    )


@case
def test_median_takes_the_lower_one():
    x = ms.Tensor([[1.0, 3, 2, 4], [1, 1, 2, 2]])
    return ops.median(x), ops.median(x, 0, True), x.median(1)[0]


@case
def test_aminmax_and_ptp():
    x = ms.Tensor(F)
    return ops.aminmax(x), ops.aminmax(x, axis=1, keepdims=True), x.ptp(), x.ptp(axis=1, keepdims=True)


@case
def test_count_nonzero():
    x = ms.Tensor(I)
    return ops.count_nonzero(x), ops.count_nonzero(x, 1, True), ops.count_nonzero(x, (0, 1), dtype=ms.int64)


# ---- norms --------------------------------------------------------------------------------------------------


@case(each={"order": [1, 2, 3, 0, float("inf"), float("-inf")]})
def test_vector_norm(order):
    x = ms.Tensor(F)
    return ops.norm(x, order, 1), ops.norm(x, ord=order, dim=-1, keepdim=True)


@case(each={"order": ["fro", "nuc", 1, 2, -2, float("inf")]})
def test_matrix_norm(order):
    return ops.norm(ms.Tensor(F), order, (0, 1)), ops.matrix_norm(ms.Tensor(F), order)


@case
def test_norm_of_all():
    x = ms.Tensor(F)
    return ops.norm(x), x.norm(), ops.norm(x, dim=(0, 1)), ops.norm(ms.Tensor(I)), ms.grad(ops.norm)(x)


# ---- scans --------------------------------------------------------------------------------------------------


@case(each={"axis": [0, 1, -1]})
def test_running_sums_and_products(axis):
    x, i = ms.Tensor(F), ms.Tensor(I)
    return (
        ops.cumsum(x, axis),
        ops.cumsum(i, axis),
        ops.cumprod(x, axis),
        ops.cumprod(i, axis),
        x.cumsum(axis),
        ops.cumsum(i, axis, ms.float32),
        ms.grad(ops.cumsum)(x, axis),
        ms.grad(ops.cumprod)(x, axis),
    )


@case(each={"exclusive": [False, True], "reverse": [False, True]})
def test_exclusive_and_reverse(exclusive, reverse):
    x = ms.Tensor(F)
    prims = ops.CumSum(exclusive, reverse), ops.CumProd(exclusive=exclusive, reverse=reverse)
    return [(p(x, 1), p(ms.Tensor(I), 0), ms.grad(through(p))(x, 1)) for p in prims]


@case
def test_method_cumsum_without_an_axis():
    return ms.Tensor(F).cumsum(), ms.Tensor([1, 2], ms.int8).cumsum(), ms.Tensor([True, True]).cumsum(0)


@case
def test_running_extremes():
    x, i = ms.Tensor(F), ms.Tensor([[1, 1, 0, 0, 2]], ms.int32)
    return ops.cummax(x, 1), ops.cummin(x, 0), ops.Cummax(0)(x), ops.cummax(i, 1), ops.cummin(i, 1)


@case
def test_logcumsumexp_diff_trapz():
    x = ms.Tensor(F)
    return ops.logcumsumexp(x, 1), ops.diff(x), ops.trapz(x), ops.trapz(x, dx=2.0, dim=1)


@case
def test_counts():
    return (
        ops.bincount(ms.Tensor([1, 2, 2])),
        ops.bincount(ms.Tensor([1, 2, 2]), ms.Tensor([0.5, 1.0, 2.0]), 5),
        ops.histc(ms.Tensor([1.0, 2, 1, 3]), 4, 0.0, 3.0),
    )


# ---- printing -------------------------------------------------------------------------------------------------


@case
def test_primitives_show_their_attributes():
    return [
        str(p)
        for p in (
            ops.ReduceSum(),
            ops.ReduceMean(keep_dims=True),
            ops.CumSum(),
            ops.ArgMaxWithValue(1),
            ops.Add(),
            ops.MatMul(transpose_b=True),
            ops.IsClose(),
        )
    ]


@case(each={"exclusive": [False, True], "reverse": [False, True]})
def test_running_sums_of_halves_are_rounded_each(exclusive, reverse):
    x = ms.Tensor(data((2, 40)), ms.float16)
    return (ops.CumSum(exclusive, reverse)(x, 1), ops.cumsum(x, 0), x.cumsum(1),
            ms.grad(lambda x: ops.cumsum(x, 1)[:, 30].sum())(x))


UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]


@case(each={"dtype": UNSIGNED})
def test_sums_and_products_of_unsigned_integers(dtype):
    x = ms.Tensor(np.array([[9, 8, 7], [3, 4, 5]], dtype))
    return (ops.sum(x), ops.sum(x, 1), x.sum(0), ops.sum(x, -1, True), ops.prod(x, 1), x.prod(), mint.sum(x, 0),
            mint.prod(x), ops.cumsum(x, 1), x.cumsum(1), ops.nansum(x, 1), ops.ReduceSum()(x, 1),
            ops.ReduceProd(True)(x, 0), x.trace(),
            ops.addbmm(x[:, :2], x[None, :, :2], x[None, :, :2], beta=2, alpha=3))


@case(each={"dtype": ["int8", "int32", "float16", "bool", *UNSIGNED]})
def test_dtypes_that_are_asked_for(dtype):
    x, to = ms.Tensor(np.array([[9.5, 0.0], [3.0, 2.0]], np.float32)), getattr(ms, "bool_" if dtype == "bool" else dtype)
    return (ops.sum(x, dtype=to), ops.prod(x, dtype=to), x.prod(1, dtype=to), ops.nansum(x, dtype=to),
            ops.nansum(ms.Tensor(np.array([200, 100], np.uint8)), dtype=to))


@case(each={"dtype": ["int8", "int16", "int32", "int64", "uint8"]})
def test_a_sum_of_products_of_integers(dtype):
    x = ms.Tensor(np.arange(8).reshape(2, 2, 2).astype(dtype))
    return ops.addbmm(x[0], x, x), ops.addbmm(x[0], x, x, beta=2, alpha=3)


@case(each={"dtype": ["float16", "float32", "int8", "int16", "uint16", "complex64", "bool"]})
def test_what_has_a_median_and_a_sum_without_nan(dtype):
    x = ms.Tensor(np.array([[1, 5, 3]])).astype(getattr(ms, "bool_" if dtype == "bool" else dtype))
    return told((x.median,), (x.median, 1), (ops.median, x), (x.nansum,), (ops.nansum, x, 1), (mint.nansum, x))


@case()
def test_signs_of_zeros():
    return ops.signbit(ms.Tensor([0.0, -0.0, -1.0, 1.0, np.nan, -np.inf], ms.float32))


@case(each={"a": [0.0, 1.0, -1.0, 2.5, np.inf, np.nan]}, atol=1e-6, rtol=2e-6, reason="series of other lengths")
def test_incomplete_gammas_at_their_ends(a):
    x = ms.Tensor([0.0, 1.0, -1.0, 5.0, np.inf, np.nan], ms.float32)
    return ops.igamma(ms.Tensor([a] * 6, ms.float32), x), ops.igammac(ms.Tensor([a] * 6, ms.float32), x)


@case()
def test_images_without_rows():
    return ops.pixel_unshuffle(ms.Tensor(np.zeros((0, 1, 8, 8), np.float32)), 2)


@case(each={"dtype": ["complex64", "complex128"]}, atol=1e-5, rtol=1e-5, reason="sums in another order")
def test_norms_and_determinants_of_complex_numbers(dtype):
    x = ms.Tensor(np.array([[1 + 1j, 2], [3, 4j]], dtype))
    return ops.norm(x), ops.norm(x, dim=1), ops.matrix_norm(x), ops.slogdet(x), ops.LogMatrixDeterminant()(x)


@case(each={"dtype": ["uint8", "uint16", "uint32", "uint64", "int8"]})
def test_products_of_rows_of_integers(dtype):
    x = ms.Tensor(np.arange(6).reshape(2, 3).astype(dtype))
    return ops.vecdot(x, x)


@case(atol=1e-6, rtol=1e-6, reason="sums in another order")
def test_numbers_that_are_mutable():
    x, one, two, half = ms.Tensor(F), ms.mutable(1), ms.mutable(2), ms.mutable(0.5)
    written = x.copy()
    written[one] = half
    return (written, x.add(x, alpha=half), x.sub(x, alpha=two), mint.add(x, x, alpha=two), x.sum(one), x.var(one),
            ops.std(x, one), ops.prod(x, one), ops.concat((x, x), two), ops.split(x, one, two)[0], x**two, x > half,
            ops.topk(x, two)[0], ops.full((two, 3), half), x[:, one:two])


@case(each={"dtype": [ms.int32, ms.int8, ms.float16, ms.bool_], "given": ["floats", "integers", "bools"]})
def test_running_sums_are_cast_in_the_end(dtype, given):
    x = ms.Tensor({"floats": [1.7, -2.6, 0.5, 0.0], "integers": [200, 100, -3, 0],
                   "bools": [True, False, False, True]}[given])
    summed = [x.cumsum(0, dtype=dtype), ms.numpy.cumsum(x, 0, dtype=dtype), ms.numpy.cumprod(x, 0, dtype=dtype)]
    return summed if dtype is ms.bool_ else (*summed, ops.cumsum(x, 0, dtype=dtype), ops.cumprod(x, 0, dtype=dtype))


@case(each={"dtype": [ms.bool_, ms.uint8, ms.int32, ms.float16], "bounds": [(-1.0, 1.0), (-1, 2), (2.5, 3.5)]})
def test_hardtanh_of_integers(dtype, bounds):
    return ops.hardtanh(ms.Tensor([0, 1, 3, 2]).astype(dtype), *bounds)


@case(each={"name": ["IsClose", "Histogram", "Heaviside"]})
def test_what_has_no_derivative(name):
    f = {"IsClose": lambda x: x * ops.isclose(x, x), "Histogram": lambda x: ops.histc(x, 2, 0.0, 3.0).sum() * x,
         "Heaviside": lambda x: ops.heaviside(x, x)}[name]
    return told((lambda: ms.grad(f)(ms.Tensor([1.0, 0.0])),))


@case
def test_where_what_has_no_derivative_is_a_condition():
    return ms.grad(lambda x: ops.where(ops.isclose(x, ops.ones(2)), x, 3 * x))(ms.Tensor([1.0, 0.0]))


@case(each={"k": [0, 1, (-1, 1), (0, 2)]})
def test_gradient_of_the_padding_around_diagonals(k):
    band = ms.Tensor(k if isinstance(k, tuple) else (k, k), ms.int32)
    return ms.grad(lambda x, p: ops.matrix_diag_part(x, band, p), (0, 1))(ms.Tensor(data((3, 3))), ms.Tensor(5.0))


@case(each={"ord": [1, -1, float("inf"), -float("inf")]})
def test_gradients_of_norms_where_several_are_the_largest(ord):
    matrix, vector = ms.Tensor([[1.0, 0, 2], [0, 1, 0], [0, 0, 3]]), ms.Tensor([3.0, -3.0, 1.0, 3.0])
    return (ms.grad(lambda m: ops.norm(m, ord, (0, 1)))(matrix),
            ms.grad(lambda m: ops.matrix_norm(m, ord))(matrix),
            ms.grad(lambda v: ops.norm(v, ord))(vector), ms.grad(lambda v: ops.vector_norm(v, ord))(vector),
            ms.grad(lambda m: ops.norm(m, ord, 1))(matrix + 1), ops.norm(matrix, ord, (0, 1), keepdim=True),
            ops.norm(matrix, ord, (1, 0)), ops.vector_norm(matrix, ord, keepdims=True))


@case(each={"eps": [0.25, 1.0, 1e-6]})
def test_gradients_of_a_variance_at_its_least(eps):
    x, target = ms.Tensor(data((4, 2))), ms.Tensor(data((4, 2), seed=1))
    var = ms.Tensor([[0.25], [1.0], [2.0], [0.5]])
    return ms.grad(lambda x, t, v: ops.gaussian_nll_loss(x, t, v, eps=eps), (0, 1, 2))(x, target, var)
