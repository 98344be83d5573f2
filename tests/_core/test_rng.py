"""Random streams, bit for bit against what record_rng.py recorded from the real MindSpore on the CPU."""
import copy
import hashlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from ms2torch._core.devices import device
from ms2torch._core.random import random_streams, rng
from ms2torch._core.random.distributions import doubles, floats, integers, normals
from ms2torch._core.random.engines import MT19937, MT19937_64, MinStd
from ms2torch._core.random.random_streams import Stream, randperm

RECORD = json.loads(Path(__file__).with_name("rng_record.json").read_text())
SEEDS = ((3, 5), (3, 0), (0, 5), (1, 0), (2**31 - 2, 2**31 - 2))


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    monkeypatch.setattr(device, "_device", torch.device("cpu"))


def same_bits(name, arrays):
    """Each array has the recorded dtype, shape and bytes."""
    expected = RECORD[name]
    assert len(arrays) == len(expected)
    for i, (array, one) in enumerate(zip(arrays, expected, strict=True)):
        array = array.numpy() if isinstance(array, torch.Tensor) else array
        where = f"{name}[{i}] of MindSpore {RECORD['mindspore']}"
        assert str(array.dtype) == one["dtype"], where
        assert list(array.shape) == one["shape"], where
        head, expected_head = array.reshape(-1)[:4], np.frombuffer(bytes.fromhex(one["head"]), one["dtype"])
        assert head.tobytes() == expected_head.tobytes(), f"{where}: {head}, not {expected_head}"
        assert hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest() == one["sha256"], where


def weights(fill, *parameters, seed=1, shape=(7,)):
    np.random.seed(seed)
    out = np.empty(shape, np.float32)
    fill(out, *parameters)
    return out


def stream_for(name, op_seed=None):
    return Stream(*rng.graph_seeds(op_seed, name))


# ---- initial weights -------------------------------------------------------------------------------------


def test_normal_weights_have_mindspores_bits():
    same_bits("normal_weights", [
        weights(rng.fill_normal, 0.5, 1.5, shape=(n,)) for n in (1, 2, 5, 70001)] + [
        weights(rng.fill_normal, 0.0, 0.02, seed=s, shape=(300, 100)) for s in range(3)])


def test_uniform_weights_have_mindspores_bits():
    same_bits("uniform_weights", [
        weights(rng.fill_uniform, -0.1, 0.3, shape=(n,)) for n in (1, 2, 5, 70001)] + [
        weights(rng.fill_uniform, 0, 1, seed=s, shape=(300, 100)) for s in range(3)])


def test_truncated_normal_weights_have_mindspores_bits_also_in_the_tail():
    same_bits("truncated_normal_weights", [
        weights(rng.fill_truncated_normal, *parameters, shape=(30001,)) for parameters in (
            (-2, 2, 0, 1), (-2, 2, 0, 0.02), (-0.1, 0.3, 0.1, 0.7), (1, 9, 0, 1), (-30, -6, 0, 1))])


def test_a_strided_array_is_filled_in_c_order():
    holder = np.zeros((5, 8), np.float32)
    np.random.seed(1)
    rng.fill_normal(holder[:, ::2], 0.0, 1.0)
    assert np.array_equal(holder[:, ::2].reshape(-1), weights(rng.fill_normal, 0.0, 1.0, shape=(20,)))
    assert not holder[:, 1::2].any()


def test_philox_has_the_published_outputs():
    # Known answers of Random123's philox4x32-10.
    assert rng.philox((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    ones = 0xFFFFFFFF
    assert rng.philox((ones,) * 4, (ones, ones)) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)


# ---- seeds -----------------------------------------------------------------------------------------------


def test_seed_pairs_of_operators_move_on_as_mindspores():
    found = []
    for seed in (0, 1, 4294967295):
        rng.set_seed(seed)
        found += [rng.graph_seeds(s, name) for name in ("a", "b") for s in (None, 0, 5, 5, 0, 2**33)]
    same_bits("seeds_of_operators", [np.array(found)])


def test_without_a_seed_weights_masks_and_seeds_are_free():
    program = ("import numpy as np; from ms2torch._core.random import rng;"
               "from ms2torch._core.random.random_streams import Stream;"
               "out = np.empty(4, np.float32); rng.fill_normal(out, 0, 1);"
               "print(rng.get_seed(), rng.graph_seeds(None, 'a'));"
               "print(out, Stream().normal((4,)))")
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
            for _ in range(2)]
    assert [r.splitlines()[0] for r in runs] == ["None (0, 0)"] * 2
    assert runs[0].splitlines()[1:] != runs[1].splitlines()[1:]


# ---- operators -------------------------------------------------------------------------------------------


def test_normals():
    stream = Stream(3, 5)
    same_bits("normals", [Stream(*s).normal((501,)) for s in SEEDS] + [Stream(3, 5).normal((200, 500))] + [
        stream.normal((n,)) for n in (7, 4, 7, 4, 7)])


def test_laplaces():
    stream = Stream(3, 5)
    same_bits("laplaces", [Stream(*s).laplace((501,)) for s in SEEDS] + [Stream(3, 5).laplace((200, 500))] + [
        stream.laplace((n,)) for n in (7, 4, 7)])


def test_uniforms():
    stream = Stream(3, 5)
    same_bits("uniforms", [Stream(*s).uniform((501,)) for s in SEEDS] + [Stream(3, 5).uniform((200, 500))] + [
        stream.uniform((n,)) for n in (7, 4, 7, 4, 7)])


def test_uniform_integers_with_and_without_rejection():
    stream = Stream(3, 5)
    same_bits("uniform_integers", [Stream(3, 5).integers((50000,), low, high) for low, high in (
        (0, 100), (-5, 2**30 + 12345), (-2**31, 2**31 - 1), (5, 6), (-7, 2**31 - 1))] + [
        stream.integers((n,), 0, 100) for n in (7, 4, 7, 4, 7)])


def test_dropout_masks():
    stream = Stream(3, 5)
    same_bits("dropout_masks", [mask.float() for mask in [
        Stream(3, 5).dropout_mask((100, 1000), p) for p in (0.1, 0.3, 1 / 3, 0.5, 0.9, 1.0)] + [
        Stream(*s).dropout_mask((50,), 0.7) for s in SEEDS] + [
        stream.dropout_mask((n,), 0.5) for n in (50, 7, 50, 7)]])


@pytest.mark.parametrize("count", [1, 7, 100, 1000, 1500, 5000])
def test_the_engine_is_cpps_minstd_however_its_outputs_are_asked_for(count):
    """x <- 16807 x mod 2^31 - 1, C++'s definition: single draws, shared ones, given back and set back."""
    engine, x = MinStd(12345), 12345

    def expected(n):
        nonlocal x
        out = []
        for _ in range(n):
            x = x * 16807 % (2**31 - 1)
            out.append(x)
        return out

    for turn in range(9000 // count + 3):
        assert engine.outputs(count).tolist() == expected(count), turn
    before = engine.get_state()
    words = engine.draw(count + 3)
    again = [int(w) + 1 for w in words[:count]]
    engine.give_back(words[count:])
    assert (words[:count] + np.uint64(1)).tolist() == expected(count)
    assert engine.outputs(count).tolist() == expected(count)
    engine.set_state(before)
    assert engine.outputs(count).tolist() == again
    assert engine.outputs(0).size == engine.draw(0).size == 0


@pytest.mark.parametrize(("engine", "many", "one"), [
    (MinStd, lambda e: normals(e, 3000), lambda e: [e.normal32() for _ in range(3000)]),
    (MinStd, lambda e: floats(e, 3000), lambda e: [e.real32() for _ in range(3000)]),
    (MT19937, lambda e: doubles(e, 3000), lambda e: [e.real() for _ in range(3000)]),
    (MT19937, lambda e: integers(e, 3000, -3, 2**31),
     lambda e: [e.integer(-3, 2**31 - 1) for _ in range(3000)]),
    *[(kind, lambda e: e.draw(3000), lambda e: [*e.draw(5), *[e() for _ in range(1500)], *e.draw(1495)])
      for kind in (MinStd, MT19937, MT19937_64)],
])  # fmt: skip
def test_one_number_at_a_time_comes_as_many_do(engine, many, one):
    """`many` are those that the records hold."""
    first, second = engine(77), engine(77)
    before = second.get_state()
    expected = many(first).tolist()
    assert one(second) == expected
    after = second()
    second.set_state(before)
    assert one(second) == expected
    assert second() == after


def test_dropout_layers_go_on_with_their_own_streams():
    rng.set_seed(1)
    layers = [stream_for("dropout", 0) for _ in range(3)]
    same_bits("dropout_layers", [layer.dropout_mask((4, 25), 0.6).float() * float(1 / np.float32(0.6))
                                 for _ in range(2) for layer in layers])


def test_samples_by_weight():
    one, two = torch.arange(10.0), torch.arange(20.0).reshape(2, 10)
    stream = Stream(3, 5)
    same_bits("samples", [Stream(*s).sample(w, 300) for s in SEEDS for w in (one, two)] + [
        stream.sample(one, 7) for _ in range(3)])


def test_shuffles_short_and_beyond_the_pairwise_limit():
    rng.set_seed(1)
    orders = [stream_for("shuffle").shuffle((n,)) for n in (1, 2, 9, 10, 1000, 50000)]
    same_bits("shuffles", [*orders, torch.arange(30).reshape(10, 3)[stream_for("shuffle").shuffle((10, 3))]])


def test_permutations():
    same_bits("permutations", [randperm(n, seed, offset) for n, seed, offset in (
        (10, 0, 0), (11, 7, 0), (10, 7, 1), (1, 3, 0), (5000, 70, 3), (70000, 2, 0))])


def test_seeds_and_streams_together_as_the_functions_use_them():
    rng.set_seed(1)
    scale = 2.0
    same_bits("functions", [
        stream_for("randn").normal((6,)), stream_for("rand").uniform((6,)),
        stream_for("standard_normal").normal((6,)), stream_for("randn").normal((6,)),
        stream_for("rand").uniform((6,)), stream_for("standard_normal", 7).normal((6,)),
        stream_for("randint").integers((6,), 0, 1000).long(),
        stream_for("dropout").dropout_mask((60,), 0.5).float() * scale,
        stream_for("dropout", 7).dropout_mask((60,), 0.5).float() * scale])


def test_draws_can_be_taken_back():
    stream = random_streams.Stream(3, 5)

    def draw():
        return [*stream.normal((5,)).tolist(), *stream.uniform((3,)).tolist(),
                *rng.graph_seeds(None, "a"), *rng.graph_seeds(3, "b")]

    rng.set_seed(1)
    draw()
    outer = random_streams.begin_journal()
    inner = random_streams.begin_journal()
    first = draw()
    random_streams.end_journal(inner, take_back=True)
    assert draw() == first
    random_streams.end_journal(outer, take_back=True)
    assert draw() == first


def test_a_copy_starts_anew_from_its_seeds():
    stream = Stream(3, 5)
    first, second = stream.dropout_mask((50,), 0.5), stream.dropout_mask((50,), 0.5)
    assert not torch.equal(first, second)
    for copied in (copy.copy(stream), copy.deepcopy(stream), pickle.loads(pickle.dumps(stream))):
        assert torch.equal(copied.dropout_mask((50,), 0.5), first)


def test_integers_of_an_empty_range_are_refused():
    with pytest.raises(RuntimeError, match=r"For 'Random', invalid min/max values: \(3/3\)"):
        Stream(3, 5).integers((2,), 3, 3)
