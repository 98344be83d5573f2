"""Random operators: bits under a seed, shapes, dtypes and refusals."""
from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

GIVEN = lines("""
ops.bernoulli(T((2,)), 0.5).shape
ops.randn(2,3).shape
ops.randn((2,3)).shape
ops.rand(2).shape
ops.rand((2,)).shape
ops.randint(0,5,(2,3)).shape
ops.randn_like(T((2,3))).shape
[ops.randn_like(T((2, 3), d)).dtype for d in ("float16", "float64", "int32", "bool")], ops.randn_like(T((2,)), dtype=ms.float16).dtype, ops.rand_like(T((2,), "float16")).dtype
ops.standard_normal((2,3)).shape
ops.StandardNormal()((2,3)).shape
ops.UniformReal(seed=1)((2,)).shape
ops.normal((2,3), A(0.,"float32"), A(1.,"float32")).shape
ops.normal((2,3), A([0.,1.,2.],"float32"), A(1.,"float32")).shape
ops.uniform((2,3), A([0.,1.,2.],"float32"), A(5.,"float32")).shape
ops.shuffle(T((4,2))).shape
ops.RandomShuffle()(T((4,2))).shape
ops.multinomial(A([[.1,.9]],"float32"), 3, True).shape
ops.multinomial(A([.1,.9],"float32"), 2, False).shape
ops.choice_with_mask(T((4,2),"bool"))[0].shape
ops.bernoulli(T((3,)), A(1.,"float32"))
ops.bernoulli(T((3,),"int32"), 0.0)
ms.set_seed(1) ;; [ops.normal((3,), 0., 1.) for i in range(2)]
ms.set_seed(1) ;; [ops.uniform((3,), A(0.,"float32"), A(2.,"float32")) for i in range(2)]
ms.set_seed(1) ;; [ops.uniform((3,), A(0), A(9), dtype=ms.int32) for i in range(2)]
ms.set_seed(1) ;; [ops.rand(2,2), ops.rand(2,2), ops.randn(2,2), ops.randn(3), ops.rand_like(T((2,))), ops.randn_like(T((2,)))]
ms.set_seed(1) ;; [ops.randint(0,9,(4,)), ops.randint(0,9,(4,)), ops.randint_like(T((3,),"int32"),0,9)]
ms.set_seed(1) ;; [ops.standard_normal((3,)), ops.standard_laplace((3,)), ops.laplace((3,), A(1.,"float32"), A(2.,"float32"))]
ms.set_seed(1) ;; [ops.shuffle(T((5,))), ops.shuffle(T((5,)))]
ms.set_seed(1) ;; [ops.multinomial(A([.1,.2,.7],"float32"), 5), ops.multinomial(A([[.1,.2,.7],[.3,.3,.4]],"float32"), 4)]
ms.set_seed(1) ;; [ops.multinomial(A([.1,.2,.7],"float32"), 2, False), ops.multinomial(A([[.1,.2,.7],[.3,.3,.4]],"float32"), 2, False)]
ops.randperm(5, 3)
[ops.auto_generate.RandpermV2(3, 1, d)(5) for d in (ms.int64, ms.float32, ms.uint8)]
ms.set_seed(3) ;; [ops.normal((3,), 0., 1., seed=5), ops.normal((3,), 0., 1., seed=5)]
ms.set_seed(3) ;; ops.rand(3, seed=4)
ms.set_seed(1) ;; [T((3,)).multinomial(4)]
ms.set_seed(1) ;; ops.normal((2,3), A([0.,1.,2.],"float32"), A([1.,2.,3.],"float32"))
[ops.StandardNormal(5)((3,)), ops.StandardNormal(5,6)((3,)), ops.UniformReal(seed=5)((3,)), ops.UniformInt(seed=5)((3,), A(0), A(9)), ops.RandomShuffle(3)(T((5,))), ops.Multinomial(seed=3)(A([[.1,.9]],"float32"), 6)]
ms.set_seed(1) ;; [ops.StandardNormal(5)((3,)), ops.StandardNormal(5)((3,)), ops.UniformReal(seed=5)((3,)), ops.UniformInt(seed=5)((3,), A(0), A(9)), ops.RandomShuffle(3)(T((5,))), ops.Multinomial(seed=3)(A([[.1,.9]],"float32"), 6)]
[ops.bernoulli(T((2, n), d), q, s) for n, d, q, s in ((3, "float32", 0.5, 3), (3, "float32", 0.3, 3), (4, "int64", 0.7, 0), (5, "float64", 0.4, 77))]
[ops.Bernoulli(5, 1)(T((7,)), A([.1, .3, .5, .7, .9, .5, .5], "float32")) for i in range(3)]
ms.set_seed(1) ;; [ops.random_gamma(A([2, 2], "int32"), A([[.1, .5], [1., 7.]], d), 3) for d in ("float32", "float32", "float16")]
[ops.RandomGamma(*s)(A([40], "int32"), A([.7, 3.], "float32")) for s in ((3, 4), (0, 4), (4, 0))]
ms.set_seed(1) ;; [ops.random_poisson(A([2, 2], "int32"), A([.1, 3., 9.99, 10., 400.], "float32"), 3, d) for d in (ms.float32, ms.int64, ms.float16)]
[ops.RandomPoisson(*s)(A([40], "int32"), A([2., 20.], "float64")) for s in ((3, 4), (0, 4), (4, 0))]
[ops.TruncatedNormal(d, *s)(A([40, 2], "int32")) for d, s in ((ms.float32, (3, 4)), (ms.float64, (0, 4)), (ms.float16, (4, 0)))]
(lambda f: [f(A(s, "int32")) for s in ([3, 3], [3, 3], [2, 3], [3, 3])])(ops.TruncatedNormal(seed=1))
(lambda f: [f(A([3, 3], "int32"), *(A(n, "float32") for n in b)) for b in ((0., 1., -1., 1.), (1., 2., -2., 9.), (0., 1., 3., 9.), (0., 1., -9., -3.), (2., 1., -1., 1.5))])(ops.ParameterizedTruncatedNormal(3, 4))
""")

REFUSED = lines("""
ops.rand(2, dtype=ms.int32)
ops.randint(5,0,(2,))
ops.randint(5,(2,))
ops.randint(0,5,2)
ops.randint(0.,5,(2,))
ops.randint_like(T((2,3)),0,5).dtype
ops.standard_normal(3)
ops.UniformInt(seed=10)((2,3), 0, 5).shape
ops.uniform((2,3), 0., 1.)
ops.multinomial(A([.1,.9],"float32"), 3, False)
ops.bernoulli(T((3,)), 1.5)
ops.bernoulli(T((3,)), 0.5, -3)
ops.randperm(3, dtype=ms.bool_)
ops.randperm(0)
ops.auto_generate.RandpermV2()(0)
ms.mint.randperm(3, dtype=ms.uint16)
""")


@case(each={"line": GIVEN})
def test_value(line):
    return evaluate(line)


@case(each={"line": REFUSED}, raises=True)
def test_refusal(line):
    return evaluate(line)


@case(each={"seeds": [(2, 5), (1, 7), (123456789012, 99)], "replacement": [True, False]})
def test_multinomial_with_replacement_under_a_seed(seeds, replacement):
    weights = evaluate('A([[0.5, 9, 4, 1], [1, 2, 3, 4], [5, 1, 1, 5]], "float32")')
    draw = evaluate("ops.multinomial_with_replacement")
    return draw(weights, *seeds, 4, replacement), draw(weights[1], *seeds, 3, replacement)
