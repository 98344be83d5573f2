"""``--check`` finds what will fail, with file and line, and runs nothing."""

import json

import pytest

from ms2torch._naming import surface
from ms2torch.scan import command
from ms2torch.scan import program as check
from tests.shim.run import launched

PROGRAM = """\
import mindspore as ms
from mindspore import nn, ops, context
import mindspore.ops.operations as P
from mindspore.nothing import x
from mindspore import Tensr
from mindspore.rewrite import SparseFunc
import helper
print("the program was run")
try:
    from mindspore import not_there
except ImportError:
    not_there = None
O = ops.operations
context.set_context(mode=ms.GRAPH_MODE, device_targer="GPU")
def shadowed(ms):
    return ms.no_such_name
class Net(nn.Cell):
    def __init__(self):
        self.dense = nn.Dense(3, 4, has_bia=True)
        self.lost = nn.Lineear(3)
        self.op = O.NoSuchOp()
        self.tree = SparseFunc()
        self.x = ms.Tensor([1], ms.float32).whatever(unknown=1)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text(
        "from mindspore import ops\nfrom pkg import inner\n\nops.no_such_function(1)\n"
    )
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "inner.py").write_text("from . import deep\nimport mindspore.nn as n\nn.Cell\n")
    (tmp_path / "pkg" / "deep.py").write_text("from mindspore.nn import *\nDense(1, 2, nothing=3)\n")
    (tmp_path / "fine.py").write_text("import mindspore as ms\nprint(ms.Tensor([1, 2], ms.float32))\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_fails_is_found_with_file_and_line(folder):
    findings, _, files = check.scan("train.py")
    assert files == 5
    fails = {(f.path, f.line, f.name) for f in findings if f.fails}
    assert fails == {
        ("train.py", 4, "mindspore.nothing"),
        ("train.py", 5, "mindspore.Tensr"),
        ("train.py", 14, "mindspore.context.set_context"),
        ("train.py", 19, "mindspore.nn.Dense"),
        ("train.py", 20, "mindspore.nn.Lineear"),
        ("train.py", 21, "mindspore.ops.operations.NoSuchOp"),
        ("train.py", 22, "mindspore.rewrite.SparseFunc"),
        ("train.py", 23, "mindspore.Tensor.whatever"),
        ("helper.py", 4, "mindspore.ops.no_such_function"),
        ("pkg/deep.py", 2, "mindspore.nn.Dense"),
    }


def test_the_text_names_the_argument_and_the_near_match(folder):
    texts = {
        f.line: f.text for f in check.scan("train.py")[0] if f.path == "train.py" and f.fails
    }
    assert texts[14] == "does not take the argument 'device_targer'. Did you mean 'device_target'?"
    assert texts[5] == "MindSpore has no such name. Did you mean Tensor?"
    assert texts[22].startswith("unsupported: ")


def test_an_api_generation_settles_what_differs_between_releases(folder):
    (folder / "old.py").write_text("import mindspore.ops as ops\nops.split(x, axis=0, output_num=2)\n")
    kinds = [f.kind for f in check.scan("old.py")[0]]
    assert "api" in kinds
    assert "api" not in [f.kind for f in check.scan("old.py", "1.5")[0]]


def test_a_sum_that_begins_with_a_tensor_of_the_cell_depends_on_the_release(folder):
    """On the real 2.10 the second call of such a graph begins where the first one ended; on 2.7 at 0."""
    (folder / "old.py").write_text(
        "from mindspore import Tensor, nn\n"
        "class Net(nn.Cell):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.zero, self.count = Tensor([0.0]), 0\n"
        "        self.start = Tensor([0.0])\n"
        "    def construct(self, x):\n"
        "        total = self.start\n"
        "        total += x\n"
        "        count = self.count\n"
        "        count += 1\n"
        "        other = self.start + x\n"
        "        other += x\n"
        "        return total + other\n")
    assert [(f.line, f.kind) for f in check.scan("old.py")[0]] == [(9, "api")]
    assert not check.scan("old.py", "2.7")[0]


def test_what_is_to_know_is_said_once_for_a_file(folder):
    (folder / "old.py").write_text("import mindspore.nn as nn\nnn.Dense(2, 3)\nnn.Dense(2, 3)\n")
    (finding,) = check.scan("old.py")[0]
    assert finding[1:4] == (2, "api", "mindspore.nn.Dense")


def test_plain_lines_and_exit_codes(folder):
    code, out, err = launched("--check", "train.py", cwd=folder)
    assert code == 1
    assert "train.py:19: fails: mindspore.nn.Dense: does not take the argument 'has_bia'" in out
    assert "the program was run" not in out + err
    code, out, _ = launched("--check", "fine.py", cwd=folder)
    assert (code, out) == (0, "fine.py: 2 MindSpore names in 1 file; 0 would fail, 0 to know about.\n")


def test_a_syntax_error_and_a_wrong_path(folder, capsys):
    (folder / "bad.py").write_text("x = 1\ndef f(:\n")
    assert command.check(["bad.py"]) == 1
    assert "bad.py:2: fails: SyntaxError: invalid syntax" in capsys.readouterr().out
    assert command.check(["missing.py"]) == 2


# Each line of a program, and what is found there: kind, name, a piece of the text; nothing where it is fine.
LINES = [
    ("nn.GraphCell(ms.load('n.mindir'))(x)",),
    ("ms.export(net, x, file_name='n', file_format='AIR')", "refused", "mindspore.export", "Ascend"),
    ("ms.export(net, x, file_name='n', file_format='ONNX')",),
    ("ms.export(net, x, file_name='n', file_format='MINDIR')",),
    ("nn.Conv2d(1, 2, 3, data_format='NHWC')", "refused", "mindspore.nn.Conv2d", "NCHW"),
    ("ms.FlopsUtilizationCollector('d')", "refused", "mindspore.FlopsUtilizationCollector", ""),
    ("nn.Dense(2, bias_init='ones')", "argument", "mindspore.nn.Dense", "lacks the argument 'out_channels'"),
    ("nn.Dense(*sizes, weight_init='ones')",),
    ("ops.concat(axis=1)", "argument", "mindspore.ops.concat", "lacks the argument 'tensors'"),
    ("ops.concat(input_x=xs)",),
    ("nn.Adam()", "argument", "mindspore.nn.Adam", "lacks the argument 'params'"),
    ("ms.Model(loss_fn=1)", "argument", "mindspore.Model", "lacks the argument 'network'"),
    ("nn.LSTMCell(3)", "argument", "mindspore.nn.LSTMCell", "lacks the argument 'hidden_size'"),
    ("ms.Tensor()", "argument", "mindspore.Tensor", "lacks the argument 'input_data'"),
    ("ms.Tensor(shape=(2,), dtype=ms.float32, init='ones')",),
    ("ds.MnistDataset('d').batch(drop_remainder=True)", "argument", "mindspore.dataset.MnistDataset.batch",
     "'batch_size'"),
    ("nn.Adam(ps, lr=0.1)", "argument", "mindspore.nn.Adam", "'lr'"),
    ("nn.Adam(ps, use_lazy=True)",),
    ("ms.Model(net, optimzer=1)", "argument", "mindspore.Model", "Did you mean 'optimizer'?"),
    ("ms.Model(net).train(1, data, callback=[])", "argument", "mindspore.Model.train", "'callbacks'"),
    ("nn.LSTM(3, 4, bidirection=True)", "argument", "mindspore.nn.LSTM", "'bidirectional'"),
    ("ops.interpolate(x, sizes=(2, 2))",),
    ("ms.Tensor([1]).reshap(1)", "never", "mindspore.Tensor.reshap", "Did you mean reshape?"),
    ("nn.ConvTranspose2d(1, 2, 3)", "never", "mindspore.nn.ConvTranspose2d", "Did you mean Conv2dTranspose?"),
    ("nn.Relu()", "never", "mindspore.nn.Relu", "Did you mean ReLU?"),
    ("(ops.ones(3) * 2).nothing_like_it()", "never", "mindspore.Tensor.nothing_like_it", "attribute."),
    ("ms.Tensor([1]).repeat(2, 0)", "api", "mindspore.Tensor.repeat", "before 2.5"),
    ("ms.Tensor([1]).repeat(2, 3, 4)",),
    ("ms.set_device('cuda')", "argument", "mindspore.set_device", "It takes 'CPU', 'GPU', 'Ascend'."),
    ("ms.set_context(device_target='gpu')", "argument", "mindspore.set_context", "Did you mean 'GPU'?"),
    ("ms.set_context(mode='graph')", "argument", "mindspore.set_context", "mindspore.GRAPH_MODE"),
    ("ms.set_device('Ascend', 0)",),
    ("ds.MnistDataset('d').batch(2, drop=1)", "argument", "mindspore.dataset.MnistDataset.batch", "'drop'"),
    ("import no_such_package_anywhere", "module", "no_such_package_anywhere", "pip install"),
    ("from numpy.no_such import x", "module", "numpy.no_such", "no module of the numpy"),
    ("import os.path, torch.ops, numpy.linalg, concurrent.futures.thread",),
    ("nn.Conv2d(3, 4, 3, pad_mode='sam')", "argument", "mindspore.nn.Conv2d", "Did you mean 'same'?"),
    ("nn.GELU(approximate='tanhh')", "argument", "mindspore.nn.GELU", "must be a bool"),
    ("WORD = 'bad'\nds.vision.Resize(3, interpolation=WORD)", "argument", "mindspore.dataset.vision.Resize",
     "interpolation"),
    ("ds.vision.Resize(3, ds.vision.Inter.BICUBIC)",),
    ("nn.Conv2d(4, 4, 3, group=3)", "argument", "mindspore.nn.Conv2d", "divisible"),
    ("nn.exponential_decay_lr(0.1, 0.9, -1, 1, 1)", "argument", "mindspore.nn.exponential_decay_lr",
     "total_step"),
    ("def rows(): yield 1\nds.GeneratorDataset(rows)", "argument", "mindspore.dataset.GeneratorDataset",
     "columns_names"),
    ("def rows(): yield 1\nds.GeneratorDataset(rows, schema=ds.Schema())",),
    ("ms.set_context(mode=3)", "argument", "mindspore.set_context", "GRAPH_MODE"),
    ("ops.ReduceOp.SUMM", "never", "mindspore.ops.ReduceOp.SUMM", "Did you mean SUM?"),
    ("ds.vision.Inter.NOPE", "never", "mindspore.dataset.vision.Inter.NOPE", "no such member"),
    ("nn.Conv2d(3, 4, 3, 1, 'SAME')", "argument", "mindspore.nn.Conv2d", "'SAME'"),
    ("nn.MSELoss('avg')", "argument", "mindspore.nn.MSELoss", "It takes 'mean', 'sum', 'none'."),
    ("nn.MSELoss(reduction=how)",),
    ("ms.Model(net, amp_level='O9')", "argument", "mindspore.Model", "'O9' for 'amp_level'"),
    ("ms.train.Model(net, optimizer=nn.SGD(net.trainable_params()), amp_level='auto')",),
    ("ms.train.Model(net, amp_level='auto')", "argument", "mindspore.train.Model", "'optimizer' is None"),
    ("nn.Dense(2, 3, 'xavier')", "argument", "mindspore.nn.Dense", "'xavier' for 'weight_init'"),
    ("nn.Dense(2, 3, 'XavierUniform', activation='relu')",),
    ("ms.common.initializer.HeNormal(nonlinearity='linear')",),
    ("nn.Dense(2, 3)(x).backward()", "never", "mindspore.Tensor.backward", "Instead: mindspore.grad"),
    ("nn.ReLU()(nn.Dense(2, 3)(x)).sum().asnumpy()",),
    ("nn.Conv2d(3, 4, 3).weight.cuda()", "never", "mindspore.Parameter.cuda", "no such method"),
    ("ms.Tensor([1]).size(0)", "argument", "mindspore.Tensor.size", "not a method"),
    ("ops.relu(x).shape()[0]", "argument", "mindspore.Tensor.shape", "leave the brackets out"),
    ("ms.Tensor([1]).contiguous().mean().cpu()", "never", "mindspore.Tensor.cpu", "no such method"),
    ("(sparse() + ms.Tensor([1])).to_tuple()",),
    ("def f(x: ms.Tensor):\n    return x.no_such()", "never", "mindspore.Tensor.no_such", "attribute."),
    ("def f(x: ms.Tensor, *xs: ms.Tensor):\n    x = np.array(x)\n    return xs.count(x.nbytes_of())",),
    ("nn.Adam(net.get_parameters()).step()", "never", "mindspore.nn.Adam.step", "optimizer(grads)"),
    ("opt = nn.Adam(net.get_parameters())\nopt.step = 1\nopt.step",),
    ("ops.absolutely_not()", "never", "mindspore.ops.absolutely_not", "no such name."),
    ("x = ops.nope() if hasattr(ops, 'nope') else 0",),
    ("hasattr(ops, 'nope') and ops.nope()",),
    ("f = getattr(ops, 'nope', None)",),
    ("getattr(ops, 'nope')", "never", "mindspore.ops.nope", ""),
    ("nn.Dense(2, 3, in_channels=2)", "argument", "mindspore.nn.Dense", "'in_channels' twice"),
    ("nn.Dense(2, 3).trainable_param()", "never", "mindspore.nn.Dense.trainable_param", "trainable_params"),
    ("nn.Dense(2, 3).set_param_fl()", "never", "mindspore.nn.Dense.set_param_fl", "Instead: a framework"),
    ("ds.MnistDataset('d').to_device()", "never", "mindspore.dataset.MnistDataset.to_device", "Instead:"),
    ("nn.CrossEntropyLoss()(x)", "argument", "mindspore.nn.CrossEntropyLoss.__call__", "'labels'"),
    ("nn.ReLU()(x, x)", "argument", "mindspore.nn.ReLU.__call__", "at most 1"),
    ("ops.Transpose()(x)", "argument", "mindspore.ops.Transpose.__call__", "lacks the argument"),
    ("nn.SequentialCell(nn.ReLU())(x)",),
    ("ms.amp.auto_mixed_precision(net, 'O9')", "argument", "mindspore.amp.auto_mixed_precision", "O9"),
    ("ms.amp.auto_mixed_precision(net, 'O0')",),
    ("ms.amp.auto_mixed_precision(net, level)",),
    ("ops.meshgrid(x, y, indexing='yx')", "argument", "mindspore.ops.meshgrid", "It takes 'ij', 'xy'."),
    ("ops.meshgrid((x, y), indexing='ij')",),
    ("ds.MnistDataset('d', usage='tests')", "argument", "mindspore.dataset.MnistDataset", "mean 'test'?"),
    ("ds.MnistDataset('d', 'Train')", "argument", "mindspore.dataset.MnistDataset", "mean 'train'?"),
    ("ds.VOCDataset('d', 'Segment')", "argument", "mindspore.dataset.VOCDataset", "Invalid task : Segment."),
    ("ds.VOCDataset('d', 'Detection', 'any list', {'car': 0})",),
    ("ds.Flowers102Dataset('d', task='All')", "argument", "mindspore.dataset.Flowers102Dataset",
     "Segmentation"),
    ("nn.BatchNorm2d(3, momentum=1.5)", "argument", "mindspore.nn.BatchNorm2d", "must be a number in range"),
    ("ms.set_context(device_id='0')", "argument", "mindspore.set_context", "'device_id' must be"),
    ("ms.set_seed(-1)", "argument", "mindspore.set_seed", "but got '-1'"),
    ("ms.set_seed(seed)",),
    ("ms.amp.StaticLossScaler(-1)", "argument", "mindspore.amp.StaticLossScaler", "scale_value"),
    ("ms.ParallelMode.DATA_PARALEL", "never", "mindspore.ParallelMode.DATA_PARALEL", "DATA_PARALLEL?"),
    ("ms.no_grad", "never", "mindspore.no_grad", "MindSpore has no such name."),
    ("ms.Tensor([1]).view(shape=(1,)).reshape(shape=(1, 1)).permute(dims=(1, 0))",),
    ("class N(nn.Cell):\n    def construct(self, x):\n        return x.cuda()", "never",
     "mindspore.Tensor.cuda", "PyTorch's"),
    ("class N(nn.Cell):\n    def construct(self, *x):\n        x = self.f(x)\n        return x.cuda()",),
    ("class N:\n    def construct(self, x):\n        return x.cuda()",),
    ("class N(nn.Cell):\n    def __init__(self, rate):\n        pass\n    def construct(self, x):\n"
     "        return x * rate", "name", "rate", "keep it as self.rate."),
    ("rate = 2\nclass N(nn.Cell):\n    def __init__(self, rate, dim):\n        pass\n"
     "    def construct(self, x, y=[dim for dim in (1, 2)]):\n        return [x * rate for dim in y]",),
    ("def f(rate):\n    class N(nn.Cell):\n        def __init__(self, rate):\n            pass\n"
     "        def construct(self, x):\n            return x * rate",),
    ("net = nn.Dense(2, 3)\nnet.trainable_param = 1\nnet.trainable_param",),
]
# What stands where it does not matter.
QUIET = """\
if hasattr(ops, "nope"):
    ops.nope()
if ms.__version__ < "1.5":
    ops.nope()
if version.parse(ms.__version__) >= version.parse("3.0"):
    ops.nope()
if int(ms.__version__.split(".")[0]) < 2:
    ops.nope()
if tuple(int(n) for n in ms.__version__.split(".")[:2] if n) < (1, 5):
    ops.nope()
if [int(n) for n in ms.__version__.split(".")] < [2]:
    ops.nope()
OLD = ms.__version__.startswith("1.")
if OLD:
    ops.nope()
try:
    from mindspore.nope import thing
except ImportError:
    thing = None
try:
    from mindspore import nn as thing
except ImportError:
    import no_such_package
try:
    ops.nope()
except AttributeError:
    pass
if False:
    ops.nope()
if TYPE_CHECKING:
    import no_such_package
def f():
    return 1
    ops.nope()
def g(ms, ops):
    return ops.nope()
x = ms.Tensor([1]) if flag else np.ones(1)
x.nope()
y = ms.Tensor([1])
y = y.asnumpy()
y.nope()
with contextlib.suppress(AttributeError):
    ops.nope()
HAS = hasattr(ops, "nope")
if HAS:
    ops.nope()
NEW = ms.__version__ >= "3.0"
if NEW:
    ops.nope()
if "nope" in dir(ops):
    ops.nope()
try:
    swish = ops.nope
except (AttributeError, NotImplementedError):
    swish = None
swish
t = ms.Tensor([1])
t.tag = "x"
setattr(t, "mark", "y")
t.tag, t.mark
ms.Tensor.doubled = lambda self: self * 2
ops.doubled = lambda x: x * 2
t.doubled(), ops.doubled(t)
def h():
    if not hasattr(ms.Tensor, "nope"):
        return
    ms.Tensor([1]).nope()
"""
HEAD = "import mindspore as ms\nimport mindspore.dataset as ds\nfrom mindspore import nn, ops\n"


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_a_line(line):
    text, *wanted = line
    findings = [f for read in check.command(HEAD + text) for f in read.findings
                if f.kind not in ("guarded", "dead") and (f.kind != "api" or wanted[:1] == ["api"])]
    assert [[f.kind, f.name] for f in findings] == ([wanted[:2]] if wanted else [])
    assert all(wanted[2] in f.text for f in findings)


def test_members_of_earlier_releases_have_a_way_out():
    owners = {"mindspore.Tensor": "ms.Tensor([1])", "mindspore.nn.Cell": "nn.ReLU()",
              "mindspore.dataset.Dataset": "ds.MnistDataset('d')"}
    known = [full.rpartition(".") for full in surface._removed() if full.rpartition(".")[0] in owners]
    text = HEAD + "".join(f"{owners[owner]}.{name}()\n" for owner, _, name in known)
    findings = [f for read in check.command(text) for f in read.findings if f.kind == "never"]
    assert len(findings) > 20
    assert [f.name for f in findings if "Instead: " not in f.text] == []


def test_no_false_alarm():
    findings = [f for read in check.command(HEAD + QUIET) for f in read.findings]
    assert [f for f in findings if f.fails] == []
    assert {f.kind for f in findings} == {"guarded", "dead"}


def test_annotations_that_nobody_reads_and_names_that_another_file_writes(folder):
    (folder / "patches.py").write_text("from mindspore import ops\nops.doubled = lambda x: x * 2\n")
    (folder / "user.py").write_text("from __future__ import annotations\nimport patches\n" + HEAD +
                                    "def f(x: ms.Tenso) -> ms.Nope:\n    return ops.doubled(x)\n")
    assert [f for f in check.scan("user.py")[0] if f.fails] == []
    assert command.check([str(folder / "patches.py"), str(folder / "user.py")]) == 0


def test_a_version_test_follows_api(folder, capsys):
    (folder / "old.py").write_text(HEAD + "if ms.__version__ < '1.9':\n    ops.nope()\n")
    assert command.check(["old.py"]) == 0
    code, _, _ = launched("check", "--api", "1.5", "old.py", cwd=folder)
    assert code == 1


def test_several_files_a_folder_a_module_and_a_command(folder, capsys):
    assert command.check(["fine.py", "pkg"]) == 1
    out = capsys.readouterr().out
    assert "fine.py: 2 MindSpore names in 1 file; 0 would fail" in out
    assert "pkg/deep.py:2: fails: mindspore.nn.Dense" in out
    assert command.check(["-m", "pkg.deep"]) == 1
    assert command.check(["-c", "import mindspore as ms; ms.Tensor(1)"]) == 0
    assert command.check(["-m", "pkg.nothing"]) == 2
    assert command.check([]) == 2
    assert command.check_program(["fine.py", "--epochs", "missing.py", "train.py"], None) == 1
    assert command.check_program(["-c", "import mindspore as ms; ms.nope", "x"], None) == 1
    capsys.readouterr()
    assert command.check(["train.py", "--json", "-"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {f["name"] for f in found["findings"] if f["path"] == "helper.py"} == {
        "mindspore.ops.no_such_function"}
