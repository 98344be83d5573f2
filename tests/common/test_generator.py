"""Random numbers that follow a Generator's state; MindSpore's CPU has no such operators to compare with."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, mint

DRAWS = {
    "rand": lambda g: mint.rand(5, generator=g),
    "randn": lambda g: mint.randn(5, generator=g),
    "randint": lambda g: mint.randint(0, 1000, (5,), generator=g),
    "randperm": lambda g: mint.randperm(9, generator=g),
    "normal": lambda g: mint.normal(0.0, 1.0, (5,), generator=g),
    "bernoulli": lambda g: mint.bernoulli(Tensor(np.full(40, 0.5, np.float32)), generator=g),
    "multinomial": lambda g: mint.multinomial(Tensor(np.ones(50, np.float32)), 9, generator=g),
    "uniform_": lambda g: Tensor(np.zeros(5, np.float32)).uniform_(generator=g),
    "normal_": lambda g: Tensor(np.zeros(5, np.float32)).normal_(generator=g),
}


@pytest.fixture(autouse=True)
def _untouched_default(monkeypatch):
    monkeypatch.setattr(ms.default_generator, "_used", ms.default_generator._used)


@pytest.mark.parametrize("name", DRAWS)
def test_restored_state_repeats_the_draws(name):
    g = ms.Generator().manual_seed(7)
    state = g.get_state()
    first, second = DRAWS[name](g).asnumpy(), DRAWS[name](g).asnumpy()
    assert (first != second).any()
    g.set_state(state)
    np.testing.assert_array_equal(DRAWS[name](g).asnumpy(), first)
    np.testing.assert_array_equal(DRAWS[name](ms.Generator().manual_seed(7)).asnumpy(), first)


@pytest.mark.parametrize("name", DRAWS)
def test_manual_seed_rules_the_default(name):
    ms.manual_seed(3)
    state = ms.get_rng_state()
    first = DRAWS[name](None).asnumpy()
    assert (ms.get_rng_state().asnumpy() != state.asnumpy()).any()
    ms.set_rng_state(state)
    np.testing.assert_array_equal(DRAWS[name](None).asnumpy(), first)


def test_random_seeds_differ():
    g = ms.Generator()
    assert g.seed() != g.seed()


def test_path_of_earlier_releases_is_the_same_generator():
    from ms2torch.nn import generator

    assert generator.default_generator is ms.default_generator
    assert generator.manual_seed is ms.manual_seed
