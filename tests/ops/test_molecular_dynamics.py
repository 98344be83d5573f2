"""Molecular dynamics of MindSpore 1.2 and 1.3, by arithmetic of our own in float64: no release at hand has it
on a CPU. Forces are the negative gradients of energies, by finite differences."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import erf, erfc

import ms2torch as ms
from ms2torch import Parameter, Tensor, ops

rng = np.random.default_rng(3)
BOX = np.array([20.0, 22.0, 25.0])
N = 12
CRD = rng.uniform(0, 1, (N, 3)) * 6 + np.array([17.0, 0.0, 21.0])      # some wrap around the box
SCALE = Tensor((BOX / 2**32).astype(np.float32))
CHARGE = rng.standard_normal(N)
CHARGE -= CHARGE.mean()
TYPES = rng.integers(0, 3, N)
A, B = rng.uniform(1e3, 1e4, 6), rng.uniform(10, 100, 6)


def whole(crd):
    return np.round(crd / BOX % 1 * 2**32).astype(np.uint64).astype(np.uint32)


def ints(*values):
    return Tensor(np.array(values, np.int32))


def floats(values):
    return Tensor(np.asarray(values, np.float32))


def way(crd, a, b):
    d = crd[a] - crd[b]
    return d - np.round(d / BOX) * BOX


def slope(energy, crd, step=1e-5):
    """The negative gradient of ``energy(crd)`` by finite differences."""
    found = np.zeros_like(crd)
    for at in itertools.product(range(len(crd)), range(3)):
        up, down = crd.copy(), crd.copy()
        up[at] += step
        down[at] -= step
        found[at] = (energy(down) - energy(up)) / (2 * step)
    return found


def close(got, expected, rtol=2e-4):
    expected = np.asarray(expected)
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=rtol, atol=rtol * np.abs(expected).max())


def by_first(atoms, energies):
    return np.bincount(atoms, energies, N)


def of_operators(prefix, made, called, energies, first):
    """The operators of one kind of term: energies, by atom too, and forces."""
    terms = energies(CRD)
    force = slope(lambda crd: energies(crd).sum(), CRD)
    close(getattr(ops, f"{prefix}Energy")(*made)(*called), terms)
    close(getattr(ops, f"{prefix}AtomEnergy")(*made)(*called), by_first(first, terms))
    close(getattr(ops, f"{prefix}Force")(*made)(*called), force)
    together = getattr(ops.operations, f"{prefix}ForceWithAtomEnergy")(*made)(*called)
    close(together[0], force)
    close(together[1], by_first(first, terms))
    return force


def test_bonds():
    a, b = np.array([0, 1, 2, 3, 3]), np.array([1, 2, 5, 7, 0])
    k, r0 = rng.uniform(50, 100, 5), rng.uniform(1, 2, 5)

    def energies(crd):
        return k * (np.linalg.norm(way(crd, a, b), axis=1) - r0) ** 2

    called = Tensor(whole(CRD)), SCALE, ints(*a), ints(*b), floats(k), floats(r0)
    force = of_operators("Bond", (5, N), called, energies, a)
    r = np.linalg.norm(way(CRD, a, b), axis=1)
    together = ops.BondForceWithAtomVirial(bond_numbers=5, atom_numbers=N)(*called)
    close(together[0], force)
    close(together[1], by_first(a, k * (r - r0) * r))


def test_angles():
    a, b, c = np.array([0, 1, 2, 4]), np.array([1, 2, 5, 6]), np.array([3, 4, 7, 0])
    k, theta0 = rng.uniform(20, 50, 4), rng.uniform(1, 2, 4)

    def energies(crd):
        one, two = way(crd, a, b), way(crd, c, b)
        cosine = (one * two).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
        return k * (np.arccos(cosine) - theta0) ** 2

    called = Tensor(whole(CRD)), SCALE, ints(*a), ints(*b), ints(*c), floats(k), floats(theta0)
    of_operators("Angle", (4,), called, energies, a)


def test_dihedrals():
    a, b, c, d = np.array([[0, 1, 2, 3], [4, 5, 6, 7], [8, 1, 3, 5], [2, 9, 10, 11], [6, 0, 8, 4]]).T
    n, k = np.array([1, 2, 3, 4, 3]), rng.uniform(1, 5, 5)
    phi0 = np.array([0.0, math.pi, 0.0, 0.7, -1.1])

    def energies(crd):
        """IUPAC's angle, 0 for cis, by atan2."""
        one, two, three = way(crd, b, a), way(crd, c, b), way(crd, d, c)
        first, second = np.cross(one, two), np.cross(two, three)
        y = (np.cross(first, second) * two).sum(1) / np.linalg.norm(two, axis=1)
        return k * (1 + np.cos(n * np.arctan2(y, (first * second).sum(1)) - phi0))

    called = (Tensor(whole(CRD)), SCALE, *(ints(*v) for v in (a, b, c, d, n)), floats(k),
              floats(k * np.cos(phi0)), floats(k * np.sin(phi0)), floats(n))
    of_operators("Dihedral", (5,), called, energies, a)


def test_a_flat_dihedral_has_the_limit_of_its_slope():
    crd = np.array([[1.0, 1, 1], [2, 1, 1], [2, 2, 1], [3, 2, 1.0]])        # trans: sin(phi) is 0
    called = [Tensor(whole(crd)), SCALE, *(ints(v) for v in (0, 1, 2, 3, 2)), floats([1.0]), floats([1.0]),
              floats([0.0]), floats([2.0])]
    close(ops.DihedralEnergy(1)(*called), [2.0])
    assert np.abs(ops.DihedralForce(1)(*called).asnumpy()).max() < 2e-2


def coefficients(a, b):
    low, high = np.minimum(TYPES[a], TYPES[b]), np.maximum(TYPES[a], TYPES[b])
    place = high * (high + 1) // 2 + low
    return A[place], B[place]


def lennard_jones(crd, a, b):
    r = np.linalg.norm(way(crd, a, b), axis=1)
    first, second = coefficients(a, b)
    return first / r**12 - second / r**6


def test_pairs_at_the_ends_of_dihedrals():
    a, b = np.array([0, 3, 4, 8]), np.array([5, 6, 1, 11])
    lj, cf = rng.uniform(0.3, 1, 4), rng.uniform(0.3, 1, 4)

    def of_lj(crd):
        return lj * lennard_jones(crd, a, b)

    def of_cf(crd):
        return cf * CHARGE[a] * CHARGE[b] / np.linalg.norm(way(crd, a, b), axis=1)

    pairs = Tensor(whole(CRD)), ints(*TYPES), floats(CHARGE), SCALE, ints(*a), ints(*b)
    types = floats(12 * A), floats(6 * B)
    of_lj_alone = *pairs, floats(lj), *types
    close(ops.Dihedral14LJEnergy(4, N)(*of_lj_alone), of_lj(CRD))
    close(ops.Dihedral14LJAtomEnergy(4, N)(*of_lj_alone), by_first(a, of_lj(CRD)))
    close(ops.Dihedral14LJForce(4, N)(*of_lj_alone), slope(lambda crd: of_lj(crd).sum(), CRD))
    close(ops.Dihedral14CFEnergy(4, N)(*pairs, floats(cf)), of_cf(CRD))
    close(ops.Dihedral14CFAtomEnergy(nb14_numbers=4, atom_numbers=N)(*pairs, floats(cf)),
          by_first(a, of_cf(CRD)))
    both = slope(lambda crd: (of_lj(crd) + of_cf(crd)).sum(), CRD)
    called = *pairs, floats(lj), floats(cf), *types
    close(ops.Dihedral14LJForceWithDirectCF(4, N)(*called), both)
    force, energy = ops.Dihedral14LJCFForceWithAtomEnergy(4, N)(*called)
    close(force, both)
    close(energy, by_first(a, of_lj(CRD) + of_cf(CRD)))


def neighbours(width=16):
    numbers, serial = np.zeros(N, np.int32), np.zeros((N, width), np.int32)
    pairs = [(i, j) for i in range(N) for j in range(i + 1, N) if (i + j) % 5]
    for i, j in pairs:
        serial[i, numbers[i]] = j
        numbers[i] += 1
    return np.array(pairs).T, Tensor(numbers), Tensor(serial)


def test_neighbours():
    (a, b), numbers, serial = neighbours()
    cutoff, beta = 4.0, 0.4
    near = np.linalg.norm(way(CRD, a, b), axis=1) < cutoff
    a, b = a[near], b[near]
    called = (Tensor(whole(CRD)), ints(*TYPES), floats(CHARGE), SCALE, numbers, serial, floats(12 * A),
              floats(6 * B))
    close(ops.LJEnergy(N, cutoff**2)(*called), by_first(a, lennard_jones(CRD, a, b)))
    close(ops.LJForce(atom_numbers=N, cutoff_square=cutoff**2)(*called),
          slope(lambda crd: lennard_jones(crd, a, b).sum(), CRD))

    def direct(crd):
        r = np.linalg.norm(way(crd, a, b), axis=1)
        return (lennard_jones(crd, a, b) + CHARGE[a] * CHARGE[b] * erfc(beta * r) / r).sum()

    close(ops.LJForceWithPMEDirectForce(N, cutoff, beta)(*called), slope(direct, CRD))


def waves(crd, beta, most=14):
    """Ewald's reciprocal energy, by its sum over waves."""
    k = 2 * math.pi * np.array(list(itertools.product(range(-most, most + 1), repeat=3))) / BOX
    square = (k * k).sum(1)
    seen = (square > 0) & (square < (6 * 2 * beta) ** 2)
    k, square = k[seen], square[seen]
    power = np.abs(CHARGE @ np.exp(1j * crd @ k.T)) ** 2
    return 2 * math.pi / BOX.prod() * (np.exp(-square / (4 * beta**2)) / square * power).sum()


@pytest.mark.parametrize("grid", [(40, 45, 50), (41, 44, 49)])
def test_ewald(grid):
    beta = 0.35
    made = (beta, *grid, *map(float, BOX))
    called = Tensor(whole(CRD)), floats(CHARGE)
    force = ops.PMEReciprocalForce(N, *made)(*called)
    close(force, slope(lambda crd: waves(crd, beta), CRD[:], 1e-4), 2e-3)       # of order 4 in the grid
    (a, b), numbers, serial = neighbours()
    apart = np.array([(i, j) for i in range(N) for j in range(i + 1, N) if not (i + j) % 5]).T
    count = np.bincount(apart[0], minlength=N)
    excluded = ints(*np.cumsum(count) - count), ints(*apart[1]), ints(*count)
    found = ops.PMEEnergy(N, apart.shape[1], *made)(*called, numbers, serial, SCALE, *excluded)
    assert [part.shape for part in found] == [(1,)] * 4
    r = np.linalg.norm(way(CRD, a, b), axis=1)
    near = r < 10

    def corrected(crd):
        r = np.linalg.norm(way(crd, *apart), axis=1)
        return -(CHARGE[apart[0]] * CHARGE[apart[1]] * erf(beta * r) / r).sum()

    expected = [waves(CRD, beta), -beta / math.sqrt(math.pi) * (CHARGE**2).sum(),
                (CHARGE[a] * CHARGE[b] * erfc(beta * r) / r)[near].sum(), corrected(CRD)]
    np.testing.assert_allclose([float(part) for part in found], expected, rtol=2e-3)
    close(ops.PMEExcludedForce(N, apart.shape[1], beta)(called[0], SCALE, called[1], *excluded),
          slope(corrected, CRD))


def test_coordinates_as_integers():
    scale = floats(2**31 / BOX)
    made = ops.CrdToUintCrd(N)(scale, floats(CRD % BOX))
    assert made.dtype == ms.uint32 and (made.asnumpy() % 2 == 0).all()
    off = (made.asnumpy().astype(np.int64) - whole(CRD).astype(np.int64) + 2**31) % 2**32 - 2**31
    assert np.abs(off).max() < 2**10                # Float32 has 24 bits


def test_temperature_and_centre():
    start, end = np.array([0, 4, 9]), np.array([4, 9, 12])
    vel, mass = rng.standard_normal((N, 3)), rng.uniform(1, 16, N)
    expected = []
    for s, e in zip(start, end, strict=True):
        p = (mass[s:e, None] * vel[s:e]).sum(0)
        expected.append(p @ p / mass[s:e].sum() / 3 / 0.00198716 / 3)
    close(ops.MDTemperature(3, N)(ints(*start), ints(*end), floats(vel), floats(mass)), expected)
    atoms = rng.permutation(N)
    close(ops.GetCenterOfGeometry(N, 1 / N)(ints(*atoms), floats(CRD)), CRD.mean(0))


def test_symmetry_functions():
    x = CRD[2:8]
    radial, angular = np.zeros(N), np.zeros(N)

    def fades(r):
        return 0.5 * math.cos(math.pi / 1000 * r) + 0.5

    for i in range(6):
        r = np.linalg.norm(x - x[i], axis=1)
        for j in set(range(6)) - {i}:
            radial[2 + i] += math.exp(-0.5 * (r[j] - 0.5) ** 2) * fades(r[j])
            for k in set(range(j + 1, 6)) - {i}:
                angle = math.acos((x[j] - x[i]) @ (x[k] - x[i]) / r[j] / r[k])
                near = math.exp(-0.5 * (0.5 * (r[j] + r[k]) - 0.5) ** 2) * fades(r[j]) * fades(r[k])
                angular[2 + i] += 0.5 * (1 + math.cos(angle - 3.14)) ** 2 * near
    found = ops.TransferCrd(2, 8, N, N)(floats(CRD))
    close(found[0], radial)
    close(found[1], angular)


def test_a_step_of_the_thermostat():
    mass, dt, gamma = rng.uniform(1, 16, N), 0.002, 0.9
    root = rng.uniform(0, 0.1, N)
    vel, frc = rng.standard_normal((N, 3)), rng.standard_normal((N, 3))
    state = Parameter(ops.MDIterationSetupRandState(N, 7)(), name="state")
    assert state.shape == (math.ceil(3 * N / 4) * 16,) and state.dtype == ms.float32
    written = [Parameter(floats(v), name=f"p{i}") for i, v in enumerate((vel, CRD, frc, 0 * vel, 0 * vel))]
    step = ops.MDIterationLeapFrogLiujian(N, dt / 2, dt, gamma)
    moved = step(floats(1 / mass), floats(root), *written[:4], state, written[4])
    half = vel + dt * frc / mass[:, None]
    force = written[4].asnumpy().astype(np.float64)
    after = gamma * half + root[:, None] * force
    close(written[0], after)
    close(written[3], frc / mass[:, None])
    close(moved, CRD + dt / 2 * (half + after), 1e-6)
    np.testing.assert_array_equal(written[1].asnumpy(), CRD.astype(np.float32))
    again = step(floats(1 / mass), floats(root), *written[:4], state, written[4])
    assert (written[4].asnumpy() != force).all() and again.shape == (N, 3)
    rest = ops.MDIterationLeapFrog(9, N, dt / 2, dt, gamma, 0, 0.0)(floats(1 / mass), floats(root))
    close(rest[1], dt / 2 * rest[0].asnumpy())
    assert not rest[2].asnumpy().any() and not rest[3].asnumpy().any()


def test_random_forces_are_normal_and_those_of_philox():
    big = 4000
    state = Parameter(ops.MDIterationSetupRandState(big, 11)(), name="state")
    zeros = [Parameter(floats(np.zeros((big, 3))), name=f"z{i}") for i in range(5)]
    step = ops.MDIterationLeapFrogLiujian(big, 0.5, 1.0, 1.0)
    drawn = []
    for _ in range(3):
        step(floats(np.ones(big)), floats(np.ones(big)), *zeros[:4], state, zeros[4])
        drawn.append(zeros[4].asnumpy().astype(np.float64).ravel())
    drawn = np.array(drawn)
    assert abs(drawn.mean()) < 0.03 and abs(drawn.std() - 1) < 0.02 and abs((drawn**4).mean() - 3) < 0.2
    assert abs(np.corrcoef(drawn) - np.eye(3)).max() < 0.04
    # Salmon's published words of Philox4x32-10 for a counter and a key of zeros, by Box and Muller
    words = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    u, v = ([(w + 0.5) / 2**32 for w in part] for part in (words[::2], words[1::2]))
    expected = [f(2 * math.pi * y) * math.sqrt(-2 * math.log(x))
                for x, y in zip(u, v, strict=True) for f in (math.sin, math.cos)]
    state = Parameter(ops.MDIterationSetupRandState(2, 0)(), name="state")
    few = [Parameter(floats(np.zeros((2, 3))), name=f"f{i}") for i in range(5)]
    ops.MDIterationLeapFrogLiujian(2, 0.5, 1.0, 1.0)(floats([1, 1]), floats([1, 1]), *few[:4], state, few[4])
    np.testing.assert_allclose(few[4].asnumpy().ravel()[:4], expected, rtol=1e-5)


def cells(count=300):
    """A box of atoms in 5 x 5 x 6 cells, and the arguments of NeighborListUpdate."""
    cutoff, skin, grid = 4.0, 1.0, np.array([5, 5, 6])
    edge = np.array([20.0, 20.0, 24.0])
    crd = rng.uniform(0, 1, (count, 3)) * edge
    every = np.array(list(itertools.product(*map(range, grid))))

    def serial(cell):
        cell = cell % grid
        return cell[..., 2] * grid[0] * grid[1] + cell[..., 1] * grid[0] + cell[..., 0]

    around = np.array(list(itertools.product(range(-2, 3), repeat=3)))
    pointer = np.zeros((len(every), 125), np.int32)
    pointer[serial(every)] = serial(every[:, None] + around)
    partners = [sorted(rng.choice(np.arange(i + 1, count), min(3, count - i - 1), False))
                for i in range(count)]
    numbers = np.array([len(p) for p in partners], np.int32)

    def state(name, values, dtype=np.int32):
        return Parameter(Tensor(np.asarray(values, dtype)), name=name)

    made = {"grid_numbers": len(every), "atom_numbers": count, "nxy": 25, "cutoff": cutoff, "skin": skin,
            "excluded_atom_numbers": int(numbers.sum()), "cutoff_square": cutoff**2,
            "half_skin_square": skin**2 / 4, "cutoff_with_skin": cutoff + skin,
            "half_cutoff_with_skin": (cutoff + skin) / 2, "cutoff_with_skin_square": (cutoff + skin) ** 2,
            "max_atom_in_grid_numbers": 20, "max_neighbor_numbers": 64}
    called = [state("n", np.zeros(len(every))), state("b", np.full((len(every), 20), -1)),
              state("c", crd, np.float32), floats(edge), ints(*grid), floats(grid / edge),
              state("g", np.zeros(count)), state("o", np.zeros((count, 3)), np.float32), floats(2**32 / edge),
              state("u", np.zeros((count, 3)), np.uint32), Tensor(pointer), state("nn", np.zeros(count)),
              state("ns", np.zeros((count, 64))), floats(edge / 2**32),
              ints(*np.cumsum(numbers) - numbers), ints(*np.concatenate(partners)), Tensor(numbers),
              state("f", [0]), state("r", [0])]
    return made, called, crd, edge, partners


def listed(called):
    numbers, serial = called[11].asnumpy(), called[12].asnumpy()
    return {(i, int(j)) for i, n in enumerate(numbers) for j in serial[i, :n]}


def within(crd, edge, partners, most):
    d = crd[:, None] - crd[None]
    r = np.linalg.norm(d - np.round(d / edge) * edge, axis=2)
    near = {(i, j) for i, j in zip(*np.nonzero(r < most + 1e-4), strict=True) if i < j}
    unsure = {(i, j) for i, j in near if r[i, j] > most - 1e-4}         # what Float32 decides
    sure = {(i, j) for i, j in near if j not in partners[i]} - unsure
    return sure, unsure


def test_lists_of_neighbours():
    made, called, crd, edge, partners = cells()
    ops.NeighborListUpdate(not_first_time=0, **made)(*called)
    sure, unsure = within(crd, edge, partners, 5.0)
    assert len(sure) > 1000 and listed(called) - unsure == sure
    np.testing.assert_allclose(called[2].asnumpy(), crd + 1.0, rtol=1e-6)       # moved by the skin
    np.testing.assert_array_equal(called[7].asnumpy(), called[2].asnumpy())
    assert called[0].asnumpy().sum() == len(crd)
    later = ops.NeighborListUpdate(not_first_time=1, refresh_interval=2, **made)
    moved = (crd + rng.standard_normal(crd.shape)) % edge
    for turn in range(3):                           # the first and the third call update
        called[2].set_data(floats(moved + 1.0))
        before = listed(called)
        later(*called)
        assert int(called[18]) == turn + 1
        if turn == 1:
            assert listed(called) == before
            continue
        sure, unsure = within(moved, edge, partners, 5.0)
        assert listed(called) - unsure == sure
        moved = (moved + rng.standard_normal(crd.shape)) % edge
    by_way = ops.NeighborListUpdate(not_first_time=1, refresh_interval=0, **made)
    before = listed(called)
    called[2].set_data(called[7] + 0.1)
    by_way(*called)
    assert listed(called) == before
    moved[0] = (called[7].asnumpy()[0] - 1.0 + 7.0) % edge
    moved[1:] = called[7].asnumpy()[1:] - 1.0
    called[2].set_data(floats(moved + 1.0))
    by_way(*called)
    assert listed(called) != before


def test_too_small_a_list_is_an_error():
    made, called, *_ = cells()
    with pytest.raises(ValueError, match="grid cell has room for 1"):
        called[1] = Parameter(ms.numpy.full((150, 1), -1, ms.int32), name="b")
        ops.NeighborListUpdate(not_first_time=0, **{**made, "max_atom_in_grid_numbers": 1})(*called)


def test_wrong_inputs_are_told():
    good = [Tensor(whole(CRD)), SCALE, ints(0), ints(1), floats([1.0]), floats([1.0])]
    bond = ops.BondEnergy(1, N)
    with pytest.raises(TypeError, match=r"the type of 'uint_crd_f' must be Tensor\[UInt32\]"):
        bond(floats(CRD), *good[1:])
    with pytest.raises(ValueError, match="For 'BondEnergy', the shape of 'atom_b' must be"):
        bond(*good[:3], ints(1, 2), *good[4:])
    with pytest.raises(TypeError, match="number of inputs must be 6, but got 2"):
        bond(*good[:2])
    with pytest.raises(TypeError):
        ops.BondEnergy(1.0, N)
    with pytest.raises(TypeError):
        ops.LJForce(N, 4)
