"""Generators of random numbers under the path of r2.2 (``mindspore.nn.generator``)."""

from ms2torch.common.generator import Generator, default_generator, get_rng_state, manual_seed, set_rng_state

__all__ = ["Generator", "default_generator", "get_rng_state", "manual_seed", "set_rng_state"]
