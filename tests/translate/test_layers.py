"""Layers as a person writes them: initial weights, padding, lengths, classes that are handed on."""

import numpy as np
import pytest
import torch

import ms2torch

pytest.importorskip("libcst")
from ms2torch.translate import guessing, translate_source

LISTED = """
from mindspore import Tensor, nn

def heads():
    found = []
    for n in (1, 2):
        start = Tensor([[float(n)]])
        found.append(nn.Dense(1, 1, weight_init=start, bias_init="zeros"))
    return found

one, two = heads()
"""


def test_a_layer_in_a_call_starts_from_the_tensor_that_it_is_given():
    made = translate_source(LISTED)
    assert "initialised(nn.Linear(1, 1), weight=start, bias=nn.init.zeros_)" in made.text
    exec(made.text, there := {})
    one, two = there["one"], there["two"]
    assert (one.weight.item(), two.weight.item(), one.bias.item()) == (1.0, 2.0, 0.0)


PADDED = '''
from mindspore import nn
from mindspore.common.tensor import Tensor


class Net(nn.Cell):
    def __init__(self, padding):
        super().__init__()
        self.told = nn.Embedding(4, 3, embedding_table="ones", padding_idx=1)
        self.given = nn.Embedding(4, 3, padding_idx=padding)

    def construct(self, ids):
        return self.told(ids) + self.given(ids)


ids = Tensor([1, 2])
'''


def test_the_row_of_a_padding_starts_from_zeros_and_trains():
    """What the real 2.10 does; `padding_idx` of torch's Embedding leaves the row without a gradient."""
    found = translate_source(PADDED)
    assert all(site.settled for site in found.sites) and "ms2torch" not in found.text
    names = {}
    exec(compile(found.text, "translated", "exec"), names)
    net = names["Net"](2)
    assert not net.told.weight[1].any() and net.told.weight[0].eq(1).all()
    assert not net.given.weight[2].any() and net.given.weight[1].any()
    net(names["ids"]).sum().backward()
    assert net.told.weight.grad[1].eq(1).all() and net.given.weight.grad[2].eq(1).all()
    assert names["Net"](None).given.weight.any(1).all()


HANDED = """
from mindspore import nn


class Block(nn.Cell):
    def __init__(self, width, norm=nn.BatchNorm2d, layer=nn.Conv2d):
        super().__init__()
        self.layer = layer(width, width, 1)
        self.norm = norm(width{more})

    def construct(self, x):
        return self.norm(self.layer(x))


block = Block(2)
"""


@pytest.mark.parametrize(("more", "norm"), [
    ("", "norm=nn.BatchNorm2d"),
    (", momentum=0.8", "norm=ms2torch.to_torch(ms2torch.nn.BatchNorm2d)"),
])  # fmt: skip
def test_a_layers_class_that_is_handed_on(more, norm):
    """It is PyTorch's where its calls need no converting, else one that makes Modules."""
    found = translate_source(HANDED.replace("{more}", more))
    assert norm in found.text and "layer=ms2torch.to_torch(ms2torch.nn.Conv2d)" in found.text
    names = {}
    exec(compile(found.text, "translated", "exec"), names)
    assert names["block"](torch.ones(3, 2, 4, 4)).shape == (3, 2, 4, 4)
    assert len(list(names["block"].parameters())) == 3


WRAPPED = """
from mindspore import nn
from mindspore.common.initializer import TruncatedNormal


def conv(n, m, kernel_size, stride=1, padding=0, pad_mode="same"):
    weight = TruncatedNormal(0.02)
    return nn.Conv2d(n, m,
                     kernel_size=kernel_size, stride=stride, padding=padding,
                     weight_init=weight, pad_mode=pad_mode)


def deconv(n, m, kernel_size, stride=2, padding=0, pad_mode="pad"):
    return nn.Conv2dTranspose(n, m, kernel_size, stride, pad_mode, padding, has_bias=True)
"""


def test_a_function_around_a_convolution_takes_any_pad_mode():
    translation = translate_source(WRAPPED)
    assert all(site.settled for site in translation.sites)
    assert "initialised(conv2d_by_mode(n, m,\n                     kernel_size" in translation.text
    assert ", weight=weight)" in translation.text
    ours, theirs, x = {}, {}, np.random.RandomState(0).randn(2, 3, 7, 7).astype(np.float32)
    exec(WRAPPED.replace("mindspore", "ms2torch"), ours)
    exec(translation.text, theirs)
    for name in ("conv", "deconv"):
        for how in ({"pad_mode": "valid"}, {"pad_mode": "pad", "padding": 1}, {"pad_mode": "same"}):
            for size, stride in ((3, 1), (4, 2)):
                if (name, size, stride, how["pad_mode"]) == ("deconv", 3, 1, "same"):
                    continue
                cell, module = (side[name](3, 2, size, stride=stride, **how) for side in (ours, theirs))
                module.load_state_dict({n: p._t for n, p in cell.parameters_and_names()})
                got, wanted = module(torch.tensor(x)).numpy(force=True), cell(ms2torch.Tensor(x)).asnumpy()
                np.testing.assert_allclose(got, wanted, 1e-5, 1e-5, err_msg=f"{name} {how} {size} {stride}")


def test_a_kept_layer_starts_as_its_initialiser_says():
    text = """
from mindspore import nn
from mindspore.common.initializer import Normal


def conv(n, m, start=Normal(0.5), layout="NHWC"):
    weight = Normal(0.1)
    return nn.Conv2d(n, m, 3, weight_init=weight, data_format=layout)
"""
    translation = translate_source(text)
    kept = "initialised(ms2torch.to_torch(ms2torch.nn.Conv2d(n, m, 3, data_format=layout)), weight=weight)"
    assert kept in translation.text


def test_a_recurrent_layer_over_lengths():
    text = """
from mindspore import Tensor, nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4, batch_first=True, bidirectional=True)

    def construct(self, x, lengths):
        return self.rnn(x, seq_length=lengths)[0], self.rnn(x)[0]
"""
    translation = translate_source(text)
    assert all(site.settled for site in translation.sites)
    ours, theirs = {}, {}
    exec(text.replace("mindspore", "ms2torch"), ours)
    exec(translation.text, theirs)
    cell, module = ours["Net"](), theirs["Net"]()
    mine = {p.name.rpartition(".")[2]: p for p in cell.get_parameters()}
    module.rnn.load_state_dict({n: mine[n]._t for n, _ in module.rnn.named_parameters()})
    x, lengths = np.random.RandomState(0).randn(2, 5, 3).astype(np.float32), np.array([2, 4], np.int32)
    for given in lengths, None:
        wanted = cell(ms2torch.Tensor(x), None if given is None else ms2torch.Tensor(given))
        found = module(torch.tensor(x), None if given is None else torch.tensor(given))
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one.numpy(force=True), other.asnumpy(), 1e-5, 1e-6)


def test_an_argument_that_no_rule_reads_keeps_the_call():
    text = "from mindspore import dtype, ops\n\n\ndef f(x):\n    return ops.sum(x, 1, dtype=dtype.float16)\n"
    assert [s.reason for s in translate_source(text).sites if not s.settled] == ["its dtype= has no rule"]
    text = text.replace("ops.sum(x, 1, dtype=dtype.float16)", "ops.Argmax(output_type=dtype.int32)(x)")
    assert "return torch.argmax(x, dim=-1)" in translate_source(text).text  # its default


def test_lengths_and_states_that_no_run_told_are_made_up():
    class Spoken(ms2torch.nn.Cell):
        def __init__(self):
            super().__init__()
            self.rnn = ms2torch.nn.GRU(4, 3, num_layers=2)

        def construct(self, x, state, seq_length):
            return self.rnn(x, state, seq_length)[0]

    x, state, lengths = guessing._called(Spoken(), {}, float("inf")).arguments
    assert (x.shape[2], state.shape) == (4, (2, x.shape[1], 3)) and lengths.min() > 0
