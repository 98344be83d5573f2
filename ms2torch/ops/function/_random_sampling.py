"""Classes drawn by their weights, and candidates for sampled losses."""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import (
    REQUIRED,
    op,
    primitive,
)
from ms2torch._core.random.candidates import EvenStream, RankStream
from ms2torch._core.random.rng import philox

from ._random_draws import keep_stream


def _chosen(x, seed, offset, numsamples, replacement):
    if seed == offset == 0:
        return torch.multinomial(x.double(), numsamples, replacement)
    weights = np.atleast_2d(x.detach().double().cpu().numpy()).copy()
    count = len(weights) * numsamples
    n = np.arange(-(-count // 4), dtype=np.uint64)
    words = np.stack(philox((n, np.uint64(0), np.uint64(offset & 0xFFFFFFFF), np.uint64(offset >> 32)),
                            (seed & 0xFFFFFFFF, seed >> 32)), axis=1).reshape(-1)[:count]
    draws = ((words & np.uint64(0x7FFFFF)) / 2**23).reshape(-1, numsamples)
    found = np.empty(draws.shape, np.int64)
    for row, numbers, places in zip(weights, draws, found, strict=True):
        for i, number in enumerate(numbers):
            ends = row.cumsum()
            places[i] = np.searchsorted(ends, number * ends[-1], side="right")
            if not replacement:
                row[places[i]] = 0.0
    return torch.from_numpy(found.reshape(*x.shape[:-1], numsamples)).to(x.device)


@op(primitive="MultinomialWithReplacement", init={"numsamples": REQUIRED, "replacement": False})
def multinomial_with_replacement(x, seed, offset, numsamples, replacement=False):
    """``numsamples`` classes of each row by its weights (``mindspore.ops.multinomial_with_replacement``).

    The numbers are MindSpore's for a ``seed`` and ``offset``, and free where both are 0. ValueError for
    negative weights, for a row without any, and for more samples than classes without ``replacement``.
    """
    if not replacement and numsamples > x.shape[-1]:
        raise final(ValueError("For 'MultinomialWithReplacement', the value of numsamples must equal or less "
                               f"than x_shape[-1], but got {numsamples}."))
    if bool((x < 0).any()):
        raise final(ValueError("For 'MultinomialWithReplacement' , each element of 'x' must be equal or "
                               "greater than 0. "))
    if bool((x.sum(-1) <= 0).any()):
        raise final(ValueError("For 'MultinomialWithReplacement' , the sum of each row of 'x' must be "
                               "greater than 0. "))
    return _chosen(x, int(seed) % (1 << 64), int(offset) % (1 << 64), numsamples, replacement)


def _expected(chance, tries, num_sampled):
    """How often a class of that chance is drawn; where no draw was in vain MindSpore multiplies."""
    return torch.where(tries == num_sampled, chance * num_sampled, -torch.expm1(tries * torch.log1p(-chance)))


def _candidates(true_classes, num_true, num_sampled, unique, range_max, seed, remove_accidental_hits):
    if unique and num_sampled > range_max:
        raise final(ValueError("For 'UniformCandidateSampler', 'num_sampled' must not exceed 'range_max' "
                               f"when 'unique' is True, but got {num_sampled} and {range_max}."))
    true = set(true_classes.reshape(-1).tolist()) if remove_accidental_hits and unique else set()
    if range_max - len(true) < num_sampled:
        true = set()
    stream = seed if isinstance(seed, EvenStream) else EvenStream(seed)
    found = stream.classes(num_sampled, range_max, unique, tuple(true)).to(true_classes.device)
    sampled, tries = found[:-1], found[-1].to(torch.float64)
    expected = _expected(torch.full_like(tries, 1 / range_max), tries, num_sampled).float()
    return (sampled.to(true_classes.dtype), expected.expand(true_classes.shape).clone(),
            expected.expand(num_sampled).clone())


@op
def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=0,
                              remove_accidental_hits=False):
    """Classes in [0, range_max) drawn evenly, and how often true and drawn ones are expected.

    MindSpore: ``mindspore.ops.uniform_candidate_sampler``; the numbers are its own for a ``seed``, and free
    where it is 0. ``unique`` with ``remove_accidental_hits`` draws no true class.
    """
    return _candidates(true_classes, num_true, num_sampled, unique, range_max, seed, remove_accidental_hits)


@primitive("UniformCandidateSampler", init={
    "num_true": REQUIRED, "num_sampled": REQUIRED, "unique": REQUIRED, "range_max": REQUIRED, "seed": 0,
    "remove_accidental_hits": False})
def _uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=0,
                               remove_accidental_hits=False):
    """Classes below ``range_max`` drawn evenly, and how often true and drawn ones are expected."""
    return _candidates(true_classes, num_true, num_sampled, unique, range_max, seed, remove_accidental_hits)


keep_stream(_uniform_candidate_sampler, lambda made: EvenStream(made.seed))


@op
def log_uniform_candidate_sampler(true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0):
    """Classes drawn by P(c) = log((c + 2) / (c + 1)) / log(range_max + 1), and how often to expect true and
    drawn ones (``mindspore.ops.log_uniform_candidate_sampler``). A seed's numbers, 0 too, are its own."""
    name = "LogUniformCandidateSampler"
    if true_classes.ndim != 2:
        raise final(ValueError(f"{name} input true_classes dims should be 2."))
    if true_classes.shape[1] != num_true:
        raise final(ValueError(f"{name} input true_classes dim[1] should equal to num_true, "
                               f"true_classes.dim[1] = {true_classes.shape[1]}, num_true = {num_true}"))
    width = math.log(range_max + 1)
    stream = seed if isinstance(seed, RankStream) else RankStream(seed)
    found = stream.classes(num_sampled, range_max, unique).to(true_classes.device)
    sampled, tries = found[:-1], found[-1]

    def expected(classes):
        classes = classes.double()
        return _expected(((classes + 2.0) / (classes + 1.0)).log() / width, tries, num_sampled).float()

    return sampled, expected(true_classes), expected(sampled)
