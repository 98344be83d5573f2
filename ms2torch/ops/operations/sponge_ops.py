"""Operators of molecular dynamics (``mindspore.ops.operations.sponge_ops``, 1.2 and 1.3): forces and energies
of bonds, angles, dihedrals, and pairs of atoms.

MindSpore had them on GPUs alone. Here they are judged by their formulas: forces are the energies' negative
gradients.
"""

from __future__ import annotations

import math

import torch

from ._molecular import MolecularOperator, displacement, on_atoms
from ._molecular_steps import (
    CrdToUintCrd,
    GetCenterOfGeometry,
    MDIterationLeapFrog,
    MDIterationLeapFrogLiujian,
    MDIterationSetupRandState,
    MDTemperature,
    NeighborListUpdate,
    TransferCrd,
)
from ._particle_mesh import PMEEnergy, PMEExcludedForce, PMEReciprocalForce

__all__ = [
    "AngleAtomEnergy", "AngleEnergy", "AngleForce", "AngleForceWithAtomEnergy", "BondAtomEnergy",
    "BondEnergy", "BondForce", "BondForceWithAtomEnergy", "BondForceWithAtomVirial", "CrdToUintCrd",
    "Dihedral14CFAtomEnergy", "Dihedral14CFEnergy", "Dihedral14LJAtomEnergy",
    "Dihedral14LJCFForceWithAtomEnergy", "Dihedral14LJEnergy", "Dihedral14LJForce",
    "Dihedral14LJForceWithDirectCF", "DihedralAtomEnergy", "DihedralEnergy", "DihedralForce",
    "DihedralForceWithAtomEnergy", "GetCenterOfGeometry", "LJEnergy", "LJForce",
    "LJForceWithPMEDirectForce", "MDIterationLeapFrog", "MDIterationLeapFrogLiujian",
    "MDIterationSetupRandState", "MDTemperature", "NeighborListUpdate", "PMEEnergy", "PMEExcludedForce",
    "PMEReciprocalForce", "TransferCrd",
]


# ---- bonds -------------------------------------------------------------------------------------------------

class _Bond(MolecularOperator):
    """A harmonic bond, E = k (r - r0)^2."""

    _inputs = ("uint_crd_f:u atom_numbers 3, scaler_f:f 3, atom_a:i bond_numbers, atom_b:i bond_numbers, "
               "bond_k:f bond_numbers, bond_r0:f bond_numbers")

    def __init__(self, bond_numbers, atom_numbers) -> None:
        self._attributes(bond_numbers=bond_numbers, atom_numbers=atom_numbers)

    def _parts(self, crd, scale, a, b, k, r0):
        """(energies, virials, forces): a bond's energy, its r dE/dr / 2, and the forces on the atoms."""
        way = displacement(crd, a, b, scale)
        r = way.norm(dim=1)
        pull = 2 * k * (r - r0)
        force = (pull / r)[:, None] * way
        return k * (r - r0) ** 2, r * pull / 2, on_atoms(scale, self.atom_numbers, (a, -force), (b, force))

    def _at(self, atoms, values):
        return on_atoms(values, self.atom_numbers, (atoms, values))


class BondForce(_Bond):
    """The force of harmonic bonds on each atom, (N, 3) (``mindspore.ops.BondForce``, 1.2 and 1.3).

    Called with coordinates (N, 3) of UInt32, the scale (3,), both atoms' indices (M,) of Int32, the constants
    and the lengths at rest (M,); M is ``bond_numbers``, N ``atom_numbers``.
    """

    def _compute(self, *inputs):
        return self._parts(*inputs)[2]


class BondEnergy(_Bond):
    """The energy of each harmonic bond, (M,) (``mindspore.ops.BondEnergy``); called as `BondForce`."""

    def _compute(self, *inputs):
        return self._parts(*inputs)[0]


class BondAtomEnergy(_Bond):
    """The energy of harmonic bonds by their first atom, (N,) (``mindspore.ops.BondAtomEnergy``)."""

    def _compute(self, *inputs):
        return self._at(inputs[2], self._parts(*inputs)[0])


class BondForceWithAtomEnergy(_Bond):
    """`BondForce` and `BondAtomEnergy` (``mindspore.ops.BondForceWithAtomEnergy``)."""

    def _compute(self, *inputs):
        energies, _, forces = self._parts(*inputs)
        return forces, self._at(inputs[2], energies)


class BondForceWithAtomVirial(_Bond):
    """`BondForce`, and k (r - r0) r by the bonds' first atom, (N,)
    (``mindspore.ops.BondForceWithAtomVirial``).
    """

    def _compute(self, *inputs):
        _, virials, forces = self._parts(*inputs)
        return forces, self._at(inputs[2], virials)


# ---- angles ------------------------------------------------------------------------------------------------

class _Angle(MolecularOperator):
    """A harmonic angle a-b-c, E = k (theta - theta0)^2."""

    _inputs = ("uint_crd_f:u N 3, scaler_f:f 3, atom_a:i angle_numbers, atom_b:i angle_numbers, "
               "atom_c:i angle_numbers, angle_k:f angle_numbers, angle_theta0:f angle_numbers")

    def __init__(self, angle_numbers) -> None:
        self._attributes(angle_numbers=angle_numbers)

    def _parts(self, crd, scale, a, b, c, k, theta0):
        """(energies, forces on the atoms)."""
        ab, cb = displacement(crd, a, b, scale), displacement(crd, c, b, scale)
        ra, rc = ab.norm(dim=1), cb.norm(dim=1)
        cosine = ((ab * cb).sum(1) / (ra * rc)).clamp(-0.999999, 0.999999)
        theta = torch.arccos(cosine)
        turn = (2 * k * (theta - theta0) / torch.sin(theta))[:, None]
        cosine, across = cosine[:, None], (ra * rc)[:, None]
        on_a = turn * (cb / across - cosine * ab / ra[:, None] ** 2)
        on_c = turn * (ab / across - cosine * cb / rc[:, None] ** 2)
        return k * (theta - theta0) ** 2, on_atoms(scale, len(crd), (a, on_a), (b, -on_a - on_c), (c, on_c))


class AngleForce(_Angle):
    """The force of harmonic angles on each atom, (N, 3) (``mindspore.ops.AngleForce``, 1.2 and 1.3).

    Called with coordinates (N, 3) of UInt32, the scale (3,), the indices (M,) of the three atoms, of which
    the second is in the middle, the constants and the angles at rest in radians (M,). Cosines are kept
    1e-6 away from 1.
    """

    def _compute(self, *inputs):
        return self._parts(*inputs)[1]


class AngleEnergy(_Angle):
    """The energy of each harmonic angle, (M,) (``mindspore.ops.AngleEnergy``); called as `AngleForce`."""

    def _compute(self, *inputs):
        return self._parts(*inputs)[0]


class AngleAtomEnergy(_Angle):
    """The energy of harmonic angles by their first atom, (N,) (``mindspore.ops.AngleAtomEnergy``)."""

    def _compute(self, crd, scale, a, *rest):
        return on_atoms(scale, len(crd), (a, self._parts(crd, scale, a, *rest)[0]))


class AngleForceWithAtomEnergy(_Angle):
    """`AngleForce` and `AngleAtomEnergy` (``mindspore.ops.AngleForceWithAtomEnergy``)."""

    def _compute(self, crd, scale, a, *rest):
        energies, forces = self._parts(crd, scale, a, *rest)
        return forces, on_atoms(scale, len(crd), (a, energies))


# ---- dihedrals ---------------------------------------------------------------------------------------------

class _Dihedral(MolecularOperator):
    """A dihedral a-b-c-d, E = k + k cos(n phi - phi0), with gamc = k cos(phi0) and gams = k sin(phi0)."""

    _inputs = ("uint_crd_f:u N 3, scaler_f:f 3, atom_a:i dihedral_numbers, atom_b:i dihedral_numbers, "
               "atom_c:i dihedral_numbers, atom_d:i dihedral_numbers, ipn:i dihedral_numbers, "
               "pk:f dihedral_numbers, gamc:f dihedral_numbers, gams:f dihedral_numbers, "
               "pn:f dihedral_numbers")

    def __init__(self, dihedral_numbers) -> None:
        self._attributes(dihedral_numbers=dihedral_numbers)

    def _parts(self, crd, scale, a, b, c, d, ipn, pk, gamc, gams, pn):
        """(energies, forces on the atoms)."""
        ab, cb, cd = (displacement(crd, *pair, scale) for pair in ((a, b), (c, b), (c, d)))
        r1, r2 = torch.linalg.cross(ab, cb), torch.linalg.cross(cd, cb)
        n1, n2 = r1.norm(dim=1), r2.norm(dim=1)
        between = torch.arccos(((r1 * r2).sum(1) / (n1 * n2)).clamp(-0.999999, 0.999999))
        side = (torch.linalg.cross(r2, r1) * cb).sum(1)
        phi = math.pi - torch.copysign(between, side)
        cosine, sine = torch.cos(phi), torch.sin(phi)
        swing = torch.cos(pn * phi), torch.sin(pn * phi)
        # where sin(phi) vanishes, sin(n phi) / sin(phi) has the limit n, with a sign for even n
        even = torch.where(ipn % 2 == 0, ipn, 0).to(pn.dtype)
        limit = gamc * (pn - even + even * cosine)
        steep = torch.where(sine.abs() < 1e-6, limit,
                            pn * (gamc * swing[1] - gams * swing[0]) / torch.where(sine == 0, 1, sine))
        across, cosine, steep = (n1 * n2)[:, None], cosine[:, None], steep[:, None]
        by_r1 = r2 / across + cosine * r1 / n1[:, None] ** 2
        by_r2 = r1 / across + cosine * r2 / n2[:, None] ** 2
        on_a = torch.linalg.cross(steep * cb, by_r1)
        on_d = torch.linalg.cross(steep * by_r2, cb)
        middle = steep * (torch.linalg.cross(ab, by_r1) + torch.linalg.cross(cd, by_r2))
        forces = on_atoms(scale, len(crd), (a, on_a), (b, middle - on_a), (c, -on_d - middle), (d, on_d))
        return pk + swing[0] * gamc + swing[1] * gams, forces


class DihedralForce(_Dihedral):
    """The force of dihedrals on each atom, (N, 3) (``mindspore.ops.DihedralForce``, 1.2 and 1.3).

    Called with coordinates (N, 3) of UInt32, the scale (3,), the indices (M,) of the four atoms, the periods
    as Int32, the constants k, k cos(phi0), k sin(phi0), and the periods as Float32, all (M,). The angle has a
    sign, as the documentation says; the GPU's kernel dropped it, which shows where phi0 is neither 0 nor pi.
    """

    def _compute(self, *inputs):
        return self._parts(*inputs)[1]


class DihedralEnergy(_Dihedral):
    """The energy of each dihedral, (M,) (``mindspore.ops.DihedralEnergy``); called as `DihedralForce`."""

    def _compute(self, *inputs):
        return self._parts(*inputs)[0]


class DihedralAtomEnergy(_Dihedral):
    """The energy of dihedrals by their first atom, (N,) (``mindspore.ops.DihedralAtomEnergy``)."""

    def _compute(self, crd, scale, a, *rest):
        return on_atoms(scale, len(crd), (a, self._parts(crd, scale, a, *rest)[0]))


class DihedralForceWithAtomEnergy(_Dihedral):
    """`DihedralForce` and `DihedralAtomEnergy` (``mindspore.ops.DihedralForceWithAtomEnergy``)."""

    def _compute(self, crd, scale, a, *rest):
        energies, forces = self._parts(crd, scale, a, *rest)
        return forces, on_atoms(scale, len(crd), (a, energies))


# ---- pairs of atoms ----------------------------------------------------------------------------------------

def _pair_type(types, a, b):
    """Where a pair's coefficients are among those of all pairs of types."""
    low, high = torch.minimum(types[a], types[b]), torch.maximum(types[a], types[b])
    return high * (high + 1) // 2 + low


def _lennard_jones(square, a, b):
    """(energies, dE/dr / r) of Lennard-Jones; the coefficients come times 12 and 6."""
    sixth = square**-3
    return (a / 12 * sixth - b / 6) * sixth, (b - a * sixth) * square**-4


class _Pair14(MolecularOperator):
    """What atoms at a dihedral's ends add for Lennard-Jones and Coulomb, each scaled."""

    _lj = "lj_scale_factor:f nb14_numbers, "
    _cf = "cf_scale_factor:f nb14_numbers, "
    _types = "LJ_type_A:f Q, LJ_type_B:f Q"
    _pairs = ("uint_crd_f:u atom_numbers 3, LJtype:i atom_numbers, charge:f atom_numbers, boxlength_f:f 3, "
              "a_14:i nb14_numbers, b_14:i nb14_numbers, ")

    def __init__(self, nb14_numbers, atom_numbers) -> None:
        self._attributes(nb14_numbers=nb14_numbers, atom_numbers=atom_numbers)

    def _terms(self, crd, types, charge, scale, a, b, lj=None, cf=None, coefficients=None):
        """(Lennard-Jones's energies, Coulomb's, the forces on the atoms); what has no scale is 0."""
        way = displacement(crd, b, a, scale)
        square = (way * way).sum(1)
        of_lj = of_cf = steep = torch.zeros_like(square)
        if lj is not None:
            pair = _pair_type(types, a, b)
            energies, slope = _lennard_jones(square, *(c[pair] for c in coefficients))
            of_lj, steep = lj * energies, lj * slope
        if cf is not None:
            of_cf = cf * charge[a] * charge[b] * square.rsqrt()
            steep = steep - of_cf / square
        force = steep[:, None] * way
        return of_lj, of_cf, on_atoms(scale, len(crd), (a, force), (b, -force))


class Dihedral14LJForce(_Pair14):
    """The Lennard-Jones force of 1-4 pairs on each atom, (N, 3) (``mindspore.ops.Dihedral14LJForce``).

    Called with coordinates (N, 3) of UInt32, types (N,) of Int32, charges (N,), the scale (3,), both atoms'
    indices (M,), the pairs' scales (M,), and the coefficients A times 12 and B times 6 of all pairs of types,
    of which (low, high) has the place ``high (high + 1) / 2 + low``. Of 1.2 and 1.3.
    """

    _inputs = _Pair14._pairs + _Pair14._lj + _Pair14._types

    def _compute(self, *inputs):
        return self._terms(*inputs[:7], coefficients=inputs[7:])[2]


class Dihedral14LJEnergy(Dihedral14LJForce):
    """The Lennard-Jones energy of each 1-4 pair, (M,) (``mindspore.ops.Dihedral14LJEnergy``)."""

    def _compute(self, *inputs):
        return self._terms(*inputs[:7], coefficients=inputs[7:])[0]


class Dihedral14LJAtomEnergy(Dihedral14LJForce):
    """The Lennard-Jones energy of 1-4 pairs by their first atom, (N,)
    (``mindspore.ops.Dihedral14LJAtomEnergy``)."""

    def _compute(self, *inputs):
        energies = self._terms(*inputs[:7], coefficients=inputs[7:])[0]
        return on_atoms(energies, self.atom_numbers, (inputs[4], energies))


class Dihedral14LJForceWithDirectCF(_Pair14):
    """The Lennard-Jones and Coulomb force of 1-4 pairs on each atom, (N, 3)
    (``mindspore.ops.Dihedral14LJForceWithDirectCF``).

    Called as `Dihedral14LJForce`, with Coulomb's scales (M,) after Lennard-Jones's.
    """

    _inputs = _Pair14._pairs + _Pair14._lj + _Pair14._cf + _Pair14._types

    def _compute(self, *inputs):
        return self._terms(*inputs[:8], coefficients=inputs[8:])[2]


class Dihedral14LJCFForceWithAtomEnergy(Dihedral14LJForceWithDirectCF):
    """`Dihedral14LJForceWithDirectCF`, and the energy by the pairs' first atom, (N,)
    (``mindspore.ops.Dihedral14LJCFForceWithAtomEnergy``)."""

    def _compute(self, *inputs):
        of_lj, of_cf, forces = self._terms(*inputs[:8], coefficients=inputs[8:])
        return forces, on_atoms(of_lj, self.atom_numbers, (inputs[4], of_lj + of_cf))


class Dihedral14CFEnergy(_Pair14):
    """The Coulomb energy of each 1-4 pair, (M,) (``mindspore.ops.Dihedral14CFEnergy``).

    Called as `Dihedral14LJForce`, with Coulomb's scales and without coefficients.
    """

    _inputs = (_Pair14._pairs + _Pair14._cf).rstrip(", ")

    def _compute(self, *inputs):
        return self._terms(*inputs[:6], cf=inputs[6])[1]


class Dihedral14CFAtomEnergy(Dihedral14CFEnergy):
    """The Coulomb energy of 1-4 pairs by their first atom, (N,) (``mindspore.ops.Dihedral14CFAtomEnergy``).
    """

    def _compute(self, *inputs):
        energies = self._terms(*inputs[:6], cf=inputs[6])[1]
        return on_atoms(energies, self.atom_numbers, (inputs[4], energies))


class _Neighbours(MolecularOperator):
    """Pairs of a list of neighbours: row i holds the first ``nl_numbers[i]`` partners of atom i."""

    _inputs = ("uint_crd:u atom_numbers 3, LJtype:i atom_numbers, charge:f atom_numbers, scaler:f 3, "
               "nl_numbers:i atom_numbers, nl_serial:i atom_numbers L, d_LJ_A:f Q, d_LJ_B:f Q")

    def _near(self, crd, scale, numbers, serial, limit):
        """The atoms of all pairs closer than the root of ``limit``, the ways from the first, the squares."""
        a, place = torch.nonzero(torch.arange(serial.shape[1], device=serial.device) < numbers[:, None],
                                 as_tuple=True)
        b = serial[a, place]
        way = displacement(crd, b, a, scale)
        square = (way * way).sum(1)
        near = square < limit
        return a[near], b[near], way[near], square[near]


class LJEnergy(_Neighbours):
    """The Lennard-Jones energy of neighbours by the first atom, (N,) (``mindspore.ops.LJEnergy``).

    Called with coordinates (N, 3) of UInt32, types and charges (N,), the scale (3,), the numbers of
    neighbours (N,) and these (N, up to 800), each pair once, and the coefficients as `Dihedral14LJForce`'s.
    Pairs beyond the root of ``cutoff_square`` do not count. Of 1.2 and 1.3.
    """

    def __init__(self, atom_numbers, cutoff_square) -> None:
        self._attributes(atom_numbers=atom_numbers, cutoff_square=cutoff_square)
        self._floats("cutoff_square")

    def _compute(self, crd, types, charge, scale, numbers, serial, *coefficients):
        a, b, _, square = self._near(crd, scale, numbers, serial, self.cutoff_square)
        pair = _pair_type(types, a, b)
        energies, _ = _lennard_jones(square, *(c[pair] for c in coefficients))
        return on_atoms(scale, len(crd), (a, energies))


class LJForce(LJEnergy):
    """The Lennard-Jones force of neighbours on each atom, (N, 3) (``mindspore.ops.LJForce``); as `LJEnergy`.
    """

    def _compute(self, crd, types, charge, scale, numbers, serial, *coefficients):
        a, b, way, square = self._near(crd, scale, numbers, serial, self.cutoff_square)
        pair = _pair_type(types, a, b)
        force = _lennard_jones(square, *(c[pair] for c in coefficients))[1][:, None] * way
        return on_atoms(scale, len(crd), (a, force), (b, -force))


class LJForceWithPMEDirectForce(_Neighbours):
    """`LJForce`, and the direct part of the Coulomb force by Ewald's sum, of the energy q q erfc(beta r) / r
    (``mindspore.ops.LJForceWithPMEDirectForce``); ``cutoff`` is a length."""

    def __init__(self, atom_numbers, cutoff, pme_beta) -> None:
        self._attributes(atom_numbers=atom_numbers, cutoff=cutoff, pme_beta=pme_beta)
        self._floats("cutoff", "pme_beta")

    def _compute(self, crd, types, charge, scale, numbers, serial, *coefficients):
        a, b, way, square = self._near(crd, scale, numbers, serial, self.cutoff**2)
        pair = _pair_type(types, a, b)
        slope = _lennard_jones(square, *(c[pair] for c in coefficients))[1]
        r = square.sqrt()
        x = self.pme_beta * r
        screened = x * (2 / math.sqrt(math.pi)) * torch.exp(-x * x) + torch.erfc(x)
        force = (slope - charge[a] * charge[b] * screened / (square * r))[:, None] * way
        return on_atoms(scale, len(crd), (a, force), (b, -force))
