"""Rows a second of data pipelines: ours, the real MindSpore's where installed, and a DataLoader's by hand.

``python scripts/benchmarks/data.py [chains|operations|workers] [--rounds N] [--only NAME,NAME]``

Each side is a process of its own; they take turns, epoch by epoch, so that a slow moment of the machine hits
all. What is printed are medians: rows a second by the wall clock, and milliseconds of processor time a row,
which other processes do not disturb. ``operations`` prints microseconds of processor time a call on a 500x375
image of bytes, on a second of sound, and on a line of text.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import import_module

import numpy as np

MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
WORKERS = 2


# ---- the data: made once, for all sides --------------------------------------------------------------------

def _photo(random, height, width):
    y, x = np.mgrid[:height, :width].astype(np.float32)
    waves = [128 + 80 * np.sin(x / a + y / b) + 30 * np.cos(y / c) for a, b, c in random.uniform(9, 60, (3, 3))]
    return (np.stack(waves, -1) + random.normal(0, 6, (height, width, 3))).clip(0, 255).astype(np.uint8)


def make(folder: str) -> None:
    """128 JPEGs of about ImageNet's sizes, and arrays of MNIST's and CIFAR's."""
    from PIL import Image
    random = np.random.RandomState(0)
    files = []
    for _ in range(128):
        height, width = random.randint(333, 420), random.randint(400, 520)
        file = io.BytesIO()
        Image.fromarray(_photo(random, height, width)).save(file, "JPEG", quality=90)
        files.append(np.frombuffer(file.getvalue(), np.uint8))
    np.savez(os.path.join(folder, "jpeg.npz"), *files)
    np.save(os.path.join(folder, "mnist.npy"), random.randint(0, 256, (4000, 28, 28, 1)).astype(np.uint8))
    np.save(os.path.join(folder, "cifar.npy"), random.randint(0, 256, (4000, 32, 32, 3)).astype(np.uint8))


def load(folder: str, name: str):
    path = os.path.join(folder, name)
    if os.path.exists(path + ".npy"):
        return np.load(path + ".npy")
    with np.load(path + ".npz") as data:
        return [data[key] for key in data.files]


class Source:
    """Random access to the rows of an array or list, for GeneratorDataset."""

    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, index):
        return self.rows[index], np.int32(index % 10)

    def __len__(self):
        return len(self.rows)


# ---- chains: MindSpore's way, on either side ---------------------------------------------------------------

def chains(ds, folder: str, workers: int) -> dict:
    """By name, a function that gives the pipeline and its number of rows."""
    V, T, Inter = ds.vision, ds.transforms, ds.vision.Inter

    def images(rows, operations, batch=32):
        def build():
            data = ds.GeneratorDataset(Source(rows), ["image", "label"], shuffle=False, num_parallel_workers=1)
            data = data.map(operations, "image", num_parallel_workers=workers)
            return data.batch(batch), len(rows)
        return build

    jpeg, mnist, cifar = (load(folder, name) for name in ("jpeg", "mnist", "cifar"))
    jpeg, decoded = jpeg * 3, [V.Decode()(one) for one in jpeg] * 2

    def mindrecord():
        writer = import_module(ds.__name__.split(".")[0] + ".mindrecord").FileWriter
        path = os.path.join(folder, f"rows-{os.getpid()}.mindrecord")
        out = writer(path, 1)
        out.add_schema({"image": {"type": "bytes"}, "label": {"type": "int32"}}, "")
        out.write_raw_data([{"image": row.tobytes(), "label": i % 10} for i, row in enumerate(cifar)])
        out.commit()
        return ds.MindDataset(path, ["image", "label"], shuffle=False).batch(32), len(cifar)

    def text():
        words = [" ".join(f"w{(i * k) % 97}" for k in range(20)) for i in range(4000)]
        vocab = ds.text.Vocab.from_list([f"w{i}" for i in range(97)])
        data = ds.NumpySlicesDataset(words, ["text"], shuffle=False)
        return data.map([ds.text.WhitespaceTokenizer(), ds.text.Lookup(vocab)], ["text"]).batch(32), len(words)

    return {
        "ImageNet train": images(jpeg, [V.RandomCropDecodeResize(224), V.RandomHorizontalFlip(0.5),
                                        V.Normalize(MEAN, STD), V.HWC2CHW()]),
        "ImageNet eval": images(jpeg, [V.Decode(), V.Resize(256), V.CenterCrop(224), V.Normalize(MEAN, STD),
                                       V.HWC2CHW()]),
        "jitter, rotate, resize": images(decoded, [V.RandomColorAdjust(0.4, 0.4, 0.4, 0.1), V.RandomRotation(15),
                                                   V.Resize((224, 224))]),
        "MNIST": images(mnist, [V.Resize((32, 32), Inter.LINEAR), V.Rescale(1 / 255, 0.0), V.HWC2CHW()]),
        "CIFAR": images(cifar, [V.RandomCrop((32, 32), (4, 4, 4, 4)), V.RandomHorizontalFlip(0.5),
                                V.Rescale(1 / 255, 0.0), V.Normalize([.49, .48, .45], [.2, .2, .2]), V.HWC2CHW(),
                                T.TypeCast(np.float32)]),
        "generator": lambda: (ds.GeneratorDataset(Source(cifar), ["image", "label"], shuffle=False).batch(32),
                              len(cifar)),
        "Python function": lambda: (ds.GeneratorDataset(Source(cifar), ["image", "label"], shuffle=False)
                                    .map(lambda x: x + 1, "image").batch(32), len(cifar)),
        "MindRecord": mindrecord,
        "text": text,
    }


# ---- chains by hand: a DataLoader with OpenCV --------------------------------------------------------------

def by_hand(folder: str) -> dict:
    import cv2
    import torch
    from torch.utils.data import DataLoader, Dataset
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    mean, std = np.array(MEAN, np.float32), np.array(STD, np.float32)
    jpeg, mnist, cifar = (load(folder, name) for name in ("jpeg", "mnist", "cifar"))

    def decode(data):
        return cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)

    def finish(image, mean=mean, std=std):
        return np.ascontiguousarray(((image.astype(np.float32) - mean) / std).transpose(2, 0, 1))

    def train(data):
        image, random = decode(data), np.random
        for _ in range(10):
            area = image.shape[0] * image.shape[1] * random.uniform(.08, 1)
            ratio = np.exp(random.uniform(np.log(3 / 4), np.log(4 / 3)))
            width, height = round((area * ratio) ** .5), round((area / ratio) ** .5)
            if 0 < width <= image.shape[1] and 0 < height <= image.shape[0]:
                top, left = (random.randint(0, n + 1) for n in (image.shape[0] - height, image.shape[1] - width))
                image = image[top:top + height, left:left + width]
                break
        image = cv2.resize(image, (224, 224))
        return finish(image[:, ::-1] if random.uniform() < .5 else image)

    def evaluate(data):
        image = decode(data)
        scale = 256 / min(image.shape[:2])
        image = cv2.resize(image, (int(image.shape[1] * scale), int(image.shape[0] * scale)))
        top, left = (image.shape[0] - 224) // 2, (image.shape[1] - 224) // 2
        return finish(image[top:top + 224, left:left + 224])

    def jitter(image):
        a, b, c, angle = (float(one) for one in np.random.uniform(.6, 1.4, 4))
        image = cv2.convertScaleAbs(image, alpha=a)
        image = cv2.addWeighted(image, b, np.full_like(image, image.mean()), 1 - b, 0)
        grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
        image = cv2.cvtColor(cv2.addWeighted(image, c, grey, 1 - c, 0), cv2.COLOR_RGB2HSV)
        image[..., 0] = (image[..., 0].astype(np.int32) + int(angle * 10)) % 180
        image = cv2.cvtColor(image, cv2.COLOR_HSV2RGB)
        size = image.shape[1::-1]
        matrix = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), angle * 10, 1)
        return cv2.resize(cv2.warpAffine(image, matrix, size), (224, 224))

    def crop(image):
        image = np.pad(image, ((4, 4), (4, 4), (0, 0)))
        top, left = np.random.randint(0, 9, 2)
        image = image[top:top + 32, left:left + 32]
        image = image[:, ::-1] if np.random.uniform() < .5 else image
        return finish(image / np.float32(255), np.float32(.48), np.float32(.2))

    class Rows(Dataset):
        def __init__(self, rows, change):
            self.rows, self.change = rows, change

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, index):
            return self.change(self.rows[index]), index % 10

    jpeg, decoded = jpeg * 3, [decode(one) for one in jpeg] * 2
    small = {"MNIST": (mnist, lambda x: (cv2.resize(x, (32, 32)) / np.float32(255))[None]), "CIFAR": (cifar, crop),
             "generator": (cifar, lambda x: x), "Python function": (cifar, lambda x: x + 1)}
    large = {"ImageNet train": (jpeg, train), "ImageNet eval": (jpeg, evaluate),
             "jitter, rotate, resize": (decoded, jitter)}
    return {name: lambda rows=rows, change=change: (
        DataLoader(Rows(rows, change), 32, num_workers=WORKERS, persistent_workers=True), len(rows))
        for name, (rows, change) in {**large, **small}.items()}


# ---- operations --------------------------------------------------------------------------------------------

def operations(ds) -> dict:
    """Calls on one image, by name: what MindSpore's side and ours both have."""
    V, random = ds.vision, np.random.RandomState(0)
    image, floats = _photo(random, 375, 500), None
    Inter = V.Inter
    floats = image.astype(np.float32)
    corners = [[0, 0], [499, 0], [499, 374], [0, 374]], [[20, 9], [460, 30], [480, 360], [10, 333]]
    table = {
        "AdjustBrightness": (1.3,), "AdjustContrast": (1.3,), "AdjustGamma": (1.3,), "AdjustHue": (.2,),
        "AdjustSaturation": (1.3,), "AdjustSharpness": (1.3,), "Affine": (20., (.1, .1), 1.2, (3., 5.)),
        "AutoAugment": (), "AutoContrast": (1.,), "CenterCrop": (224,),
        "ConvertColor": (V.ConvertMode.COLOR_RGB2GRAY,), "Crop": ((9, 9), 224), "CutOut": (64,), "Equalize": (),
        "Erase": (9, 9, 64, 64), "GaussianBlur": (5,), "HWC2CHW": (), "HorizontalFlip": (), "Invert": (),
        "Normalize": (MEAN, STD), "NormalizePad": (MEAN, STD), "Pad": (8,), "PadToSize": ((400, 520),),
        "Perspective": corners, "Posterize": (4,), "RandAugment": (), "RandomAdjustSharpness": (1.5, 1.0),
        "RandomAffine": (20,), "RandomAutoContrast": (0., None, 1.0), "RandomColor": (),
        "RandomColorAdjust": (.4, .4, .4, .1), "RandomCrop": (224,), "RandomEqualize": (1.0,),
        "RandomHorizontalFlip": (1.0,), "RandomInvert": (1.0,), "RandomLighting": (.1,), "RandomPosterize": ((3, 6),),
        "RandomResize": (224,), "RandomResizedCrop": (224,), "RandomRotation": (20,), "RandomSharpness": (),
        "RandomSolarize": (), "RandomVerticalFlip": (1.0,), "Rescale": (1 / 255, 0.), "Resize": ((224, 224),),
        "ResizedCrop": (9, 9, 300, 300, 224), "Rotate": (20,), "SlicePatches": (2, 2), "Solarize": ((9, 99),),
        "ToTensor": (), "TrivialAugmentWide": (), "VerticalFlip": (),
    }
    calls = {name: (getattr(V, name)(*arguments), image) for name, arguments in table.items()}
    for how in ("NEAREST", "CUBIC", "AREA"):
        calls[f"Resize {how.lower()}"] = V.Resize((224, 224), getattr(Inter, how)), image
    for how in ("LINEAR", "CUBIC"):
        calls[f"Rotate {how.lower()}"] = V.Rotate(20, getattr(Inter, how)), image
    calls["Resize float32"] = V.Resize((224, 224)), floats
    calls["Normalize float32"] = V.Normalize(MEAN, STD), floats
    calls["RgbToHsv"] = V.RgbToHsv(True), image
    file = V.encode_jpeg(image, 90)
    calls["Decode"] = V.Decode(), file
    calls["RandomCropDecodeResize"] = V.RandomCropDecodeResize(224), file
    calls |= sounds(import_module(f"{ds.__name__}.audio"), random) | texts(ds.text)
    return {name: lambda change=change, given=given: change(given) for name, (change, given) in calls.items()}


def sounds(A, random) -> dict:
    """Calls on two channels of a second at 16 kHz, or on what its spectrogram gives."""
    wave = (random.rand(2, 16000) - .5).astype(np.float32)
    power = A.Spectrogram()(wave)
    table = {
        "AllpassBiquad": (16000, 200.), "BassBiquad": (16000, 10.), "EqualizerBiquad": (16000, 1500., 5.),
        "HighpassBiquad": (16000, 1500.), "LowpassBiquad": (16000, 1500.), "LFilter": ([1., .1, .3], [1., .2, .1]),
        "Filtfilt": ([1., .1, .3], [1., .2, .1]), "Overdrive": (), "Phaser": (16000,), "Flanger": (16000,), "Dither": (),
        "Contrast": (), "Gain": (), "Vol": (.5,), "Fade": (800, 800), "MuLawEncoding": (), "DCShift": (.1, .02),
        "Resample": (16000, 8000), "Spectrogram": (), "MelSpectrogram": (), "MFCC": (16000,), "LFCC": (16000,),
        "SpectralCentroid": (16000,), "DetectPitchFrequency": (16000,), "PitchShift": (16000, 4), "SlidingWindowCmn": (),
        "ComputeDeltas": (),
    }
    calls = {name: (getattr(A, name)(*arguments), wave) for name, arguments in table.items()}
    for name, arguments in {"AmplitudeToDB": (), "MelScale": (128, 16000, 0., 8000., 201), "FrequencyMasking": (),
                            "TimeMasking": (), "GriffinLim": (), "InverseMelScale": (201, 40)}.items():
        given = power if name != "InverseMelScale" else A.MelScale(40, 16000, 0., 8000., 201)(power)[:1, :, :9]
        calls[name] = getattr(A, name)(*arguments), given[:1, :, :41] if name == "GriffinLim" else given
    return calls


def texts(T) -> dict:
    """Calls on a line of 60 words, or on its words."""
    line = " ".join(f"Word{number % 17}, \u4e2d\u6587" for number in range(60))
    words = T.WhitespaceTokenizer()(line)
    vocab = T.Vocab.from_list([str(word) for word in dict.fromkeys(words)] + ["[UNK]", "##ord", "w", "word"])
    table = {
        "WhitespaceTokenizer": (), "UnicodeCharTokenizer": (), "UnicodeScriptTokenizer": (), "BasicTokenizer": (),
        "BertTokenizer": (vocab,), "RegexTokenizer": (" +",), "RegexReplace": ("o", "0"), "CaseFold": (),
        "NormalizeUTF8": (),
    }
    calls = {name: (getattr(T, name)(*arguments), line) for name, arguments in table.items()}
    for name, arguments in {"Lookup": (vocab,), "Ngram": ([2],), "SlidingWindow": (3, 0), "Truncate": (9,),
                            "WordpieceTokenizer": (vocab,), "AddToken": ("x",)}.items():
        calls[name] = getattr(T, name)(*arguments), words
    return calls


def libraries(which: str) -> dict:
    """The same by OpenCV's or Pillow's own call, where there is one."""
    random = np.random.RandomState(0)
    image = _photo(random, 375, 500)
    from PIL import Image, ImageEnhance, ImageFilter, ImageOps
    pil, file = Image.fromarray(image), io.BytesIO()
    pil.save(file, "JPEG", quality=90)
    data = file.getvalue()
    if which == "Pillow":
        bilinear = Image.Resampling.BILINEAR
        return {
            "AdjustBrightness": lambda: ImageEnhance.Brightness(pil).enhance(1.3),
            "AdjustContrast": lambda: ImageEnhance.Contrast(pil).enhance(1.3),
            "AdjustSaturation": lambda: ImageEnhance.Color(pil).enhance(1.3),
            "AdjustSharpness": lambda: ImageEnhance.Sharpness(pil).enhance(1.3),
            "AutoContrast": lambda: ImageOps.autocontrast(pil, 1), "Equalize": lambda: ImageOps.equalize(pil),
            "Invert": lambda: ImageOps.invert(pil), "Posterize": lambda: ImageOps.posterize(pil, 4),
            "Solarize": lambda: ImageOps.solarize(pil, 99), "GaussianBlur": lambda: pil.filter(ImageFilter.GaussianBlur(1)),
            "Resize": lambda: pil.resize((224, 224), bilinear), "Rotate": lambda: pil.rotate(20),
            "Resize nearest": lambda: pil.resize((224, 224), Image.Resampling.NEAREST),
            "Resize cubic": lambda: pil.resize((224, 224), Image.Resampling.BICUBIC),
            "Rotate linear": lambda: pil.rotate(20, bilinear),
            "HorizontalFlip": lambda: pil.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
            "VerticalFlip": lambda: pil.transpose(Image.Transpose.FLIP_TOP_BOTTOM), "Pad": lambda: ImageOps.expand(pil, 8),
            "Decode": lambda: np.array(Image.open(io.BytesIO(data)).convert("RGB")),
        }
    import cv2
    cv2.setNumThreads(1)
    matrix, encoded = cv2.getRotationMatrix2D((250, 187), 20, 1), np.frombuffer(data, np.uint8)
    floats, table = image.astype(np.float32), np.arange(256, dtype=np.uint8)[::-1].copy()
    found = {
        "GaussianBlur": lambda: cv2.GaussianBlur(image, (5, 5), 0), "Resize": lambda: cv2.resize(image, (224, 224)),
        "Resize nearest": lambda: cv2.resize(image, (224, 224), interpolation=0),
        "Resize cubic": lambda: cv2.resize(image, (224, 224), interpolation=2),
        "Resize area": lambda: cv2.resize(image, (224, 224), interpolation=3),
        "Resize float32": lambda: cv2.resize(floats, (224, 224)),
        "Rotate": lambda: cv2.warpAffine(image, matrix, (500, 375), flags=0),
        "Rotate linear": lambda: cv2.warpAffine(image, matrix, (500, 375), flags=1),
        "Rotate cubic": lambda: cv2.warpAffine(image, matrix, (500, 375), flags=2),
        "HorizontalFlip": lambda: cv2.flip(image, 1), "VerticalFlip": lambda: cv2.flip(image, 0),
        "Pad": lambda: cv2.copyMakeBorder(image, 8, 8, 8, 8, 0),
        "ConvertColor": lambda: cv2.cvtColor(image, cv2.COLOR_RGB2GRAY),
        "Decode": lambda: cv2.cvtColor(cv2.imdecode(encoded, 1), cv2.COLOR_BGR2RGB),
    }
    for name in ("Invert", "Posterize", "Solarize", "AdjustGamma", "AdjustBrightness"):
        found[name] = lambda: cv2.LUT(image, table)
    return found


# ---- a side is a process that does what it is told, one line at a time -------------------------------------

def serve(side: str, folder: str, workers: int) -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)                                        # what libraries print is not an answer
    ours = side in ("ours", "real")
    if ours:
        if side == "ours":
            from ms2torch import dataset as ds
        else:
            import mindspore.dataset as ds
    pipelines, calls, built = None, None, {}
    for line in sys.stdin:
        what, name = line.rstrip("\n").split(":", 1)
        if what == "chain":
            if pipelines is None:
                pipelines = chains(ds, folder, workers) if ours else by_hand(folder)
            if name not in pipelines:
                answer = "none"
            else:
                if name not in built:
                    data, rows = pipelines[name]()
                    built[name] = data, rows
                data, rows = built[name]
                wall, used = time.perf_counter(), _used()
                # an iterator of its own for each epoch: MindSpore prefetches from one epoch into the next
                for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True) if ours else data:
                    pass
                answer = f"{(time.perf_counter() - wall) / rows} {(_used() - used) / rows}"
        else:
            if calls is None:
                calls = operations(ds) if ours else libraries(side)
            call = calls.get(name)
            if call is None:
                answer = "none" if name else " ".join(one.replace(" ", "_") for one in calls)
            else:
                call()
                used, count = time.process_time(), 0
                while time.process_time() - used < 0.02:
                    call()
                    count += 1
                answer = f"{(time.process_time() - used) / count} 0"
        print(answer, file=out, flush=True)


def _used() -> float:
    """Processor seconds of this process and its children so far; those of living children by /proc."""
    total = time.process_time()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


class Side:
    def __init__(self, name: str, python: str, folder: str, workers: int) -> None:
        self.name = name
        self.process = subprocess.Popen([python, __file__, "--serve", name, folder, str(workers)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, what: str, name: str):
        print(f"{what}:{name}", file=self.process.stdin, flush=True)
        return self.process.stdout.readline().split()

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def measured(sides: list[Side], what: str, name: str, rounds: int) -> dict[str, tuple[float, float]]:
    """(wall, processor) medians of each side that can do it."""
    times: dict[str, list] = {}
    able = [side for side in sides if side.ask(what, name)[0] != "none"]            # and the warm-up
    for turn in range(rounds):
        for side in able if turn % 2 else able[::-1]:
            times.setdefault(side.name, []).append([float(x) for x in side.ask(what, name)])
    return {key: tuple(statistics.median(column) for column in zip(*values, strict=True))
            for key, values in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="?", default="chains", choices=["chains", "operations", "workers"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    real = os.environ.get("MS2TORCH_REFERENCE_PYTHON") or ""
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        if options.what == "workers":
            sides = [Side("ours", sys.executable, folder, count) for count in (1, 2, 4)]
            for side, count in zip(sides, (1, 2, 4), strict=True):
                side.name += f" {count}"
        else:
            names = ["ours", *(["real"] if real else []), *(["by hand"] if options.what == "chains" else
                                                            ["OpenCV", "Pillow"])]
            sides = [Side(name, real if name == "real" else sys.executable, folder, WORKERS) for name in names]
        try:
            report(sides, options)
        finally:
            for side in sides:
                side.end()


def report(sides: list[Side], options) -> None:
    what = "call" if options.what == "operations" else "chain"
    if what == "call":
        names = [name.replace("_", " ") for name in sides[0].ask("call", "")]
        print("| operation | " + " | ".join(f"{side.name} us" for side in sides) + " | real / ours |")
    else:
        names = ["ImageNet train", "ImageNet eval", "jitter, rotate, resize", "MNIST", "CIFAR", "generator",
                 "Python function", "MindRecord", "text"]
        print("| chain | " + " | ".join(f"{side.name} rows/s (ms of processor)" for side in sides) + " |")
    print("|---|" + "--:|" * (len(sides) + (what == "call")))
    for name in names:
        if not any(part in name for part in options.only.split(",")):
            continue
        found = measured(sides, what, name, options.rounds)
        if what == "call":
            cells = [f"{found[side.name][0] * 1e6:.0f}" if side.name in found else "" for side in sides]
            cells.append(f"{found['real'][0] / found['ours'][0]:.2f}" if "real" in found else "")
        else:
            cells = [f"{1 / found[side.name][0]:,.0f} ({found[side.name][1] * 1e3:.2f})" if side.name in found
                     else "" for side in sides]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
