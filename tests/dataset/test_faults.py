"""Errors say where in the data they arose; damaged files are refused; Ctrl-C ends all threads."""

import io
import signal
import struct
import subprocess
import sys
import traceback

import numpy as np
import pytest

import ms2torch.dataset as ds
import ms2torch.dataset.vision as V
from ms2torch.dataset.engine._tf_example import masked_crc


def rows(dataset):
    return list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))


def test_an_exception_tells_its_function_row_and_dataset():
    def third_is_wrong(x):
        if x == 3:
            raise ValueError("three")
        return x

    data = ds.NumpySlicesDataset(list(range(5)), "x", shuffle=False).map(third_is_wrong, "x").batch(2)
    text = r"(?s)\[PyFunc\] failed.*in third_is_wrong.*ValueError: three"
    with pytest.raises(RuntimeError, match=text) as raised:
        rows(data)
    shown = "".join(traceback.format_exception(raised.value)) if sys.version_info >= (3, 11) \
        else raised.value.__notes__[0]
    assert "In row 1 of epoch 0 of NumpySlicesDataset -> MapDataset -> BatchDataset" in shown


def jpeg():
    pillow, file = pytest.importorskip("PIL.Image"), io.BytesIO()
    image = np.random.RandomState(0).randint(0, 256, (40, 50, 3)).astype(np.uint8)
    pillow.fromarray(image).save(file, "JPEG")
    return np.frombuffer(file.getvalue(), np.uint8)


def test_a_jpeg_may_lack_its_end_marker_and_nothing_else():
    whole = jpeg()
    np.testing.assert_array_equal(V.Decode()(whole[:-2]), V.Decode()(whole))
    np.testing.assert_array_equal(V.Decode()(whole[:-1]), V.Decode()(whole))
    with pytest.raises(RuntimeError, match="Decode: image decode failed"):
        V.Decode()(whole[:-40])


def test_a_png_whose_parts_do_not_lead_to_its_end_takes_no_memory():
    resource, pillow, file = pytest.importorskip("resource"), pytest.importorskip("PIL.Image"), io.BytesIO()
    pillow.fromarray(np.zeros((40, 50, 3), np.uint8)).save(file, "PNG")
    whole, peak = file.getvalue(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = whole.index(b"IDAT")
    tail = b"IDAt" + whole[start + 4:]
    for left in range(1, 8):                       # bytes that are read as the length of a part
        length = struct.pack(">I", len(tail) - 8 - left)
        with pytest.raises(RuntimeError, match="Decode: image decode failed"):
            V.Decode()(np.frombuffer(whole[:start - 4] + length + tail, np.uint8))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < peak + (300 << 10)


def test_a_record_longer_than_its_file_is_refused_without_memory_for_it(tmp_path):
    length = struct.pack("<Q", 1 << 45)
    (tmp_path / "a.tfrecord").write_bytes(length + struct.pack("<I", masked_crc(length)) + b"\n\0")
    with pytest.raises(RuntimeError, match="Failed to parse tfrecord file"):
        rows(ds.TFRecordDataset(str(tmp_path / "a.tfrecord")))


def test_text_that_is_no_utf8_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a,b\n1,x\n2,\xff\n")
    text = "Failed to cast to Unicode string: UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in "
    with pytest.raises(RuntimeError, match=text + "position 0: invalid start byte"):
        rows(ds.CSVDataset(str(tmp_path / "a.csv"), column_defaults=[0, ""], shuffle=False))


_ENDLESS = """
import signal
import sys
import numpy as np
import ms2torch.dataset as ds
import ms2torch.dataset.vision as V
from ms2torch.dataset.engine import _threads
signal.signal(signal.SIGINT, signal.default_int_handler)     # a shell's background jobs ignore it
_threads.count, _threads._WORTHWHILE = lambda wanted: 3, 0
data = ds.GeneratorDataset(lambda: iter(lambda: (np.zeros((300, 300, 3), np.uint8),), None), ["image"])
data = data.map([V.RandomCrop(200), V.RandomColorAdjust(0.4), V.Resize(50)], "image")
for number, _ in enumerate(data.create_tuple_iterator(num_epochs=1)):
    if number == 40:
        print("running", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_the_program():
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _ENDLESS], stdout=pipe, stderr=pipe) as program:
        assert program.stdout.readline() == b"running\n"
        program.send_signal(signal.SIGINT)
        try:
            _, shown = program.communicate(timeout=20)
        finally:
            program.kill()
    assert program.returncode == -signal.SIGINT and b"KeyboardInterrupt" in shown
