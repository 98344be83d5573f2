"""Batches of rows of like length; rows that wait for the training loop."""
import mindspore.dataset as ds
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import got, said

LENGTHS = [1, 2, 3, 4, 5, 2, 6, 1, 7, 3, 9]


def lines(lengths=LENGTHS):
    return ds.GeneratorDataset([(np.arange(n, dtype=np.int32) + 1, np.int64(i)) for i, n in enumerate(lengths)],
                               ["a", "b"], shuffle=False)


def words():
    return ds.GeneratorDataset([(np.array(text.split()),) for text in ("a", "bb ccc", "d e f", "g h i jjj")],
                               ["a"], shuffle=False)


def planes():
    return ds.GeneratorDataset([(np.ones(shape, np.float32),) for shape in ((1, 2), (2, 1), (3, 4), (4, 1))],
                               ["a"], shuffle=False)


def bucketed(data=lines, columns=("a",), boundaries=(3, 6), sizes=(2, 2, 2), *rest, **more):
    return data().bucket_batch_by_length(list(columns), list(boundaries), list(sizes), *rest, **more)


FREE = {"a": ([None], -1)}
CALLS = {
    "all": lambda: bucketed(),
    "padded": lambda: bucketed(pad_info={"a": ([10], -1)}, drop_remainder=True),
    "to-the-boundary": lambda: bucketed(lambda: lines([1, 2, 3, 4, 5]), pad_info=FREE, pad_to_bucket_boundary=True),
    "to-the-longest": lambda: bucketed(lambda: lines([1, 2, 3, 4]), pad_info={"a": (None, 3)},
                                       pad_to_bucket_boundary=True),
    "beyond-the-boundary": lambda: bucketed(lambda: lines([1, 7]), pad_info=FREE, sizes=(2, 2, 1),
                                            pad_to_bucket_boundary=True),
    "by-a-function": lambda: bucketed(lines, ["b"], (3, 6), (2, 2, 2), lambda b: b, pad_info={}),
    "by-two-columns": lambda: bucketed(lines, ["a", "b"], (3, 6), (2, 2, 2), lambda a, b: len(a), pad_info=FREE),
    "planes": lambda: bucketed(planes, pad_info={"a": ([None, 4], 3)}, pad_to_bucket_boundary=True),
    "planes-alone": lambda: bucketed(planes),
    "words": lambda: bucketed(words, ["a"], [3], [2, 2], pad_info={"a": ([None], "<p>")}),
    "words-alone": lambda: bucketed(words, ["a"], [3], [2, 2]),
    "numbers": lambda: bucketed(lambda: ds.NumpySlicesDataset(np.arange(5), ["a"], shuffle=False)),
    "repeat": lambda: bucketed(lambda: lines([1, 4, 2])).repeat(2),
    "function-negative": lambda: bucketed(lines, ["a"], (3, 6), (2, 2, 2), lambda a: -1),
    "function-text": lambda: bucketed(lines, ["a"], (3, 6), (2, 2, 2), lambda a: "z"),
    "function-float": lambda: bucketed(lines, ["a"], (3, 6), (2, 2, 2), lambda a: 1.5),
    "function-large": lambda: bucketed(lines, ["a"], (3, 6), (2, 2, 2), lambda a: 2 ** 40),
    "function-zero-rank": lambda: bucketed(lines, ["a"], (3, 6), (2, 2, 2), lambda a: np.array(len(a), np.float32)),
    "no-column": lambda: bucketed(lines, ["q"]),
    "pad-no-column": lambda: bucketed(pad_info={"q": ([None], -1)}),
    "pad-rank": lambda: bucketed(pad_info={"a": ([None, 3], -1)}),
    "pad-text": lambda: bucketed(pad_info={"a": ([None], "x")}),
    "batch-pad-rank": lambda: lines().padded_batch(2, pad_info={"a": ([None, 3], -1)}),
    "batch-pad-text": lambda: lines().padded_batch(2, pad_info={"a": ([2], "x")}),
    "batch-pad-number": lambda: words().padded_batch(2, pad_info={"a": ([None], 3)}),
    "batch-pad-word": lambda: words().padded_batch(4, pad_info={"a": ([5], "longer")}),
}


@case(each={"kind": list(CALLS)})
def test_buckets(kind):
    return said(lambda: got(CALLS[kind]()))


@case
def test_what_buckets_refuse():
    calls = [("a", [3], [2, 2]), (["a"], [], [2]), (["a"], [1.5], [2, 3]), (["a"], [0], [2, 3]), (["a"], [1], [2, 0]),
             (["a"], [6, 3], [2, 2, 2]), (["a"], [3], [2]), (["a", "b"], [3], [2, 2]), (["a"], [3], [2, 2], 7),
             (["a"], [3], [2, 2], None, 3), (["a"], [3], [2, 2], None, None, 1), ([], [3], [2, 2], len),
             (["a"], [3], [2, "x"])]
    return [said(lambda call=call: lines().bucket_batch_by_length(*call) and None) for call in calls]


@case
def test_what_buckets_tell():
    data = bucketed()
    return (data.get_dataset_size(), data.get_batch_size(), data.get_repeat_count(), data.get_col_names(),
            bucketed(drop_remainder=True).get_dataset_size())


def looped(batch=2, epochs=1, ahead=1):
    """What a loop and the pipeline's callback see of each other, in turn."""
    seen, state = [], {"v": 0}

    def update(data):
        state.update(data)
        seen.append(data["v"])

    data = ds.NumpySlicesDataset(np.arange(8), ["a"], shuffle=False).sync_wait("go", ahead, update)
    data = data.map(lambda a: a + 100 * state["v"], ["a"])
    data = data.batch(batch) if batch else data
    iterator = data.create_dict_iterator(num_epochs=epochs, output_numpy=True)
    for epoch in range(epochs):
        for number, row in enumerate(iterator):
            seen.append(row["a"].tolist())
            if (number + 1) % ahead == 0:
                data.sync_update("go", data={"v": number + 1 + 10 * epoch})
    return seen


@case
def test_rows_wait_for_the_loop():
    return [looped(), looped(batch=0), looped(epochs=2), looped(ahead=2)]


@case
def test_what_waiting_refuses():
    def waiting():
        return ds.NumpySlicesDataset([1, 2, 3]).sync_wait("go")
    calls = [lambda: waiting().sync_wait("go"), lambda: waiting().shuffle(3), lambda: waiting().sync_update("q"),
             lambda: ds.NumpySlicesDataset([1]).sync_update("go"), lambda: waiting().sync_update("go", 0),
             lambda: waiting().sync_update("go", "x"), lambda: waiting().sync_update(3),
             lambda: ds.NumpySlicesDataset([1]).sync_wait("go", 0), lambda: ds.NumpySlicesDataset([1]).sync_wait(3)]
    return [said(call) for call in calls]


@case(each={"order": ["ac", "ca", "vac", "acv"], "function": [None, len]})
def test_which_column_is_measured(order, function):
    def rows():
        for i, size in enumerate((1, 6, 9, 2, 5, 10, 1, 6)):
            row = {"a": np.array(i, np.int32), "c": np.ones(size, np.int32), "v": np.zeros(3 + i % 2, np.float32)}
            yield tuple(row[name] for name in order)

    data = ds.GeneratorDataset(rows, list(order)).bucket_batch_by_length(["c"], [3, 6], [2, 3, 2], function)
    return list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
