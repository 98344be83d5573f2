"""Checkpoint files: the same bytes as MindSpore writes, and the same answers when they are read."""

import os
import tempfile

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn

from tests.reference.judge import case, data

FLOATS = ["float16", "float32", "float64", "bfloat16"]
INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def parameters():
    """One Parameter of every dtype, scalars, a transposed one, and one with a name beyond ASCII."""
    raw = np.abs(data((3, 4))) * 50
    found = [Parameter(Tensor(raw).astype(getattr(ms, n)), name=f"layer.{n}") for n in [*FLOATS, *INTS]]
    found.append(Parameter(Tensor(raw > 30), name="layer.bool"))
    found.append(Parameter(Tensor(3.5, ms.float32), name="scalar"))
    found.append(Parameter(Tensor([7], ms.int32), name="one"))
    found.append(Parameter(Tensor(np.zeros((0, 3), np.float32)), name="nothing"))
    found.append(Parameter(Tensor(data((2, 3))).T, name="transposed"))
    found.append(Parameter(Tensor(data((200,))), name="名字"))
    return found


def written(save_obj, format="ckpt", **options):
    """The bytes of the file that save_checkpoint writes, and its mode."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"x.{format}")
        ms.save_checkpoint(save_obj, path, format=format, **options)
        with open(path, "rb") as file:
            content = file.read()
        return np.frombuffer(content, np.uint8), os.stat(path).st_mode


def loaded(content: bytes, format="ckpt", **options):
    """What load_checkpoint makes of a file: by name, dtype, shape and numbers; an error with its path cut."""
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        path = os.path.join(folder, f"x.{format}")
        with open(path, "wb") as file:
            file.write(bytes(content))
        try:
            found = ms.load_checkpoint(path, format=format, **options)
        except ValueError as err:
            return type(err).__name__, str(err).replace(folder, "folder")
        return {name: v if isinstance(v, str) else contents(v) for name, v in found.items()}


def contents(parameter):
    """Its data, with the dtype for bfloat16, whose value() the real one can not compute on the CPU."""
    if parameter.dtype == ms.bfloat16:
        return "BFloat16", parameter.astype(ms.float32)
    return parameter.value()


APPENDED = {"epoch": 3, "negative": -5, "lr": 0.1, "ok": True, "note": "héllo 你", "empty": ""}


@case(each={"format": ["ckpt", "safetensors"]})
def test_file_of_every_dtype(format):
    return written(parameters(), format)


@case
def test_file_with_appended_values():
    return written(parameters()[:2], append_dict={**APPENDED, "tensor": Tensor([1, 2])})


@case
def test_safetensors_with_appended_values():
    return written(parameters()[:2], "safetensors", append_dict={"epoch": 3, "lr": 0.5, "ok": True})


@case(each={"format": ["ckpt", "safetensors"]})
def test_file_of_no_parameters(format):
    return written([], format)


@case
def test_file_with_a_checksum():
    return written(parameters(), crc_check=True)


@case
def test_chosen_parameters():
    return written(parameters(), choice_func=lambda name: name.endswith("32"))


class Net(nn.Cell):
    def __init__(self, dtype=ms.float32, shape=(2, 3)):
        super().__init__()
        self.dense = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
        self.w = Parameter(Tensor(np.ones(shape), dtype), name="w")
        self.step = Parameter(Tensor(1, ms.int32), name="step")


@case
def test_file_of_a_network():
    return written(Net())


@case
def test_file_of_a_training_network():
    net = Net()
    return written(nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9)))


@case
def test_file_of_an_optimizer():
    return written(nn.Adam(Net().trainable_params()))


@case
def test_file_of_a_list_of_dicts():
    return written([{"name": "a", "data": Tensor([1.0])}, {"name": "b", "data": parameters()[0]}])


@case
def test_file_of_a_dict():
    a, b, *_ = parameters()
    return written({"x": a, "y": b, "note": "text"})


@case(each={"format": ["ckpt", "safetensors"]})
def test_reading_every_dtype(format):
    return loaded(written(parameters(), format)[0], format)


@case
def test_reading_appended_values():
    return loaded(written(parameters()[:1], append_dict=APPENDED)[0])


@case
def test_a_loaded_parameter_has_its_name():
    with tempfile.TemporaryDirectory() as folder:
        ms.save_checkpoint(parameters()[:2], folder + "/x.ckpt")
        return [str(p) for p in ms.load_checkpoint(folder + "/x.ckpt").values()]


@case(
    each=[
        {"options": {"filter_prefix": "layer."}},
        {"options": {"specify_prefix": ["layer.f", "layer.b"]}},
        {"options": {"specify_prefix": "layer.", "filter_prefix": ("layer.i", "layer.u")}},
        {"options": {"specify_prefix": "nobody"}},
        {"options": {"filter_prefix": []}},
        {"options": {"filter_prefix": ""}},
    ]
)
def test_reading_by_prefix(options):
    return loaded(written(parameters())[0], **options)


@case
def test_reading_by_choice():
    content = written(parameters())[0]
    return (
        loaded(content, choice_func=lambda name: name == "one"),
        loaded(content, specify_prefix="one", choice_func=lambda name: name == "scalar"),
    )


@case(
    raises=True,
    each=[
        {"options": {"filter_prefix": 3}},
        {"options": {"filter_prefix": ["a", 3]}},
        {"options": {"format": "tar"}},
        {"options": {"format": "safetensors"}},
    ],
)
def test_bad_arguments_of_load(options):
    return ms.load_checkpoint("weights.ckpt", **options)


@case(raises=True, each={"name": ["nowhere.txt", 3]})
def test_a_file_name_that_can_not_be(name):
    return ms.load_checkpoint(name)


@case(raises=True)
def test_a_file_that_is_not_there():
    os.chdir("/")
    return ms.load_checkpoint("nowhere/at/all.ckpt")


@case(
    raises=True,
    each=[
        {"save_obj": 3, "options": {}},
        {"save_obj": [3], "options": {}},
        {"save_obj": [{"name": "a", "data": 3}], "options": {}},
        {"save_obj": [{"name": 3, "data": 3}], "options": {}},
        {"save_obj": [{"data": 4}], "options": {}},
        {"save_obj": {1: "a"}, "options": {}},
        {"save_obj": [], "options": {"format": "tar"}},
        {"save_obj": [], "options": {"integrated_save": 3}},
        {"save_obj": [], "options": {"async_save": 3}},
        {"save_obj": [], "options": {"async_save": "fast"}},
        {"save_obj": [], "options": {"append_dict": 3}},
        {"save_obj": [], "options": {"append_dict": {"a": [1]}}},
        {"save_obj": [], "options": {"enc_key": "a"}},
        {"save_obj": [], "options": {"enc_mode": 3}},
        {"save_obj": [], "options": {"crc_check": 3}},
        {"save_obj": [], "options": {"format": "safetensors", "enc_key": b"0" * 16}},
    ],
)
def test_bad_arguments_of_save(save_obj, options):
    ms.save_checkpoint(save_obj, "never-written", **options)


# Files made by hand.


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def value(tag, dims, kind, content, packed=False):
    shape = field(1, b"".join(map(varint, dims))) if packed else b"".join(b"\x08" + varint(n) for n in dims)
    return field(1, field(1, tag) + field(2, shape + field(2, kind) + field(3, content)))


ONES, TWOS = np.ones(1, np.float32).tobytes(), np.full(1, 2, np.float32).tobytes()
A, B = value(b"a", [1], b"Float32", ONES), value(b"b", [1], b"Float32", ONES)
FILES = {
    "slices": value(b"a", [2], b"Float32", ONES) + value(b"a", [2], b"Float32", TWOS) + B,
    "same tag apart": A + B + value(b"a", [1], b"Float32", TWOS),
    "scalar of older releases": value(b"a", [0], b"Float32", TWOS),
    "packed dims": value(b"a", [1, 1], b"Float32", TWOS, packed=True),
    "unknown fields": field(7, b"xx") + A + varint(9 << 3) + varint(5),
    "unread checksum": A + b"crc_num" + b"\0" * 10,
    "nothing": b"",
    "text": b"hello world\n",
    "zeros": b"\0" * 100,
    "pickle": b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94.",
    "cut": A[:-2],
    "cut in half": A[:9],
    "unknown type": value(b"a", [1], b"Foo", ONES),
    "complex": value(b"a", [1], b"Complex64", ONES * 2),
    "no type": field(1, field(1, b"a") + field(2, b"\x08\x01" + field(3, ONES))),
    "a tag that is no text": value(b"\xff\xfe", [1], b"Float32", ONES),
}


@case(each={"name": list(FILES)})
def test_files_made_by_hand(name):
    return loaded(FILES[name])


@case
def test_a_wrong_checksum():
    return loaded(FILES["unread checksum"], crc_check=True)


@case(each={"name": ["cut", "tail", "length", "json"]})
def test_damaged_safetensors(name):
    content = written(parameters()[:2], "safetensors")[0].tobytes()
    damaged = {
        "cut": content[:-5],
        "tail": content + b"123",
        "length": b"\xff" * 8 + content[8:],
        "json": content[:8] + b"x" + content[9:],
    }
    return loaded(damaged[name], "safetensors")


# load_param_into_net


def into(found, net=None, **options):
    """What load_param_into_net returns, and the network afterwards."""
    net = net or Net()
    returned = ms.load_param_into_net(net, found, **options)
    return returned, {p.name: p.value() for p in net.get_parameters()}


def named(values, dtype=ms.float32):
    return Parameter(Tensor(np.array(values), dtype), name="x")


WEIGHT = [[1.0, 2, 3], [4, 5, 6]]


@case
def test_loading_all_parameters():
    bias, w, step = named([1.0, 2]), named(np.zeros((2, 3))), named(5, ms.int32)
    return into({"dense.weight": named(WEIGHT), "dense.bias": bias, "w": w, "step": step})


@case(each={"strict": [False, True]})
def test_names_that_are_missing_and_left_over(strict):
    return into({"dense.weight": named(WEIGHT), "other": named([1.0])}, strict_load=strict)


@case(
    each=[
        {"names": ("net.dense.weight", "net.w"), "strict": False},
        {"names": ("net.dense.weight", "net.w"), "strict": True},
        {"names": ("net.dense.weight", "w"), "strict": False},
        {"names": ("a.dense.weight", "b.w"), "strict": False},
    ]
)
def test_names_with_a_prefix(names, strict):
    return into(dict(zip(names, (named(WEIGHT), named(np.zeros((2, 3)))), strict=True)), strict_load=strict)


@case(each={"dtype": [ms.float16, ms.bfloat16, ms.float64]})
def test_floats_of_another_width(dtype):
    return into({"w": named(WEIGHT, dtype)})


@case
def test_integers_of_another_width():
    return into({"step": named(7, ms.int64)})


@case
def test_a_string_among_the_parameters():
    return into({"w": "text"})


@case(
    raises=True,
    each=[
        {"name": "w", "values": [[0, 0]] * 3, "dtype": ms.float32, "strict": False},
        {"name": "w", "values": WEIGHT, "dtype": ms.float16, "strict": True},
        {"name": "w", "values": WEIGHT, "dtype": ms.int32, "strict": False},
        {"name": "step", "values": 7.5, "dtype": ms.float32, "strict": False},
        {"name": "step", "values": 7, "dtype": ms.uint8, "strict": False},
    ],
)
def test_parameters_that_do_not_fit(name, values, dtype, strict):
    return into({name: named(values, dtype)}, strict_load=strict)


@case(raises=True, each=[{"found": {"w": 3}}, {"found": {3: "w"}}, {"found": [3]}])
def test_what_is_no_dict_of_parameters(found):
    return into(found)


@case(raises=True)
def test_strict_load_that_is_no_bool():
    return into({}, strict_load=3)


@case(raises=True)
def test_loading_into_no_network():
    return ms.load_param_into_net(3, {})
