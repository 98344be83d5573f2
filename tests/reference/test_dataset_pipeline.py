"""What goes through a pipeline: values, dtypes, columns, sizes, iterators, and what errors say."""
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import vision

from tests.reference.judge import case
from tests.reference.test_dataset_order import Rows


class Source:
    """Rows made by a function of their number."""

    def __init__(self, count, make):
        self.count, self.make = count, make

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.make(index)


def rows(count=4, columns=("a",), make=None, **arguments):
    return ds.GeneratorDataset(Rows(count) if make is None else Source(count, make), list(columns),
                               shuffle=False,
                               **arguments)


def pair(count=4):
    return rows(count, ["a", "b"], lambda i: (i, i + 10))


def got(dataset):
    """All rows of an epoch as {column: array}, with dtypes and shapes in sight."""
    return [{name: (str(getattr(value, "dtype", "")), np.shape(value), np.asarray(value).tolist())
             if not isinstance(value, dict) else {k: np.asarray(v).tolist() for k, v in value.items()}
             for name, value in row.items()}
            for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]


def said(function):
    """The error of a call: its type, and its text without rules, stacks and file names."""
    try:
        return function()
    except Exception as error:
        text = str(error).split("- C++ Call Stack")[0]
        kept = [line for line in text.splitlines() if line.strip() and not line.startswith(("  ", "---"))]
        return type(error).__name__, kept


VALUES = {
    "numbers": lambda: rows(1, "abcdefg", lambda i: (1, 1.5, True, "hi", np.uint8(3), np.float16(2), [1, 2])),
    "one-value": lambda: ds.GeneratorDataset([1, 2.5], "a", shuffle=False),
    "a-list-is-a-row": lambda: rows(1, "ab", lambda i: [1, 2]),
    "an-array-is-a-value": lambda: rows(1, "a", lambda i: np.array([1, 2], np.int16)),
    "tensor": lambda: rows(1, "a", lambda i: ms.Tensor([1., 2])),
    "text": lambda: rows(2, "a", lambda i: (["a", "bcd"],)),
    "dict": lambda: rows(1, "ab", lambda i: ({"x": 1}, 2)),
    "slices-dict": lambda: ds.NumpySlicesDataset({"x": [1, 2], "y": [1.5, 2.5]}, shuffle=False),
    "slices-tuple": lambda: ds.NumpySlicesDataset((np.ones((2, 3), np.float32), np.arange(2, dtype=np.int32)),
                                                  ["p", "q"], shuffle=False),
    "slices-list": lambda: ds.NumpySlicesDataset([[1, 2], [3, 4]], shuffle=False),
    "map": lambda: pair().map(lambda a: a * 2, ["a"]),
    "map-first-column": lambda: pair().map(lambda a: a * 2),
    "map-more-columns": lambda: rows(2, "abc", lambda i: (i, i + 1, i + 2)).map(lambda b: (b, b + 1), ["b"],
                                                                                ["x", "y"]),
    "map-fewer-columns": lambda: rows(2, "abc", lambda i: (i, i + 1, i + 2)).map(lambda c, a: c + a,
                                                                                 ["c", "a"], ["x"]),
    "map-chain": lambda: rows(2).map([lambda a: (a, a), lambda a, b: a + b], ["a"]),
    "map-to-float": lambda: rows(1).map(lambda a: 3.5, ["a"]),
    "map-to-list": lambda: rows(1).map(lambda a: [1, 2], ["a"]),
    "map-to-tensor": lambda: rows(1).map(lambda a: ms.Tensor([1.0]), ["a"]),
    "map-to-text": lambda: rows(1).map(lambda a: "x", ["a"]),
    "batch": lambda: rows(5).batch(2),
    "batch-drop": lambda: rows(5).batch(2, True),
    "batch-too-big": lambda: rows(3).batch(5, drop_remainder=True),
    "batch-text": lambda: rows(3, "a", lambda i: ("x" * (i + 1),)).batch(2),
    "batch-function": lambda: rows(6).batch(lambda info: info.get_batch_num() + 1),
    "batch-map": lambda: pair(5).batch(2, per_batch_map=lambda a, b, info: (
        [x * 2 for x in a], [y * info.get_batch_num() for y in b])),
    "batch-map-some": lambda: pair(5).batch(2, per_batch_map=lambda a, info: ([x * 2 for x in a],),
                                            input_columns=["a"]),
    "batch-map-array": lambda: rows(4, "a", lambda i: (np.zeros(2),)).batch(
        2, per_batch_map=lambda a, info: (np.zeros((5, 2)),)),
    "batch-map-more": lambda: pair(4).batch(2, per_batch_map=lambda a, b, info: (a, b, [x + 1 for x in a]),
                                            output_columns=["x", "y", "z"]),
    "padded": lambda: rows(3, "a", lambda i: (np.ones(i + 1),)).padded_batch(3, pad_info={}),
    "padded-to": lambda: rows(3, "a", lambda i: (np.ones(i + 1),)).padded_batch(3, pad_info={"a": ([5], 7)}),
    "padded-cut": lambda: rows(3, "a", lambda i: (np.ones(i + 1),)).padded_batch(3, pad_info={"a": ([2], 7)}),
    "padded-2d": lambda: rows(3, "a", lambda i: (np.ones((i + 1, 2), np.int32),)).padded_batch(
        3, pad_info={"a": ([None, 3], -1)}),
    "skip": lambda: rows(5).skip(3),
    "take-repeat": lambda: rows(3).take(2).repeat(2),
    "zip": lambda: ds.zip((rows(3), rows(2, "b"))),
    "concat": lambda: rows(1).concat([rows(2), rows(1)]),
    "filter": lambda: rows(5).filter(lambda a: int(a) % 2, ["a"]),
    "project": lambda: pair().project(["b", "a"]),
    "rename": lambda: pair().rename(["a", "b"], ["b", "z"]),
    "generator-object": lambda: ds.GeneratorDataset(((i,) for i in range(3)), ["a"]),
    "apply": lambda: rows(4).apply(lambda dataset: dataset.batch(2)),
    "flat-map": lambda: ds.NumpySlicesDataset([[1, 2], [3, 4]], shuffle=False).flat_map(
        lambda x: ds.NumpySlicesDataset(x.tolist(), shuffle=False)),
}


@case(each={"name": list(VALUES)})
def test_rows(name):
    return got(VALUES[name]())


def _fails(*_):
    raise ValueError("boom")


ERRORS = {
    "source-raises": lambda: got(rows(3, "a", lambda i: [][5])),
    "too-few-values": lambda: got(rows(3, "ab", lambda i: (1,))),
    "too-many-values": lambda: got(rows(3, "a", lambda i: (1, 2))),
    "no-value": lambda: got(rows(3, "a", lambda i: None)),
    "an-object": lambda: got(rows(3, "a", lambda i: (object(),))),
    "complex": lambda: got(rows(1, "a", lambda i: (1 + 2j,))),
    "empty-source": lambda: got(rows(0)),
    "no-length": lambda: got(ds.GeneratorDataset(type("S", (), {"__getitem__": lambda self, i: (i,)})(),
                                                 ["a"])),
    "column-types": lambda: got(rows(1, column_types=[ms.int32])),
    "map-raises": lambda: got(rows().map(_fails, ["a"])),
    "map-gives-none": lambda: got(rows().map(lambda x: None, ["a"])),
    "map-unknown-column": lambda: got(rows().map(lambda x: x, ["zz"])),
    "map-too-many-columns": lambda: got(rows().map(lambda x: (x, x), ["a"])),
    "map-number": lambda: rows().map(3, ["a"]),
    "map-nothing": lambda: got(rows().map([], ["a"])),
    "map-tuple-of-columns": lambda: rows().map(lambda x: x, ("a",)),
    "batch-shapes": lambda: got(rows(3, "a", lambda i: (np.zeros(i + 1),)).batch(2)),
    "batch-types": lambda: got(rows(3, "a", lambda i: (np.zeros(1, [np.int64, np.int32][i % 2]),)).batch(2)),
    "batch-zero": lambda: rows().batch(0),
    "batch-float": lambda: rows().batch(2.0),
    "batch-minus-one": lambda: got(rows().batch(-1)),
    "batch-function-zero": lambda: got(rows().batch(lambda info: 0)),
    "batch-map-raises": lambda: got(rows().batch(2, per_batch_map=_fails)),
    "batch-map-columns": lambda: got(rows().batch(2, per_batch_map=lambda a, info: (a, a))),
    "batch-map-unknown": lambda: got(rows().batch(2, per_batch_map=lambda a, info: (a,),
                                                  input_columns=["z"])),
    "pad-unknown": lambda: got(rows().padded_batch(3, pad_info={"b": ([2], 7)})),
    "pad-none": lambda: got(rows(3, "a", lambda i: (np.ones(i + 1),)).padded_batch(3)),
    "zip-same-names": lambda: got(ds.zip((rows(), rows()))),
    "zip-one": lambda: ds.zip((rows(),)),
    "concat-names": lambda: got(rows() + rows(1, "b")),
    "concat-types": lambda: got(rows(1) + rows(1, "a", lambda i: (1.5,))),
    "filter-unknown": lambda: got(rows().filter(lambda a: True, ["z"])),
    "project-unknown": lambda: got(rows().project(["z"])),
    "rename-unknown": lambda: got(rows().rename(["q"], ["z"])),
    "rename-taken": lambda: got(pair().rename(["a"], ["b"])),
    "shuffle-one": lambda: rows().shuffle(1),
    "repeat-zero": lambda: rows().repeat(0),
    "apply-number": lambda: rows().apply(3),
    "apply-gives-number": lambda: rows().apply(lambda dataset: 3),
    "same-column-twice": lambda: rows(1, "aa"),
    "no-columns": lambda: ds.GeneratorDataset(Rows(3)),
    "source-number": lambda: ds.GeneratorDataset(3, ["a"]),
    "shards-alone": lambda: rows(3, num_shards=2),
    "shard-too-big": lambda: rows(3, num_shards=2, shard_id=2),
    "sampler-and-shuffle": lambda: ds.GeneratorDataset(Rows(3), ["a"], shuffle=True,
                                                       sampler=ds.SequentialSampler()),
    "sampler-outside": lambda: got(ds.GeneratorDataset(Rows(3), ["a"], sampler=[1, 14])),
    "slices-lengths": lambda: ds.NumpySlicesDataset(([1, 2], [3])),
    "slices-empty": lambda: ds.NumpySlicesDataset([]),
    "no-folder": lambda: ds.MnistDataset("/nonexistent"),
    "usage": lambda: ds.MnistDataset("/", "trian"),
    "mnist-empty-folder": lambda: got(ds.MnistDataset("/proc/self/task")),
    "no-epochs": lambda: rows().create_tuple_iterator(num_epochs=0),
    "iterator-unknown-column": lambda: rows().create_tuple_iterator(columns=["z"]),
    "split-sum": lambda: rows(10).split([6, 6]),
    "split-fractions": lambda: rows(10).split([0.5, 0.6]),
    "split-uneven": lambda: [part.get_dataset_size() for part in rows(10).split([0.16] * 5 + [0.2])],
    "split-small": lambda: [part.get_dataset_size() for part in rows(3).split([0.25] * 4)],
}


@case(each={"name": list(ERRORS)})
def test_what_errors_say(name):
    return said(ERRORS[name])


@case
def test_a_node_feeds_one_consumer():
    dataset = rows()
    first, second = dataset.batch(2), dataset.batch(3)
    return said(lambda: got(first)), said(lambda: second.get_dataset_size())


@case
def test_beyond_the_epochs_asked_for():
    iterator = rows(3).create_dict_iterator(num_epochs=2)
    return len(list(iterator)), len(list(iterator)), said(lambda: next(iterator))


@case
def test_iterators_without_end():
    iterator = rows(3).create_tuple_iterator()
    first = next(iterator)
    return type(first[0]).__name__, [len(list(iterator)) for _ in range(3)], [len(list(rows(3)))
                                                                              for _ in range(2)]


@case
def test_tensors_and_text_of_iterators():
    row = next(rows(1, "abc", lambda i: (1, np.float32([2, 3]), "hi")).create_dict_iterator())
    return row["a"], row["b"], row["c"], next(pair().create_tuple_iterator(columns=["b"]))


def sized(dataset):
    return dataset.get_dataset_size(), dataset.get_batch_size(), dataset.get_repeat_count()


WITHOUT_THE_COLUMN = {
    "project": lambda: pair(5).project("z"), "project-batch": lambda: pair(5).project("z").batch(2),
    "rename": lambda: pair(5).rename("z", "y"), "rename-taken": lambda: pair(5).rename("a", "b"),
    "map": lambda: pair(5).map(lambda x: x, "z"), "concat": lambda: pair(5) + pair(5).rename("b", "c"),
    "filter": lambda: pair(5).filter(lambda x: True, "z"),
    "batch": lambda: pair(5).batch(2, per_batch_map=lambda a, info: (a,), input_columns=["z"]),
    "buckets": lambda: pair(5).bucket_batch_by_length(["z"], [3], [1, 2]).repeat(2),
}


@case(each={"name": list(WITHOUT_THE_COLUMN)})
def test_questions_to_a_pipeline_without_the_column(name):
    dataset = WITHOUT_THE_COLUMN[name]()
    if name == "filter":
        return dataset.get_col_names(), said(dataset.output_shapes)
    return [said(getattr(dataset, question)) for question in (
        "get_dataset_size", "get_batch_size", "get_repeat_count", "get_col_names", "num_classes", "output_types")]


@case
def test_sizes():
    def three():
        yield from [(1,), (2,), (3,)]

    function = lambda: ds.GeneratorDataset(three, ["a"])  # noqa: E731
    return [sized(d) for d in (
        rows(5), rows(5).batch(2).repeat(3), rows(5).batch(2, True).repeat(3).take(4).skip(1),
                               rows(5).batch(2).batch(2),
        rows(5).repeat(2).repeat(3), rows(5).repeat(2).batch(3), rows(5).batch(lambda info: 2),
                               rows(5).skip(10),
        rows(5) + rows(3), ds.zip((rows(5), rows(3, "b"))), rows(6).padded_batch(4, pad_info={}),
        rows(5).filter(lambda x: x > 2, ["a"]), function(), function().batch(2),
                               function().repeat(2))], len(rows(5))


@case
def test_shapes_types_and_names():
    dataset = rows(5, "ab", lambda i: (np.zeros((2, 3), np.float32), i)).batch(2).repeat(3)
    growing = rows(3, "a", lambda i: (np.zeros(i + 1),))
    return (dataset.output_shapes(), [str(t) for t in dataset.output_types()], dataset.get_col_names(),
            dataset.num_classes(), dataset.get_class_indexing(), growing.output_shapes(),
            rows(3, "a", lambda i: (np.zeros(i + 1),)).output_shapes(True),
            rows(5).batch(2).output_shapes(True))


@case
def test_batch_info_counts_batches_and_epochs():
    ds.config.set_num_parallel_workers(1)
    seen = []

    def record(column, info):
        seen.append((info.get_batch_num(), info.get_epoch_num(), type(column).__name__,
                     type(column[0]).__name__))
        return (column,)

    iterator = rows(4).batch(2, per_batch_map=record).repeat(2).create_tuple_iterator(num_epochs=2,
                                                                                      output_numpy=True)
    return len(list(iterator)), len(list(iterator)), seen


@case
def test_functions_cannot_change_the_source():
    data = np.zeros((3, 2))

    def add(x):
        x += 1
        return x

    dataset = ds.NumpySlicesDataset(data, ["a"], shuffle=False).map(add, ["a"])
    seen = [[row[0].tolist() for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]
            for _ in range(2)]
    return seen, data


@case
def test_one_array_in_two_columns_is_two_arrays():
    def add(a, b):
        a += 1
        return a, b

    dataset = rows(2, "a", lambda i: (np.array([i]),)).map(lambda a: (a, a), ["a"],
                                                           ["a", "b"]).map(add, ["a", "b"])
    return got(dataset)


def nested(value):
    """Kinds, dtypes and numbers of what a column of Python objects holds."""
    if isinstance(value, dict):
        return {key: nested(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(nested, value)]
    array = value.asnumpy() if isinstance(value, ms.Tensor) else value
    return type(value).__name__, str(getattr(array, "dtype", "")), np.asarray(array).tolist()


@case(each={"as_arrays": [False, True]})
def test_dicts_pass_as_python_objects(as_arrays):
    class Rows:
        def __getitem__(self, i):
            return {"a": [int(i), 1], "b": np.float32(i), "c": f"x{i}", "d": {"e": (1, 2.5), "f": True}}

        def __len__(self):
            return 2

    def collated(features, info):
        first = features[0]
        return {"n": [1, 2], "x": ms.Tensor([1.0]), "kinds": [type(first[k]).__name__ for k in "abcd"],
                "a": np.array([f["a"] for f in features])}

    data = ds.GeneratorDataset(Rows(), ["item"], shuffle=False)
    batches = ds.GeneratorDataset(Rows(), ["item"], shuffle=False).batch(2, per_batch_map=collated)
    return [[nested(row["item"]) for row in one.create_dict_iterator(num_epochs=1, output_numpy=as_arrays)]
            for one in (data, batches)]


USELESS = {"shards": (0, 0), "shard": (3, 3), "shard below": (3, -1), "offset": (3, 0, False, None, 4)}


@case(each={"wrong": list(USELESS)})
def test_samplers_that_no_source_can_use(wrong):
    source = ds.NumpySlicesDataset(np.arange(10), sampler=ds.DistributedSampler(*USELESS[wrong]))
    return said(source.get_dataset_size), said(lambda: list(source.create_tuple_iterator(1)))


@case(each={"padding": [29, 30, [35, 0, 0, 0], [36, 0, 0, 0], [0, 0, 0, 30]]})
def test_margins_wider_than_three_images(padding):
    image, box = np.zeros((10, 12, 3), np.uint8), np.ones((1, 4), np.float32)
    source = ds.NumpySlicesDataset({"image": [image], "bbox": [box]}, shuffle=False)
    return [said(lambda made=made, columns=columns: next(
        source.map(made([4, 4], padding), columns).create_tuple_iterator(num_epochs=1, output_numpy=True))[0].shape)
        for made, columns in ((vision.RandomCrop, ["image"]), (vision.RandomCropWithBBox, ["image", "bbox"]))]


@case
def test_a_batch_of_dicts_from_a_map_keeps_their_values_in_lists():
    made = rows(4).batch(2, per_batch_map=lambda a, info: ([{"v": x * 2, "t": (1, 2)} for x in a],))
    return [{k: (type(v).__name__, [np.asarray(x).tolist() for x in v]) for k, v in row["a"].items()}
            for row in made.create_dict_iterator(num_epochs=1, output_numpy=True)]


MIXED = {
    "dict and list": lambda a, b, info: ({"a": 1}, b),
    "array too short beside a list": lambda a, b, info: (a, np.array([1])),
    "array too long beside a list": lambda a, b, info: (np.array([1, 2, 3]), [1, 2]),
}


@case(each={"kind": list(MIXED)}, raises=True)
def test_columns_of_several_kinds_from_a_map(kind):
    return got(pair().batch(2, per_batch_map=MIXED[kind]))


@case
def test_arrays_and_dicts_from_a_map_are_whole_batches():
    return got(pair().batch(2, per_batch_map=lambda a, b, info: (np.array([1, 2, 3]), {"a": 1})))


UNEQUAL = {
    "keys": lambda i: ({"a": i} if i != 1 else {"b": i},),
    "nested": lambda i: ({"a": {"b": i}},),
}


@case(each={"kind": list(UNEQUAL)}, raises=True)
def test_dicts_that_make_no_batch(kind):
    return got(rows(4, make=UNEQUAL[kind]).batch(2))
