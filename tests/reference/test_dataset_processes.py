"""What workers of their own processes see and draw: MindSpore gives them the rows in turns, and seeds."""

import random

import mindspore.dataset as ds
import mindspore.dataset.transforms as T
import mindspore.dataset.vision as V
import numpy as np

from tests.reference.judge import case


def drawn(value):
    drawn.calls = getattr(drawn, "calls", 0) + 1
    return np.array([int(value), np.random.randint(1000), random.randint(0, 1000), drawn.calls])


class Source:
    def __getitem__(self, index):
        return (drawn(index),)

    def __len__(self):
        return 5


def batches(columns, info):
    return ([drawn(one) for one in columns],)


def numbers():
    return ds.NumpySlicesDataset(list(range(5)), ["x"], shuffle=False)


def mapped(data):
    return data.map(drawn, "x", num_parallel_workers=2, python_multiprocessing=True)


PIPELINES = {
    "map": lambda: mapped(numbers()),
    "repeated": lambda: mapped(numbers()).repeat(2),
    "of-repeated": lambda: mapped(numbers().repeat(2)),
    "taken": lambda: mapped(numbers()).take(2),
    "two-maps": lambda: mapped(mapped(numbers()).map(lambda x: x[0], "x")),
    "one-worker": lambda: numbers().map([lambda x: x + 1, drawn], "x", num_parallel_workers=1,
                                        python_multiprocessing=True),
    "batch": lambda: numbers().batch(2, per_batch_map=batches, input_columns=["x"], num_parallel_workers=2,
                                     python_multiprocessing=True),
    "source": lambda: ds.GeneratorDataset(Source(), ["x"], num_parallel_workers=2),
    "source-repeated": lambda: ds.GeneratorDataset(Source(), ["x"], shuffle=False,
                                                   num_parallel_workers=2).repeat(2).batch(4),
}


@case(each={"workers": [1, 2], "kind": ["arrays", "PIL images"]})
def test_transforms_beside_a_function_draw_in_its_process(workers, kind):
    transforms = {"arrays": [V.RandomCrop(5), lambda image: image, V.RandomHorizontalFlip()],
                  "PIL images": [V.ToPIL(), V.RandomCrop(5), V.RandomGrayscale(0.5), lambda image: image, V.ToTensor(),
                                 V.RandomErasing(0.7)]}[kind]
    images = np.random.RandomState(2).randint(0, 256, (7, 8, 8, 3)).astype(np.uint8)
    ds.config.set_seed(23)
    data = ds.NumpySlicesDataset(images, ["x"], shuffle=False).map(transforms, "x", num_parallel_workers=workers,
                                                                   python_multiprocessing=True)
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    return [[row[0].copy() for row in iterator] for _ in range(2)]


@case(each={"name": PIPELINES})
def test_rows_and_draws_of_workers(name):
    ds.config.set_seed(7)
    iterator = PIPELINES[name]().create_tuple_iterator(num_epochs=3, output_numpy=True)
    return [row for _ in range(3) for row in iterator]


@case(raises=True)
def test_an_error_in_a_worker():
    data = numbers().map(lambda x: {}[int(x)], "x", num_parallel_workers=2, python_multiprocessing=True)
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


PLACES = np.stack([*np.mgrid[:8, :8], np.zeros((8, 8), int)], -1).astype(np.uint8)[None].repeat(6, 0)


def same(x):
    return x


DRAWING = {
    "no function": lambda: [V.RandomCrop(2)], "before": lambda: [V.RandomCrop(2), same], "behind": lambda: [same, V.RandomCrop(2)],
    "between": lambda: [same, V.RandomCrop(4), same, V.RandomCrop(2)], "compose": lambda: T.Compose([V.RandomCrop(2), same]),
    "pil": lambda: [V.ToPIL(), V.RandomCrop(2), V.ToTensor()], "choice": lambda: [same, T.RandomChoice([V.RandomCrop(2), V.CenterCrop(2)])],
    "order": lambda: [T.RandomOrder([V.RandomCrop(4), same])],
}


@case(each={"chain": list(DRAWING), "workers": [1, 2]})
def test_draws_of_workers_and_epochs(chain, workers):
    """Six rows and the end of an epoch: the second one begins with the other worker."""
    ds.config.set_seed(11)
    data = ds.NumpySlicesDataset(PLACES, ["a"], shuffle=False).map(DRAWING[chain](), "a", num_parallel_workers=workers,
                                                                   python_multiprocessing=True)
    rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    return [[row[0] for row in rows] for _ in range(3)]


BYTES = np.arange(768, dtype=np.uint8).reshape(1, 16, 16, 3)
CALLED = {"pil": lambda: [V.ToPIL(), V.ToTensor()], "function": lambda: [same, V.ToTensor()], "refused": lambda: [same, V.RandomCrop(99)],
          "refused pil": lambda: [V.ToPIL(), V.RandomCrop(99)], "refused first": lambda: [V.RandomCrop(99), same]}


@case(each={"chain": list(CALLED)})
def test_transforms_are_called_as_outside_of_a_pipeline(chain):
    data = ds.NumpySlicesDataset(BYTES, ["a"]).map(CALLED[chain](), "a", num_parallel_workers=1, python_multiprocessing=True)
    try:
        return [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    except RuntimeError as error:
        text = str(error)
        return text.split("\n")[0], text[text.find("[ERROR]"):].split("\n")[0]
