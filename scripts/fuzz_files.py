"""Corrupt files: each mutation of an image, MindRecord, TFRecord or CSV file gives rows or a RuntimeError of ours.

    python scripts/fuzz_files.py [--count 10000] [--seed 0] [--only jpeg]

Bytes are changed, cut off, doubled or moved. A crash, a hang (10 s for a file), an error of another type or a peak
of memory over 2 GB is printed with the seed of its mutation, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import resource
import struct
import sys
import tempfile
import traceback
from collections import Counter

import numpy as np

import ms2torch.dataset as ds
import ms2torch.dataset.vision as V
from ms2torch.dataset.engine._tf_example import masked_crc
from ms2torch.mindrecord import FileWriter

MEMORY, SECONDS, CHUNK = 2 << 30, 10, 100


def _picture(form: str) -> bytes:
    from PIL import Image
    y, x = np.mgrid[:40, :50]
    image = np.stack([128 + 90 * np.sin(x / a + y / 9) for a in (3, 5, 7)], -1).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(image).save(file, form)
    return file.getvalue()


def _mindrecord(folder: str) -> bytes:
    path = os.path.join(folder, "whole.mindrecord")
    writer = FileWriter(path, 1)
    writer.set_header_size(16 << 10)                                # as small as they go: most bytes mean something
    writer.set_page_size(32 << 10)
    writer.add_schema({"data": {"type": "bytes"}, "label": {"type": "int32"}, "x": {"type": "float32", "shape": [3]}}, "")
    writer.write_raw_data([{"data": bytes(range(20)), "label": i, "x": np.ones(3, np.float32)} for i in range(12)])
    writer.commit()
    with open(path, "rb") as file:
        return file.read()


def _tfrecord() -> bytes:
    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    def feature(name, data):
        return field(1, field(1, name.encode()) + field(2, data))

    example = field(1, feature("label", field(3, field(1, b"\x07"))) + feature("text", field(1, field(1, b"words")))
                    + feature("x", field(2, field(1, struct.pack("<2f", 1, 2)))))
    length = struct.pack("<Q", len(example))
    return (length + struct.pack("<I", masked_crc(length)) + example + b"\0" * 4) * 6


CSV = b"a,b,c\n" + b"".join(b"%d,%d.5,word%d\n" % (i, i, i) for i in range(20))


def mutated(data: bytes, draw: random.Random) -> bytes:
    """The bytes with one to eight defects; near the beginning, where headers are, more often than elsewhere."""
    data = bytearray(data)
    for _ in range(draw.randint(1, 8)):
        if not data:
            break
        end = min(len(data), 64) if draw.random() < 0.4 else len(data)
        at, length = draw.randrange(end), draw.randint(1, 16)
        for _ in range(20):                                         # rather not in the empty room between parts
            if any(data[at:at + 8]):
                break
            at = draw.randrange(end)
        kind = draw.randrange(6)
        if kind == 0:
            data[at] = draw.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 2:
            del data[at:at + length]
        elif kind == 3:
            data[at:at] = data[at:at + length]
        elif kind == 4:
            data[at:at + length] = bytes([draw.choice((0, 255, 127, 128))]) * length
        elif draw.random() < 0.3:
            del data[at:]
    return bytes(data)


def read(form: str, path: str) -> None:
    """All rows of the file."""
    if form in ("jpeg", "png", "bmp"):
        source = np.fromfile(path, np.uint8)
        if not source.size:
            return
        data = ds.GeneratorDataset([source], ["image"], shuffle=False)
        data = data.map([V.Decode(), V.Resize((16, 16))] if os.path.getsize(path) % 2 else
                        [V.RandomCropDecodeResize(16), V.RandomHorizontalFlip()], "image")
    elif form == "mindrecord":
        data = ds.MindDataset(path, shuffle=False)
    elif form == "tfrecord":
        data = ds.TFRecordDataset(path, shuffle=False)
    else:
        data = ds.CSVDataset(path, column_defaults=[0, 0.0, ""], shuffle=False)
    for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        pass


def chunk(form: str, whole: bytes, seeds: range, folder: str, out) -> None:
    """In a process of its own: a line for each mutation that goes wrong, one for each that begins."""
    import faulthandler
    faulthandler.enable(sys.stderr)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY + _address_space(), -1))
    name = "whole" if form == "mindrecord" else "mutated"           # beside its .db
    path, counts = os.path.join(folder, f"{name}.{form}"), Counter()
    for seed in seeds:
        print("begin", seed, file=out, flush=True)
        with open(path, "wb") as file:
            file.write(mutated(whole, random.Random(seed)))
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            read(form, path)
            counts["rows"] += 1
        except RuntimeError:
            counts["refused"] += 1
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            print("wrong", seed, f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})".split("\n")[0],
                  file=out, flush=True)
        faulthandler.cancel_dump_traceback_later()
    print("end", counts["rows"], counts["refused"], file=out, flush=True)


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    wrong, totals = 0, Counter()
    with tempfile.TemporaryDirectory() as folder:
        wholes = {"jpeg": _picture("JPEG"), "png": _picture("PNG"), "bmp": _picture("BMP"),
                  "mindrecord": _mindrecord(folder), "tfrecord": _tfrecord(), "csv": CSV}
        forms = [form for form in wholes if options.only in form]
        each = -(-options.count // len(forms))
        for form in forms:
            begun = options.seed
            while begun < options.seed + each:
                seeds = range(begun, min(begun + CHUNK, options.seed + each))
                receive, send = os.pipe()
                if (child := os.fork()) == 0:
                    os.close(receive)
                    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)              # what decoders print
                    with os.fdopen(send, "w") as out:
                        chunk(form, wholes[form], seeds, folder, out)
                    os._exit(0)
                os.close(send)
                last, ended = begun, False
                with os.fdopen(receive) as lines:
                    for line in lines:
                        word, rest = line.rstrip("\n").split(" ", 1)
                        if word == "begin":
                            last = int(rest)
                        elif word == "wrong":
                            wrong += 1
                            print(f"{form} {rest}", flush=True)
                        else:
                            ended = True
                            rows, refused = map(int, rest.split())
                            totals[form, "rows"] += rows
                            totals[form, "refused"] += refused
                status = os.waitpid(child, 0)[1]
                if not ended:
                    wrong += 1
                    print(f"{form} {last} crash or hang (status {status})", flush=True)
                begun = seeds.stop if ended else last + 1
            print(f"{form}: {each} mutations, {totals[form, 'rows']} gave rows, {totals[form, 'refused']} an error",
                  flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
