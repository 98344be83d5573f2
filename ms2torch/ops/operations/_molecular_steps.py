"""Steps of molecular dynamics: integrators, coordinates as integers, lists of neighbours."""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.random.rng import philox
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.ops.function._writing import write

from ._molecular import MolecularOperator, displacement

_BOLTZMANN = 0.00198716     # kcal / (mol K)
_LOW = 0xFFFFFFFF


def _normals(words: np.ndarray) -> np.ndarray:
    """Normal numbers of Philox's words, (n, 4), as cuRAND's curand_normal4 makes them (Box and Muller)."""
    unit = np.float32(2**-32)
    turn = unit * np.float32(2 * math.pi)
    u = words[:, 0::2].astype(np.float32) * unit + unit / 2
    v = words[:, 1::2].astype(np.float32) * turn + turn / 2
    length = np.sqrt(np.float32(-2) * np.log(u))
    return np.stack([np.sin(v) * length, np.cos(v) * length], 2).reshape(len(words), 4)


def _words(seed: int, streams: int, turn: int) -> np.ndarray:
    """The four words of each stream's counter ``turn`` under the key ``seed``."""
    number = np.arange(streams, dtype=np.uint64)
    counter = (np.full_like(number, turn & _LOW), np.full_like(number, turn >> 32), number, number * 0)
    return np.stack(philox(counter, (seed & _LOW, seed >> 32 & _LOW)), 1)


class MDIterationSetupRandState(Primitive):
    """The state of a thermostat's random numbers (``mindspore.ops.MDIterationSetupRandState``, 1.2 and 1.3).

    Called without arguments; gives ceil(3 N / 4) streams of 16 Float32 words for
    `MDIterationLeapFrogLiujian`. The streams are cuRAND's Philox, seeded with ``seed``.
    """

    def __init__(self, atom_numbers, seed) -> None:
        super().__init__("MDIterationSetupRandState")
        self.add_prim_attr("atom_numbers", atom_numbers)
        self.add_prim_attr("seed", seed)

    def __call__(self):
        streams = math.ceil(self.atom_numbers * 3 / 4)
        state = np.zeros((streams, 16), np.uint32)
        state[:, 2] = np.arange(streams)
        state[:, 4:8] = _words(self.seed, streams, 0)
        state[:, 8], state[:, 9] = self.seed & _LOW, self.seed >> 32 & _LOW
        return Tensor(state.view(np.float32).reshape(-1))


class MDIterationLeapFrogLiujian(MolecularOperator):
    """A leap-frog step with Liu's Langevin thermostat (``mindspore.ops.MDIterationLeapFrogLiujian``).

    ``exp_gamma`` is exp(-friction dt). Called with 1 / mass and the thermostat's square roots (N,),
    Parameters of velocities, coordinates, forces and accelerations (N, 3), the state of
    `MDIterationSetupRandState`, and (N, 3) for the random forces; gives the new coordinates, and writes
    velocities, accelerations, the state and the random forces. Of 1.2 and 1.3.
    """

    _inputs = ("inverse_mass:f atom_numbers, sqrt_mass_inverse:f atom_numbers, vel:f atom_numbers 3, "
               "crd:f atom_numbers 3, frc:f atom_numbers 3, acc:f atom_numbers 3, rand_state:f S, "
               "rand_frc:f atom_numbers 3")

    def __init__(self, atom_numbers, half_dt, dt, exp_gamma) -> None:
        self._attributes(atom_numbers=atom_numbers, half_dt=half_dt, dt=dt, exp_gamma=exp_gamma)
        self.add_prim_attr("side_effect_mem", True)

    def __call__(self, *inputs):
        inverse, root, vel, crd, frc, _, state, _ = self._checked(inputs)
        words = state.detach().cpu().numpy().view(np.uint32).reshape(-1, 16).copy()
        seed, turn = int(words[0, 8]) | int(words[0, 9]) << 32, int(words[0, 0]) | int(words[0, 1]) << 32
        drawn = _normals(words[:, 4:8]).reshape(-1)[: vel.numel()]
        force = torch.from_numpy(drawn.astype(np.float32)).to(vel.device).reshape(vel.shape)
        words[:, 0], words[:, 1] = (turn + 1) & _LOW, turn + 1 >> 32
        words[:, 4:8] = _words(seed, len(words), turn + 1)
        after = torch.from_numpy(words.view(np.float32).reshape(-1)).to(state.device)
        speed_up = inverse[:, None] * frc
        half = vel + self.dt * speed_up
        slowed = self.exp_gamma * half + root[:, None] * force
        for place, value in ((2, slowed), (5, speed_up), (6, after), (7, force)):
            write(inputs[place], lambda old, value=value: value.detach().clone())
        return wrap(crd + self.half_dt * half + self.half_dt * slowed)


class MDIterationLeapFrog(MolecularOperator):
    """A leap-frog step with Liu's thermostat from rest at the origin (``mindspore.ops.MDIterationLeapFrog``).

    Called with 1 / mass and the thermostat's square roots (N,); gives velocities, coordinates, forces and
    accelerations (N, 3). This form of 1.2 and 1.3 takes no state, so each call gives the same: the velocities
    are the first random forces of cuRAND's Philox seeded with 1.
    """

    _inputs = "mass_inverse:f atom_numbers, sqrt_mass:f atom_numbers"

    def __init__(self, float4_numbers, atom_numbers, half_dt, dt, exp_gamma, is_max_velocity,
                 max_velocity) -> None:
        self._attributes(float4_numbers=float4_numbers, atom_numbers=atom_numbers, half_dt=half_dt, dt=dt,
                         exp_gamma=exp_gamma, is_max_velocity=is_max_velocity, max_velocity=max_velocity)
        self._floats("half_dt", "dt", "exp_gamma", "max_velocity")

    def _compute(self, inverse, root):
        drawn = _normals(_words(1, math.ceil(self.atom_numbers * 3 / 4), 0)).reshape(-1)
        drawn = drawn[: 3 * self.atom_numbers]
        vel = root[:, None] * torch.from_numpy(drawn.astype(np.float32)).to(root.device).reshape(-1, 3)
        return vel, self.half_dt * vel, torch.zeros_like(vel), torch.zeros_like(vel)


def _as_integers(crd: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Coordinates as integers of 32 bits: truncated at 31, then doubled."""
    return (crd * scale).to(torch.int64) * 2 % 2**32


class CrdToUintCrd(MolecularOperator):
    """Coordinates as UInt32, (N, 3) (``mindspore.ops.CrdToUintCrd``, 1.2 and 1.3).

    Called with 2^31 / box (3,) and coordinates (N, 3): products are truncated, then doubled.
    """

    _inputs = "crd_to_uint_crd_cof:f 3, crd:f atom_numbers 3"

    def __init__(self, atom_numbers) -> None:
        self._attributes(atom_numbers=atom_numbers)

    def _compute(self, scale, crd):
        return _as_integers(crd, scale).to(torch.uint32)


class GetCenterOfGeometry(MolecularOperator):
    """The sum of some atoms' coordinates times ``center_numbers_inverse``, (3,)
    (``mindspore.ops.GetCenterOfGeometry``, 1.2 and 1.3).

    Called with the atoms' indices and coordinates (N, 3), N being ``center_numbers``.
    """

    _inputs = "center_atoms:i center_numbers, crd_f:f center_numbers 3"

    def __init__(self, center_numbers, center_numbers_inverse) -> None:
        self._attributes(center_numbers=center_numbers)
        self.add_prim_attr("center_numbers_inverse", center_numbers_inverse)
        self._floats("center_numbers_inverse")

    def _compute(self, atoms, crd):
        return (self.center_numbers_inverse * crd[atoms]).sum(0)


class MDTemperature(MolecularOperator):
    """Each residue's part of the temperature in kelvin, (R,) (``mindspore.ops.MDTemperature``, 1.2 and 1.3).

    Called with the first atom of each residue and the one behind its last (R,) of Int32, velocities (N, 3)
    and masses (N,): the kinetic energy of the residue's momentum, in kcal/mol, times 2 / (3 k R).
    """

    _inputs = ("start:i residue_numbers, end:i residue_numbers, atom_vel_f:f atom_numbers 3, "
               "atom_mass:f atom_numbers")

    def __init__(self, residue_numbers, atom_numbers) -> None:
        self._attributes(residue_numbers=residue_numbers, atom_numbers=atom_numbers)

    def _compute(self, start, end, vel, mass):
        def summed(values):                             # (N, ...) over each residue's atoms
            total = torch.cat([values.new_zeros(1, *values.shape[1:]), values.cumsum(0)])
            return total[end] - total[start]

        moved = summed((mass[:, None] * vel).double())
        energy = 0.5 * (moved * moved).sum(1) / summed(mass.double())
        return (energy * 2 / 3 / _BOLTZMANN / self.residue_numbers).to(vel.dtype)


def _fades(r: torch.Tensor) -> torch.Tensor:
    return 0.5 * torch.cos(math.pi / 1000.0 * r) + 0.5


class TransferCrd(MolecularOperator):
    """Radial and angular symmetry functions of atoms (``mindspore.ops.TransferCrd``, 1.2 and 1.3).

    Called with coordinates (N, 3); gives two of (``number``,), of which the atoms from ``start_serial`` up to
    ``end_serial`` are filled and see each other: Behler's with shift 0.5, width 0.5, angle 3.14, power 2 and
    cutoff 1000. ``atom_numbers`` is N.
    """

    _inputs = "crd:f atom_numbers 3"

    def __init__(self, start_serial, end_serial, number, atom_numbers) -> None:
        self._attributes(start_serial=start_serial, end_serial=end_serial, number=number,
                         atom_numbers=atom_numbers)

    def _compute(self, crd):
        x = crd[self.start_serial : self.end_serial]
        count = len(x)
        r = (x[:, None] - x[None]).norm(dim=2)
        others = ~torch.eye(count, dtype=torch.bool, device=x.device)
        radial = torch.where(others, torch.exp(-0.5 * (r - 0.5) ** 2) * _fades(r), 0).sum(1)
        i, j, k = torch.meshgrid(*3 * [torch.arange(count, device=x.device)], indexing="ij")
        i, j, k = (v[(j < k) & (i != j) & (i != k)] for v in (i, j, k))
        to_j, to_k, across = r[i, j], r[i, k], r[j, k]
        cosine = (to_j**2 + to_k**2 - across**2) / (2 * to_j * to_k)
        angle = torch.arccos(cosine.clamp(-0.999999, 0.999999))
        term = ((1 + torch.cos(angle - 3.14)) ** 2 * torch.exp(-0.5 * (0.5 * (to_j + to_k) - 0.5) ** 2)
                * _fades(to_j) * _fades(to_k))
        angular = 0.5 * x.new_zeros(count).index_add(0, i, term)
        where = torch.arange(self.start_serial, self.start_serial + count, device=x.device)
        return tuple(x.new_zeros(self.number).index_copy(0, where, part) for part in (radial, angular))


class NeighborListUpdate(MolecularOperator):
    """Rebuilds lists of neighbours where it is time (``mindspore.ops.NeighborListUpdate``, 1.2 and 1.3).

    Called with Parameters, of which it writes those marked: the numbers of atoms in each grid cell* (G,) and
    these* (G, ``max_atom_in_grid_numbers``), coordinates* (N, 3), the box (3,), cells along each axis (3,), 1
    / their lengths (3,), each atom's cell* (N,), coordinates at the last update* (N, 3), 2^32 / box (3,),
    coordinates as UInt32* (N, 3), the 125 cells around each (G, 125), numbers of neighbours* (N,) and these*
    (N, ``max_neighbor_numbers``), box / 2^32 (3,), where excluded partners begin (N,), all of these (E,), how
    many each atom has (N,), the flag and the count* of updates (1,).

    The first time (``not_first_time`` 0) coordinates are those in the grid's frame, and are moved by
    ``skin``. Later it updates in every ``refresh_interval``-th call, or for 0 where an atom has moved by more
    than half the skin. Pairs within cutoff and skin are listed once, under the lower index. (The GPU's kernel
    left the skin out where the count says that it is time.) ValueError where a cell or a list is too small,
    which MindSpore wrote beyond.
    """

    _inputs = ("atom_numbers_in_grid_bucket:i grid_numbers, bucket:i grid_numbers max_atom_in_grid_numbers, "
               "crd:f atom_numbers 3, box_length:f 3, grid_N:i 3, grid_length_inverse:f 3, "
               "atom_in_grid_serial:i atom_numbers, old_crd:f atom_numbers 3, crd_to_uint_crd_cof:f 3, "
               "uint_crd:u atom_numbers 3, gpointer:i grid_numbers 125, nl_atom_numbers:i atom_numbers, "
               "nl_atom_serial:i atom_numbers max_neighbor_numbers, uint_dr_to_dr_cof:f 3, "
               "excluded_list_start:i atom_numbers, excluded_list:i E, excluded_numbers:i atom_numbers, "
               "need_refresh_flag:i 1, refresh_count:i 1")

    def __init__(self, grid_numbers, atom_numbers, not_first_time, nxy, excluded_atom_numbers, cutoff_square,
                 half_skin_square, cutoff_with_skin, half_cutoff_with_skin, cutoff_with_skin_square,
                 refresh_interval=20, cutoff=10.0, skin=2.0, max_atom_in_grid_numbers=64,
                 max_neighbor_numbers=800) -> None:
        self._attributes(
            grid_numbers=grid_numbers, atom_numbers=atom_numbers, not_first_time=not_first_time, nxy=nxy,
            excluded_atom_numbers=excluded_atom_numbers, cutoff_square=cutoff_square,
            half_skin_square=half_skin_square, cutoff_with_skin=cutoff_with_skin,
            half_cutoff_with_skin=half_cutoff_with_skin, cutoff_with_skin_square=cutoff_with_skin_square,
            refresh_interval=refresh_interval, cutoff=cutoff, skin=skin,
            max_atom_in_grid_numbers=max_atom_in_grid_numbers, max_neighbor_numbers=max_neighbor_numbers)
        self.add_prim_attr("side_effect_mem", True)

    def __call__(self, *inputs):
        crd, old, count = (inputs[place]._t for place in (2, 7, 18))
        given = self._checked(inputs)
        due = not self.not_first_time
        if self.not_first_time and self.refresh_interval > 0:
            due = int(count) % self.refresh_interval == 0
            write(inputs[18], lambda old: old + 1)
        elif self.not_first_time:
            due = bool(((crd - old) ** 2).sum(1).max() > self.half_skin_square)
        if due:
            self._rebuild(inputs, given)
        return wrap(crd.new_zeros(1))

    def _rebuild(self, inputs, given) -> None:
        crd, box, counts, inverse = given[2:6]
        scale, pointer, length, start, listed, excluded = (given[place] for place in (8, 10, 13, 14, 15, 16))
        inside = crd - self.skin if self.not_first_time else crd
        inside = torch.where(inside < 0, inside + box, torch.where(inside < box, inside, inside - box))
        cell = (inside * inverse).to(torch.int64)
        cell = torch.where(cell < counts, cell, 0)
        cell = cell[:, 2] * self.nxy + cell[:, 1] * counts[0] + cell[:, 0]
        crd = inside + self.skin
        whole = _as_integers(crd, scale * 0.5)
        numbers, bucket = _gathered(cell, torch.arange(len(cell), device=cell.device), self.grid_numbers,
                                    self.max_atom_in_grid_numbers, -1, self.name, "grid cell")
        a, b = self._pairs(cell, pointer, bucket, whole, length)
        taken = torch.repeat_interleave(torch.arange(len(cell), device=cell.device), excluded)
        places = torch.cumsum(excluded, 0) - excluded
        places = start[taken] + torch.arange(len(taken), device=cell.device) - places[taken]
        kept = ~torch.isin(a * len(cell) + b, taken * len(cell) + listed[places])
        near, serial = _gathered(a[kept], b[kept], len(cell), self.max_neighbor_numbers, 0, self.name,
                                 "list of neighbours")
        for place, value in ((0, numbers), (1, bucket), (2, crd), (6, cell), (7, crd), (9, whole), (11, near),
                             (12, serial)):
            write(inputs[place], lambda old, value=value: value.to(old.dtype).clone())

    def _pairs(self, cell, pointer, bucket, whole, length):
        """All pairs within cutoff and skin, the lower index first; some hundred atoms at a time."""
        found = []
        for first in range(0, len(cell), 256):
            atoms = torch.arange(first, min(first + 256, len(cell)), device=cell.device)
            others = bucket[pointer[cell[atoms]]].reshape(len(atoms), -1)
            row, place = torch.nonzero(others > atoms[:, None], as_tuple=True)
            a, b = atoms[row], others[row, place]
            near = (displacement(whole, b, a, length) ** 2).sum(1) < self.cutoff_with_skin_square
            found.append(torch.stack([a[near], b[near]]))
        return torch.cat(found, 1)


def _gathered(group, values, groups: int, room: int, empty: int, name: str, what: str):
    """How many ``values`` each group has, and these in rows of ``room``."""
    numbers = torch.bincount(group, minlength=groups)
    if len(group) and int(numbers.max()) > room:
        raise ValueError(f"For '{name}', a {what} has room for {room}, but got {int(numbers.max())}.")
    order = torch.argsort(group, stable=True)
    group, values = group[order], values[order]
    place = torch.arange(len(group), device=group.device) - (torch.cumsum(numbers, 0) - numbers)[group]
    rows = torch.full((groups, room), empty, dtype=values.dtype, device=values.device)
    rows[group, place] = values
    return numbers, rows
