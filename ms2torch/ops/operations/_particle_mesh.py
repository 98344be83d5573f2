"""Coulomb's long-range part by the smooth particle-mesh Ewald method, of order 4 (Essmann and others, 1995).
"""

from __future__ import annotations

import math

import torch

from ._molecular import MolecularOperator, displacement, on_atoms

# The cubic B-spline's four pieces on [0, 1), by falling powers: the weight of the point that is 0 to 3 below.
_PIECES = torch.tensor([[1 / 6, 0, 0, 0], [-1 / 2, 1 / 2, 1 / 2, 1 / 6], [1 / 2, -1, 0, 4 / 6],
                        [-1 / 6, 1 / 2, -1 / 2, 1 / 6]])
_CUTOFF = 10.0      # of the direct sum in MindSpore's kernel


def _spline(f: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights of four points and their derivatives, each (..., 4), for places ``f`` between two points."""
    pieces = _PIECES.to(f)
    powers = torch.stack([f**3, f**2, f, torch.ones_like(f)], -1)
    slopes = torch.stack([3 * f**2, 2 * f, torch.ones_like(f), torch.zeros_like(f)], -1)
    return powers @ pieces.T, slopes @ pieces.T


def _moduli(points: int) -> torch.Tensor:
    """The squared moduli of the spline's Euler exponentials for the wave numbers of an axis."""
    wave = 2 * math.pi * torch.arange(points, dtype=torch.float64) / points
    total = sum(weight * torch.exp(1j * wave * k) for k, weight in enumerate((1 / 6, 4 / 6, 1 / 6)))
    return 1 / total.abs() ** 2


class _Mesh(MolecularOperator):
    """Charges on a grid, and the energy of each wave."""

    def _wave_factors(self) -> torch.Tensor:
        """By wave, (fftx, ffty, fftz // 2 + 1): the energy of a unit of |charge|^2, twice."""
        box = (self.box_length_0, self.box_length_1, self.box_length_2)
        counts = (self.fftx, self.ffty, self.fftz)
        square, moduli = 0.0, 1.0
        for axis, (count, length) in enumerate(zip(counts, box, strict=True)):
            waves = torch.fft.fftfreq(count, 1 / count, dtype=torch.float64).abs()
            shape = [-1 if i == axis else 1 for i in range(3)]
            square = square + (waves / length).reshape(shape) ** 2
            moduli = moduli * _moduli(count).reshape(shape)
        square[0, 0, 0] = 1.0
        factors = torch.exp(-((math.pi / self.beta) ** 2) * square) * moduli
        factors = factors / (math.pi * math.prod(box) * square)
        factors[0, 0, 0] = 0.0
        return factors[..., : self.fftz // 2 + 1]

    def _spread(self, crd, charge):
        """(grid of charges, each atom's 64 places in it, their weights, the weights' derivatives)."""
        counts = torch.tensor((self.fftx, self.ffty, self.fftz), device=crd.device)
        at = crd.to(torch.float64) / 2**32 * counts
        below = at.floor()
        weights, slopes = _spline((at - below).to(charge.dtype))                        # (N, 3, 4)
        points = (below.to(torch.int64)[..., None] - torch.arange(4, device=crd.device)) % counts[:, None]
        x, y, z = points.unbind(1)
        places = ((x[:, :, None, None] * self.ffty + y[:, None, :, None]) * self.fftz + z[:, None, None, :])
        x, y, z = weights.unbind(1)
        dx, dy, dz = slopes.unbind(1)

        def product(p, q, r):
            return (p[:, :, None, None] * q[:, None, :, None] * r[:, None, None, :]).flatten(1)

        whole = product(x, y, z)
        ways = torch.stack([product(dx, y, z), product(x, dy, z), product(x, y, dz)], -1)
        places = places.flatten(1)
        grid = on_atoms(charge, self.fftx * self.ffty * self.fftz,
                        (places.flatten(), (charge[:, None] * whole).flatten()))
        return grid.reshape(self.fftx, self.ffty, self.fftz), places, ways

    def _box(self, **given) -> None:
        self._attributes(**given)
        self._floats("beta", "box_length_0", "box_length_1", "box_length_2")


def _excluded(numbers, start, listed, crd, scale):
    """The excluded pairs, the ways from the first atom, the distances."""
    a = torch.repeat_interleave(torch.arange(len(crd), device=crd.device), numbers)
    first = torch.cumsum(numbers, 0) - numbers
    b = listed[start[a] + torch.arange(len(a), device=crd.device) - first[a]]
    way = displacement(crd, b, a, scale)
    return a, b, way, way.norm(dim=1)


_EXCLUDED = "excluded_list_start:i atom_numbers, excluded_list:i E, excluded_atom_numbers:i atom_numbers"


class PMEReciprocalForce(_Mesh):
    """The force of Ewald's reciprocal sum on each atom, (N, 3) (``mindspore.ops.PMEReciprocalForce``).

    ``beta`` is Ewald's parameter, ``fftx``, ``ffty`` and ``fftz`` are the grid's sizes, ``box_length_...``
    the box's. Called with coordinates (N, 3) of UInt32 and charges (N,). Of 1.2 and 1.3.
    """

    _inputs = "uint_crd:u atom_numbers 3, charge:f atom_numbers"

    def __init__(self, atom_numbers, beta, fftx, ffty, fftz, box_length_0, box_length_1,
                 box_length_2) -> None:
        self._box(atom_numbers=atom_numbers, beta=beta, fftx=fftx, ffty=ffty, fftz=fftz,
                  box_length_0=box_length_0, box_length_1=box_length_1, box_length_2=box_length_2)

    def _compute(self, crd, charge):
        grid, places, ways = self._spread(crd, charge)
        waves = torch.fft.rfftn(grid) * self._wave_factors().to(grid)
        potential = torch.fft.irfftn(waves, s=grid.shape, norm="forward").flatten()
        scale = torch.tensor((self.fftx / self.box_length_0, self.ffty / self.box_length_1,
                              self.fftz / self.box_length_2)).to(charge)
        return -charge[:, None] * scale * (potential[places][..., None] * ways).sum(1)


class PMEExcludedForce(MolecularOperator):
    """The force that takes excluded pairs out of Ewald's reciprocal sum, (N, 3)
    (``mindspore.ops.PMEExcludedForce``).

    Called with coordinates (N, 3) of UInt32, the scale (3,), charges (N,), where each atom's excluded
    partners begin (N,), all of these (E,), and how many it has (N,); each pair is given once. Of 1.2 and 1.3.
    """

    _inputs = "uint_crd:u atom_numbers 3, scaler:f 3, charge:f atom_numbers, " + _EXCLUDED

    def __init__(self, atom_numbers, excluded_numbers, beta) -> None:
        self._attributes(atom_numbers=atom_numbers, excluded_numbers=excluded_numbers, beta=beta)
        self._floats("beta")

    def _compute(self, crd, scale, charge, start, listed, numbers):
        a, b, way, r = _excluded(numbers, start, listed, crd, scale)
        x = self.beta * r
        slope = torch.erf(x) - x * (2 / math.sqrt(math.pi)) * torch.exp(-x * x)
        force = (charge[a] * charge[b] * slope / r**3)[:, None] * way
        return on_atoms(scale, len(crd), (a, force), (b, -force))


class PMEEnergy(_Mesh):
    """The Coulomb energy by Ewald's sum: its reciprocal, self, direct and excluded parts, (1,) each
    (``mindspore.ops.PMEEnergy``).

    Made as `PMEReciprocalForce`; called with coordinates, charges, the list of neighbours as `LJEnergy`'s,
    the scale, and the excluded pairs as `PMEExcludedForce`'s. The direct part ends at 10. The reciprocal part
    is that whose negative gradient `PMEReciprocalForce` gives; the GPU's kernel counted the waves twice that
    have no partner in half the spectrum. Of 1.2 and 1.3.
    """

    _inputs = ("uint_crd:u atom_numbers 3, charge:f atom_numbers, nl_numbers:i atom_numbers, "
               "nl_serial:i atom_numbers L, scaler:f 3, " + _EXCLUDED)

    def __init__(self, atom_numbers, excluded_numbers, beta, fftx, ffty, fftz, box_length_0, box_length_1,
                 box_length_2) -> None:
        self._box(atom_numbers=atom_numbers, excluded_numbers=excluded_numbers, beta=beta, fftx=fftx,
                  ffty=ffty, fftz=fftz, box_length_0=box_length_0, box_length_1=box_length_1,
                  box_length_2=box_length_2)

    def _compute(self, crd, charge, numbers, serial, scale, start, listed, excluded):
        waves = torch.fft.rfftn(self._spread(crd, charge)[0])
        power = waves.real**2 + waves.imag**2
        factors = self._wave_factors().to(power)
        alone = [0, self.fftz // 2] if self.fftz % 2 == 0 else [0]
        factors[..., alone] /= 2
        near = torch.arange(serial.shape[1], device=serial.device) < numbers[:, None]
        a, place = torch.nonzero(near, as_tuple=True)
        b = serial[a, place]
        r = displacement(crd, b, a, scale).norm(dim=1)
        direct = torch.where(r < _CUTOFF, charge[a] * charge[b] * torch.erfc(self.beta * r) / r, 0)
        a, b, _, r = _excluded(excluded, start, listed, crd, scale)
        apart = -charge[a] * charge[b] * torch.erf(self.beta * r) / r
        alone = -self.beta / math.sqrt(math.pi) * charge**2
        return tuple(part.sum().reshape(1) for part in (power * factors, alone, direct, apart))
