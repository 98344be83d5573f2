"""Files of one program, and programs of one folder, know of each other."""

import errno
import shutil

import pytest

pytest.importorskip("libcst")
from ms2torch.translate import translate_source
from ms2torch.translate.command import _unwritten
from ms2torch.translate.rewriting.programs import programs_of
from ms2torch.translate.translation import known_of

BLOCKS = """
from mindspore import nn, ops


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.act = ops.ReLU()
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        return self.drop(self.act(x))
"""
NET = """
import blocks
from blocks import Block


class Net(Block):
    def construct(self, x):
        return super().construct(self.act(x))


net, other = Net(), blocks.Block()
"""


def test_a_class_descends_from_another_files():
    from ms2torch.translate.translation import known_of

    sources = {"/a/blocks.py": BLOCKS, "/a/net.py": NET}
    known = known_of(sources, {})
    blocks, net = (translate_source(text, **known[path]).text for path, text in sources.items())
    assert "self.act = F.relu" in blocks and "return self.drop(self.act(x))" in blocks
    assert "def forward(self, x):\n        return super().forward(self.act(x))" in net
    assert "net, other = Net().eval(), blocks.Block().eval()" in net


FILES = {
    "src/dataset.py": """
import mindspore.dataset as ds


def rows(n):
    for i in range(n):
        yield float(i), i


def create_dataset(n):
    return ds.GeneratorDataset(lambda: rows(n), ["x", "y"], shuffle=False).batch(2)
""",
    "src/optim.py": """
from mindspore import nn


def make(net, config):
    return nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=config.loss_scale)
""",
    "src/callback.py": """
from mindspore.train.callback import Callback


class Shown(Callback):
    def __init__(self, model, data):
        super().__init__()
        self.model, self.data = model, data

    def epoch_end(self, run_context):
        state = run_context.original_args()
        print(self.model.eval(self.data, dataset_sink_mode=False))
        print(float(state.optimizer.learning_rate.asnumpy()))
""",
    "train.py": """
import mindspore as ms
from src.optim import make


def steps(net, config):
    opt = make(net, config)
    return opt.global_step.asnumpy().item()
""",
}


def test_files_of_a_package_know_of_each_other():
    known = known_of(FILES, {})
    made = {path: translate_source(text, path=path, **known[path]) for path, text in FILES.items()}
    assert all(site.settled for one in made.values() for site in one.sites)
    texts = {path: one.text for path, one in made.items()}
    assert 'DataLoader(Samples(list(rows(n)), ["x", "y"]), batch_size=2)' in texts["src/dataset.py"]
    assert "with_loss_scale(torch.optim.SGD(" in texts["src/optim.py"]
    assert "counted(" in texts["src/optim.py"] and "opt.global_step.numpy(" in texts["train.py"]
    assert "self.model.eval(self.data)" in texts["src/callback.py"]
    assert 'torch.as_tensor(state.optimizer.param_groups[0]["lr"]).item()' in texts["src/callback.py"]


FACTORIES = {
    "zoo/__init__.py": """
from .factory import build
""",
    "zoo/factory.py": """
from mindspore import nn


class Net(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.layer, self.norm = nn.Dense(1, width), nn.BatchNorm1d(width)

    def construct(self, x):
        return self.norm(self.layer(x)), x.shape


def build(width=2):
    return Net(width)


def copy(x):
    return x
""",
    "rows.py": """
import mindspore.dataset as ds


def create(n):
    rows = [[[float(i)], [i]] for i in range(n)]
    return ds.GeneratorDataset(rows, ["x", "y"], shuffle=False).batch(2)
""",
    "train.py": """
from copy import copy
from rows import create
from zoo import build


class Wrapped:
    def __init__(self, net):
        self.net = net


inner = build()
wrapped = Wrapped(build(3))
for data in create(4).create_dict_iterator():
    out, shape = inner(data["x"])
    print(out.expand_dims(0).asnumpy(), out.max(), shape.index(1), copy(shape).index(1))
for p in inner.get_parameters():
    p.set_data(p * 2)
""",
}


def test_what_functions_of_other_files_give_is_known():
    known = known_of(FACTORIES, {})
    made = {path: translate_source(text, path=path, **known[path]) for path, text in FACTORIES.items()}
    assert all(site.settled for one in made.values() for site in one.sites)
    text = made["train.py"].text
    assert 'for data in by_name(create(4), ["x", "y"]):' in text
    assert "print(out.unsqueeze(0).numpy(force=True), out.max().numpy(force=True), shape.index(1)" in text
    assert "ms2torch" not in text and "mindspore" not in text


def test_a_folder_of_many_programs():
    """Each program knows its own files, of several of a name the nearest; a file that nothing imports is the
    nearest program's."""
    script = 'from src.data import make\nimport mindspore\n\nif __name__ == "__main__":\n    make()\n'
    sources = {f"/zoo/{name}/train.py": script for name in "ab"}
    sources |= {f"/zoo/{name}/src/{file}.py": "" for name in "ab" for file in ("data", "late")}
    groups = [sorted(group) for group in programs_of(sources)]
    assert groups == [[f"/zoo/{x}/src/data.py", f"/zoo/{x}/src/late.py", f"/zoo/{x}/train.py"] for x in "ab"]


APART = {
    "setup_context.py": """
from mindspore import context


def start():
    context.set_auto_parallel_context(parallel_mode="DATA_PARALLEL", gradients_mean=True)
""",
    "nets.py": """
import mindspore as ms
from mindspore import nn


def build():
    return nn.Dense(2, 2).to_float(ms.float16)
""",
    "train.py": """
from mindspore import FixedLossScaleManager, Model, nn

from nets import build
from setup_context import start

start()
net = build()
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
model = Model(net, nn.MSELoss(), opt, loss_scale_manager=FixedLossScaleManager(128.0, False))
""",
}


def test_what_another_file_says_of_the_whole_program_is_known():
    def translated():
        return translate_source(APART["train.py"], **known_of(APART, {})["train.py"]).text

    assert "its gradients are multiplied by 128.0" in translated()  # which float16 makes overflow or not
    APART["nets.py"] = APART["nets.py"].replace(".to_float(ms.float16)", "")
    assert "data_parallel(net)" in translated() and "gradients_times(" in translated()
    APART["setup_context.py"] = "def start():\n    pass\n"
    assert "data_parallel(" not in translated()


def test_a_package_passes_on_a_function_by_another_name():
    sources = {
        "/a/models/__init__.py": "from .net import build_model as build\n",
        "/a/models/net.py": "from mindspore import nn\n\n\ndef build_model():\n    return nn.Dense(2, 2)\n",
        "/a/train.py": "import mindspore as ms\nfrom models import build\n\nnet = build()\n"
        "low = ms.amp.auto_mixed_precision(net, 'O2')\nprint(list(net.cells()))\n"
        "y = low(ms.ops.ones((1, 2))).astype(ms.float32)\n",
    }
    known = known_of(sources, {})["/a/train.py"]
    made = translate_source(sources["/a/train.py"], path="/a/train.py", **known).text
    assert "print(list(net.children()))" in made
    assert "y = low(torch.ones((1, 2))).to(torch.float32)" in made


def test_what_a_full_disk_says_is_one_line():
    full = OSError(errno.ENOSPC, "No space left on device")
    assert _unwritten(full, "out.py") == "can't write 'out.py': No space left on device"
    many = shutil.Error([("a.py", "/x/.ms2torch-1/a.py", f"{full}: 'a.py' -> 'b.py'")] * 3)
    assert _unwritten(many, "out") == "can't write 'out': No space left on device"
    report = OSError(errno.EACCES, "Permission denied", "report.html")
    assert _unwritten(report, "out") == "can't write 'report.html': Permission denied"
