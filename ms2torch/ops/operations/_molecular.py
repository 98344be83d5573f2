"""What the operators of molecular dynamics share (``mindspore.ops.operations.sponge_ops``, 1.2 and 1.3).

Coordinates are unsigned integers that span the periodic box, so a difference that wraps around is the
shortest way; a scale (3,) makes it a length. Units are those of the program: in SPONGE angstroms and
kcal/mol, with charges that hold Coulomb's constant.
"""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor.tensor import Tensor, wrap

_DTYPES = {"u": (torch.uint32, "UInt32"), "i": (torch.int32, "Int32"), "f": (torch.float32, "Float32")}


class MolecularOperator(Primitive):
    """An operator whose inputs have the names, dtypes and shapes that ``_inputs`` says.

    ``_inputs`` is ``name:dtype shape``, separated by commas: the dtype u, i or f, each size a number, an
    attribute of the operator, or a letter that is the same everywhere. ``_compute`` gets torch tensors,
    indices and coordinates as int64.
    """

    _inputs = ""

    def _attributes(self, **given) -> None:
        """Keep the arguments that the operator is made with; TypeError for one of another kind."""
        super().__init__(type(self).__name__)
        for name, value in given.items():
            if name.endswith("numbers") or name.startswith("fft"):
                check.check_value_type(name, value, [int], self.name)
            self.add_prim_attr(name, value)

    def _floats(self, *names: str) -> None:
        for name in names:
            check.check_value_type(name, getattr(self, name), [float], self.name)

    def __call__(self, *inputs):
        found = self._compute(*self._checked(inputs))
        return tuple(map(wrap, found)) if isinstance(found, tuple) else wrap(found)

    def _checked(self, inputs: tuple) -> list[torch.Tensor]:
        described = [text.strip() for text in self._inputs.split(",") if text.strip()]
        if len(inputs) != len(described):
            raise TypeError(f"For '{self.name}', the number of inputs must be {len(described)}, but got "
                            f"{len(inputs)}.")
        letters: dict[str, int] = {}
        return [self._lowered(text, value, letters) for text, value in zip(described, inputs, strict=True)]

    def _lowered(self, text: str, value, letters: dict) -> torch.Tensor:
        """One input as ``_compute`` gets it; the errors of a wrong dtype or shape."""
        name, _, rest = text.partition(":")
        kind, *sizes = rest.split()
        dtype, said = _DTYPES[kind]
        if not isinstance(value, Tensor) or value._t.dtype is not dtype:
            got = value.dtype if isinstance(value, Tensor) else type(value).__name__
            raise TypeError(f"For '{self.name}', the type of '{name}' must be Tensor[{said}], but got {got}.")
        wanted = [int(s) if s.isdigit() else getattr(self, s, None) or letters.setdefault(s, size)
                  for s, size in zip(sizes, value.shape, strict=False)]
        if len(sizes) != value.ndim or list(value.shape) != wanted:
            raise ValueError(f"For '{self.name}', the shape of '{name}' must be ({', '.join(sizes)}), but "
                             f"got {value.shape}.")
        return value._t if kind == "f" else value._t.to(torch.int64)


def displacement(crd: torch.Tensor, a: torch.Tensor, b: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """The shortest way from atom ``b`` to ``a``, (M, 3): the difference of 32 bits as a signed number."""
    off = crd[a] - crd[b]
    return ((off + 2**31) % 2**32 - 2**31).to(scale.dtype) * scale


def on_atoms(like: torch.Tensor, count: int, *parts: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """The sum on each of ``count`` atoms of values (M, ...) given with the atoms that they are for."""
    total = like.new_zeros((count, *parts[0][1].shape[1:]))
    for atoms, values in parts:
        total = total.index_add(0, atoms, values)
    return total
