"""Classes drawn by their weights, and candidates for sampled losses."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import (
    REQUIRED,
    op,
    primitive,
)
from ms2torch._core.random.rng import philox


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
    return _chosen(x, int(seed), int(offset), numsamples, replacement)


def _candidates(true_classes, num_true, num_sampled, unique, range_max):
    if unique and num_sampled > range_max:
        raise final(ValueError("For 'UniformCandidateSampler', 'num_sampled' must not exceed 'range_max' "
                               f"when 'unique' is True, but got {num_sampled} and {range_max}."))
    drawn: dict[int, None] = {}
    tries = 0
    while unique and len(drawn) < num_sampled:
        drawn[int(torch.randint(range_max, ()))] = None
        tries += 1
    sampled = torch.tensor(list(drawn)) if unique else torch.randint(range_max, (num_sampled,))
    chance = 1 - (1 - 1 / range_max) ** tries if unique else num_sampled / range_max
    sampled = sampled.to(true_classes.device)
    expected = torch.full((), chance, dtype=torch.float32, device=true_classes.device)
    return (sampled.to(true_classes.dtype), expected.expand(true_classes.shape).clone(),
            expected.expand(num_sampled).clone())


@op
def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=0,
                              remove_accidental_hits=False):
    """Classes in [0, range_max) drawn evenly, and how often true and drawn ones are expected.

    MindSpore: ``mindspore.ops.uniform_candidate_sampler``; its numbers for a seed are not reproduced.
    """
    return _candidates(true_classes, num_true, num_sampled, unique, range_max)


@primitive("UniformCandidateSampler", init={
    "num_true": REQUIRED, "num_sampled": REQUIRED, "unique": REQUIRED, "range_max": REQUIRED, "seed": 0,
    "remove_accidental_hits": False})
def _uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=0,
                               remove_accidental_hits=False):
    return _candidates(true_classes, num_true, num_sampled, unique, range_max)
