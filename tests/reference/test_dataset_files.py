"""Text, CSV and TFRecord files: rows, their order, schemas, and what is said of bad input."""

import gzip
import json
import struct
import zlib

import mindspore as ms
import mindspore.dataset as ds
import numpy as np

from tests.reference.judge import case
from tests.reference.test_mindrecord import folder, said

# ---- TFRecord files, written by hand -----------------------------------------------------------------------


def varint(number):
    number, found = number % (1 << 64), b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def part(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def feature(values, packed):
    if isinstance(values[0] if values else b"", bytes):
        return part(1, b"".join(part(1, value) for value in values))
    if isinstance(values[0], float):
        data = [struct.pack("<f", value) for value in values]
        return part(2, part(1, b"".join(data)) if packed else b"".join(varint(13) + one for one in data))
    data = [varint(value) for value in values]
    return part(3, part(1, b"".join(data)) if packed else b"".join(varint(8) + one for one in data))


def checksum(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
    size = struct.pack("<Q", len(data))
    return size + checksum(size) + data + checksum(data)


def tfrecord(rows, packed=True):
    examples = [part(1, b"".join(part(1, part(1, name.encode()) + part(2, feature(values, packed)))
                                 for name, values in row.items())) for row in rows]
    return b"".join(record(example) for example in examples)


def written(name, data):
    with open(name, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return name


ROWS = [{"i": [k, k + 1], "f": [k + .5], "b": [b"ab%d" % k], "n": [-k], "bb": [b"x", b"yy"],
         "v": list(range(1, k + 2))} for k in range(3)]


def schema(*columns):
    made = ds.Schema()
    for column in columns:
        made.add_column(*column)
    return made


def read(dataset):
    return (dataset.get_col_names(), dataset.get_dataset_size(),
            list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)))


def examples(data=None, *columns, **arguments):
    """Rows of a TFRecord file."""
    written("f", tfrecord(ROWS) if data is None else data)
    if columns:
        arguments["schema"] = schema(*columns)
    return read(ds.TFRecordDataset("f", shuffle=False, **arguments))


def by_file(content, **arguments):
    written("s.json", json.dumps(content))
    return examples(schema="s.json", **arguments)


EXAMPLES = {
    "all": lambda: examples(), "unpacked": lambda: examples(tfrecord(ROWS, False)),
    "columns": lambda: examples(columns_list=["f", "i"]), "no-column": lambda: examples(columns_list=["zz"]),
    "gzip": lambda: examples(gzip.compress(tfrecord(ROWS)), compression_type="GZIP", columns_list=["n"]),
    "zlib": lambda: examples(zlib.compress(tfrecord(ROWS)), compression_type="ZLIB", columns_list=["n"]),
    "not-gzip": lambda: examples(compression_type="GZIP", columns_list=["n"]),
    "not-zlib": lambda: examples(compression_type="ZLIB", columns_list=["n"]),
    "columns-twice": lambda: examples(columns_list=["i", "f", "i"]),
    "columns-twice-none": lambda: examples(columns_list=["i", "zz", "i"]),
    "schema-columns-twice": lambda: examples(None, ("i", ms.int64, [2]), columns_list=["i", "i"]),
    "schema-file-columns": lambda: (said(lambda: by_file({"columns": {"i": {"type": "int64", "rank": 1}}},
                                                         columns_list=["i", "i"])),
                                    said(lambda: by_file({"columns": {"i": {"type": "int64", "rank": 1}}},
                                                         columns_list=["i", "zz"]))),
    "gzip-unsaid": lambda: examples(gzip.compress(tfrecord(ROWS))),
    "compression": lambda: examples(compression_type="x"),
    "schema": lambda: examples(None, ("f", ms.float32, [1]), ("i", ms.int64, [1, 2])),
    "schema-columns": lambda: examples(None, ("f", ms.float32, [1]), ("i", ms.int64, [2]),
                                       columns_list=["i"]),
    **{f"schema-{kind}": lambda kind=kind: examples(None, ("i", kind, [2]))
       for kind in (ms.int8, ms.uint8, ms.int16, ms.int32, ms.uint64)},
    **{f"schema-{kind}": lambda kind=kind: examples(None, ("f", kind, [1])) for kind in (ms.float16,
                                                                                         ms.float64)},
    "schema-scalar": lambda: examples(None, ("n", ms.int64, []), ("f", ms.float32, [])),
    "schema-free": lambda: examples(None, ("v", ms.int64), ("i", ms.int64, [-1])),
    "schema-free-axis": lambda: examples(None, ("v", ms.int64, [-1, 1])),
    "schema-bytes": lambda: examples(None, ("b", ms.uint8, [3]), ("bb", ms.uint8)),
    "schema-text": lambda: examples(None, ("b", ms.string, [1]), ("bb", ms.string)),
    "schema-shape": lambda: examples(None, ("i", ms.int64, [3])),
    "schema-shape-bytes": lambda: examples(None, ("b", ms.uint8, [1])),
    "schema-kind": lambda: examples(None, ("b", ms.int32)),
    "schema-missing": lambda: examples(None, ("z", ms.int64)),
    "schema-file": lambda: by_file({"datasetType": "TF", "numRows": 2, "columns": {
        "i": {"type": "int64", "rank": 1}, "f": {"type": "float32", "rank": 1, "shape": [1]}}}),
    "schema-file-list": lambda: by_file({"columns": [{"name": "i", "type": "int64", "rank": 1,
                                                      "shape": [2]}]}),
    "schema-file-rank": lambda: by_file({"columns": {"i": {"type": "int64", "shape": [2]}}}),
    "cut-header": lambda: examples(tfrecord(ROWS)[:11]), "no-record": lambda: examples(b"no record"),
    "wrong-checksum": lambda: examples(b"\0" + tfrecord(ROWS)[1:]), "empty": lambda: examples(b""),
    "missing-later": lambda: examples(tfrecord([{"i": [1], "f": [1.]}, {"i": [2]}])),
    "longer-later": lambda: examples(tfrecord([{"i": [1]}, {"i": [1, 2, 3]}])),
    "no-file": lambda: ds.TFRecordDataset("zz"), "files-kind": lambda: ds.TFRecordDataset(5),
    "files-none": lambda: ds.TFRecordDataset([]),
}


@case(each={"name": list(EXAMPLES)})
def test_tfrecords(name):
    return said(EXAMPLES[name])


def from_file(content):
    written("s.json", content if isinstance(content, str) else json.dumps(content))
    return ds.Schema("s.json").to_json()


def parsed(columns):
    made = ds.Schema()
    made.parse_columns(columns)
    return made.to_json()


def from_json(content):
    made = ds.Schema()
    made.from_json(content)
    return made.to_json()


COLUMNS = [{"name": "image", "type": "int8", "shape": [3, 3]}, {"name": "label", "type": "int8"}]
SCHEMAS = {
    "added": lambda: str(schema(("i", ms.int64, [2]), ("f", "float32"), ("t", ms.string, []),
                                ("é", ms.bool_))),
    "empty": lambda: schema().to_json(), "list": lambda: parsed(COLUMNS), "none": lambda: parsed([]),
    "dict": lambda: parsed({"image": {"type": "int8", "shape": [3, 3]}, "label": {"type": "int8"}}),
    "no-type": lambda: parsed([{"name": "a"}]), "no-name": lambda: from_file({"columns": [{"type": "int8"}]}),
    "file": lambda: from_file({"datasetType": "TF", "numRows": 2, "columns": {"i": {"type": "int64"}}}),
    "file-type": lambda: from_file({"columns": {"a": {"type": "nope"}}}), "file-json": lambda: from_file("{"),
    "file-columns": lambda: from_file({"numRows": 1}),
    "file-other": lambda: from_file({"columns": {}, "q": 1}),
    "json": lambda: from_json({"datasetType": "TF", "numRows": 5,
                               "columns": {"a": {"type": "int8", "rank": 0}}}),
    "json-empty": lambda: from_json({}), "json-none": lambda: from_json({"columns": {}}),
    "rows": lambda: (from_file({"columns": {}, "numRows": 3}), ds.Schema.get_num_rows("s.json")),
    "no-file": lambda: ds.Schema("zz"), "type-none": lambda: schema(("i", None)),
    "type": lambda: schema(("i", "zz")),
    "name": lambda: schema(("", ms.int8)), "name-kind": lambda: schema((5, ms.int8)),
    "shape": lambda: schema(("a", ms.int8, 5)), "shape-kind": lambda: schema(("a", ms.int8, [1.5])),
}


@case(each={"name": list(SCHEMAS)})
def test_schemas(name):
    return said(SCHEMAS[name])


def csv(text, **arguments):
    written("f", text)
    return read(ds.CSVDataset("f", shuffle=False, **arguments))


def two(first, second):
    written("f0", first)
    written("f1", second)
    return read(ds.CSVDataset(["f1", "f0"], shuffle=False, num_parallel_workers=1))


XYZ = ["x", "y", "z"]
CSV = {
    "header": lambda: csv("a,b,c\n1,2,3\n4,5,6\n"), "names": lambda: csv("1,2,3\n4,5,6", column_names=XYZ),
    "types": lambda: csv('1,2.5,q\n4,5,"6,7"\n', column_names=XYZ, column_defaults=[0, 0.0, ""]),
    "some-types": lambda: csv("x,y\n1,2\n", column_defaults=[5]), "empty-fields": lambda: csv("a,b\n,\n1,\n"),
    "delimiter": lambda: csv("1;2\n", field_delim=";", column_names=["x", "y"]),
    "blank-lines": lambda: csv("a,b\n\n1,2\n\n3,4\n"), "windows": lambda: csv("a,b\r\n1,2\r\n"),
    "quotes": lambda: csv('a,b\n"x ""q"" y",2\n"multi\nline",","\n"",\n'), "blanks": lambda: csv("a,b\n1 , "
                                                                                                 "2\n"),
    "unicode": lambda: csv("é,b\nü,2\n"), "empty-quoted": lambda: csv('a\n\n""\n1\n'),
    "prefixes": lambda: csv("x,y\n1.5, 1e3\n 7z,.5x\n", column_defaults=[5, 1.0]),
    "two-files": lambda: two("a,b\n1,2\n", "a,b\n3,4\n"),
    "two-headers": lambda: two("a,b\n1,2\n", "b,a\n3,4\n"),
    "no-number": lambda: csv("x\n1\nq\n", column_defaults=[5]),
    "no-float": lambda: csv("x\n\nq\n", column_defaults=[5.]),
    "large": lambda: csv("x\n99999999999\n", column_defaults=[5]),
    "short": lambda: csv("a,b\n1,2\n3\n"), "long": lambda: csv("1,2,3\n", column_names=["x", "y"]),
    "defaults": lambda: csv("x,y\n1,2\n", column_defaults=[5, 6, 7]), "no-rows": lambda: csv("a,b\n"),
    "nothing": lambda: csv(""), "names-twice": lambda: csv("1,2\n", column_names=["x", "x"]),
    "header-twice": lambda: csv("a,a\n1,2\n"), "open-quote": lambda: csv('a,b\n1,"2\n'),
    "after-quote": lambda: csv('a,b\n"ab"c,2\n'), "inner-quote": lambda: csv('a,b\nab"c"d,2\n'),
    "delimiters": lambda: csv("a,b\n1,2\n", field_delim="ab"),
    "defaults-kind": lambda: csv("a\n1\n", column_defaults=5),
    "default-kind": lambda: csv("a\n1\n", column_defaults=[None]),
    "name-kind": lambda: csv("a\n1\n", column_names=[5]),
    "open-quote-later": lambda: csv('a,b\n1,2\n3,"4,5\n6,7\n'), "open-quote-named": lambda: csv('1,2\n"3,4\n', column_names=["x", "y"]),
    "quoted-names": lambda: csv('"a",b"q,"c"d\n1,2,3\n'), "open-name": lambda: csv('a,"b\n1,2\n'), "no-last-name": lambda: csv("a,b,\n1,2\n"),
    "blank-first-line": lambda: csv("\n\na,b\n1,2\n"), "bare-return-first": lambda: csv("\r\na,b\n"), "unended": lambda: csv("a\n1\n2"),
    "unended-short": lambda: csv("1,2\n3", column_names=["x", "y"]), "unended-blank": lambda: csv("1,2\n3,", column_names=["x", "y"]),
    "unended-quote": lambda: csv('1\n"2"', column_names=["x"]),
}


@case(each={"name": list(CSV)})
def test_csv(name):
    return said(CSV[name])


def sizes(text, **arguments):
    written("f", text)
    data = ds.CSVDataset("f", shuffle=False, **arguments)
    return data.get_col_names(), data.get_dataset_size()


@case()
def test_sizes_of_csv():
    texts = ["a,b", "a,b,\n1,2,3\n", 'a,b\n1,"2"x\n', 'a,b\n1,2\n3,"4\n', "\r\na,b\n", "", "a\n1\n2", "a,b\n1\n"]
    return [said(lambda text=text, more=more: sizes(text, **more))
            for text in texts for more in ({}, {"column_names": ["p", "q"]}, {"column_defaults": ["", 0]})]


def lines(data, **arguments):
    written("f", data)
    return read(ds.TextFileDataset("f", shuffle=False, **arguments))


TEXT = {
    "lines": lambda: lines("\n\n a b \n\nc\n\td\né"), "empty": lambda: lines("\n\n"),
    "none": lambda: ds.TextFileDataset([]),
    "missing": lambda: ds.TextFileDataset(["f", "zz*"]),
    "shuffle": lambda: lines("a") and ds.TextFileDataset("f", shuffle=5),
    "shards": lambda: lines("a", num_shards=2), "shard": lambda: lines("a", num_shards=2, shard_id=2),
    "samples": lambda: lines("a", num_samples=-1),
}


@case(each={"name": list(TEXT)})
def test_text(name):
    return said(TEXT[name])


GLOBAL, FILES = ds.Shuffle.GLOBAL, ds.Shuffle.FILES
ORDERS = [{"shuffle": shuffle, **more, **shards} for shuffle in (False, GLOBAL, FILES) for more in ({},
                                                                                                    {"num_samples": 5})
          for shards in ({}, {"num_shards": 3, "shard_id": 1}, {"num_shards": 2, "shard_id": 0})]


def orders(make, count=3):
    """Rows of all ways to shuffle and share, in three epochs."""
    found = []
    for arguments in ORDERS:
        for workers in (1, 2):
            ds.config.set_seed(7)
            dataset = make(num_parallel_workers=workers, **arguments)
            iterator = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
            found.append((dataset.get_dataset_size(),
                          [[int(row[0].item()) for row in iterator] for _ in range(count)]))
    return found


@case(each={"sizes": [[7, 4, 5, 3], [30], [2, 50, 1], [1, 1, 1, 1]]})
def test_order_of_lines(sizes):
    with folder():
        for number, size in enumerate(sizes):
            written(f"f{number}", "".join(f"{100 * number + k}\n" for k in range(size)))
        return orders(lambda **arguments: ds.TextFileDataset("f*", **arguments))


@case(each={"equal": [False, True]})
def test_order_of_records(equal):
    with folder():
        for number, size in enumerate([7, 4, 5, 3]):
            written(f"f{number}", tfrecord([{"i": [100 * number + k]} for k in range(size)]))
        return orders(lambda **arguments: ds.TFRecordDataset("f*", shard_equal_rows=equal, **arguments))


@case
def test_a_large_file_is_shuffled_through_a_buffer():
    with folder():
        written("f", "".join(f"{k}\n" for k in range(12000)))
        ds.config.set_seed(1)
        rows = ds.TextFileDataset("f", num_parallel_workers=1).create_tuple_iterator(num_epochs=1,
                                                                                     output_numpy=True)
        return np.array([int(row[0].item()) for row in rows])


CACHES = {
    "made": lambda: vars(ds.DatasetCache(5, 100, True, "127.0.0.1", 50053, 4, 20)),
    "unused": lambda: ds.DatasetCache(1).get_stat(), "session": lambda: ds.DatasetCache("a"),
    "size": lambda: ds.DatasetCache(1, -1), "spilling": lambda: ds.DatasetCache(1, 0, 5),
    "port": lambda: ds.DatasetCache(1, port=80), "connections": lambda: ds.DatasetCache(1, num_connections=0),
}


@case(each={"name": list(CACHES)})
def test_caches(name):
    found = said(CACHES[name])
    return {key: found[key] for key in ("session_id", "size", "spilling", "hostname", "port")} if isinstance(
        found, dict) else found


@case(each={"name": ["MnistDataset", "FashionMnistDataset", "KMnistDataset"]})
def test_digits_and_their_likes(name):
    with folder():
        images = np.random.RandomState(0).randint(0, 256, (5, 28, 28)).astype(np.uint8)
        for part, count in (("train", 3), ("t10k", 2)):
            written(f"{part}-images-idx3-ubyte", np.array([0x803, count, 28, 28], ">u4").tobytes()
                    + images[:count].tobytes())
            written(f"{part}-labels-idx1-ubyte", np.array([0x801, count], ">u4").tobytes() + bytes(range(count)))
        ds.config.set_seed(1)
        return [read(getattr(ds, name)(".", usage, **arguments)) for usage, arguments in (
            (None, {}), ("test", {"shuffle": False}), ("train", {"num_shards": 2, "shard_id": 1}))]
