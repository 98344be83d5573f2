"""What an example is drawn from: shapes, dtypes, values, views, axes (hypothesis strategies)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

# Earlier means simpler: hypothesis shrinks towards the first.
FLOATS = ("float32",) * 6 + ("float64", "float16", "float16", "bfloat16")
INTS = ("int32", "int64", "int8", "uint8", "int16")
ANY = ("float32",) * 6 + ("float64", "float16", "bfloat16") + INTS + ("bool",)
WHOLE = (*INTS, "bool")
F32 = ("float32",)
_VALUES = {
    "float": (1.0, 2.0, 0.5, -1.0, 0.0, 3.0, -2.0, 0.25, -0.5, 1.5, 0.75, -0.3, 0.1, -0.9, 2.7, -4.5, 10.0,
              6.0, -3.0, 1e-3),
    "int": (1, 2, 3, 0, -1, -2, 5, -7, 10, 100),
    "unsigned": (1, 2, 3, 0, 5, 7, 10, 200),
    "bool": (True, False),
    "complex": (1 + 1j, 1.0, 2j, 0.5 - 1j, -1 + 0.25j, -2.0, 3 + 4j, -0.5 - 0.5j),
    "positive": (1.0, 2.0, 0.5, 3.0, 0.25, 1.5, 0.75, 0.1, 10.0, 0.9),
    "unit": (0.5, 0.25, 0.75, 0.1, 0.9, 0.3, 0.6, 0.01),
}
RATES = ("0.1", "0.01", "1e-3", "Tensor(0.05, ms.float32)", "[0.1, 0.05, 0.01, 0.2]",
         "nn.ExponentialDecayLR(0.1, 0.9, 2)", "nn.CosineDecayLR(0.01, 0.1, 3)",
         "nn.PolynomialDecayLR(0.1, 0.01, 3, 0.5)", "nn.InverseDecayLR(0.1, 0.5, 2, True)",
         "nn.NaturalExpDecayLR(0.1, 0.9, 2, True)", "nn.WarmUpLR(0.1, 2)",
         "nn.piecewise_constant_lr([1, 3, 5], [0.1, 0.05, 0.01])", "nn.cosine_decay_lr(0.0, 0.1, 6, 2, 2)",
         "Tensor(np.array([0.1, 0.2, 0.3], np.float32))")
_SPECIAL = (float("nan"), float("inf"), -float("inf"), -0.0, 1e30, -1e4)


@dataclass
class Operand:
    """A tensor of a case: what it is, and the text that makes it."""

    dtype: str
    shape: tuple[int, ...]
    text: str
    special: bool = False
    view: bool = False
    name: str = ""

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        return self.name


class Draws:
    """The vocabulary of the table: each method draws one thing. ``draw`` is hypothesis's."""

    def __init__(self, draw) -> None:
        self._draw = draw
        self._half = None                # the case's, once a line asks: "" or the name of a narrow dtype

    def one(self, *choices):
        return self._draw(st.sampled_from(choices))

    def number(self, low, high):
        return self._draw(st.integers(low, high))

    def flag(self) -> bool:
        return self._draw(st.booleans())

    def rare(self, of=8) -> bool:
        return self._draw(st.integers(0, of - 1)) == of - 1

    def shape(self, low=0, high=4, size=4, empty=True) -> tuple[int, ...]:
        ndim = self._draw(st.sampled_from([n for n in (1, 2, 0, 3, 4, 5) if low <= n <= high]))
        least = 0 if empty and self.rare(16) else 1
        return tuple(self._draw(st.lists(st.integers(least, size if ndim < 4 else 3),
                                         min_size=ndim, max_size=ndim)))

    def dtype(self, names) -> str:
        """One of the names. Of every eighth case all of a line's Float32 is float16, or bfloat16."""
        if isinstance(names, str):
            return names
        if "float32" in names and not {"float16", "bfloat16"} <= set(names):
            if self._half is None:
                self._half = self.one("float16", "bfloat16") if self.rare() else ""
            if self._half:
                return self._half
        return self.one(*names)

    def array(self, dtype=ANY, shape=None, low=0, high=4, size=4, values=None, special=True, empty=True,
              view=True) -> Operand:
        """A tensor: ``dtype`` a name or names to draw from, ``values`` the name of a pool."""
        dtype = self.dtype(dtype)
        shape = self.shape(low, high, size, empty) if shape is None else tuple(shape)
        real = "float" in dtype
        kind = {"b": "bool", "u": "unsigned", "c": "complex"}.get(dtype[0], "int")
        pool = _VALUES[(values or "float") if real else kind]
        special = special and real and values is None and self.rare(5)
        way = self.one("", "", "", "", "swap", "step") if view else ""
        base, then = shape, ""
        if way == "swap" and len(shape) > 1:
            base, then = (shape[-1], *shape[1:-1], shape[0]), ".swapaxes(0, -1)"
        elif way == "step" and shape and shape[-1]:
            base, then = (*shape[:-1], 2 * shape[-1]), "[..., ::2]"
        return Operand(dtype, shape, self._tensor(dtype, base, pool, special) + then, special, bool(then))

    def _tensor(self, dtype, shape, pool, special) -> str:
        count = int(np.prod(shape))
        if special:
            pool = (*pool[:6], *_SPECIAL)
        values = self._draw(st.lists(st.sampled_from(pool), min_size=count, max_size=count))
        return literal(dtype, shape, values)

    def indices(self, shape, limit, dtype=("int32", "int64"), negative=False) -> Operand:
        """Integers in [0, limit), or [-limit, limit)."""
        dtype, count = self.one(*dtype), int(np.prod(shape))
        values = self._draw(st.lists(st.integers(-limit if negative else 0, max(limit - 1, 0)),
                                     min_size=count, max_size=count))
        return Operand(dtype, tuple(shape), literal(dtype, shape, values))

    def constant(self, values, dtype="int32") -> Operand:
        array = np.asarray(values)
        return Operand(dtype, array.shape, literal(dtype, array.shape, array.ravel().tolist()))

    def like(self, x: Operand, dtype=None, **kinds) -> Operand:
        """A tensor of x's shape and dtype."""
        return self.array(dtype or x.dtype, shape=x.shape, **kinds)

    def broadcast(self, x: Operand, dtype=None, exact=False, **kinds) -> Operand:
        """A tensor whose shape broadcasts with x's, with x's dtype mostly."""
        shape = list(x.shape)
        if self.flag():
            shape = shape[self.number(0, len(shape)):]
            shape = [1 if self.rare(4) else n for n in shape]
            if self.rare(6):
                shape = [self.number(1, 2), *shape]
        if self.rare(24) and shape:
            shape[-1] += 1               # most often an error
        if dtype is None:
            dtype = x.dtype if exact or not self.rare(4) else ANY
        return self.array(dtype, shape=shape, **kinds)

    def second(self, x: Operand, **kinds):
        """The other operand of an arithmetic operator: a tensor or, sometimes, a number."""
        if self.rare(6):
            return self.one(2, 1, -1, 0.5, 3, 0, -2.5, True)
        return self.broadcast(x, **kinds)

    def square(self, dtype=F32, batch=None, definite=False) -> Operand:
        """Well conditioned square matrices, positive definite ones if asked for."""
        dtype, n = self.dtype(dtype), self.number(1, 3)
        shape = (*(self.shape(0, 1, 2, False) if batch is None else batch), n, n)
        pool = (0.5, -0.25, 0.0, 1.0, -0.5, 0.75)
        values = np.array(self._draw(st.lists(st.sampled_from(pool), min_size=int(np.prod(shape)),
                                              max_size=int(np.prod(shape))))).reshape(shape)
        values = values @ values.swapaxes(-1, -2) if definite else values
        values = values + np.diag(np.arange(3.0, 3.0 + n))
        return Operand(dtype, shape, literal(dtype, shape, values.ravel().tolist()))

    def pixels(self, dtype="uint8", channels=(3, 3, 3, 1), low=1, high=8) -> Operand:
        """An image, HWC, as an array; without the last axis where ``channels`` draws 0."""
        shape = (self.number(low, high), self.number(low, high), self.one(*channels))
        shape = shape if shape[-1] else shape[:-1]
        dtype, seed = dtype if isinstance(dtype, str) else self.one(*dtype), self.number(0, 99)
        text = f"np.random.RandomState({seed}).randint(0, 256, {shape}).astype(np.{dtype})"
        return Operand(dtype, shape, text)

    def wave(self, low=1, high=2, size=40, least=1, dtype=("float32", "float32", "float64")) -> Operand:
        """Samples of sound in [-1, 1), the last axis is time."""
        shape = (*self.shape(low - 1, high - 1, 2, False), self.number(least, size))
        dtype, seed = dtype if isinstance(dtype, str) else self.one(*dtype), self.number(0, 99)
        text = f"np.random.RandomState({seed}).uniform(-1, 1, {shape}).astype(np.{dtype})"
        return Operand(dtype, shape, text)

    def rate(self) -> str:
        """A learning rate: a number, a list, a Tensor or a schedule."""
        return self.one(*RATES)

    def axis(self, x: Operand):
        """An axis of x, from either end; once in a while one that is not there."""
        n = max(x.ndim, 1)
        if self.rare(32):
            return self.one(n, -n - 1)
        return self.number(-n, n - 1)

    def axes(self, x: Operand):
        """None, an axis, or a tuple of distinct axes."""
        way = self.one("one", "none", "some")
        if way == "one" or not x.ndim:
            return self.axis(x) if way == "one" else None
        if way == "none":
            return None
        count = self.number(1, x.ndim)
        order = self._draw(st.permutations(range(x.ndim)))[:count]
        return tuple(a - x.ndim if self.rare(3) else a for a in order)

    def permutation(self, x: Operand) -> tuple[int, ...]:
        return tuple(self._draw(st.permutations(range(x.ndim))))

    def reshaped(self, x: Operand):
        """A shape for x's elements: factors in another order, one of them -1 at times."""
        n = int(np.prod(x.shape))
        shape = list(self._draw(st.permutations(x.shape)))
        if self.flag():
            shape = [n] if self.flag() else [1, n]
        if shape and self.rare(3) and n:
            shape[self.number(0, len(shape) - 1)] = -1
        return tuple(shape)


def literal(dtype, shape, values) -> str:
    """A Tensor as text."""
    if dtype == "bfloat16":
        return literal("float32", shape, values)[:-1] + ", ms.bfloat16)"
    of = "np.bool_" if dtype == "bool" else f"np.{dtype}"
    if 0 in shape:
        return f"Tensor(np.zeros({tuple(shape)}, {of}))"
    cells = np.empty(len(values), object)
    cells[:] = values
    return f"Tensor(np.array({cells.reshape(shape).tolist()}, {of}))"
