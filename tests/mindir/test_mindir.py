"""Networks that the real MindSpore exported run here and give its outputs (``scripts/record_mindir.py``)."""

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import nn
from ms2torch._core import protobuf
from ms2torch.mindir import graph, messages

DATA = Path(__file__).with_name("recorded")
NAMES = sorted(path.stem for path in DATA.glob("*.npz"))
# Half precision: one unit in the last place.
TOLERANCE = {"halves": 1e-3}


def recorded(name):
    """Inputs and outputs of the real one."""
    arrays = np.load(DATA / f"{name}.npz")
    return ([arrays[k] for k in arrays if k.startswith(kind)] for kind in ("in", "out"))


def flat(value):
    if isinstance(value, (tuple, list)):
        return [array for one in value for array in flat(one)]
    return [value.asnumpy() if isinstance(value, ms.Tensor) else np.asarray(value)]


@pytest.mark.parametrize("name", NAMES)
def test_a_network_of_the_real_mindspore(name):
    net = nn.GraphCell(ms.load(str(DATA / f"{name}.mindir")))
    inputs, expected = recorded(name)
    for _ in range(2):      # what a run writes in place is a run's own
        outputs = flat(net(*map(ms.Tensor, inputs)))
        assert [x.shape for x in outputs] == [x.shape for x in expected]
        for one, two in zip(outputs, expected, strict=True):
            assert one.dtype == two.dtype
            wide = np.result_type(one, np.float64)
            gap = np.abs(one.astype(wide) - two.astype(wide)).max(initial=0)
            assert gap <= TOLERANCE.get(name, 5e-6) * max(np.abs(two).max(initial=0), 1)


def test_there_are_at_least_twenty():
    assert len(NAMES) >= 20


@pytest.mark.parametrize(("name", "shape"), [("open_rows", (1, 4)), ("open_rows", (9, 4)), ("mlp", (5, 4))])
def test_other_sizes_than_it_was_exported_with(name, shape):
    net = nn.GraphCell(ms.load(str(DATA / f"{name}.mindir")))
    assert net(ms.ops.ones(shape)).shape == (shape[0], 3)


def test_its_parameters_have_their_names_and_can_be_given():
    loaded = ms.load(str(DATA / "mlp.mindir"))
    net = nn.GraphCell(loaded)
    names = [n for n, _ in net.parameters_and_names()]
    assert names == ["0.weight", "0.bias", "2.weight", "2.bias", "3.weight", "3.bias"]
    (x,), (expected,) = recorded("mlp")
    other = nn.GraphCell(loaded, params_init={n: ms.ops.zeros_like(p) for n, p in net.parameters_and_names()})
    assert np.allclose(other(ms.Tensor(x)).asnumpy(), 1 / 3)
    assert np.allclose(net(ms.Tensor(x)).asnumpy(), expected)       # the file's values are the network's own


def test_weights_in_a_file_beside_it(tmp_path):
    """As networks of more than a gigabyte have them: NAME_variables/data_0 beside NAME_graph.mindir."""
    shutil.copytree(DATA / "outside_variables", tmp_path / "outside_variables")
    path = shutil.copy(DATA / "outside_graph.mindir", tmp_path)
    (x,), (expected,) = recorded("outside_graph")
    assert np.allclose(nn.GraphCell(ms.load(str(path)))(ms.Tensor(x)).asnumpy(), expected, atol=1e-6)
    (tmp_path / "outside_variables" / "data_0").write_bytes(b"short")
    with pytest.raises(RuntimeError, match="too short"):
        ms.load(str(path))
    shutil.rmtree(tmp_path / "outside_variables")
    with pytest.raises(RuntimeError, match="which is not beside it"):
        ms.load(str(path))


def test_an_encrypted_file():
    pytest.importorskip("cryptography")
    path = str(DATA / "encrypted.mindir")
    net = nn.GraphCell(ms.load(path, dec_key=b"0123456789ABCDEF", dec_mode="AES-GCM"))
    assert net(ms.ops.ones((3, 4))).shape == (3, 2)
    with pytest.raises(RuntimeError, match="may be encrypted and decrypt failed"):
        ms.load(path, dec_key=b"1123456789ABCDEF")


def test_what_is_no_mindir_file(tmp_path):
    for name, content in (("bad.mindir", b"\x08\xff\xff"), ("empty.mindir", b""), ("x.txt", b"hi")):
        (tmp_path / name).write_bytes(content)
    for name, kind, words in [
        (3, ValueError, "must be string, but got"), ("none.mindir", ValueError, "does not exist"),
        (str(tmp_path / "x.txt"), ValueError, "should end with '.mindir'"),
        (str(tmp_path / "bad.mindir"), RuntimeError, "Load MindIR failed."),
        (str(tmp_path / "empty.mindir"), RuntimeError, "Load MindIR failed."),
        (str(DATA / "encrypted.mindir"), RuntimeError, "may be encrypted and decrypt failed"),
    ]:  # fmt: skip
        with pytest.raises(kind, match=words):
            ms.load(name)
    loaded = ms.load(str(DATA / "mlp.mindir"))
    for arguments, words in [((3,), "must be a FuncGraph"), ((loaded, 3), "must be a dict"),
                             ((loaded, {"0.weight": 3}), "must be Tensor or")]:  # fmt: skip
        with pytest.raises(TypeError, match=words):
            nn.GraphCell(*arguments)
    with pytest.raises(RuntimeError, match="number of parameters is not Compatible"):
        nn.GraphCell(loaded)()


def test_an_operator_that_is_not_here_is_named(tmp_path):
    content = (DATA / "pools.mindir").read_bytes().replace(b"MaxPool", b"MaxPoul")
    (tmp_path / "x.mindir").write_bytes(content)
    with pytest.raises(NotImplementedError, match="the operator MaxPoul"):
        ms.load(str(tmp_path / "x.mindir"))


@pytest.mark.parametrize("name", ["branch", "old", "loop"])
def test_no_damage_does_worse_than_an_error(tmp_path, name):
    """150 mutations of each: it loads, and where it cannot loop runs, or ends with a plain error."""
    whole, draw, refused = (DATA / f"{name}.mindir").read_bytes(), random.Random(0), 0
    path = tmp_path / "x.mindir"
    inputs = [ms.Tensor(x) for x in next(recorded(name))]
    for _ in range(150):
        content = bytearray(whole[: draw.randrange(len(whole))] if draw.random() < 0.2 else whole)
        for _ in range(draw.randrange(1, 4)):
            if content:
                at = draw.randrange(len(content))
                content[at] = draw.choice((0, 1, 127, 128, 255, draw.randrange(256)))
        path.write_bytes(content)
        try:
            net = nn.GraphCell(ms.load(str(path)))
            if name != "loop":
                net(*inputs)
        except (RuntimeError, ValueError, TypeError, NotImplementedError):
            refused += 1
    assert 20 < refused < 150


@pytest.mark.parametrize("content", [
    protobuf.content(7, protobuf.content(1, b"") * 3),
    protobuf.content(7, protobuf.content(3, b"".join(
        protobuf.integer(1, 2**40) for _ in range(4)) + protobuf.integer(2, 1))),
    b"\x3a\xff\xff\xff\xff\x0f", b"\x3a" * 400,
])  # fmt: skip
def test_a_claim_of_more_than_the_file_holds(tmp_path, content):
    (tmp_path / "x.mindir").write_bytes(content)
    with pytest.raises(RuntimeError, match=r"Load MindIR failed\."):
        ms.load(str(tmp_path / "x.mindir"))


def test_messages_within_messages_end():
    deep = b""
    for _ in range(500):
        deep = protobuf.content(17, deep)
    with pytest.raises(protobuf.Damaged, match="too deep"):
        messages.parse(memoryview(deep), "Attribute")


def test_to_torch_and_its_gradients():
    """The graph is a Cell as others: a torch Module over the same parameters."""
    net = nn.GraphCell(ms.load(str(DATA / "mlp.mindir")))
    module = ms.to_torch(net)
    (x,), (expected,) = recorded("mlp")
    output = module(torch.tensor(x))
    output.square().sum().backward()
    assert np.allclose(output.detach().numpy(), expected, atol=1e-6)
    assert module.get_parameter("0.weight").grad.abs().sum() > 0
    assert graph.read(str(DATA / "mlp.mindir")).producer.startswith("MindSpore 2.10")


def test_to_torch_of_integers_that_a_file_calls_trainable():
    module = ms.to_torch(nn.GraphCell(ms.load(str(DATA / "bytes.mindir"))))
    (x,), (expected,) = recorded("bytes")
    assert np.allclose(module(torch.tensor(x)).detach().numpy(), expected, atol=1e-6)
    assert [n for n, _ in module.named_parameters()] == ["scale"]
