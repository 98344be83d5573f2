"""Products, linear algebra and clipping: values, gradients, dtypes, errors."""

import mindspore as ms
import numpy as np
from mindspore import ops

from tests.reference.judge import case, data


def t(shape, seed=0):
    return ms.Tensor(data(shape, seed=seed))


def through(prim):
    """A Primitive as a function: MindSpore's grad takes no Primitive."""

    def call(*args):
        return prim(*args)

    return call


DEFINITE = np.eye(3, dtype=np.float32) * 3 + 0.5
SHAPES = [
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3, 4), (2, 4, 5)),
    ((2, 3, 4), (4, 2)),
    ((2, 1, 3, 4), (5, 4, 2)),
]


@case(each={"shapes": SHAPES})
def test_matmul(shapes):
    a, b = t(shapes[0]), t(shapes[1], 1)
    return ops.matmul(a, b), a @ b, a.matmul(b), ms.grad(ops.matmul, (0, 1))(a, b)


@case
def test_matmul_of_integers():
    return ops.matmul(ms.Tensor([[1, 2]]), ms.Tensor([[1], [2]]))


@case(each={"name": ["matmul", "mm", "bmm", "tensor_dot"]}, raises=True)
def test_matmul_takes_one_dtype(name):
    axes = (1,) if name == "tensor_dot" else ()
    return getattr(ops, name)(ms.Tensor([[1, 2]], ms.float16), ms.Tensor([[1], [2]], ms.float32), *axes)


@case(each={"a": [False, True], "b": [False, True]})
def test_transposing_products(a, b):
    x, y = t((3, 2) if a else (2, 3)), t((4, 3) if b else (3, 4), 1)
    u, v = t((2, 4, 3) if a else (2, 3, 4)), t((2, 5, 4) if b else (2, 4, 5), 1)
    mul, batch = ops.MatMul(a, b), ops.BatchMatMul(transpose_a=a, transpose_b=b)
    return mul(x, y), ms.grad(through(mul), (0, 1))(x, y), batch(u, v), ms.grad(through(batch), (0, 1))(u, v)


@case(each={"shapes": [((2, 3), (2, 3)), ((2, 3, 4), (2, 3))]}, raises=True)
def test_matmul_of_shapes_that_do_not_fit(shapes):
    return ops.matmul(t(shapes[0]), t(shapes[1]))


@case(each={"shapes": [((2, 3), (2, 3)), ((2, 3, 4), (2, 4, 5))]}, raises=True)
def test_matmul_primitive_of_shapes_that_do_not_fit(shapes):
    return ops.MatMul()(t(shapes[0]), t(shapes[1]))


@case
def test_stacks_and_vectors():
    return (
        ops.bmm(t((2, 3, 4)), t((2, 4, 5), 1)),
        ops.mm(t((2, 3)), t((3, 4), 1)),
        ops.mv(t((2, 3)), t((3,), 1)),
        ops.outer(t((3,)), t((4,), 1)),
        ops.ger(t((3,)), t((4,), 1)),
        ops.inner(t((2, 3)), t((4, 3), 1)),
        ops.kron(t((2, 2)), t((2, 3), 1)),
        ops.vecdot(t((2, 3)), t((2, 3), 1)),
    )


@case
def test_dot_is_numpys():
    return ops.dot(t((2, 3)), t((3, 4), 1)), ops.dot(t((2, 3, 4)), t((2, 4, 5), 1))


@case
def test_batch_dot():
    return (
        ops.batch_dot(t((2, 3, 4)), t((2, 4, 5), 1)),
        ops.batch_dot(t((2, 3)), t((2, 3), 1)),
        ops.batch_dot(t((2, 3, 4)), t((2, 5, 4), 1), 2),
        ops.batch_dot(t((2, 3, 4)), t((2, 4, 5), 1), (2, 1)),
    )


@case(each={"axes": [0, 1, ((1,), (0,)), (1, 0), [[1], [0]]]})
def test_tensor_dot(axes):
    return ops.tensor_dot(t((2, 3)), t((3, 4), 1), axes)


@case
def test_products_added():
    return (
        ops.addmm(t((2, 4)), t((2, 3)), t((3, 4), 1)),
        ops.addmm(t((2, 4)), t((2, 3)), t((3, 4)), beta=0.5, alpha=2),
        ops.baddbmm(t((2, 3, 5)), t((2, 3, 4)), t((2, 4, 5), 1), 0.5, 2.0),
        ops.addbmm(t((3, 5)), t((2, 3, 4)), t((2, 4, 5), 1)),
        ops.addmv(t((2,)), t((2, 3)), t((3,), 1)),
        ops.addr(t((2, 3)), t((2,)), t((3,), 1)),
    )


@case
def test_distances():
    a, b = t((3, 3)), t((3, 3), 1)
    return (
        ops.cross(a, b),
        ops.cross(a, b, 1),
        ops.Cross(0)(a, b),
        ops.dist(a, b),
        ops.dist(a, b, 1),
        ops.cdist(a, b),
        ops.cdist(a, b, 1.0),
        ops.pdist(a),
    )


@case
def test_determinants_and_inverses():
    m, p = t((3, 3), 5), ms.Tensor(DEFINITE)
    return (
        ops.det(m),
        ops.slogdet(m),
        ops.logdet(p),
        ops.inverse(p),
        ops.pinv(t((2, 3))),
        ops.matrix_power(m, 3),
        ops.matrix_solve(p, t((3, 2))),
        ops.cond(p),
        ops.cov(m),
        ops.trace(m),
        m.trace(),
        m.trace(1),
    )


@case(rtol=1e-5, reason="float32 through an inverse")
def test_gradients_of_determinant_and_inverse():
    return ms.grad(ops.det)(t((3, 3), 5)), ms.grad(ops.inverse)(ms.Tensor(DEFINITE))


@case
def test_factors():
    p = ms.Tensor(DEFINITE)
    s, u, v = ops.svd(t((3, 2)))
    q, r = ops.qr(t((3, 2)))
    return (
        ops.cholesky(p),
        ops.cholesky(p, True),
        ops.svd(t((3, 2)), compute_uv=False),
        s,
        ops.abs(u),
        ops.abs(v),
        ops.abs(q),
        ops.abs(r),
    )


# ---- clipping -------------------------------------------------------------------------------------------------


@case
def test_clip_by_value():
    x, v = t((2, 3)), t((3,), 3)
    return (
        ops.clip_by_value(x, -0.5, 0.5),
        ops.clip_by_value(x, ms.Tensor(-0.5), ms.Tensor(0.5)),
        ops.clip_by_value(x, clip_value_max=0.5),
        ops.clip_by_value(x, 0.5, -0.5),
        ops.clip_by_value([x, v], -0.5, 0.5),
        ops.clip_by_value((x, v), -0.5, 0.5),
        ops.clip_by_value(ms.Tensor([1, 5, 9], ms.int32), 2.5, 6),
        ops.clip_by_value(ms.Tensor([1, 5, 9]), 2, 6),
        ops.clip_by_value(ms.Tensor([1, 5, 9], ms.float16), ms.Tensor(2.5, ms.float32), 6),
    )


@case(each={"beyond": [1e39, -1e39], "dtype": ["float16", "float32", "float64"]})
def test_limits_beyond_the_dtype(beyond, dtype):
    """Cast first, to infinity: `sys.float_info.max` is no limit."""
    x = ms.Tensor([[-1.0, 2.0, 3.0]], getattr(ms, dtype))
    return ops.clip_by_value(x, 0, beyond), ops.clip_by_value(x, beyond), ops.clamp(x, 0, beyond), x.clip(beyond)


@case
def test_limits_beyond_int32():
    x = ms.Tensor([-1, 2, 3], ms.int32)
    return ops.clamp(x, 0, 2 ** 40), ops.clamp(x, min=2 ** 40), ops.clamp(x, 0, 1e39), ops.clamp(x, -1e39)


@case
def test_limits_of_float64_are_float32():
    x = ms.Tensor([0.05, 0.2], ms.float64)
    return ops.clip_by_value(x, 0.1, 0.15), ops.clamp(x, 0.1, 0.15)


@case
def test_clamp():
    x, i = t((2, 3)), ms.Tensor([1, 5, 9])
    return (
        ops.clamp(x, -0.5, 0.5),
        ops.clamp(x, min=0.1),
        ops.clip(x, max=0.1),
        ops.clamp(i, 2.5, 6.5),
        x.clip(0.0, 1.0),
        x.clamp(0.1),
        x.clamp(max=0.1),
        x.clip(ms.Tensor(0.0), ms.Tensor([1.0, 1.0, 0.2])),
        i.clip(2, 6),
    )


@case
def test_gradient_of_clamp():
    return ms.grad(ops.clamp)(ms.Tensor([-1.0, 0.0, 0.5, 1.0, 2.0]), 0.0, 1.0)


@case(each={"name": ["clamp", "clip_by_value"]}, raises=True)
def test_clamp_without_limits(name):
    return getattr(ops, name)(t((2, 3)))


@case
def test_clip_by_norm():
    x, v = t((2, 3)), t((3,), 3)
    return ops.clip_by_norm(x, 1.0), ops.clip_by_norm([x, v], 1.0), ops.clip_by_norm(x, 100.0)


@case
def test_clip_by_global_norm():
    x, v, h = t((2, 3)), t((3,), 3), ms.Tensor([1, 2], ms.float16)
    return (
        ops.clip_by_global_norm([x]),
        ops.clip_by_global_norm((x, v), 0.5),
        ops.clip_by_global_norm([h, v], 0.5),
        ops.clip_by_global_norm([x], clip_norm=100),
        ops.clip_by_global_norm(ms.Tensor([[2.0, 4.0, 6.0]])),
        ops.clip_by_global_norm([ms.Tensor([0.1, 20.0, 3.3], ms.float64)], 0.1),
        ops.clip_by_global_norm([x, ms.Tensor([0.1, 20.0, 3.3], ms.float64)], 0.7),
    )


@case(
    each=[
        {"x": "list", "norm": -1, "use": None},
        {"x": "list", "norm": 1, "use": 2},
        {"x": "empty", "norm": 1, "use": None},
    ],
    raises=True,
)
def test_clip_by_global_norm_of_wrong_arguments(x, norm, use):
    return ops.clip_by_global_norm([t((2, 3))] if x == "list" else [], norm, use)


@case
def test_l2_loss_and_its_gradient():
    return (
        ops.L2Loss()(t((2, 3))),
        ms.grad(through(ops.L2Loss()))(t((2, 3))),
        ops.L2Loss()(ms.Tensor([1.0, 2], ms.float16)),
    )


@case(each={"axis": [0, 1, -1, [1]], "epsilon": [1e-4, 10.0]})
def test_l2_normalize(axis, epsilon):
    prim = ops.L2Normalize(axis, epsilon)
    return prim(t((2, 3))), ms.grad(through(prim))(t((2, 3))) if epsilon < 1 else None


@case(each={"order": [1, 2, 3, None, 2.0, 3.5]})
def test_norms_of_zeros(order):
    """With a whole order they are 1e-12, so that dividing by them gives 0."""
    rows = ms.Tensor([[0.0, 0.0], [3.0, -4.0]])

    def norms(x):
        return ops.norm(x, order, 1)

    return norms(rows), ms.grad(norms)(rows), rows / ops.norm(rows, 2, 1, True)


@case
def test_distance_of_the_same():
    x, y = ms.Tensor([[1.0, 2.0]]), ms.Tensor(3.0)
    return ops.dist(x, x), ops.dist(x, x, 1), ops.dist(y, y), ms.grad(ops.dist)(x, x)
