"""What workers of their own processes see and draw: MindSpore gives them the rows in turns, and seeds."""

import random

import mindspore.dataset as ds
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


@case(each={"name": PIPELINES})
def test_rows_and_draws_of_workers(name):
    ds.config.set_seed(7)
    iterator = PIPELINES[name]().create_tuple_iterator(num_epochs=3, output_numpy=True)
    return [row for _ in range(3) for row in iterator]


@case(raises=True)
def test_an_error_in_a_worker():
    data = numbers().map(lambda x: {}[int(x)], "x", num_parallel_workers=2, python_multiprocessing=True)
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
