"""Event files: checksums, files that end early, exceptions."""

import glob
import os
import stat

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, nn
from ms2torch.train import SummaryRecord
from ms2torch.train.summary._crc32c import crc32c, masked


def test_the_checksum_is_the_one_that_the_standard_gives():
    assert crc32c(b"123456789") == 0xE3069283  # RFC 3720's check value and examples
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(bytes(range(32))) == 0x46DD794E


@pytest.mark.parametrize("size", [4096, 4097, 10_000])
def test_a_long_record_has_the_checksum_of_its_bytes_in_order(size):
    data = np.random.default_rng(0).integers(0, 256, size, np.uint8).tobytes()
    state = 0xFFFFFFFF
    for byte in data:  # the definition, bit by bit
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    assert crc32c(data) == state ^ 0xFFFFFFFF
    rotated = (crc32c(data) >> 15 | crc32c(data) << 17) & 0xFFFFFFFF
    assert masked(data) == (rotated + 0xA282EAD8) % 2**32


def test_an_exception_closes_the_file_and_another_record_may_follow(tmp_path):
    with pytest.raises(ZeroDivisionError), ms.SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "x", Tensor(1.0))
        record.record(1)
        1 / 0  # noqa: B018
    assert SummaryRecord.count == 0 and stat.S_IMODE(os.stat(record.log_dir).st_mode) == 0o400
    assert record.record(2) is False
    with ms.SummaryRecord(str(tmp_path / "next")):
        assert SummaryRecord.count == 1


def test_a_file_stops_before_its_largest_size(tmp_path, caplog):
    with ms.SummaryRecord(str(tmp_path), max_file_size=300) as record:
        for step in range(20):
            record.add_value("scalar", "x", Tensor(1.0))
            record.record(step)
    (file,) = glob.glob(str(tmp_path / "*_MS"))
    assert 200 < os.path.getsize(file) <= 300
    assert "'max_file_size' reached" in caplog.text


def test_nothing_recorded_makes_no_file(tmp_path):
    with ms.SummaryRecord(str(tmp_path)) as record:
        record.record(1)
    assert not os.listdir(tmp_path)


def test_tensorboards_own_reader_reads_the_file_beside_it(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    values = np.linspace(-1, 3, 200, dtype=np.float32)
    net = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.ReLU())
    with SummaryRecord(str(tmp_path), network=net) as record:
        for step in (1, 2):
            record.add_value("scalar", "loss", Tensor(np.float32(1 / step)))
            record.add_value("histogram", "weights", Tensor(values))
            record.add_value("tensor", "t", Tensor(np.array([[1, np.inf]], np.float32)))
            record.add_value("image", "digits", Tensor(np.ones((2, 3, 8, 8), np.float32)))
            record.record(step)
    found = accumulator.EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [(e.step, e.value) for e in found.Scalars("loss")] == [(1, 1.0), (2, 0.5)]
    shown = found.Histograms("weights")[0].histogram_value
    assert (shown.num, shown.min, shown.max, sum(shown.bucket)) == (200, -1, 3, 200)
    assert shown.sum == pytest.approx(values.sum(dtype=np.float64))
    assert found.Histograms("t")[0].histogram_value.num == 1
    assert (found.Images("digits")[0].width, found.Images("digits")[0].height) == (16, 8)
    nodes = {node.name: (node.op, list(node.input)) for node in found.Graph().node}
    assert nodes["0/Conv2d"] == ("Conv2d", ["0/weight"]) and nodes["1"] == ("ReLU", [])


def test_a_graph_has_each_node_once(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    net = nn.SequentialCell(nn.Dense(4, 8), nn.Dense(8, 2))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
    with ms.SummaryRecord(str(tmp_path), network=step) as record:
        record.add_value("scalar", "loss", Tensor(1.0))
        record.record(1)
    found = accumulator.EventAccumulator(str(tmp_path / "tensorboard"))
    found.Reload()
    nodes = {node.name: list(node.input) for node in found.Graph().node}
    assert len(nodes) == len(found.Graph().node)
    assert "network/_backbone/0/weight" in nodes["optimizer/Adam"]
