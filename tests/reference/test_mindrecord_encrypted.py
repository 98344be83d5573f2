"""Encrypted MindRecord files: how they are laid out, what reads them, and what is said of another key."""

import os
from contextlib import contextmanager

import mindspore.dataset as ds
from mindspore.mindrecord import FileReader, FileWriter, MindPage, set_dec_mode, set_enc_key, set_enc_mode

from tests.reference.judge import case
from tests.reference.test_mindrecord import folder

KEY = "0123456789012345"


@contextmanager
def encrypted(key=KEY, how="AES-GCM", back=None):
    """A fresh directory and a key, which are gone afterwards."""
    try:
        with folder():
            set_enc_mode(how)
            set_dec_mode(back)
            set_enc_key(key)
            yield
    finally:
        set_enc_key(None)
        set_enc_mode("AES-GCM")
        set_dec_mode(None)


def write(name="f", count=4):
    writer = FileWriter(name)
    writer.set_page_size(32768)
    writer.set_header_size(16384)
    writer.add_schema({"i": {"type": "int32"}, "b": {"type": "bytes"}})
    writer.write_raw_data([{"i": i, "b": bytes([i]) * 3} for i in range(count)])
    writer.commit()


def told(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__, str(error).split("\n---")[0]


def rows(name="f"):
    return [row["i"] for row in FileReader(name).get_next()]


def layout(path):
    """Lengths and beginnings of a file's blocks, and what stands after them."""
    with open(path, "rb") as file:
        data = file.read()
    found, at = [], 0
    while length := int.from_bytes(data[at:at + 4], "big"):
        found.append((length, data[at + 4:at + 8].hex(), data[at + 24:at + 32].hex()))
        at += 4 + length
    return found, data[at:].decode()


@case(each={"length": [16, 24, 32]})
def test_layout_and_rows(length):
    with encrypted((KEY * 2)[:length]):
        write()
        page = MindPage("f")
        page.category_field = "i"
        data = ds.MindDataset("f", shuffle=False)
        set_enc_key(None)                            # what was opened stays open
        read = [int(row["i"]) for row in data.create_dict_iterator(output_numpy=True)]
        return layout("f"), layout("f.db"), sorted(f for f in os.listdir() if f[0] != "."), \
            page.read_category_info(), read


@case
def test_rows_are_appended():
    with encrypted():
        write()
        writer = FileWriter.open_for_append("f")
        writer.write_raw_data([{"i": 9, "b": b"9"}])
        writer.commit()
        return rows(), layout("f")[1]


@case
def test_other_keys_and_no_key():
    with encrypted():
        write()
        readers = (FileReader, MindPage, ds.MindDataset, FileWriter.open_for_append)
        set_enc_key(KEY[::-1])
        found = [told(one, "f") for one in readers]
        set_enc_key(None)
        found += [told(one, "f") for one in readers]
        write("plain")
        set_enc_key(KEY)
        return found, [told(one, "plain") for one in readers], told(FileWriter, "g", 2), told(rows, "absent")


@case
def test_damage():
    with encrypted():
        write()
        with open("f", "rb") as file:
            whole = file.read()
        found = []
        flipped = whole[:99] + bytes([whole[99] ^ 1]) + whole[100:]
        for data in (flipped, whole[:-20], whole[:-14] + b"ABC-GCMENCRYPT", b"\x7f" + whole[1:]):
            with open("f", "wb") as file:
                file.write(data)
            found.append(told(rows))
        return found


@case
def test_functions_of_the_program():
    calls = []

    def turned(source, size, target, key):
        calls.append((size, key, source.tell(), target.tell()))
        target.write(bytes(byte ^ 1 for byte in source.read(size)))

    with encrypted(how=turned):
        write()
        found = [told(rows)]
        set_dec_mode(turned)
        found += [rows(), calls]
        set_dec_mode("AES-GCM")
        found.append(told(rows))
        with open("f", "rb") as file:
            return found, file.read()[-18:].decode()


@case
def test_keys_and_modes():
    with encrypted():
        keys = [told(set_enc_key, key) for key in (1, b"0" * 16, "short", "", None, "é" * 16)]
        write()
        return keys, rows(), [told(one, mode) for one in (set_enc_mode, set_dec_mode)
                              for mode in (1, None, "SM4-CBC", "AES-GCM")]
