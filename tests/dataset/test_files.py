"""Image files: what is written is what is read."""
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ms2torch.dataset as ds

ROOT = Path(__file__).resolve().parents[2]


def read(dataset):
    return [list(column)
            for column in zip(*dataset.create_tuple_iterator(num_epochs=1, output_numpy=True), strict=True)]


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    load = pytest.importorskip("sklearn.datasets").load_digits
    folder = tmp_path_factory.mktemp("digits")
    subprocess.run([sys.executable, ROOT / "scripts" / "make_digits.py", folder, "--shift", "0"], check=True,
                   capture_output=True)
    return folder, load()


def test_digits_keep_scikit_learns_labels_and_split(digits):
    folder, source = digits
    held_out = np.arange(1797) % 5 == 4
    for part, chosen in (("train", ~held_out), ("test", held_out)):
        images, labels = read(ds.MnistDataset(str(folder / part), shuffle=False))
        assert np.array_equal(labels, source.target[chosen])
        assert images[0].shape == (28, 28, 1) and images[0].dtype == np.uint8 and labels[0].dtype == np.uint32
        assert len(images) == ds.MnistDataset(str(folder / part)).get_dataset_size()


def test_digits_are_the_pictures_of_scikit_learn(digits):
    folder, source = digits
    images, _ = read(ds.MnistDataset(str(folder / "train"), shuffle=False))
    assert (np.array(images)[:, :2] == 0).all()                       # the border
    for image, small in zip(images[:3], source.images[:3], strict=True):
        blocks = image[2:26, 2:26, 0].reshape(8, 3, 8, 3).mean((1, 3)) * 16 / 255
        assert np.corrcoef(blocks.ravel(), small.ravel())[0, 1] > 0.95


def test_damaged_idx_files_are_named(digits, tmp_path):
    folder, _ = digits
    for name in ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"):
        (tmp_path / name).write_bytes((folder / "train" / name).read_bytes()[:-3])
    with pytest.raises(RuntimeError, match="train-images-idx3-ubyte"):
        read(ds.MnistDataset(str(tmp_path)))


def test_image_folders(tmp_path):
    pil = pytest.importorskip("PIL.Image")
    image = np.random.RandomState(0).randint(0, 256, (5, 6, 3)).astype(np.uint8)
    for name in ("dogs", "cats"):
        (tmp_path / name).mkdir()
        pil.fromarray(image).save(tmp_path / name / "one.png")
    dataset = ds.ImageFolderDataset(str(tmp_path), decode=True, shuffle=False)
    images, labels = read(dataset)
    assert dataset.get_class_indexing() == {"cats": 0, "dogs": 1} and dataset.num_classes() == 2
    assert np.array_equal(images[1], image) and [int(x)
                                                 for x in labels] == [0, 1] and labels[0].dtype == np.int32
    data, labels = read(ds.ImageFolderDataset(str(tmp_path), class_indexing={"dogs": 7}, shuffle=False))
    assert data[0].tobytes() == (tmp_path / "dogs" / "one.png").read_bytes() and int(labels[0]) == 7


def test_cifar_files(tmp_path):
    rows = np.random.RandomState(0).randint(0, 10, (10000, 3073)).astype(np.uint8)
    rows.tofile(tmp_path / "test_batch.bin")
    images, labels = read(ds.Cifar10Dataset(str(tmp_path), "test", shuffle=False, num_samples=3))
    assert np.array_equal(images[2], rows[2, 1:].reshape(3, 32, 32).transpose(1, 2, 0))
    assert [int(x) for x in labels] == rows[:3, 0].tolist()
    rows[:-1].tofile(tmp_path / "test_batch.bin")
    with pytest.raises(RuntimeError,
                       match=r"Invalid cifar10 file, failed to read data from: .*test_batch\.bin"):
        read(ds.Cifar10Dataset(str(tmp_path), "test"))
