"""TFRecord and CSV files as MindRecord: the source's rows. (The real one needs TensorFlow, pandas.)"""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

import ms2torch.dataset as ds
from ms2torch.dataset.engine._tf_example import masked_crc
from ms2torch.mindrecord import CsvToMR, TFRecordToMR


def rows(path):
    dataset = ds.MindDataset(str(path), shuffle=False)
    return list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def example(label, text):
    features = {"the label": (3, field(1, bytes([label]))), "text": (1, field(1, text)),
                "raw": (1, field(1, text)), "x": (2, field(1, struct.pack("<2f", 1, label)))}
    data = field(1, b"".join(field(1, field(1, name.encode()) + field(2, field(kind, value)))
                             for name, (kind, value) in features.items()))
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + b"\0" * 4


def feature(dtype, shape=(), default=None):
    """A stand-in for ``tf.io.FixedLenFeature``."""
    return SimpleNamespace(shape=list(shape), dtype=SimpleNamespace(name=dtype), default_value=default)


def test_tfrecord(tmp_path):
    source, target = tmp_path / "a.tfrecord", tmp_path / "out"
    source.write_bytes(example(7, b"one") + example(5, b"two"))
    features = {"the label": feature("int64"), "text": feature("string"), "raw": feature("string"),
                "x": feature("float32", [2]), "rest": feature("int64", [], 4)}
    TFRecordToMR(str(source), str(target), features, ["raw"]).transform()
    first, second = rows(target)
    assert (first["the_label"], second["the_label"], str(first["text"]), first["rest"]) == (7, 5, "one", 4)
    assert second["raw"].tobytes() == b"two"
    assert second["x"].tolist() == [1, 5] and second["x"].dtype == np.float32
    features["x"] = feature("float32", [3])
    with pytest.raises(ValueError, match="TFRecord feature_dict parameter error"):
        TFRecordToMR(str(source), str(tmp_path / "other"), features).transform()


def test_csv(tmp_path):
    pytest.importorskip("pandas")
    (tmp_path / "a.csv").write_text("n,name,yes\n1,one,True\n2,two,False\n")
    CsvToMR(str(tmp_path / "a.csv"), str(tmp_path / "out")).transform()
    assert [(int(row["n"]), str(row["name"]), int(row["yes"])) for row in rows(tmp_path / "out")] == [
        (1, "one", 1), (2, "two", 0)]
