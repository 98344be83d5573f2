"""Pipelines: which of several mistakes is told, in which words, which file is named, and which of two columns with a
name is seen."""

import os

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.audio as A
import mindspore.dataset.transforms as T
import mindspore.dataset.vision as V
import numpy as np

from tests.reference.judge import case
from tests.reference.test_mindrecord import folder, said, write

WAVE = np.sin(np.arange(800) / 7).astype(np.float32)
MEL = {"n_fft": 16, "win_length": 16, "hop_length": 8, "f_min": 0.0, "f_max": 10.0, "pad": 0, "n_mels": 50,
       "window": A.WindowType.HANN, "power": 2.0, "normalized": True, "center": True,
       "pad_mode": A.BorderType.REFLECT, "onesided": True, "norm": A.NormType.NONE, "mel_scale": A.MelType.HTK}
WRONG = {"n_fft": 0, "win_length": -1, "hop_length": 0, "f_min": 20, "f_max": -1, "pad": -1, "n_mels": 0, "window": 1,
         "power": -1.0, "normalized": 1, "center": 1, "pad_mode": 1, "onesided": 1, "norm": 1, "mel_scale": 1}
BORDERS = {"win_length": [0, 20, None], "f_min": [-1, 1], "power": [0.0, 1], "f_max": [None, 20000],
           "hop_length": [None]}


def settings(**wrong):
    return said(lambda: A.MFCC(melkwargs={**MEL, **wrong}) and None)


@case(each={"name": list(WRONG)})
def test_wrong_settings_of_cepstral_coefficients(name):
    given = WRONG[name]
    return settings(**{name: given}), settings(**{"f_max": -1, name: given}), settings(**{"n_mels": 5, name: given})


@case(each={"name": list(BORDERS)})
def test_settings_that_are_looked_at_when_used(name):
    return [said(lambda given=given: A.MFCC(melkwargs={**MEL, name: given})(WAVE).shape) for given in BORDERS[name]]


@case
def test_other_words():
    return (said(lambda: A.GriffinLim(n_fft=100)(np.zeros((151, 8), np.float32))),
            said(lambda: T.Mask(T.Relational.EQ, "2", ms.string)(np.array(["1", "2"]))),
            said(lambda: T.Mask(T.Relational.EQ, "2", ms.string)(np.array([1, 2]))))


@case(each={"where": [[-1, 0], [0, 5.2], [0, 0], 5, "ab"], "size": [[20], -1, [3, -1], "x", [3, 2.5]]})
def test_wrong_places_before_wrong_sizes(where, size):
    return said(lambda: V.Crop(where, size) and None)


TEXTS = ['1,2,3\n4,x,"5\n', '1,2,3\n4,5,"6\n', '1,2,3\nx,2,"3" \n', '1,2,3\nx,2,3"3\n', '1,x,"3\n4,5"\n',
         '1,2,3\n1,99999999999,"b\n']


@case(each={"text": range(len(TEXTS)), "first": ["number", "text"]})
def test_wrong_numbers_before_wrong_quotes(text, first):
    def read():
        with open("f.csv", "w") as file:
            file.write(TEXTS[text])
        rows = ds.CSVDataset("f.csv", column_defaults=[0 if first == "number" else "", 0, ""],
                             column_names=["a", "b", "c"], shuffle=False)
        return [[str(value) for value in row] for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    return said(read)


MAPS = {"one": (lambda x: x - 1, ["a"], ["b"]), "two": (lambda x: (x - 1, x + 1), ["a"], ["b", "o"]),
        "two, later": (lambda x: (x - 1, x + 1), ["a"], ["o", "b"]), "fewer": (lambda x, y: x - 1, ["a", "b"], ["c"]),
        "in turn": (lambda x, y: (x - 1, y + 100), ["a", "c"], ["c", "b"]),
        "three": (lambda x: (x - 1, x + 100, x), ["c"], ["a", "b", "d"])}


@case(each={"name": list(MAPS), "debug": [False, True]})
def test_columns_that_get_the_name_of_another(name, debug):
    function, inputs, outputs = MAPS[name]

    def run():
        rows = ds.NumpySlicesDataset({"a": [0, 1, 2], "b": [10, 11, 12], "c": [20, 21, 22]}, shuffle=False)
        rows = rows.map(function, inputs, outputs)
        names = rows.get_col_names()
        return names, [{name: int(value) for name, value in row.items()}
                       for row in rows.create_dict_iterator(num_epochs=1, output_numpy=True)]

    ds.config.set_debug_mode(debug)
    try:
        return said(run)
    finally:
        ds.config.set_debug_mode(False)


def fails(x):
    raise ValueError("no")


def same(x):
    return x


FAILING = {"function": [fails], "functions": [same, fails], "transform": [V.Decode()],
           "transform behind a function": [same, V.Decode()], "function behind a transform": [T.TypeCast(ms.int64), fails],
           "transforms": [T.TypeCast(ms.int8), V.Decode()], "composed": [T.Compose([T.TypeCast(ms.int64), fails])],
           "before": [V.Decode(), same]}


@case(each={"name": list(FAILING), "where": ["f0", "./f1", ["f1"]]})
def test_the_file_of_a_row_that_failed(name, where):
    with folder():
        write([[{"i": k, "b": b"x"} for k in range(4)]], shards=2)
        try:
            list(ds.MindDataset(where, ["i"], shuffle=False).map(FAILING[name], ["i"]))
        except RuntimeError as error:
            return [line for line in str(error).splitlines() if "map operation" in line]


@case(each={"momentum": [1, 1.5], "frequencies": [151, 3]})
def test_too_much_momentum_before_too_many_frequencies(momentum, frequencies):
    return said(lambda: A.GriffinLim(n_fft=300, momentum=momentum)(np.zeros((frequencies, 8), np.float32)))


NUMBERS = {"text": "1", "half": 1.5, "whole": 1.0, "true": True, "None": None, "numpy's": np.int32(3), "list": [1],
           "below": -1, "large": 1 << 40}


@case(each={"number": list(NUMBERS)})
def test_numbers_of_classes(number):
    def read():
        with open("x.png", "wb") as file:
            file.write(b"\x89PNG")
        with open("m.json", "w") as file:
            file.write(f'{{"source": "{os.path.realpath("x.png")}", "usage": "train", '
                       '"annotation": [{"type": "cls", "name": "cat"}]}\n')
        rows = ds.ManifestDataset("m.json", class_indexing={"cat": NUMBERS[number]}, shuffle=False)
        return [int(row[1]) for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    return said(read)
