"""Shapes in all the ways that a method takes them."""

import pytest

pytest.importorskip("libcst")
from ms2torch.translate import translate_source

HEAD = "import mindspore as ms\nx = ms.ops.ones((2, 3))\ns = (3, 2)\n"


@pytest.mark.parametrize(("call", "form"), [
    ("view(3, 2)", "reshape(3, 2)"), ("view((3, 2))", "reshape(3, 2)"), ("view(s)", "reshape(s)"),
    ("view(*s)", "reshape(*s)"), ("view(x.shape[0], -1)", "reshape(x.shape[0], -1)"),
    ("view(shape=(3, 2))", "reshape(3, 2)"), ("reshape(-1)", "reshape(-1)"),
    ("reshape(shape=(3, 2))", "reshape(3, 2)"), ("reshape((3, -1))", "reshape(3, -1)"),
    ("permute(1, 0)", "permute(1, 0)"), ("permute((1, 0))", "permute(1, 0)"),
    ("permute(dims=(1, 0))", "permute(1, 0)"), ("transpose((1, 0))", "permute(1, 0)"),
    ("broadcast_to((2, 3))", "expand(2, 3)"), ("broadcast_to(shape=(2, 3))", "expand(2, 3)"),
    ("tile((2, 1))", "tile(2, 1)"), ("tile(reps=(2, 1))", "tile(2, 1)"), ("tile(dims=(2, 1))", "tile(2, 1)"),
    ("repeat(2)", "repeat(2)"), ("expand(2, 3)", "expand(2, 3)"),
])  # fmt: skip
def test_a_shape(call, form):
    found = translate_source(f"{HEAD}y = x.{call}\n")
    assert f"y = x.{form}\n" in found.text, found.text
    assert not [site for site in found.sites if site.reason]


def test_texts_in_an_f_string_have_quotes_of_their_own():
    """Before Python 3.12 an f-string ends at its own quotes."""
    program = (
        "from mindspore import nn\nnet = nn.Dense(2, 2)\nopt = nn.SGD(net.trainable_params(), 0.1)\n"
        'print(f"rate {float(opt.get_lr().asnumpy()):.3f}")\n'
    )
    text = translate_source(program).text
    assert "param_groups[0]['lr']" in text and 'f"rate {' in text
    compile(text, "translated", "exec")
