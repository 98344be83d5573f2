"""Traces: what is written is read, and what is broken is named."""
import struct
import types
import zlib

import numpy as np
import pytest

from ms2torch.difftest import recorder, trace

HEADER = {"kind": "header", "format": 1, "adaptations": []}


def tensor(array, step=1, keep=True, dtype=None):
    record = {"kind": "tensor", "step": step, "stage": "data", "where": "net", "role": "input", "index": 0,
              "call": 0, "dtype": dtype or array.dtype.name, "shape": list(array.shape),
              "stats": recorder.statistics(array)}
    return record, array if keep else None


@pytest.fixture
def written(tmp_path):
    """A trace with two steps and an end."""
    path = tmp_path / "a.trace"
    writer = recorder.Writer(path)
    writer.add(dict(HEADER))
    for step in (1, 2):
        writer.add({"kind": "step", "number": step, "event": "begin"})
        writer.add(*tensor(np.arange(6, dtype=np.float32).reshape(2, 3) * step, step))
        writer.add({"kind": "step", "number": step, "event": "end"})
        writer.flush()
    writer.add({"kind": "end", "status": "ok"})
    writer.close()
    return path


def test_records_and_arrays_come_back_in_order(written):
    read = trace.open(written)
    assert (read.steps, read.truncated, read.end["status"]) == (2, False, "ok")
    assert [r["kind"] for r in read] == ["header", *["step", "tensor", "step"] * 2, "end"]
    arrays = [r["array"] for r in read if r["kind"] == "tensor"]
    np.testing.assert_array_equal(arrays[1], np.arange(6).reshape(2, 3) * 2)
    assert [r["step"] for r in read.step(2) if r["kind"] == "tensor"] == [2]


@pytest.mark.parametrize("cut", [1, 9, 20])
def test_a_trace_cut_off_reads_up_to_its_last_whole_frame(written, cut):
    whole = written.read_bytes()
    written.write_bytes(whole[:-cut])
    read = trace.open(written)
    assert read.truncated and read.end is None and read.steps == 2


def test_damage_is_named_with_its_place(written):
    content = bytearray(written.read_bytes())
    content[len(recorder.MAGIC) + 12] ^= 1
    written.write_bytes(bytes(content))
    with pytest.raises(trace.TraceError, match=f"damaged at byte {len(recorder.MAGIC)}"):
        trace.open(written)


@pytest.mark.parametrize(("content", "said"), [
    (b"PK\x03\x04", "is not a trace"),
    (b"MS2TRACE 7\n", "has trace format 7; this ms2torch reads 1"),
    (b"MS2TRACE 1\n", "has no header"),
])
def test_other_files_are_refused(tmp_path, content, said):
    path = tmp_path / "b.trace"
    path.write_bytes(content)
    with pytest.raises(trace.TraceError, match=said):
        trace.open(path)
    with pytest.raises(trace.TraceError, match="No such file"):
        trace.open(tmp_path / "none.trace")


def test_frames_are_what_the_format_says(written):
    """Read by FORMAT.md alone."""
    content = written.read_bytes()
    assert content.startswith(b"MS2TRACE 1\n")
    length, check = struct.unpack_from("<II", content, 11)
    packed = content[19 : 19 + length]
    assert zlib.crc32(packed) == check
    payload = zlib.decompress(packed)
    size = struct.unpack_from("<I", payload)[0]
    assert payload[4 : 4 + size].startswith(b'{"records":[{"kind":"header"')
    np.testing.assert_array_equal(np.frombuffer(payload[4 + size :], "<f4"), np.arange(6))


def test_bfloat16_comes_back_as_float32(tmp_path):
    path = tmp_path / "c.trace"
    writer = recorder.Writer(path)
    writer.add(dict(HEADER))
    writer.add(*tensor(np.array([0x3F80, 0xC040], np.uint16), dtype="bfloat16"))
    writer.close()
    (record,) = (r for r in trace.open(path) if r["kind"] == "tensor")
    np.testing.assert_array_equal(record["array"], np.array([1.0, -3.0], np.float32))


@pytest.mark.parametrize("array", [
    np.random.RandomState(0).randn(70_000).astype(np.float32),
    np.random.RandomState(0).randn(3, 5).astype(np.float16),
    np.full(9, 1e-30, np.float32), np.full(9, 1e30, np.float32), np.zeros(4, np.float32),
    np.arange(-3, 200, dtype=np.int64), np.array(True), np.array([1 + 2j, -3j], np.complex64),
    np.zeros((0, 3), np.float32),
], ids=lambda a: f"{a.dtype}{list(a.shape)}")
def test_statistics_are_the_array_s(array):
    stats = recorder.statistics(array)
    flat = array.reshape(-1)
    if array.dtype.kind == "c":
        flat = flat.view(np.float32)
    wide = flat.astype(np.float64)
    assert stats["n"] == array.size
    assert stats["norm"] == pytest.approx(np.linalg.norm(wide), rel=1e-5)
    if array.size:
        scale = np.abs(wide).mean()
        assert stats["mean"] == pytest.approx(wide.mean(), rel=1e-5, abs=1e-5 * scale)
        assert (stats["min"], stats["max"]) == (wide.min(), wide.max())
    assert stats["hash"] == f"{zlib.crc32(np.ascontiguousarray(array).tobytes()):08x}"


def test_statistics_are_over_finite_values_and_count_the_others():
    array = np.array([1.0, np.nan, np.inf, 2.0, -np.inf, np.inf, 2.0], np.float32)
    stats = recorder.statistics(array)
    assert (stats["nan"], stats["posinf"], stats["neginf"]) == (1, 2, 1)
    assert (stats["norm"], stats["min"], stats["max"]) == (3.0, 1.0, 2.0)
    assert stats["mean"] == pytest.approx(5 / 3)
    nothing = recorder.statistics(np.full(3, np.nan, np.float32))
    assert (nothing["mean"], nothing["min"], nothing["norm"]) == (None, None, 0.0)


@pytest.mark.parametrize("updates, expected, last, length", [
    ([0, 0, 0], {}, 2, 3),
    ([0, 1, 0, 1], {1: (1, 1), 2: (1, 2), 3: (2, 1), 4: (2, 2)}, 4, 2),
    # a critic that is trained more often than the generator
    ([0, 0, 1, 0], {1: (1, 1), 2: (2, 1), 3: (2, 2), 4: (3, 1)}, 3, 3),
])
def test_updates_of_several_optimizers_are_one_step_of_the_loop(tmp_path, updates, expected, last, length):
    writer = recorder.Writer(str(tmp_path / "a.trace"))
    writer.add({"kind": "header", "format": 1})
    for step, update in enumerate(updates, 1):
        record = {"kind": "tensor", "step": step, "stage": "learning_rate", "where": "learning_rate"}
        writer.add({**record, "update": update, "stats": recorder.statistics(np.float32(1.0))})
    writer.close()
    opened = trace.open(tmp_path / "a.trace")
    opened._steps = len(updates)
    assert (opened.turns(), opened.last_in(2), opened.length) == (expected, last, length)
    # The recorder ends at the same place, told so many steps.
    ending = types.SimpleNamespace(options=types.SimpleNamespace(updates=None, steps=2), turn=0, step=0,
                                   called=set(), made_optimizers={*updates}, _index=int)
    ends = [recorder.Recorder._is_last(ending, [update]) for update in updates]
    assert ends.index(True) + 1 == last
