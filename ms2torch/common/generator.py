"""Generators of random numbers, with a state to keep and to restore (``mindspore.common.generator``).

They serve the functions of ``mint`` and the Tensor methods that fill in place. Each use starts torch's own
generator from (seed, offset) and moves the offset on, so that a restored state repeats what followed. The
default one rules from the first ``manual_seed``, ``seed`` or ``set_rng_state`` on; before, these functions
follow ``set_seed`` like all others.
"""

from __future__ import annotations

import secrets

import torch

from ms2torch._core.devices.device import device
from ms2torch._core.random import repeating
from ms2torch._core.tensor.tensor import Tensor, wrap

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed",
           "set_rng_state"]

# By how much one use moves the offset on.
_STEP = 12
_WORD = 1 << 64


class Generator:
    """A source of random numbers (``mindspore.Generator``): two numbers, its seed and an offset, both 0 at
    first.

    Unlike torch's, whose state is some 5,000 bytes on the CPU, ``get_state`` gives 16: both numbers, little
    end first.
    """

    __ms_class__ = True

    def __init__(self) -> None:
        self._seed = self._offset = 0
        self._used = False

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from ``seed``; gives the generator. TypeError unless it is an int."""
        if not isinstance(seed, int):
            raise TypeError("Seed must be an integer.")
        self._seed, self._offset, self._used = int(seed), 0, True
        return self

    def seed(self) -> int:
        """Start anew from a random seed, and give it."""
        return self.manual_seed(secrets.randbits(32))._seed

    def initial_seed(self) -> int:
        """The seed that it started from."""
        return self._seed

    def get_state(self) -> Tensor:
        """The state, a UInt8 Tensor of 16."""
        data = b"".join((n % _WORD).to_bytes(8, "little") for n in (self._seed, self._offset))
        return wrap(torch.tensor(list(data), dtype=torch.uint8))

    def set_state(self, state: Tensor) -> None:
        """Go back to a state from ``get_state``; RuntimeError for anything else."""
        if not isinstance(state, Tensor) or state.dtype != get_rng_state().dtype or state.size != 16:
            raise RuntimeError("Invalid tensor input: State")
        data = state.asnumpy().tobytes()
        self._seed = int.from_bytes(data[:8], "little", signed=True)
        self._offset = int.from_bytes(data[8:], "little", signed=True)
        self._used = True

    def _step(self, step: int | Tensor = _STEP):
        """The seed and the offset of this use, Tensors where ``step`` is; the offset moves on by it."""
        at = self._offset
        self._offset += int(step)
        if isinstance(step, Tensor):
            return wrap(torch.tensor(self._seed)), wrap(torch.tensor(at))
        return self._seed, at


default_generator = Generator()


def engine(generator: Generator | None) -> torch.Generator | None:
    """torch's generator for one use of ``generator``; of the default one for None, once that was seeded."""
    if generator is None:
        generator = default_generator
        if not generator._used:
            return None
    step = generator._step
    return started(*(repeating.starting_state(step)[0] if repeating.under_way else step()))


def started(seed: int, offset: int) -> torch.Generator:
    """torch's generator at the place that a seed and an offset stand for."""
    return torch.Generator(device()).manual_seed((seed * 0x9E3779B97F4A7C15 + offset) % (_WORD >> 1))


def manual_seed(seed: int) -> Generator:
    """Seed the default generator (``mindspore.manual_seed``)."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seed the default generator with a random number, and give that (``mindspore.seed``)."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator (``mindspore.initial_seed``)."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator (``mindspore.get_rng_state``)."""
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Bring the default generator back to a state (``mindspore.set_rng_state``)."""
    default_generator.set_state(state)
