"""Rows, their order and every draw are the same for any number of threads; errors come where they arise."""

import io
import random
import threading

import numpy as np
import pytest

import ms2torch.dataset as ds
import ms2torch.dataset.vision as V
from ms2torch.dataset.engine import _threads


class Pictures:
    """120 files of random sizes, of which ``broken`` is none."""

    def __init__(self, broken=None):
        pillow, numbers, self.files = pytest.importorskip("PIL.Image"), np.random.RandomState(0), []
        for i in range(120):
            file = io.BytesIO()
            image = numbers.randint(0, 256, (*numbers.randint(60, 90, 2), 3)).astype(np.uint8)
            pillow.fromarray(image).save(file, "JPEG")
            self.files.append(np.frombuffer(file.getvalue()[:50 if i == broken else None], np.uint8))

    def __getitem__(self, index):
        return (self.files[index],)

    def __len__(self):
        return len(self.files)


def rows(monkeypatch, workers, broken=None, epochs=2):
    monkeypatch.setattr(_threads, "count", lambda wanted: workers)
    monkeypatch.setattr(_threads, "_WORTHWHILE", 0)
    ds.config.set_seed(3)
    data = ds.GeneratorDataset(Pictures(broken), ["image"], shuffle=True)
    steps = [V.RandomCropDecodeResize(32), V.RandomHorizontalFlip(), V.RandomColorAdjust(.4, .4, .4, .1),
             V.RandomRotation(20), V.RandomCrop(30, 2), V.Normalize([120.] * 3, [60.] * 3), V.HWC2CHW()]
    data = data.map(steps, "image")
    iterator, found = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True), []
    for _ in range(epochs):
        found.append(0)
        for row in iterator:
            found.append(row[0])
    return found


@pytest.mark.parametrize("workers", [2, 4])
def test_every_draw_is_the_same(monkeypatch, workers):
    alone, together = rows(monkeypatch, 1), rows(monkeypatch, workers)
    assert len(alone) == len(together) == 242
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("workers", [2, 4])
def test_transforms_of_pil_images_draw_the_same_for_any_number_of_workers(workers):
    def drawn(count):
        random.seed(3)
        data = ds.GeneratorDataset(Pictures(), ["image"], shuffle=False)
        data = data.map([V.Decode(to_pil=True), V.RandomCrop(20), V.RandomGrayscale(.5), V.ToTensor(),
                         lambda image: image + np.float32(random.random())],
                        "image", num_parallel_workers=count)
        return [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    for one, other in zip(drawn(1), drawn(workers), strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_error_ends_the_epoch_behind_the_rows_before_it(monkeypatch):
    monkeypatch.setattr(_threads, "count", lambda wanted: 3)
    monkeypatch.setattr(_threads, "_WORTHWHILE", 0)
    data = ds.GeneratorDataset(Pictures(broken=70), ["image"], shuffle=False)
    data = data.map([V.Decode(), V.Resize(30)], "image")
    seen = 0
    with pytest.raises(RuntimeError, match=r"map operation: \[Decode\] failed. Decode: image decode failed"):
        for _ in data.create_tuple_iterator(num_epochs=1):
            seen += 1
    assert seen == 70


def test_an_iterator_that_is_left_leaves_no_thread(monkeypatch):
    monkeypatch.setattr(_threads, "count", lambda wanted: 3)
    monkeypatch.setattr(_threads, "_WORTHWHILE", 0)
    data = ds.GeneratorDataset(Pictures(), ["image"], shuffle=False).map([V.Decode(), V.Resize(30)], "image")
    iterator = data.create_tuple_iterator(num_epochs=1)
    before = set(threading.enumerate())
    for _ in range(10):
        next(iterator)
    new = [thread for thread in threading.enumerate() if thread not in before]
    iterator.stop()
    for thread in new:
        thread.join(5)
    assert new and not any(thread.is_alive() for thread in new)
