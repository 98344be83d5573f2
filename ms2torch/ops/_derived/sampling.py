"""Random operators that are told where their numbers begin: by a seed and an offset, as generators step."""

from __future__ import annotations

import secrets

import torch

from ms2torch._core.devices.device import device
from ms2torch._core.errors import final
from ms2torch._core.operators.registry import Primitive
from ms2torch._core.tensor.dtype import to_torch
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.generator import started

_STEP, _SEED, _GET_STATE, _SET_STATE, _MANUAL_SEED, _INITIAL_SEED = range(6)


class Generator(Primitive):
    """Steps through random numbers: ``(command, (seed, offset, ...))``.

    MindSpore: ``mindspore.ops.operations._inner_ops.Generator``. Seed and offset are Int64 Tensors of no
    dimension, given when it is made or, as before MindSpore 2.10, when it is called; commands write to them.
    Gives ``(seed, offset, state)``, None for what was not asked for.
    """

    def __init__(self, seed: Tensor | None = None, offset: Tensor | None = None) -> None:
        super().__init__("Generator")
        self.add_prim_attr("side_effect_mem", True)
        self._held = (
            ()
            if seed is None
            else tuple(_number(n, "Seed" if n is seed else "Offset") for n in (seed, offset))
        )

    def __call__(self, command: int, inputs):
        given, offset = self._held or inputs[:2]
        seed, offset = given._t, offset._t
        if command == _STEP:
            before = given, wrap(offset.clone()), None
            step = inputs[2]        # (before MindSpore 2.10 a number too, which MindNLP gives it)
            offset.add_(step if step.__class__ is int and not self._held else _number(step, "Step")._t)
            return before
        if command == _GET_STATE:
            return None, None, wrap(torch.stack([seed, offset]).view(torch.uint8))
        if command == _INITIAL_SEED:
            return (given,)
        if command == _SET_STATE:
            if (
                not isinstance(inputs[2], Tensor)
                or inputs[2]._t.dtype is not torch.uint8
                or inputs[2].size != 16
            ):
                raise final(RuntimeError("Invalid tensor input: State"))
            seed.copy_(inputs[2]._t[:8].clone().view(torch.int64)[0])
            offset.copy_(inputs[2]._t[8:].clone().view(torch.int64)[0])
            return None
        fresh = secrets.randbits(32) if command == _SEED else _number(inputs[2], "Seed")._t
        seed.copy_(torch.as_tensor(fresh))
        offset.zero_()
        return (given,) if command == _SEED else None


def _number(value, name: str) -> Tensor:
    if not isinstance(value, Tensor) or value.ndim or value._t.dtype is not torch.int64:
        raise final(RuntimeError(f"Invalid tensor input: {name}"))
    return value


def _begun(seed, offset) -> torch.Generator:
    return started(int(seed), int(offset))


def _dtype(dtype, default=torch.float32) -> torch.dtype:
    return default if dtype is None else to_torch(dtype)


def _shape(shape) -> tuple[int, ...]:
    return (
        tuple(shape.tolist())
        if isinstance(shape, torch.Tensor)
        else (shape,)
        if isinstance(shape, int)
        else tuple(shape)
    )


def _rand(shape, seed, offset, dtype=None, device_=None):
    return torch.rand(_shape(shape), generator=_begun(seed, offset), dtype=_dtype(dtype), device=device())


def _randn(shape, seed, offset, dtype=None, device_=None):
    return torch.randn(_shape(shape), generator=_begun(seed, offset), dtype=_dtype(dtype), device=device())


def _randint(low, high, shape, seed, offset, dtype=None, device_=None):
    return torch.randint(
        int(low),
        int(high),
        _shape(shape),
        generator=_begun(seed, offset),
        dtype=_dtype(dtype, torch.int64),
        device=device(),
    )


def _normal(mean, std, shape, seed, offset):
    like = next((t for t in (mean, std) if isinstance(t, torch.Tensor)), None)
    noise = torch.randn(
        shape,
        generator=_begun(seed, offset),
        dtype=torch.float32 if like is None else like.dtype,
        device=device(),
    )
    return noise * std + mean


def _both(mean, std) -> tuple[int, ...]:
    return torch.broadcast_shapes(*(t.shape for t in (mean, std) if isinstance(t, torch.Tensor)))


def _kept(shape, p, seed, offset):
    """A mask that is true with probability 1 - p."""
    return torch.rand(shape, generator=_begun(seed, offset), device=device()) >= p


def _dropped(input, p, seed, offset):
    mask = _kept(input.shape, p, seed, offset)
    return input * mask / (1 - p) if p < 1 else input * 0, mask


def _dropout(input, p, training, inplace, seed, offset, shape=None):
    if not training or p == 0:
        return input
    mask = _kept(input.shape if shape is None else shape, p, seed, offset)
    out = input * mask / (1 - p) if p < 1 else input * 0
    return input.copy_(out) if inplace else out


def _bernoulli(input, seed, offset):
    return torch.bernoulli(input, generator=_begun(seed, offset))


ROWS = {
    "Generator": Generator,
    "RandExt": _rand,
    "RandLikeExt": lambda tensor, seed, offset, dtype=None, device=None: _rand(
        tensor.shape, seed, offset, dtype or tensor.dtype
    ),
    "Randn": _randn,
    "RandnLike": lambda input, seed, offset, dtype=None, device=None: _randn(
        input.shape, seed, offset, dtype or input.dtype
    ),
    "RandInt": _randint,
    "RandIntLike": lambda input, low, high, seed, offset, dtype=None, device=None: _randint(
        low, high, input.shape, seed, offset, dtype or input.dtype
    ),
    "RandpermExt": lambda n, seed, offset, dtype=None: torch.randperm(
        int(n), generator=_begun(seed, offset), device=device()
    ).to(_dtype(dtype, torch.int64)),
    "NormalFloatFloat": lambda mean, std, size, seed, offset: _normal(mean, std, _shape(size), seed, offset),
    "NormalFloatTensor": lambda mean, std, seed, offset: _normal(mean, std, _both(mean, std), seed, offset),
    "NormalTensorFloat": lambda mean, std, seed, offset: _normal(mean, std, _both(mean, std), seed, offset),
    "NormalTensorTensor": lambda mean, std, seed, offset: _normal(mean, std, _both(mean, std), seed, offset),
    "UniformExt": lambda tensor, a, b, seed, offset: (
        torch.rand(tensor.shape, generator=_begun(seed, offset), dtype=tensor.dtype, device=device())
        * (b - a)
        + a
    ),
    "BernoulliExt": _bernoulli,
    "MultinomialExt": lambda input, num_samples, replacement, seed, offset: torch.multinomial(
        input, int(num_samples), replacement, generator=_begun(seed, offset)
    ),
    "DropoutExt": _dropped,
    "FuncDropoutExt": _dropout,
    "Dropout2dExt": lambda input, p, training, inplace, seed, offset: _dropout(
        input, p, training, inplace, seed, offset, (*input.shape[:2], *[1] * (input.ndim - 2))
    ),
    "DropoutGenMaskExt": lambda shape, p, seed, offset, dtype: _kept(_shape(shape), p, seed, offset),
    "DropoutDoMaskExt": lambda input, mask, p: input * mask / (1 - p) if p < 1 else input * 0,
    "DropoutGradExt": lambda input, mask, p: input * mask / (1 - p) if p < 1 else input * 0,
    "InplaceBernoulliScalar": lambda input, p, seed, offset: input.bernoulli_(
        p, generator=_begun(seed, offset)
    ),
    "InplaceBernoulliTensor": lambda input, p, seed, offset: input.copy_(
        torch.bernoulli(p.expand(input.shape).float(), generator=_begun(seed, offset))
    ),
    "InplaceExponential": lambda input, lambd, seed, offset: input.exponential_(
        lambd, generator=_begun(seed, offset)
    ),
    "InplaceNormal": lambda input, mean, std, seed, offset: input.copy_(
        _normal(mean, std, input.shape, seed, offset)
    ),
    "InplaceUniform": lambda input, from_, to, seed, offset: input.uniform_(
        from_, to, generator=_begun(seed, offset)
    ),
    "InplaceRandom": lambda input, from_=0, to=None, seed=0, offset=0: input.random_(
        from_, to, generator=_begun(seed, offset)
    ),
}
