"""mindspore.scipy: decompositions, solvers, cosine transforms, assignments. One line a case."""
import mindspore.scipy as msp

from tests.reference import expressions
from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

expressions.NAMES["msp"] = msp

POSITIVE = "s = T((3, 3)).asnumpy(); p = Tensor(s @ s.T + np.eye(3, dtype='f4')) ;; "
LINES = lines("""
msp.linalg.block_diag(T((2, 3)), T((1, 1)), T((2, 2)))
msp.linalg.inv(T((3, 3))), msp.linalg.inv(I(2, 1, 1, 3).reshape(2, 2))
P msp.linalg.cholesky(p), msp.linalg.cholesky(p, lower=True)
P msp.linalg.cho_solve(msp.linalg.cho_factor(p), T((3,))), msp.linalg.cho_solve(msp.linalg.cho_factor(p, True), T((3,)))
P msp.linalg.eigh(p, eigvals_only=True), msp.linalg.eigh(p)[0], msp.linalg.eigh(p, lower=False, eigvals_only=True)
P v = msp.linalg.eigh(p) ;; (v[1] * v[0]) @ v[1].T
msp.linalg.lu(T((4, 4))), msp.linalg.lu(T((3, 3)))
msp.linalg.lu_factor(T((4, 4)))
msp.linalg.solve_triangular(T((3, 3)), T((3,))), msp.linalg.solve_triangular(T((3, 3)), T((3, 2)), lower=True)
[msp.linalg.solve_triangular(T((3, 3)), T((3,)), trans=t, unit_diagonal=True) for t in (0, 1, 2, "N", "T", "C")]
msp.linalg.lstsq(T((4, 3)), T((4,)))[0], msp.linalg.lstsq(T((4, 2)), T((4, 2)))[0]
msp.linalg.det(T((4, 4))), msp.linalg.det(I(2, 1, 1, 3).reshape(2, 2)), g(msp.linalg.det, T((3, 3)))[1]
f = msp.linalg.lu_factor(T((3, 3))) ;; msp.linalg.lu_solve(f, T((3, 2))), g(lambda m, b: msp.linalg.lu_solve((m, f[1]), b), f[0], T((3, 2)))
P [g(lambda m: msp.linalg.eigh(m, lower=w, eigvals_only=True), p) for w in (True, False)]
P [g(lambda m: (msp.linalg.eigh(m, lower=w)[0], msp.linalg.eigh(m, lower=w)[1] ** 2), p) for w in (True, False)]
P [g(lambda c, b: msp.linalg.cho_solve((c, w), b), msp.linalg.cho_factor(p, w)[0], T((3, 2))) for w in (True, False)]
msp.linalg.eigh(A([[2, 1j], [-1j, 3]], "complex64"), eigvals_only=True), msp.linalg.cho_solve((I(2, 0, 1, 3).reshape(2, 2), True), I(1, 2))
msp.fft.dct(T((5,))), msp.fft.dct(T((2, 5)), n=3, axis=0), msp.fft.dct(T((4,)), norm="ortho")
msp.fft.idct(T((5,))), msp.fft.idct(T((2, 5)), n=7), msp.fft.idct(T((4,)), norm="ortho")
msp.fft.dctn(T((2, 3))), msp.fft.dctn(T((2, 3, 4)), s=(2, 2), axes=(0, 2), norm="ortho")
msp.fft.idctn(T((2, 3))), msp.fft.idctn(T((2, 3)), axes=(1,), norm="ortho"), msp.fft.dct(I(1, 2, 3))
[msp.linalg.lstsq(T((5, 3)), T((5, 2)), driver=d) for d in (None, "gels", "gelsy", "gelss", "gelsd")]
[msp.linalg.lstsq(Tensor(np.ones((4, 2), "f4")), T((4,)), driver=d) for d in ("gelsy", "gelss", "gelsd")], msp.linalg.lstsq(T((5, 3)), T((5,)), rcond=0.7)
msp.linalg.lstsq(T((5, 3)).half(), T((5,)).half(), driver="gelsd"), msp.linalg.lstsq(T((3, 5)), T((3, 1)))
[msp.fft.dct(T((2, 5)).astype(d)) for d in (ms.float16, ms.float64, ms.complex64)], [f(T((2, 5)).half()) for f in (msp.fft.idct, msp.fft.dctn, msp.fft.idctn)]
msp.linalg.solve_triangular(I(2, 1, 0, 4).reshape(2, 2), I(1, 2)), msp.linalg.solve_triangular(T((3, 3)).half(), T((3,)).half())
""")
SOLVE = "from mindspore.scipy.optimize.linear_sum_assignment import linear_sum_assignment as solve ;; "
ASSIGNMENTS = lines("""
solve(A([[2, 3, 3], [3, 2, 3], [3, 3, 2]], "float64"), False, Tensor(2))
solve(A([[2, 3, 3.5], [3.1, 2, 3], [3, 3.2, 2]], "float64"), True)
solve(T((4, 6)).astype(ms.float64), False), solve(T((6, 4)).astype(ms.float64), False), solve(T((5, 5)).astype(ms.float64), True)
""")


@case(each={"line": LINES})
def test_value(line):
    return evaluate(POSITIVE + line[2:] if line.startswith("P ") else line)


@case(each={"line": ASSIGNMENTS})
def test_assignment(line):
    return evaluate(SOLVE + line)


@case(raises=True)
def test_an_inverse_of_many():
    msp.linalg.inv(expressions.T((2, 3, 3)))


WRONG = lines("""
msp.linalg.eigh(T((3, 3)), T((3, 3)))
msp.linalg.eigh(T((3, 3)), eigvals=(0, 1))
msp.linalg.eigh(T((3, 3)), T((3, 3)), lower=0)
msp.linalg.eigh(T((3, 3)), turbo=1)
msp.linalg.lu(T((3, 3)), check_finite=None)
msp.linalg.det(T((3, 2)))
msp.linalg.cholesky([[1.0, 2.0], [2.0, 5.0]])
msp.linalg.cho_factor(T((3,)))
msp.linalg.cho_solve((T((3, 3)), 1), T((3,)))
msp.linalg.cho_solve((T((3, 3)), True), T((2,)))
msp.linalg.lu_solve((T((3, 3)), I(0, 1, 2)), T((3, 1)), trans="N")
msp.linalg.lu(T((4, 3)))
msp.linalg.lstsq(T((4, 3)), T((4,)), driver="fast")
msp.linalg.lstsq(T((4, 3)), T((4,)), driver=3)
msp.fft.dct(T((4, 4)), n=0)
msp.fft.dctn(T((4, 4)), s=(0, 1))
msp.fft.dct(T((4, 4)), axis=2)
msp.fft.dctn(T((4, 4)), axes=(2,))
msp.fft.dctn(T((4, 4)), axes=(0, 0))
msp.fft.dctn(T((4, 4)), s=(3,), axes=(0, 1))
""")


WRONG_ASSIGNMENTS = lines("""
solve(T((3, 3)), Tensor(True))
solve(T((3, 3)), 1)
solve(T((3, 3)), False, 3)
solve(T((3, 3)), False, Tensor(2.0))
solve(T((3,)), False)
solve(T((3, 3)).astype(ms.complex64), False)
""")


@case(each={"line": WRONG_ASSIGNMENTS}, raises=True)
def test_a_wrong_assignment(line):
    evaluate(SOLVE + line)


@case(each={"dtype": ["int8", "uint8", "bool_"]})
def test_a_transform_of_what_it_does_not_take(dtype):
    try:
        return msp.fft.dct(expressions.T((4,)).astype(getattr(expressions.ms, dtype)))
    except TypeError:                                       # MindSpore's has no words
        return "refused"


@case(each={"line": WRONG}, raises=True)
def test_a_wrong_call(line):
    evaluate(line)


@case(raises=True)
def test_another_norm():
    msp.fft.dct(expressions.T((4,)), norm="forward")


@case
def test_gradients():
    p = expressions.T((3, 3))
    return (expressions.g(msp.linalg.inv, p), expressions.g(lambda x: msp.fft.dct(x, norm="ortho"), p),
            expressions.g(lambda a, b: msp.linalg.solve_triangular(a, b, lower=True), p, expressions.T((3,))))
