"""Samples that fail in a ``map``: left out, or replaced by good ones (``config.set_error_samples_mode``)."""
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
import numpy as np

from tests.reference.judge import case

MODES = {mode.name: mode for mode in (ds.config.ErrorSamplesMode.SKIP, ds.config.ErrorSamplesMode.REPLACE)}


def refusing(*numbers):
    def kept(x, *others):
        if int(np.ravel(x)[0]) in numbers:
            raise ValueError("bad")
        return (x, *others)
    return kept


def numbers(count, *bad, name="a", **arguments):
    return ds.NumpySlicesDataset(np.arange(count), [name], shuffle=False).map(refusing(*bad), name, **arguments)


def images():
    """Rows whose image has a wrong rank in one of five."""
    for i in range(5):
        yield (np.full((4, 4, 3) if i != 2 else (4,), i, np.uint8),)


PIPELINES = {
    "few": lambda: numbers(8, 2),
    "first": lambda: numbers(8, 0, 1),
    "last": lambda: numbers(8, 7),
    "all": lambda: numbers(8, *range(8)),
    "many rows": lambda: numbers(60, 0, 1, 2, 3, 4, 22, 23, 50),
    "few good": lambda: numbers(40, *range(9, 40)),
    "in processes": lambda: numbers(8, 1, 4, 6, python_multiprocessing=True, num_parallel_workers=2),
    "batches": lambda: numbers(8, 2, 5).batch(3),
    "of batches": lambda: ds.NumpySlicesDataset(np.arange(8), shuffle=False).batch(2).map(refusing(2)),
    "two maps": lambda: numbers(8, 2).map(refusing(5, 3), "a"),
    "repeat": lambda: numbers(4, 2).repeat(2),
    "take": lambda: numbers(8, 1).take(3),
    "zip": lambda: ds.zip((numbers(4, 2), numbers(8, name="b"))),
    "concat": lambda: numbers(4, 2) + numbers(3, 0),
    "several columns": lambda: ds.zip((numbers(4), numbers(4, name="b"))).map(refusing(3), ["a", "b"]),
    "a transform": lambda: ds.GeneratorDataset(images, ["a"]).map(vision.Resize((1, 1)), "a"),
    "None": lambda: numbers(4).map(lambda x: None if x == 2 else x, "a"),
    "a column too many": lambda: numbers(4).map(lambda x: (x, x) if x == 2 else x, "a"),
    "batch's function": lambda: numbers(4).batch(2, per_batch_map=lambda a, info: 1 / 0, input_columns=["a"]),
    "filter": lambda: numbers(4).filter(lambda a: 1 / 0),
}


@case(each={"mode": list(MODES), "name": list(PIPELINES)})
def test_samples_that_fail(mode, name):
    ds.config.set_error_samples_mode(MODES[mode])
    found = []
    try:
        data = PIPELINES[name]()
        found.append(data.get_dataset_size())
        iterator = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
        for _ in range(3):
            found.append([[column.tolist() for column in row] for row in iterator])
    except RuntimeError as error:
        lines = str(error).splitlines()
        found.append([line for line in lines if line.startswith("[ERROR]")] or type(error).__name__)
    finally:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
    return found
