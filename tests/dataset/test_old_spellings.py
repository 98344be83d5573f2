"""The names, paths and keywords of releases r1.0 to 1.9, which 2.10 has dropped; judged by what 2.10's forms
give.
"""
import importlib

import numpy as np
import pytest

import ms2torch.dataset as ds
import ms2torch.dataset.transforms.c_transforms as CT
import ms2torch.dataset.vision.c_transforms as CV
import ms2torch.dataset.vision.py_transforms as PV
from ms2torch._core.tensor import dtype


def pair():
    return ds.NumpySlicesDataset(([1, 2, 3], [4, 5, 6]), ["a", "b"], shuffle=False)


def rows(dataset):
    return [[value.tolist() for value in row]
            for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize("path", [
    "config", "core", "core.config", "core.datatypes", "core.validator_helpers", "engine", "engine.datasets",
    "engine.datasets_user_defined", "engine.datasets_vision", "engine.iterators", "engine.samplers",
                                  "transforms",
    "transforms.c_transforms", "transforms.py_transforms", "transforms.py_transforms_util",
                                  "transforms.transforms",
    "transforms.validators", "transforms.vision", "vision", "vision.c_transforms", "vision.py_transforms",
    "vision.py_transforms_util", "vision.transforms", "vision.utils", "vision.validators", "samplers"])
def test_module_path(path):
    where, _, name = f"ms2torch.dataset.{path}".rpartition(".")
    assert hasattr(importlib.import_module(where), name)


@pytest.mark.parametrize("name", ["BatchDataset", "Dataset", "RepeatDataset", "GeneratorDataset",
                                  "ImageFolderDataset"])
def test_all_classes_are_in_engine_datasets(name):
    assert getattr(importlib.import_module("ms2torch.dataset.engine.datasets"), name) is getattr(ds, name)


def test_map_with_column_order():
    mapped = pair().map(operations=lambda a: (a, -a), input_columns=["a"], output_columns=["x", "y"],
                        column_order=["y", "b", "x"], num_parallel_workers=2)
    assert mapped.get_col_names() == ["y", "b", "x"]
    assert rows(mapped) == [[-1, 4, 1], [-2, 5, 2], [-3, 6, 3]]


def test_map_with_column_order_in_fourth_place():
    assert rows(pair().map(lambda a: -a, ["a"], ["x"], ["b", "x"])) == [[4, -1], [5, -2], [6, -3]]


def test_batch_with_pad_info():
    dataset = ds.GeneratorDataset([np.ones(1), np.ones(2)], ["a"], shuffle=False)
    assert rows(dataset.batch(2, pad_info={"a": ([3], 9)})) == [[[[1, 9, 9], [1, 1, 9]]]]


def test_batch_with_a_map_and_pad_info():
    dataset = ds.GeneratorDataset([np.ones(1), np.ones(2)], ["a"], shuffle=False)
    doubled = dataset.batch(2, per_batch_map=lambda a, info: ([x * 2 for x in a],),
                            pad_info={"a": (None, -1)})
    assert rows(doubled) == [[[[2, -1], [2, 2]]]]


def test_the_r1_pipeline_of_digits(tmp_path):
    images = np.random.RandomState(0).randint(0, 256, (8, 28, 28)).astype(np.uint8)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(
        np.array([0x803, 8, 28, 28], ">u4").tobytes() + images.tobytes())
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(np.array([0x801, 8],
                                                                ">u4").tobytes() + bytes(range(8)))
    dataset = ds.MnistDataset(str(tmp_path), shuffle=False)
    dataset = dataset.map(operations=CT.TypeCast(dtype.int32), input_columns="label")
    for one in (CV.Resize((14, 14), interpolation=CV.Inter.LINEAR), CV.Rescale(1.0 / 255.0, 0.0),
                CV.HWC2CHW()):
        dataset = dataset.map(operations=one, input_columns="image", num_parallel_workers=1)
    dataset = dataset.batch(4, drop_remainder=True).repeat(2)
    batches = list(dataset.create_dict_iterator())
    assert len(batches) == dataset.get_dataset_size() == 4
    assert str(batches[0]["label"].dtype) == "Int32"
    assert batches[1]["label"].asnumpy().tolist() == [4, 5, 6, 7]
    # Halving a side is the mean of 2x2 pixels, rounded half up.
    means = images[:4].reshape(4, 14, 2, 14, 2).astype(int).sum((2, 4))
    expected = ((means + 2) // 4).astype(np.float32)[:, None] * np.float32(1 / 255)
    np.testing.assert_allclose(batches[0]["image"].asnumpy(), expected, rtol=1e-6)


def test_py_transforms_work_on_pil_images():
    pil = pytest.importorskip("PIL.Image")
    image = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    out = PV.Normalize((0.5,) * 3, (0.25,) * 3)(PV.ToTensor()(PV.ToPIL()(image)))
    np.testing.assert_allclose(out, (image.transpose(2, 0, 1) / 255 - 0.5) / 0.25, atol=1e-6)
    assert isinstance(PV.ToPIL()(image), pil.Image)


def test_normalize_of_py_transforms_wants_floats():
    with pytest.raises(NotImplementedError,
                       match=r"Unsupported image datatype: \[uint8\], pls execute \[ToTensor\]"):
        PV.Normalize((0.5,), (0.25,))(np.zeros((1, 2, 2), np.uint8))


def test_more_workers_than_cores_run():
    dataset = ds.GeneratorDataset([1, 2], ["a"], num_parallel_workers=128, shuffle=False)
    assert rows(dataset.map(lambda a: a, num_parallel_workers=128)) == [[1], [2]]
    for workers in (0, 1 << 16):
        with pytest.raises(ValueError, match="num_parallel_workers exceeds the boundary between 1 and"):
            ds.GeneratorDataset([1, 2], ["a"], num_parallel_workers=workers)


def test_build_vocab_is_the_vocabulary_of_a_data_set():
    words = [["b", "a", "c"], ["c", "a", "d"]]                  # documented for Vocab.from_dataset
    data = ds.NumpySlicesDataset(words, column_names=["w"], shuffle=False)
    assert data.build_vocab(["w"], (2, 9), None, ["<u>"], False).vocab() == {"a": 0, "c": 1, "<u>": 2}
