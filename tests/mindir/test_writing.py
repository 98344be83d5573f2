"""Networks exported here as MindIR give what the real MindSpore computed of them (recorded, 2.10), read here;
with --live the real one runs the files too."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import nn, ops
from ms2torch._core.torch_private import EXPORTS
from tests.mindir.test_mindir import DATA, TOLERANCE, flat, recorded
from tests.reference import real

pytestmark = pytest.mark.skipif(not EXPORTS, reason="torch 2.6 exports")
FEW = ["lenet", "residual", "lstm", "attention", "convolutions", "norms", "pools", "shapes", "sums", "volume",
       "transposed", "halves", "rounded", "picked", "resized", "open_images"]
MORE = ["mlp", "gru", "encoder", "activations", "letters", "numbers", "bytes", "minted", "old", "mobile",
        "open_rows", "open_sizes"]
# Run by the real one on the files of a folder.
READER = """
import os, sys
import numpy as np
import mindspore as ms
for name in sys.argv[3:]:
    arrays = np.load(os.path.join(sys.argv[2], name + ".npz"))
    net = ms.nn.GraphCell(ms.load(os.path.join(sys.argv[1], name + ".mindir")))
    found = net(*[ms.Tensor(arrays[k]) for k in arrays if k.startswith("in")])
    found = list(found) if isinstance(found, tuple) else [found]
    np.savez(os.path.join(sys.argv[1], name + "_real.npz"), *[t.asnumpy() for t in found])
"""


@pytest.fixture(scope="module")
def names(request):
    return FEW + MORE if request.config.getoption("--live") else FEW


@pytest.fixture(scope="module")
def folder(tmp_path_factory, names):
    made = tmp_path_factory.mktemp("written")
    program = Path(__file__).with_name("export_networks.py")
    subprocess.run([sys.executable, "-m", "ms2torch", str(program), str(made), *names], check=True,
                   env=os.environ | {"OMP_NUM_THREADS": "1"})
    return made


def check(name, outputs):
    _, expected = recorded(name)
    expected = list(expected)
    assert [(x.shape, x.dtype) for x in outputs] == [(x.shape, x.dtype) for x in expected]
    for one, two in zip(outputs, expected, strict=True):
        gap = np.abs(one.astype(np.float64) - two.astype(np.float64)).max(initial=0)
        assert gap <= TOLERANCE.get(name, 5e-6) * max(np.abs(two).max(initial=0), 1), name


def test_what_is_written_computes_what_the_real_one_did(folder, names):
    for name in names:
        inputs, _ = recorded(name)
        check(name, flat(nn.GraphCell(ms.load(str(folder / f"{name}.mindir")))(*map(ms.Tensor, inputs))))


def test_parameters_keep_their_names_and_numbers(folder):
    ours, theirs = (nn.GraphCell(ms.load(str(place / "residual.mindir"))) for place in (folder, DATA))
    ours, theirs = ({p.name: p.asnumpy() for p in net.get_parameters()} for net in (ours, theirs))
    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[n], theirs[n]) for n in ours)


def test_the_real_one_runs_the_files(folder, names, request):
    if not request.config.getoption("--live") or real.interpreter() is None:
        pytest.skip("--live, with the real MindSpore")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MS2TORCH_", "PYTHONPATH"))}
    subprocess.run([real.interpreter(), "-c", READER, str(folder), str(DATA), *names], check=True,
                   capture_output=True, env=clean)
    for name in names:
        check(name, list(np.load(folder / f"{name}_real.npz").values()))


class Chooses(nn.Cell):
    def construct(self, x):
        if x.sum() > 0:
            return x
        return -x


def test_the_file_is_whole_read_only_and_named(tmp_path):
    net, x = nn.Dense(3, 2), ops.ones((2, 3))
    ms.export(net, x, file_name=str(tmp_path / "sub" / "net"), file_format="MINDIR")
    path = tmp_path / "sub" / "net.mindir"
    assert stat.S_IMODE(path.stat().st_mode) == 0o400 and os.listdir(path.parent) == ["net.mindir"]
    first = path.read_bytes()
    ms.export(net, ops.zeros((2, 3)), file_name=str(path), file_format="MINDIR")      # over the old one
    assert path.read_bytes() == first
    np.testing.assert_array_equal(nn.GraphCell(ms.load(str(path)))(x).asnumpy(), net(x).asnumpy())


def test_it_is_encrypted(tmp_path):
    pytest.importorskip("cryptography")
    net, x, key = nn.Dense(3, 2), ops.ones((2, 3)), b"0123456789ABCDEF"
    path = str(tmp_path / "net.mindir")
    ms.export(net, x, file_name=path, file_format="MINDIR", enc_key=key, enc_mode="AES-GCM")
    with pytest.raises(RuntimeError):
        ms.load(path)
    assert nn.GraphCell(ms.load(path, dec_key=key, dec_mode="AES-GCM"))(x).shape == (2, 2)


class Counts(nn.Cell):
    def construct(self, x):
        return x.sum(0) / x.shape[0]


class Shortens(nn.Cell):
    def construct(self, x):
        return x[: x.shape[0] - 1]


class Spreads(nn.Cell):
    def construct(self, x):
        return ops.broadcast_to(ops.ones((1, 3)), (x.shape[0], 3)) + x


@pytest.mark.parametrize("net", [Counts, Shortens, Spreads])
def test_what_counts_with_an_open_size_is_refused(net, tmp_path):
    x = ms.Tensor(shape=[None, 3], dtype=ms.float32)
    with pytest.raises(NotImplementedError, match=r"open|declared"):
        ms.export(net(), x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert not os.listdir(tmp_path)


# The words of the real 2.10 where it has some, else ours.
WRONG = [
    (lambda x: ms.export(nn.Dense(3, 2), x, file_name="n", file_format="mindir"), ValueError,
     "For 'export', 'file_format' must be one of ['AIR', 'ONNX', 'MINDIR'], but got mindir."),
    (lambda x: ms.export(nn.Dense(3, 2), x, file_name=3, file_format="MINDIR"), TypeError,
     "The '3' must be string, but got <class 'int'>."),
    (lambda x: ms.export(nn.Dense(3, 2), x, x, file_name="n", file_format="MINDIR"), TypeError,
     "The parameters number of the function is 1, but the number of provided arguments is 2."),
    (lambda x: ms.export(nn.Dense(4, 2), x, file_name="n", file_format="MINDIR"), ValueError,
     "For 'MatMul' the input dimensions must be equal, but got 'x1_col': 3 and 'x2_row': 4."),
    (lambda x: ms.export(nn.Dense(3, 2), x, file_name="n", file_format="MINDIR", enc_key="k"), ValueError,
     "The parameter 'enc_key' must be isinstance of <class 'bytes'>, but got k."),
    (lambda x: ms.export(nn.Dense(3, 2), x, file_name="n", file_format="AIR"), NotImplementedError,
     "mindspore.export(file_format='AIR')"),
    (lambda x: ms.export(Chooses(), x, file_name="n", file_format="MINDIR"), NotImplementedError,
     "mindspore.export(file_format='MINDIR'): the network chooses by numbers that only a run gives."),
]


@pytest.mark.parametrize("case", WRONG)
def test_errors_leave_no_file(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, kind, words = case
    with pytest.raises(kind) as caught:
        call(ops.ones((2, 3)))
    assert str(caught.value).startswith(words) and not os.listdir(tmp_path)


class Named(nn.Cell):
    def __init__(self):
        super().__init__()
        self.x = ms.Parameter(ms.Tensor([1.0, 2.0]), name="x")

    def construct(self, x):
        return (x + x) * self.x


def test_a_function_and_an_input_named_as_a_parameter(tmp_path):
    @ms.jit
    def doubled(i):
        return i * 2 + 1

    x, path = ms.Tensor([3.0, 4.0]), str(tmp_path / "net.mindir")
    nets = ((doubled, x, [7, 9]), (Named(), x, [6, 16]), (Named(), ms.Parameter(x), [6, 16]))
    for net, given, expected in nets:
        ms.export(net, given, file_name=path, file_format="MINDIR")
        assert nn.GraphCell(ms.load(path))(x).asnumpy().tolist() == expected
        os.chmod(path, 0o600)
