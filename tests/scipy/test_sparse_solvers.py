"""The iterative solvers that MindSpore had until 1.10: solutions and gradients beside numpy's direct ones."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import CSRTensor, Tensor
from ms2torch.scipy.sparse.linalg import bicgstab, cg, gmres

DRAW = np.random.default_rng(3)
N = 12
ANY = DRAW.normal(size=(N, N)) + 6 * np.eye(N)
POSITIVE = ANY @ ANY.T / N + np.eye(N)
RIGHT = DRAW.normal(size=N)
SOLVERS = {"cg": (cg, POSITIVE), "bicgstab": (bicgstab, ANY), "gmres": (gmres, ANY),
           "gmres incremental": (lambda *a, **k: gmres(*a, solve_method="incremental", **k), ANY)}


def as_csr(matrix):
    rows, columns = np.nonzero(matrix)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
    return CSRTensor(Tensor(starts, ms.int32), Tensor(columns, ms.int32), Tensor(matrix[rows, columns]),
                     matrix.shape)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("form", ["Tensor", "CSRTensor", "function"])
@pytest.mark.parametrize("tol", [1e-5, 1e-10])
def test_solutions(name, form, tol):
    solve, matrix = SOLVERS[name]
    dense = Tensor(matrix)
    given = {"Tensor": dense, "CSRTensor": as_csr(matrix), "function": lambda x: ms.ops.matmul(dense, x)}
    x, info = solve(given[form], Tensor(RIGHT), tol=tol)
    assert (int(info), info.dtype, x.dtype) == (0, ms.int32, ms.float64)
    assert np.linalg.norm(matrix @ x.asnumpy() - RIGHT) <= tol * np.linalg.norm(RIGHT) * (1 + 1e-6)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_preconditioner_and_a_first_guess(name):
    solve, matrix = SOLVERS[name]
    inverse = Tensor(np.diag(1 / np.diag(matrix)))
    x, info = solve(Tensor(matrix), Tensor(RIGHT), Tensor(np.ones(N)), tol=1e-9, M=inverse)
    assert int(info) == 0
    np.testing.assert_allclose(x.asnumpy(), np.linalg.solve(matrix, RIGHT), rtol=1e-6)


@pytest.mark.parametrize("name", SOLVERS)
def test_gradients_of_a_sparse_system(name):
    solve, matrix = SOLVERS[name]
    found = ms.grad(lambda b: solve(as_csr(matrix), b, tol=1e-12)[0].sum())(Tensor(RIGHT))
    np.testing.assert_allclose(found.asnumpy(), np.linalg.solve(matrix.T, np.ones(N)), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", SOLVERS)
def test_gradients(name):
    """d(w x): of b it is A^-T w, of A it is -(A^-T w) x^T."""
    solve, matrix = SOLVERS[name]
    weights = DRAW.normal(size=N)
    found = ms.grad(lambda a, b: (solve(a, b, tol=1e-12)[0] * Tensor(weights)).sum(), (0, 1))(
        Tensor(matrix), Tensor(RIGHT))
    of_right = np.linalg.solve(matrix.T, weights)
    np.testing.assert_allclose(found[1].asnumpy(), of_right, rtol=1e-7, atol=1e-9)
    want = -np.outer(of_right, np.linalg.solve(matrix, RIGHT))
    np.testing.assert_allclose(found[0].asnumpy(), want, rtol=1e-7, atol=1e-9)


def test_a_gradient_through_a_function():
    def loss(scale):
        return cg(lambda x: scale * ms.ops.matmul(Tensor(POSITIVE), x), Tensor(RIGHT), tol=1e-12)[0].sum()

    want = -np.linalg.solve(POSITIVE, RIGHT).sum() / 4      # x = A^-1 b / scale
    np.testing.assert_allclose(float(ms.grad(loss)(Tensor(2.0, ms.float64))), want, rtol=1e-7)


def test_too_few_iterations_are_counted():
    assert int(cg(Tensor(POSITIVE), Tensor(RIGHT), tol=1e-12, maxiter=2)[1]) == 2
    assert int(bicgstab(Tensor(ANY), Tensor(RIGHT), tol=1e-12, maxiter=2)[1]) == 2
    assert int(gmres(Tensor(ANY), Tensor(RIGHT), tol=1e-12, restart=2, maxiter=1)[1]) == 1


def test_shapes_and_integers():
    x, _ = cg(Tensor(POSITIVE), Tensor(RIGHT[:, None]), tol=1e-10)
    assert x.shape == (N, 1)
    whole = np.array([[4, 1], [1, 3]])
    x, info = gmres(Tensor(whole), Tensor([1, 2]))
    np.testing.assert_allclose(x.asnumpy(), np.linalg.solve(whole, [1, 2]), rtol=1e-6)
    assert int(info) == 0


@pytest.mark.parametrize(("call", "kind", "told"), [
    (lambda a, b: cg(3, b), TypeError, "the type of 'A' should be one of"),
    (lambda a, b: cg(a, [1.0]), TypeError, "the type of 'b' should be Tensor"),
    (lambda a, b: cg(a, b, tol=1), TypeError, "the type of 'tol' should be float"),
    (lambda a, b: cg(a, b, callback=print), ValueError, "only case callback=None of 'cg' is implemented"),
    (lambda a, b: cg(a[:3], b), ValueError, "should be a square matrix like"),
    (lambda a, b: gmres(a, b[:3]), ValueError, "the last two dimensions of 'A' and 'b' should be matched"),
    (lambda a, b: gmres(a, b.astype(ms.float32)), TypeError, "data type of 'A' and 'b' should be the same"),
    (lambda a, b: gmres(a, b, solve_method="fast"), ValueError, "solve_method should be in"),
    (lambda a, b: bicgstab(a, b, b[:3]), ValueError, "'x0' and 'b' should have the same shape and dtype"),
])
def test_refused(call, kind, told):
    with pytest.raises(kind, match=told):
        call(Tensor(POSITIVE), Tensor(RIGHT))


def test_a_function_without_a_transpose_has_no_gradient():
    with pytest.raises(NotImplementedError, match="give A as a Tensor"):
        ms.grad(lambda b: gmres(lambda x: x * 2, b)[0].sum())(Tensor(RIGHT))
