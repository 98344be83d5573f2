"""MindSpore draws initial weights from numpy's generator: what a program draws afterwards stays the same."""

import numpy as np
import pytest

pytest.importorskip("libcst")
from ms2torch.shim import alias
from ms2torch.translate import draws, translate_source
from ms2torch.translate.recording import Watch

PROGRAMS = {
    "layers": ("net, other = nn.LSTM(3, 4, 2), nn.Dense(2, 2)", "draw_initial_weights(", True),
    "a Cell": ("net = Net()", "draw_initial_weights(2)", True),
    "in a loop": ("for width in (2, 2):\n    net = Net()", "draw_initial_weights(2)", True),
    "several at once": ("nets = [Net() for _ in range(3)]", "draw_initial_weights(6)", True),
    "inside a function": ("def made():\n    return Net()\n\nnet = made()", "draw_initial_weights(2)", True),
    "a network that draws itself": ("net = Own()", "Linear(2, 3)\n        draw_initial_weights(2)", True),
    "the same in a function": ("nets = [Own().fc for _ in range(2)]", "draw_initial_weights(2)", True),
    "nothing drawn by them": ("net = nn.LayerNorm((3,))", "draw_initial_weights(", False),
    "a cell that takes normal numbers": ("net = nn.LSTMCell(2, 3)", "", None),
}
HEAD = """
import numpy as np
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 3)

class Own(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 3)
        self.scale = np.random.randn(2)
        self.last = nn.Dense(2, 1, bias_init=float(np.random.rand()))

np.random.seed(3)
"""


@pytest.mark.parametrize(("text", "line", "drawn_again"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_follows_is_the_same(text, line, drawn_again, tmp_path):
    state = np.random.get_state()
    source, path = f"{HEAD}{text}\nx = np.random.rand(3)\n", str(tmp_path / "program.py")
    here, there = {}, {}
    try:
        with Watch([path]) as watch, draws.Draws({path: source}) as drawn:
            alias.install()
            exec(watch.compiled(source, path, "exec"), here)
        drawn.into(facts := watch.recorder.facts)
        if drawn_again is None:
            assert draws.told(facts[path].as_json()) is False
            return
        made = translate_source(source, facts=facts.get(path))
        assert (line in made.text) is drawn_again, made.text
        exec(made.text, there)
        assert there["x"].tolist() == here["x"].tolist()
    finally:
        alias.uninstall()
        np.random.set_state(state)
