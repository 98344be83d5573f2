"""What the writer promises beyond MindSpore's: files appear whole or not at all, and old programs read on."""

import os
import subprocess
import sys

import numpy as np
import pytest

import ms2torch.dataset as ds
from ms2torch.mindrecord import FileReader, FileWriter
from ms2torch.mindrecord.core.coding import Damaged, pack_integers, unpack_integers, unpack_map

SCHEMA = {"i": {"type": "int64"}, "b": {"type": "bytes"}}


def written(path, rows=4):
    writer = FileWriter(str(path))
    writer.add_schema(SCHEMA)
    writer.write_raw_data([{"i": i, "b": bytes([i, 0])} for i in range(rows)])
    writer.commit()
    return str(path)


def test_a_program_that_ends_before_commit_leaves_no_file(tmp_path):
    program = ("import sys; from ms2torch.mindrecord import FileWriter; w = FileWriter(sys.argv[1]);"
               "w.add_schema({'i': {'type': 'int32'}}); w.write_raw_data([{'i': 1}])")
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "f")], check=True)
    assert os.listdir(tmp_path) == []


def test_appending_that_is_not_committed_leaves_the_old_rows(tmp_path):
    path = written(tmp_path / "f")
    writer = FileWriter.open_for_append(path)
    writer.write_raw_data([{"i": 9, "b": b"new"}] * 5)
    del writer
    assert [row["i"] for row in FileReader(path).get_next()] == [0, 1, 2, 3]


def test_overwriting_replaces_the_rows(tmp_path):
    path = written(tmp_path / "f")
    writer = FileWriter(path, overwrite=True)
    writer.add_schema(SCHEMA)
    writer.write_raw_data([{"i": 7, "b": b"x"}])
    assert FileReader(path).len() == 4          # until commit
    writer.commit()
    assert [row["i"] for row in FileReader(path).get_next()] == [7]


def test_rows_go_round_the_shards(tmp_path):
    writer = FileWriter(str(tmp_path / "f"), 3)
    writer.add_schema(SCHEMA)
    for i in range(7):
        writer.write_raw_data([{"i": i, "b": b"x"}])
    writer.commit()
    shards = [[row["i"] for row in FileReader([str(tmp_path / f"f{k}")]).get_next()] for k in range(3)]
    assert shards == [[0, 3, 6], [1, 4], [2, 5]]


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_packed_integers_come_back(kind):
    random, limits = np.random.RandomState(0), np.iinfo(kind)
    for bits in range(1, limits.bits):
        values = random.randint(-2**(bits - 1), 2**(bits - 1), 37, dtype=np.int64).astype(kind)
        assert np.array_equal(unpack_integers(pack_integers(values), kind), values)
    ends = np.array([limits.min, limits.max, 0], kind)
    assert np.array_equal(unpack_integers(pack_integers(ends), kind), ends)


def test_bytes_that_are_cut_are_damaged():
    data = pack_integers(np.array([1, 300, -70000, 2**40]))
    for size in range(len(data)):
        with pytest.raises(Damaged):
            unpack_integers(data[:size], np.int64)
    for data in (b"", b"\x81", b"\x81\xa1a", b"\x81\xa1a\xcb\0", b"\xc1", b"\x01", b"\x81\x01\x01",
                 b"\x81\xa1\xff\0"):
        with pytest.raises(Damaged):
            unpack_map(data)


def test_a_dataset_is_read_in_a_copy_and_twice(tmp_path):
    import copy
    dataset = ds.MindDataset(written(tmp_path / "f"), shuffle=False)
    for one in (dataset, copy.deepcopy(dataset), dataset):
        assert [int(row["i"]) for row in one.create_dict_iterator(num_epochs=1)] == [0, 1, 2, 3]


def test_the_r1_spelling_of_the_files(tmp_path):
    path = written(tmp_path / "f")
    dataset = ds.MindDataset(dataset_file=path, shuffle=False)
    rows = dataset.create_tuple_iterator(output_numpy=True, num_epochs=1)
    assert [row[0].tobytes() for row in rows] == [bytes([i, 0]) for i in range(4)]


def test_images_are_decoded(tmp_path):
    pil = pytest.importorskip("PIL.Image")
    image = np.random.RandomState(0).randint(0, 256, (5, 6, 3)).astype(np.uint8)
    pil.fromarray(image).save(tmp_path / "i.png")
    writer = FileWriter(str(tmp_path / "f"))
    writer.add_schema({"image": {"type": "bytes"}})
    writer.write_raw_data([{"image": (tmp_path / "i.png").read_bytes()}])
    writer.commit()
    dataset = ds.MindDataset(str(tmp_path / "f")).map(ds.vision.Decode(), ["image"])
    assert np.array_equal(next(dataset.create_tuple_iterator(output_numpy=True))[0], image)
