"""Random numbers of mint, and the Tensor methods that fill in place."""

from __future__ import annotations

import inspect
from numbers import Integral, Real

import torch

from ms2torch._core.checks.calls import wrong_arguments, wrong_inputs
from ms2torch._core.devices.device import device
from ms2torch._core.errors import final
from ms2torch._core.operators.dispatch import ABSENT
from ms2torch._core.operators.registry import (
    METHODS,
    OPS,
    method,
    mint_form,
    op,
)
from ms2torch._core.random.random_streams import Stream
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, lower
from ms2torch._naming import generations
from ms2torch.common.generator import engine

from ._array_create import wanted
from ._math_axis import unseen
from ._random_draws import PERMUTED, float_dtype, integers, size_of, stream

# ---- mint and Tensor methods in place ----------------------------------------------------------------------


_SEEDED = ("seed:=Tensor=<Tensor>, offset:=Tensor=<Tensor>, dtype:=mindspore.dtype=<mindspore.dtype>, "
           "device:=string=<string>)")
_SIZES = "<list of int, tuple of int>"
_FORMS = {"rand": f"RandExt()(shape={_SIZES}, {_SEEDED}", "randn": f"Randn()(shape={_SIZES}, {_SEEDED}",
          "randint": f"RandInt()(low=<int>, high=<int>, shape={_SIZES}, {_SEEDED}",
          "randint_like": f"RandIntLike()(input=<Tensor>, low=<int>, high=<int>, {_SEEDED}"}


def _parsed(name: str, **given) -> list:
    """The arguments of a draw, 0-d tensors as the ints that they hold; the parser's TypeError where they do
    not fit."""
    if all(map(_is_plain, given, given.values())):
        return list(given.values())
    held = {n: tuple(map(_number_of, v)) if isinstance(v, (tuple, list)) else v if n == "input" else
            _number_of(v) for n, v in given.items()}
    if wrong := wrong_arguments(_FORMS[name], held, {}):
        raise final(wrong)
    for place, n in enumerate(held.get("shape", ())):
        if n < 0:
            raise final(ValueError(f"For primitive[Empty], the {place}th dimension of input shape must be "
                                   f"greater than or equal to 0, but got {n}."))
    return list(held.values())


def _is_plain(name: str, value) -> bool:
    """Whether an argument is what most calls give, which needs no parser."""
    if name == "shape":
        return isinstance(value, (tuple, list)) and all(n.__class__ is int and n >= 0 for n in value)
    return isinstance(value, torch.Tensor) if name == "input" else value.__class__ is int


def _number_of(value):
    return int(value) if isinstance(value, torch.Tensor) and not value.ndim else value


def _mint(name, draw, with_engine):
    def drawn(shape, want, generator=None):
        source = engine(generator)
        if source is None:
            return draw(stream(None, name), shape).to(want)
        return with_engine(shape, generator=source, device=device()).to(want)

    @mint_form(name=name)
    def form(*size, generator=None, dtype=None, device=None):
        """Random numbers in the shape given, Float32 unless another float ``dtype`` is."""
        first = size[:1] if size and isinstance(size[0], (tuple, list)) else size
        shape, = _parsed(name, shape=size_of(first))
        return drawn(shape, float_dtype(dtype, torch.float32, name), generator)

    @mint_form(name=f"{name}_like")
    def like(input, *, dtype=None, device=None):
        """Random numbers in the shape of ``input``, and in its dtype unless another is given."""
        return drawn(tuple(input.shape), float_dtype(dtype, input.dtype, f"{name}_like"))


_mint("rand", Stream.uniform, torch.rand)
_mint("randn", Stream.normal, torch.randn)


@mint_form(name="randint")
def _randint_mint(*args, generator=None, dtype=None, device=None):
    """Integers in [low, high) of the shape ``size``, Int64 unless ``dtype`` says otherwise."""
    low, high, size = args if len(args) == 3 else (0, *args)
    low, high, size = _parsed("randint", low=low, high=high, shape=size)
    want, source = wanted(dtype, torch.int64, "randint"), engine(generator)
    if source is not None:
        return torch.randint(low, high, tuple(size), generator=source, device=source.device).to(want)
    return integers(low, high, tuple(size), None, "randint", want)


@mint_form(name="randint_like")
def _randint_like_mint(*args, dtype=None, device=None):
    """Integers in [low, high) in the shape of ``input``, and in its dtype unless another is given."""
    input, low, high = args if len(args) == 3 else (args[0], 0, *args[1:])
    input, low, high = _parsed("randint_like", input=input, low=low, high=high)
    drawn = integers(low, high, tuple(input.shape), None, "randint_like", torch.int64)
    return drawn.to(wanted(dtype, input.dtype, "randint_like"))


@mint_form(name="randperm")
def _randperm_mint(n, *, generator=None, dtype=_dtype.int64):
    """A permutation of the numbers below ``n``, Int64 unless ``dtype`` says otherwise."""
    want = wanted(dtype, torch.int64, "RandpermExt")
    if want not in PERMUTED and want is not torch.bfloat16:
        raise TypeError("For primitive[RandpermExt], the input[dtype] supports types: Int8, Int16, Int32, "
                        "Int64, UInt8, Float16, Float32, Float64, BFloat16. But got "
                        f"{_dtype.from_torch(want)}.")
    if n < 0:
        raise ValueError(f"For 'RandpermExt', the input 'n' must be >= 0, but got data: {n}.\n")
    return torch.randperm(n, generator=engine(generator), device=device()).to(want)


@mint_form(name="normal")
def _normal_mint(mean=0.0, std=1.0, size=None, generator=None):
    """N(mean, std^2), Float32, in the shape of mean and std broadcast, or in ``size``."""
    if size is None:
        size = torch.broadcast_shapes(*(v.shape for v in (mean, std) if isinstance(v, torch.Tensor)))
    source = engine(generator)
    if source is not None:
        return torch.randn(size, generator=source, device=device()) * std + mean
    return stream(None, "normal").normal(size) * std + mean


@mint_form(name="multinomial")
def _multinomial_mint(input, num_samples, replacement=False, *, generator=None):
    """``num_samples`` positions drawn by the weights in the last axis, Int64."""
    source = engine(generator)
    if source is not None:
        return torch.multinomial(input.detach(), num_samples, replacement, generator=source)
    return OPS["multinomial"].kernel(input, num_samples, replacement).long()


@mint_form(name="bernoulli")
def _bernoulli_mint(input, *, generator=None):
    """1 with the probability that the element is, else 0."""
    return torch.bernoulli(input, generator=engine(generator))


@method(name="bernoulli")
@unseen("p", "seed")
def _bernoulli_method(input, p=None, seed=None, *, generator=None):
    """1 with the probability that the element is, else 0; before 2.3 with ``p``, by default 0.5."""
    if generations.has_old_meaning("mindspore.Tensor.bernoulli"):
        from .random_func import bernoulli

        return bernoulli.kernel(input, 0.5 if p is None else p, seed)
    if p is not None:
        raise TypeError("Tensor.bernoulli() takes 1 positional argument but 2 were given")
    return torch.bernoulli(input, generator=engine(generator))


_PRIMITIVES_IN_PLACE = {"random_": ("InplaceRandom", Integral, None), "uniform_": ("InplaceUniform", Real, 1)}


def _check_limits(name, input, from_=0, to=ABSENT) -> None:
    """TypeError for limits that are no numbers; those of ``random_`` are whole, and ``to`` may be None."""
    called, kinds, default = _PRIMITIVES_IN_PLACE[name]
    whole, to = kinds is Integral, default if to is ABSENT else to

    if isinstance(input, Tensor) and input._t.is_complex():
        raise TypeError(f"For primitive[{called}], the input[input] supports types: Bool, Int8, Int16, "
                        f"Int32, Int64, UInt8, Float16, Float32, Float64, BFloat16. But got {input.dtype}.")

    def fits(value):
        return isinstance(value, (kinds, Tensor)) and not (whole and isinstance(value, bool))

    if not isinstance(input, Tensor) or not fits(from_) or not (fits(to) or (whole and to is None)):
        seed = torch.zeros(())
        raise wrong_inputs(called, input=lower(input), from_=from_, to=to, seed=seed, offset=seed)


def _fills_in_place(name, fill):
    fill.__qualname__ = f"Tensor.{name}"                # what Python's errors call it

    @method(name=name, on_tensors=True)
    def in_place(self, *args, generator=None, **kwargs):
        if name in _PRIMITIVES_IN_PLACE and len(args) < 3 and kwargs.keys() <= {"from_", "to"}:
            _check_limits(name, self, *args, **kwargs)
        self._write(lambda t: fill(t, *args, generator=engine(generator), **kwargs))
        return self

    *shown, _ = inspect.signature(fill).parameters.values()
    shown.append(inspect.Parameter("generator", inspect.Parameter.KEYWORD_ONLY, default=None))
    in_place.__signature__ = inspect.Signature(shown)
    in_place.__doc__ = f"Fills the Tensor with random numbers, in place (``mindspore.Tensor.{name}``)."


_fills_in_place("uniform_", lambda t, from_=0, to=1, **how: t.uniform_(from_, to, **how))
_fills_in_place("normal_", lambda t, mean=0, std=1, **how: t.normal_(mean, std, **how))
_fills_in_place("random_", lambda t, from_=0, to=None, **how: t.random_(from_, to, **how)
                if to is not None else t.random_(from_, **how) if from_ else t.random_(**how))
_fills_in_place("bernoulli_", lambda t, p=0.5, **how: t.bernoulli_(p, **how))
_fills_in_place("exponential_", lambda t, lambd=1, **how: t.exponential_(lambd, **how))


def _filled(name):
    def fill(input, from_=0, to=None if name == "random_" else 1, *, generator=None):
        if not isinstance(input, Tensor):
            _check_limits(name, input, from_, to)
        return METHODS[name](input, from_, to, generator=generator)

    fill.__name__ = name
    fill.__doc__ = f"Fills a Tensor with random numbers, in place (``mindspore.ops.{name}``)."
    return op(fill, on_tensors=True)


random_, uniform_ = _filled("random_"), _filled("uniform_")
