"""Probability distributions: densities, moments, divergences."""
import mindspore as ms
import mindspore.nn.probability.distribution as msd
import numpy as np
from mindspore import Tensor, ops

from tests.reference.judge import case

A, B = np.array([0.3, 0.6], np.float32), np.array([0.5], np.float32)
# kind -> how many parameters (the second and third are positive)
KINDS = {"Normal": 2, "Uniform": 2, "Exponential": 1, "Cauchy": 2, "Logistic": 2, "Bernoulli": 1, "Geometric": 1}
CLOSE = {"rtol": 2e-5, "atol": 2e-6, "reason": "MindSpore adds an epsilon inside logarithms"}


def parameters(kind, shift=0.0):
    given = [A + shift / 10, np.array([1.5 + shift, 2.0], np.float32)][:KINDS[kind]]
    return [Tensor(p) for p in given]


def values(kind):
    return Tensor(np.array([0, 1] if kind in ("Bernoulli", "Geometric") else [0.7, 1.2]), ms.float32)


@case(each=[{"kind": k, "method": m} for k in KINDS for m in (
    "prob", "log_prob", "cdf", "log_cdf", "survival_function")], **CLOSE)
def test_at_a_value(kind, method):
    made = getattr(msd, kind)(*(p.asnumpy() for p in parameters(kind)))
    later = getattr(msd, kind)()
    return [getattr(made, method)(values(kind)), getattr(later, method)(values(kind), *parameters(kind, 1.0))]


@case(each=[{"kind": k, "method": m} for k in KINDS for m in ("mean", "sd", "var", "mode", "entropy")
            if not (k == "Cauchy" and m in ("mean", "sd", "var")) and (k, m) not in (
                ("Uniform", "mode"), ("Bernoulli", "mode"))], **CLOSE)
def test_figures(kind, method):
    return getattr(getattr(msd, kind)(), method)(*parameters(kind))


@case(each={"kind": [k for k in KINDS if k != "Logistic"]}, rtol=2e-4, atol=2e-5,
      reason="MindSpore adds an epsilon inside logarithms")
def test_divergence(kind):
    made = getattr(msd, kind)(*(p.asnumpy() for p in parameters(kind)))
    return [made.kl_loss(kind, *parameters(kind, 1.0)), made.kl_loss(kind, *parameters(kind), *parameters(kind, 1.0))]


@case(each={"kind": ["HalfNormal", "Laplace"]}, **CLOSE)
def test_kinds_with_a_density_alone(kind):
    return getattr(msd, kind)(0.5, 2.0).log_prob(Tensor([0.1, 3.0], ms.float32))


@case(each={"method": ["prob", "log_prob", "cdf", "log_survival"]}, **CLOSE)
def test_categorical_at_a_category(method):
    k = Tensor([1, 0], ms.int32)
    return [getattr(msd.Categorical([0.2, 0.8]), method)(k),
            getattr(msd.Categorical(), method)(k, Tensor([0.35, 0.65], ms.float32))]


# Values below the support, at its end, between the integers and above.
EDGES = {"Geometric": 0.3, "Poisson": [1.5], "Exponential": 0.5, "HalfNormal": (0.0, 2.0), "Laplace": (0.0, 2.0),
         "StudentT": (3.0, 0.0, 2.0), "LogNormal": (0.0, 1.0), "Gumbel": (0.0, 1.0), "Logistic": (0.0, 1.0)}


def edge(kind):
    given = EDGES[kind]
    return getattr(msd, kind)(*given) if isinstance(given, tuple) else getattr(msd, kind)(given)


@case(each=[{"kind": k, "method": m} for k in EDGES for m in ("prob", "log_prob", "cdf", "log_survival")
            if m in ("prob", "log_prob") or k not in ("HalfNormal", "Laplace", "StudentT")], **CLOSE)
def test_outside_the_support(kind, method):
    return getattr(edge(kind), method)(Tensor([-1.0, -0.5, 0.0, 0.5, 1.5, 2.0, 3.7], ms.float32))


@case(each={"kind": ["Exponential", "Geometric", "LogNormal", "Cauchy", "Gumbel", "Logistic"]}, **CLOSE)
def test_draws(kind):
    ms.set_seed(3)
    given = {"Cauchy": (0.0, 1.0), "Exponential": (np.array([0.5, 2.0], np.float32),)}.get(kind)
    made = getattr(msd, kind)(*given) if given else edge(kind)
    return made.sample((3,)), made.sample((2, 2)), made.sample().shape


@case(each={"kind": ["Beta", "Gamma", "Cauchy", "Exponential", "Geometric", "HalfNormal", "Laplace", "Logistic",
                     "StudentT", "Poisson", "LogNormal"]})
def test_made_without_arguments(kind):
    one = getattr(msd, kind)()
    return repr(one), one.batch_shape, one.broadcast_shape, one.is_scalar_batch, one.seed, one.name


@case(**CLOSE)
def test_categorical_figures():
    c = msd.Categorical([0.2, 0.5, 0.3])
    return [c.mean(), c.sd(), c.var(), c.mode(), c.entropy(), c.probs, c.get_dist_args(), c.sample((3,)).shape]


@case(**CLOSE)
def test_a_density_is_differentiable():
    n = msd.Normal(dtype=ms.float32)

    def likelihood(mean, sd):
        return ops.sum(n.log_prob(Tensor([0.5, 1.0], ms.float32), mean, sd))

    return ms.grad(likelihood, (0, 1))(Tensor([0.1, 0.2], ms.float32), Tensor([1.0, 2.0], ms.float32))


@case
def test_what_they_are():
    n = msd.Normal(3.0, 4.0)
    wide = msd.Normal(np.zeros(2), [1.0, 2.0])
    return [repr(n), repr(wide), repr(msd.Cauchy(1.0, 2.0)), repr(msd.Laplace(0.0, 1.0)), n.name, n.is_scalar_batch,
            wide.batch_shape, n.get_dist_type(), n.get_dist_args(), n("mean"), n.sample((2, 3)).shape,
            wide.sample((4,)).shape]


@case(raises=True, each={"what": ["sd", "rate", "probs", "range", "sum", "missing", "dtype", "other", "value",
                                  "undefined", "undefined sd", "scalar", "absent"]})
def test_refusals(what):
    n = msd.Normal(0.0, 1.0)
    return {"sd": lambda: repr(msd.Normal(1.0, -1.0)), "rate": lambda: repr(msd.Exponential(-1.0)),
            "probs": lambda: repr(msd.Bernoulli(1.5)), "range": lambda: repr(msd.Uniform(1.0, 0.0)),
            "sum": lambda: repr(msd.Categorical([0.2, 0.9])), "missing": lambda: msd.Normal().mean(),
            "dtype": lambda: repr(msd.Normal(1, 1, dtype=ms.int32)),
            "other": lambda: n.kl_loss("Gamma", Tensor(1.0), Tensor(1.0)), "value": lambda: n.prob(1.0),
            "undefined": lambda: msd.Cauchy(1.0, 2.0).mean(), "undefined sd": lambda: msd.Cauchy(1.0, 2.0).sd(),
            "scalar": lambda: repr(msd.Poisson(1.0)), "absent": lambda: msd.Laplace(0.0, 1.0).mean()}[what]()
