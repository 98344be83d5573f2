"""Pipelines as JSON: what is written of sources, operations and transforms, and pipelines read again."""

import json
import os
import tempfile
import wave

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.audio as A
import mindspore.dataset.text as X
import mindspore.dataset.transforms as T
import mindspore.dataset.vision as V
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

INTER, BORDER = V.Inter, V.Border

OPERATIONS = {
    "adjusting": lambda: [
        V.AdjustBrightness(2.0),
        V.AdjustContrast(1.5),
        V.AdjustGamma(0.5),
        V.AdjustHue(0.2),
        V.AutoContrast(10.0, [1, 2]),
        V.Equalize(),
        V.Invert(),
        V.Posterize(3),
        V.Solarize((1, 2)),
    ],
    "moving": lambda: [
        V.Affine(10.0, [0.1, 0.2], 1.1, [1, 2]),
        V.Rotate(30, INTER.LINEAR, True, (1, 2), (3, 4, 5)),
        V.Crop((1, 2), 3),
        V.CenterCrop(3),
        V.Pad([1, 2, 3, 4], (5, 6, 7), BORDER.EDGE),
        V.PadToSize(10),
        V.HorizontalFlip(),
        V.Resize((3, 4), INTER.AREA),
        V.Resize(5),
    ],
    "erasing": lambda: [
        V.CutOut(3, num_patches=2),
        V.Erase(1, 2, 3, 4, (1, 2, 3), True),
        V.GaussianBlur([3, 5]),
        V.SlicePatches(2, 3, V.SliceMode.DROP, 4),
        V.ConvertColor(V.ConvertMode.COLOR_BGR2RGB),
    ],
    "numbers": lambda: [
        V.Rescale(0.1, 0.2),
        V.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], is_hwc=False),
        V.NormalizePad([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], "float16"),
        V.HWC2CHW(),
        V.ToTensor("float16"),
        T.TypeCast(ms.float16),
    ],
    "random": lambda: [
        V.RandomAffine(15),
        V.RandomAffine((1, 2), (0.1, 0.2), (0.5, 0.6), [1, 2], INTER.BICUBIC, 7),
        V.RandomColorAdjust(0.1, (0.2, 0.3), 0.4, 0.3),
        V.RandomRotation((1, 2), center=(3, 4)),
        V.RandomCrop((3, 4), [1, 2, 3, 4], True, (1, 2, 3), BORDER.SYMMETRIC),
        V.RandomResize(3),
        V.RandomCropDecodeResize(3),
        V.RandomSolarize((1, 2)),
        V.RandomPosterize(3),
        V.RandomHorizontalFlip(0.3),
        V.RandAugment(3, 4),
        V.AutoAugment(interpolation=INTER.BILINEAR),
    ],
    "choosing": lambda: [
        T.RandomApply([V.HorizontalFlip()], 0.3),
        T.RandomChoice([V.Invert(), V.ToTensor()]),
        V.UniformAugment([V.HorizontalFlip(), V.VerticalFlip()], 1),
        T.Compose([V.Invert()]),
        V.RandomSelectSubpolicy([[(V.Invert(), 0.5), (V.VerticalFlip(), 1)]]),
    ],
    "python": lambda: [V.ToPIL(), V.RandomGrayscale(0.3), V.ToTensor(), lambda x: x],
    "values": lambda: [
        T.Fill(3),
        T.Mask(T.Relational.LT, 3.0, ms.int32),
        T.OneHot(3, 0.1),
        T.PadEnd([3, None], 1),
        T.Duplicate(),
        T.Unique(),
        T.Slice(0),
    ],
    "text": lambda: [X.Truncate(3), X.AddToken("a", True), X.ToNumber(ms.int8), X.CaseFold()],
    "tokenizer": lambda: [X.PythonTokenizer(str.split)],
    "sounds": lambda: [
        *(A.AmplitudeToDB(stype) for stype in A.ScaleType),
        *(A.Fade(1, 2, shape) for shape in A.FadeShape),
        A.Angle(),
        A.FrequencyMasking(True, 3),
        A.TrebleBiquad(44100, 1.5),
        A.TimeStretch(fixed_rate=2),
        A.Resample(8, 4),
        A.PhaseVocoder(1.5, np.arange(4.0).reshape(4, 1)),
    ],
    "spectra": lambda: [
        A.LFCC(norm=A.NormMode.NONE),
        A.MFCC(),
        A.MFCC(n_mfcc=4, melkwargs={
            "n_fft": 400, "win_length": 300, "hop_length": 100, "f_min": 1.0, "f_max": 8000.0, "pad": 0, "n_mels": 64,
            "window": A.WindowType.KAISER, "power": 2.0, "normalized": True, "center": True,
            "pad_mode": A.BorderType.CONSTANT, "onesided": True, "norm": A.NormType.SLANEY,
            "mel_scale": A.MelType.SLANEY}),
        A.InverseMelScale(20),
    ],
}

# One of each that has no other, as C++ calls them.
ONES = {type(one()).__name__: one for one in (
    lambda: V.Perspective([[0, 3], [3, 3], [3, 0], [0, 0]], [[0, 3], [3, 3], [3, 0], [0, 0]]),
    lambda: V.AdjustBrightness(2.0), lambda: V.AdjustGamma(2.0), lambda: V.Posterize(3), V.AutoAugment,
    lambda: V.GaussianBlur(3), lambda: V.PadToSize(9), V.RandomEqualize, V.RandomColor, V.DecodeVideo,
    lambda: V.SlicePatches(2, 2), lambda: V.UniformAugment([V.Invert(), V.Equalize()]),
    T.Duplicate, T.Unique, lambda: T.PadEnd([3], 0), lambda: T.Mask(T.Relational.EQ, 1), lambda: T.OneHot(3),
    lambda: T.RandomApply([V.Invert()]), lambda: X.Truncate(2), lambda: X.ToNumber(ms.int8), X.CaseFold,
    lambda: X.Ngram(2), X.WhitespaceTokenizer, A.Angle, lambda: A.BassBiquad(44100, 1.0), A.Spectrogram,
    lambda: X.PythonTokenizer(str.split),
)}


def written(made):
    """The tree of what ``made()`` gives, under settings that are no machine's."""
    ds.config.set_num_parallel_workers(1)
    ds.config.set_prefetch_size(16)
    ds.config.set_seed(7)
    return json.loads(json.dumps(ds.serialize(made())))


@case(each={"what": list(OPERATIONS)})
def test_operations_as_json(what):
    return written(lambda: ds.FakeImageDataset(6, (4, 5, 3), 3).map(OPERATIONS[what](), ["image"]))


PIPELINES = {
    "flow": lambda s: (
        s.rename(["image"], ["x"]).project(["x", "label"]).shuffle(4).repeat(3).skip(1).take(2).batch(2, True)
    ),
    "python": lambda s: s.filter(lambda x, y: True).batch(2, per_batch_map=lambda a, b, i: (a, b)),
    "zip": lambda s: ds.zip((s, ds.NumpySlicesDataset([1, 2], ["a"]))),
    "concat": lambda s: (
        s + ds.NumpySlicesDataset({"image": np.zeros((2, 4, 5, 3), np.uint8), "label": [1, 2]})
    ),
    "padded": lambda s: s.padded_batch(2, pad_info={"image": ([5, 5, 3], 0)}),
}


@case(each={"what": list(PIPELINES)})
def test_operations_of_pipelines_as_json(what):
    return written(lambda: PIPELINES[what](ds.FakeImageDataset(6, (4, 5, 3), 3)))


def under():
    sampler = ds.WeightedRandomSampler([1.0, 0.5], 2)
    sampler.add_child(ds.SequentialSampler(1, 3))
    return sampler


SAMPLERS = {
    "sequence": lambda: ds.SequentialSampler(1, 3),
    "random": lambda: ds.RandomSampler(True, 4),
    "chosen": lambda: ds.SubsetRandomSampler([1, 2]),
    "list": lambda: [2, 1],
    "under": under,
    "shard": lambda: ds.DistributedSampler(4, 1, False, offset=0),
    "none": lambda: None,
}


@case(each={"what": list(SAMPLERS)})
def test_samplers_as_json(what):
    return written(lambda: ds.FakeImageDataset(6, (4, 5, 3), 3, sampler=SAMPLERS[what]()))


def pictures(folder):
    for k in range(6):
        os.makedirs(f"{folder}/{k % 2}", exist_ok=True)
        V.write_png(f"{folder}/{k % 2}/{k}.png", np.full((4, 5, 3), 10 * k, np.uint8))
    return ds.ImageFolderDataset(folder, shuffle=False)


@case
def test_a_pipeline_read_again():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as beside:
        made = (
            pictures(folder)
            .skip(1)
            .map([V.Decode(), V.Resize((2, 3)), V.Rescale(0.1, 0.2)], "image")
            .batch(2, True)
        )
        ds.serialize(made, f"{beside}/made.json")
        again = ds.deserialize(json_filepath=f"{beside}/made.json")
        rows = [(row["image"], row["label"]) for row in again.create_dict_iterator(1, True)]
        return rows, ds.compare(made, again), ds.compare(made, again.repeat(2)), again.get_dataset_size()


@case
def test_what_cannot_be_read_again():
    with tempfile.TemporaryDirectory() as folder:
        rows = ds.NumpySlicesDataset([1, 2], ["a"])
        python = pictures(folder).map(lambda x: x, "image")
        return [
            said(lambda made=made: ds.deserialize(made) and None)
            for made in (
                ds.serialize(rows.batch(2)),
                {"op_type": "Foo", "children": []},
                "none.json",
                ds.serialize(python),
                None,
            )
        ]


@case(each={"name": list(ONES)})
def test_which_operations_are_read_again(name):
    with tempfile.TemporaryDirectory() as folder:
        made = ds.serialize(pictures(folder).map(ONES[name](), "image"))
        return said(lambda: ds.serialize(ds.deserialize(made))["operations"])


@case
def test_pil_images_go_through_random_transforms():
    with tempfile.TemporaryDirectory() as folder:
        rows = pictures(folder).map(
            [
                V.Decode(True),
                V.RandomVerticalFlip(1.0),
                V.RandomHorizontalFlip(1.0),
                V.RandomCrop((4, 5)),
                V.ToTensor(),
            ],
            "image",
        )
        return [row["image"] for row in rows.create_dict_iterator(1, True)]


def oops(*columns):
    raise ValueError("oops")


FAILING = {
    "file": lambda s: s.map(oops, "image", num_parallel_workers=1), "label": lambda s: s.map(oops, "label"),
    "later": lambda s: s.map(V.Decode(), "image", num_parallel_workers=1).map(
        oops, "image", num_parallel_workers=1), "transform": lambda s: s.map(
        V.HWC2CHW(), "image", num_parallel_workers=1),
    "batch": lambda s: s.map(V.Decode(), "image").batch(2).map(oops, "image"),
}


@case(each={"what": list(FAILING)})
def test_an_error_names_the_file(what):
    with tempfile.TemporaryDirectory() as folder:
        rows = FAILING[what](pictures(folder))
        _, told = said(lambda: list(rows.create_dict_iterator(1, True)))
        return [line.replace(folder, "") for line in told if "failed. " in line]


@case(each={"column": ["waveform", "sample_rate", "label"]})
def test_an_error_names_the_recording(column):
    with tempfile.TemporaryDirectory() as folder, wave.open(folder + "/1_0_1_0_1_0_1_0.wav", "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(8000), file.writeframes(bytes(20))
        file.close()
        rows = ds.YesNoDataset(folder, shuffle=False).map(oops, column, num_parallel_workers=1)
        _, told = said(lambda: list(rows.create_dict_iterator(1, True)))
        return [line.replace(folder, "") for line in told if "failed. " in line]


@case
def test_a_folder_among_the_images():
    with tempfile.TemporaryDirectory() as folder:
        pictures(folder)
        os.makedirs(f"{folder}/0/a")
        rows = ds.ImageFolderDataset(folder, shuffle=False)
        _, told = said(lambda: list(rows.create_dict_iterator(1, True)))
        return rows.get_dataset_size(), told[-1].replace(folder, "")
