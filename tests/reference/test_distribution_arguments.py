"""Parameters and arguments of distributions that are wrong, far out, or more than there are."""

import mindspore as ms
import mindspore.nn.probability.distribution as msd
from mindspore import Tensor

from tests.reference.judge import case
from tests.reference.networks import t

X, Y = t(0.2, 0.5, 0.9), t(1.0, 2.0, 3.0)
CALLS = {
    "no method": lambda: msd.Normal(0.0, 1.0)("quantile", X),
    "no cdf": lambda: msd.Beta([1.5], [2.0])("cdf", X),
    "no arguments told": lambda: msd.Laplace(0.0, 1.0).get_dist_args(),
    "no kind told": lambda: msd.StudentT(2.0, 0.0, 1.0).get_dist_type(),
    "a mean of too many": lambda: msd.Exponential(0.5).mean(X, Y),
    "a density of too many": lambda: msd.Poisson([1.5]).log_prob(Y, X, Y),
    "a draw of too many": lambda: msd.Exponential(0.5).sample((2,), X, Y),
    "a mean with parameters": lambda: msd.Gumbel(0.5, 2.0).mean(X, Y),
    "half of another": lambda: msd.Cauchy(1.0, 2.0).kl_loss("Cauchy", X),
    "half of another, crossed": lambda: msd.Gamma([1.5], [2.0]).cross_entropy("Gamma", X),
    "a shape in a list": lambda: msd.Cauchy(1.0, 2.0).sample([2]),
    "a shape of a number": lambda: msd.Logistic(1.0, 2.0).sample(2),
    "a number's logarithm": lambda: msd.LogNormal(0.5, 2.0).log_prob(1.0),
    "an integer's logarithm": lambda: msd.LogNormal(0.5, 2.0).prob(Tensor([1, 2])),
    "a negative deviation": lambda: msd.LogNormal(0.5, -1.0),
    "integers": lambda: msd.LogNormal(0.5, 1.0, dtype=ms.int32),
    "a bool": lambda: msd.Beta(True, True),
    "a float": lambda: msd.Beta(1.5, 2.0),
}


@case(each={"call": list(CALLS)}, raises=True)
def test_refused(call):
    CALLS[call]()


@case(each={"name": ["Exponential", "Logistic"]}, rtol=2e-6, reason="MindSpore's CPU kernel of log is an approximation")
def test_far_out(name):
    made = msd.Exponential(0.7) if name == "Exponential" else msd.Logistic(0.5, 2.0)
    return made.log_survival(t(1.0, 30.0, 100.0)), made.survival_function(t(1.0, 3.0))


@case
def test_a_mode_that_there_is_not():
    gamma, beta = msd.Gamma([0.5, 1.5], [2.0, 2.0]), msd.Beta([0.5, 1.5], [2.0, 2.0])
    return gamma.mode(), beta.mode(), gamma.mode(X, Y), beta.mode(X, Y)


@case(rtol=1e-4, reason="MindSpore's CPU kernel of lgamma is an approximation")
def test_whole_numbers():
    made = msd.Beta(1, 2)
    return made.mean(), made.prob(t(0.25)), made.parameter_type, made.batch_shape


@case(each={"kind": ["Cauchy", "Gamma", "Gumbel"]})
def test_dtypes_and_shapes(kind):
    made = getattr(msd, kind)([1.0, 2.0], [1.0, 2.0])
    return made.parameter_type, made.dtype, made.batch_shape, made.broadcast_shape
