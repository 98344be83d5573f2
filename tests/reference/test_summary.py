"""``SummaryRecord``, ``SummaryCollector`` and the summary operators: the records of their event files."""

import glob
import io
import os
import struct
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.train import Model, SummaryCollector

from tests.reference.judge import case, data

NOTHING = {"collect_metric": False, "collect_input_data": False}


def fields(message):
    """A protobuf message: (number, int or bytes) for each field, in order."""
    at, found = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at, value, shift = at + 1, value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            found.append((key >> 3, varint()))
            continue
        size = {1: 8, 5: 4}[key & 7] if key & 7 != 2 else varint()
        found.append((key >> 3, message[at : at + size].hex() if size < 4096 else message[at : at + size]))
        at += size
    return found


def decoded(value):
    """An entry of a summary; of an image the pixels, because PNG files can say the same in several ways."""
    if b"\x89PNG" not in value:
        return value.hex()
    from PIL import Image

    tag, image = fields(value)
    sizes = fields(bytes.fromhex(image[1]))
    return tag, sizes[:3], np.array(Image.open(io.BytesIO(bytes.fromhex(sizes[3][1]))))


def records(folder, ending):
    """The records of the event file in ``folder``, without their times; checksums included."""
    files = glob.glob(os.path.join(folder, "*.out.events.summary.*" + ending))
    if not files:
        return None
    with open(files[0], "rb") as file:
        content = file.read()
    at, found = 0, []
    while at < len(content):
        size, check = struct.unpack_from("<QI", content, at)
        event = content[at + 12 : at + 12 + size]
        assert event[0] == 9  # the time, of type double
        parts = fields(event)[1:]
        for i, (number, value) in enumerate(parts):
            if number == 5 and isinstance(value, str):
                parts[i] = (5, [decoded(bytes.fromhex(v)) for _, v in fields(bytes.fromhex(value))])
        found.append((check, parts))
        at += 16 + size
    return [entry if b"PNG" not in content else entry[1] for entry in found]


def written(values):
    """The records of values that are added and recorded at once."""
    with tempfile.TemporaryDirectory() as folder:
        with ms.SummaryRecord(folder) as record:
            for plugin, name, value in values:
                record.add_value(plugin, name, value)
            record.record(7)
        return records(folder, "_MS")


@case()
def test_scalars_and_tensors():
    kinds = [np.bool_, np.int8, np.int64, np.uint8, np.float16, np.float32, np.float64]
    scalars = [("scalar", f"s{i}", Tensor(np.array(2.6).astype(k))) for i, k in enumerate(kinds)]
    tensors = [("tensor", f"t{i}", Tensor(data((2, 3)).astype(k))) for i, k in enumerate(kinds)]
    return written(
        [*scalars, *tensors, ("scalar", "s0", Tensor([1.5])), ("tensor", "none", Tensor(np.zeros((0, 2))))]
    )


@case(each={"n": [1, 5, 6, 10, 11, 95, 1200]})
def test_histograms(n):
    return written([("histogram", "h", Tensor(data((n,)))), ("histogram", "i", Tensor(data((n,), "int32")))])


@case()
def test_histograms_of_what_is_not_finite():
    values = [1, np.nan, np.inf, -np.inf, 2.5, -3]
    return written(
        [
            ("histogram", "h", Tensor(np.array(values, np.float16))),
            ("histogram", "nan", Tensor(np.full((3,), np.nan, np.float32))),
            ("histogram", "one", Tensor(np.full((30,), 2.5, np.float64))),
        ]
    )


@case(each={"shape": [(1, 1, 4, 3), (10, 3, 2, 5)], "kind": ["float32", "uint8", "unit"]})
def test_images(shape, kind):
    value = data(shape)
    value = {"float32": value, "uint8": (value * 50).astype(np.uint8), "unit": np.abs(value) % 1}[kind]
    return written([("image", "i", Tensor(value)), ("image", "two channels", Tensor(np.ones((1, 2, 4, 4))))])


class Watched(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scalar, self.tensor = ops.ScalarSummary(), ops.TensorSummary()
        self.histogram, self.image = ops.HistogramSummary(), ops.ImageSummary()

    def construct(self, x):
        self.scalar("s", x[0, 0])
        self.tensor("t", x)
        self.histogram("h", x)
        self.scalar("s", x[0, 1])
        self.image("i", x.reshape(1, 1, 2, 3))
        return x


@case()
def test_operators_bring_their_last_value_to_the_next_record():
    with tempfile.TemporaryDirectory() as folder:
        with ms.SummaryRecord(folder, export_options={"tensor_format": "npy"}) as record:
            Watched()(Tensor(data((2, 3))))
            seen = [record.record(1), record.record(2)]
            record.set_mode("eval")
            Watched()(Tensor(data((2, 3))))
            seen.append(record.record(3, plugin_filter=lambda plugin: plugin != "tensor"))
        exported = glob.glob(folder + "/export_*/tensor/*")
        return seen, records(folder, "_MS"), [os.path.basename(f) for f in exported], np.load(exported[0])


@case(each={"plugin": ["scalar", "image", "tensor", "histogram", "sound"]}, raises=True)
def test_values_that_do_not_fit(plugin):
    with tempfile.TemporaryDirectory() as folder, ms.SummaryRecord(folder) as record:
        record.add_value(plugin, "x", Tensor([1.0, 2.0]) if plugin in ("scalar", "image") else Tensor(1.0))


@case(
    each={
        "arguments": [
            {"file_prefix": "a b"},
            {"file_suffix": 3},
            {"max_file_size": "3"},
            {"raise_exception": 1},
            {"export_options": {"x": "npy"}},
            {"export_options": {"tensor_format": 1}},
        ]
    },
    raises=True,
)
def test_bad_arguments(arguments):
    with tempfile.TemporaryDirectory() as folder:
        ms.SummaryRecord(folder, **arguments)


@case(each={"value": [None, 1.0]}, raises=True)
def test_a_value_that_is_no_tensor(value):
    with tempfile.TemporaryDirectory() as folder, ms.SummaryRecord(folder) as record:
        record.add_value("scalar", "x", value)


@case(raises=True)
def test_only_one_record_at_a_time():
    with tempfile.TemporaryDirectory() as folder, ms.SummaryRecord(folder):
        ms.SummaryRecord(folder)


class Constant(nn.Cell):
    """A loss that rounding cannot change."""

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(Tensor([1.0, -2.0]), name="w")
        self.tensor, self.scalar = ops.TensorSummary(), ops.ScalarSummary()

    def construct(self, x):
        self.tensor("x", x[0, 0, 0])
        self.scalar("w", self.w[0] * 2)  # a view would show the weight after the update
        return self.w.sum() + x.max() * 0


def rows():
    for i in range(6):
        yield (np.full((1, 2, 2), i / 8, np.float32),)


@case(
    each={
        "sink": [True, False],
        "options": [
            {},
            {"collect_tensor_freq": 1},
            {"collect_specified_data": NOTHING},
            {"collect_specified_data": {"histogram_regular": "b"}},
            {"collect_specified_data": NOTHING, "keep_default_action": False},
        ],
    }
)
def test_collector(sink, options):
    network = Constant()
    model = Model(network, optimizer=nn.SGD(network.trainable_params(), 0.5))
    dataset = ds.GeneratorDataset(rows, ["x"], shuffle=False).batch(2)
    graphs = {"collect_graph": False, "collect_dataset_graph": False}
    chosen = {**options, "collect_specified_data": {**graphs, **options.get("collect_specified_data", {})}}
    with tempfile.TemporaryDirectory() as folder:
        collector = SummaryCollector(
            folder, collect_freq=2, custom_lineage_data={"a": 1, "b": 2.5, "c": "x"}, **chosen
        )
        model.train(3, dataset, callbacks=collector, dataset_sink_mode=sink)
        saved = (
            sorted(os.listdir(os.path.join(folder, "ckpt_dir")))
            if os.path.isdir(folder + "/ckpt_dir")
            else None
        )
        return records(folder, "_MS"), records(folder, "_lineage"), saved


@case(
    each={
        "options": [
            {"collect_freq": 0},
            {"collect_freq": 1.5},
            {"max_file_size": -1},
            {"keep_default_action": 1},
            {"collect_specified_data": {"loss": True}},
            {"collect_specified_data": {"collect_metric": 1}},
            {"collect_specified_data": {"histogram_regular": "("}},
            {"custom_lineage_data": {"a": []}},
            {"collect_specified_data": {"collect_landscape": {"unit": "hour"}}},
            {"collect_specified_data": {"collect_landscape": {"intervals": [[1, 2]]}}},
        ]
    },
    raises=True,
)
def test_bad_arguments_of_the_collector(options):
    with tempfile.TemporaryDirectory() as folder:
        SummaryCollector(folder, **options)


@case(each={"inside": [False, True]}, raises=True)
def test_a_file_is_no_folder_of_summaries(inside):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "file")
        with open(name, "w") as file:
            file.write("x")
        try:
            SummaryCollector(os.path.join(name, "x") if inside else name)
        except OSError as error:
            raise type(error)(str(error).replace(os.path.realpath(folder), "")) from None


@case()
def test_records_read_as_messages():
    from mindspore.train.summary._summary_adapter import _calc_histogram_bins
    from mindspore.train.summary_pb2 import Event

    with tempfile.TemporaryDirectory() as folder:
        with ms.SummaryRecord(folder) as writer:
            writer.add_value("scalar", "loss", Tensor(1.5))
            writer.add_value("tensor", "t", Tensor([[1.0, 2.0]]))
            writer.add_value("histogram", "h", Tensor([1.0, 2.0, float("nan"), float("inf")]))
            writer.add_value("image", "i", Tensor(np.zeros((1, 3, 2, 4), np.float32)))
            writer.record(7)
        with open(glob.glob(os.path.join(folder, "*_MS"))[0], "rb") as file:
            content = file.read()
    events = []
    while content:
        size = struct.unpack("<Q", content[:8])[0]
        events.append(Event.FromString(content[12 : 12 + size]))
        content = content[16 + size :]
    first, event = events
    found = [first.version, first.step, len(first.summary.value), event.step, event.version, event.wall_time > 1e9]
    for value in sorted(event.summary.value, key=lambda value: value.tag):
        h, i = value.histogram, value.image
        found.append((value.tag, value.scalar_value, list(value.tensor.dims), list(value.tensor.float_data),
                      h.count, h.max, h.min, h.sum, h.nan_count, h.pos_inf_count,
                      [(b.left, b.width, b.count) for b in h.buckets], i.height, i.width, i.colorspace,
                      i.encoded_image[:4].hex()))
    return found, [_calc_histogram_bins(n) for n in (1, 6, 95, 1200)]
