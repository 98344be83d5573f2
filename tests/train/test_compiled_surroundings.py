"""What a traced step does beside computing happens as often as eagerly; what others do meanwhile is not lost.

All steps run the traced graph as it is, without a compiler.
"""

import collections
import cProfile
import importlib.util
import io
import logging
import os
import random
import signal
import sys
import threading

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch._core import mode, torch_private
from ms2torch._core.gradient import overflow
from ms2torch.compiler import backends, effects, settings

pytestmark = [pytest.mark.skipif(torch_private.RELEASE < (2, 5), reason="torch 2.5 compiles"),
              pytest.mark.usefixtures("traced")]

logger = logging.getLogger(__name__)


class Doing(nn.Cell):
    """A network that does something beside computing."""

    def __init__(self, does) -> None:
        super().__init__()
        self.last, self.does = nn.Dense(4, 2), does

    def construct(self, x):
        self.does()
        return self.last(x).sum()


def _step(does):
    net = Doing(does)
    return nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()


_X = Tensor(np.ones((3, 4), np.float32))


# ---- what the step does ------------------------------------------------------------------------------------


class Own:
    """State of a program, and the ways in which a step may change it."""

    def __init__(self) -> None:
        self.long, self.nested, self.waiting = list(range(300)), {"a": {"b": []}}, collections.deque(range(9))
        self.array = np.zeros(3)
        self.numpy, self.python = np.random.default_rng(0), random.Random(0)
        self.file = open(os.devnull, "w")       # noqa: SIM115

    def appends_to_a_long_list(self):
        self.long.append(1)

    def appends_deep_inside(self):
        self.nested["a"]["b"].append(1)

    def takes_from_a_deque(self):
        self.waiting.popleft()

    def counts_in_an_array(self):
        self.array[0] += 1

    def counts_in_a_global(self):
        global COUNT
        COUNT += 1

    def logs(self):
        logger.warning("a step")

    def writes(self):
        self.file.write("a step")

    def draws_from_numpys_generator(self):
        self.numpy.normal()

    def draws_from_a_random(self):
        self.python.random()

    def draws_from_pythons(self):
        random.random()

    def draws_from_numpys(self):
        np.random.rand()

    def state(self):
        """All that the above change."""
        return (list(self.long), repr(self.nested), list(self.waiting), self.array.tolist(), COUNT,
                self.python.getstate(), repr(self.numpy.bit_generator.state), random.getstate(),
                np.random.get_state()[1].tolist(), np.random.get_state()[2])


COUNT = 0
_DOES = {"appends_to_a_long_list": "sets Own.long", "appends_deep_inside": "sets Own.nested",
         "takes_from_a_deque": "sets Own.waiting", "counts_in_an_array": "sets Own.array",
         "counts_in_a_global": None, "logs": "calls logging.warning",
         "writes": "writes to a file", "draws_from_numpys_generator": "a Generator of its own",
         "draws_from_a_random": "a Random of its own", "draws_from_pythons": "Python's random",
         "draws_from_numpys": "numpy.random"}


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("name", _DOES)
def test_what_a_step_does_it_does_once(name, alone, capsys, monkeypatch):
    global COUNT
    monkeypatch.setattr(threading, "active_count", lambda: 1 if alone else 2)
    monkeypatch.setattr(logger, "handlers", [logging.StreamHandler(logged := io.StringIO())])
    found = []
    for graphs in ("eager", "compile"):
        mode.graphs, COUNT = graphs, 0
        random.seed(1)
        np.random.seed(1)
        logged.truncate(0)
        own = Own()
        step = _step(getattr(own, name))
        for _ in range(3):
            step(_X)
        own.file.close()
        found.append((own.state(), logged.getvalue().count("a step")))
    assert found[0] == found[1]
    if _DOES[name] is None:
        assert not step.__dict__["_compiled_step"].off
    else:
        assert step.__dict__["_compiled_step"].off and _DOES[name] in capsys.readouterr().err


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("what", ["a list", "a dict", "a number", "a bool"])
def test_what_a_step_changes_of_the_function_around_it(what, alone, capsys, monkeypatch):
    monkeypatch.setattr(threading, "active_count", lambda: 1 if alone else 2)
    found = []
    for graphs in ("eager", "compile"):
        mode.graphs, seen, counts, number, flag = graphs, [], {"n": 0}, 0, False

        def does(what=what):
            nonlocal number, flag
            if what == "a list":
                seen.append(1)          # noqa: B023
            elif what == "a dict":
                counts["n"] += 1        # noqa: B023
            elif what == "a number":
                number += 1
            else:
                flag = not flag

        step = _step(does)
        for _ in range(7):
            step(_X)
        found.append((len(seen), counts["n"], number, flag))
    assert found[0] == found[1]
    if what not in ("a number", "a dict"):
        assert step.__dict__["_compiled_step"].off
        assert "a name of the function around it" in capsys.readouterr().err


def test_a_graph_prints_each_time(capsys):
    ms.set_context(mode=ms.GRAPH_MODE)

    @ms.jit
    def function(x):
        print("called")
        return x + 1

    for _ in range(3):
        function(_X)
    assert capsys.readouterr().out.count("called") == 3


# ---- what others do ----------------------------------------------------------------------------------------

SHARED = {"seen": 0}


def _reads_shared():
    assert SHARED["seen"] >= 0


def test_other_threads_lose_nothing_and_repeat_nothing(capfd):
    """A thread draws, counts, prints and reads weights all the time; a step is traced beside it."""
    end, drawn, pythons, printed = threading.Event(), [], [], []
    step = _step(_reads_shared)
    weights = step.network.trainable_params()

    def work():
        while not end.wait(0.001):
            drawn.append(np.random.rand())
            pythons.append(random.random())
            SHARED["seen"] += 1
            print("line", len(drawn))
            printed.append(all(np.isfinite(w.asnumpy()).all() for w in weights))

    random.seed(3)
    np.random.seed(3)
    SHARED["seen"] = 0
    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(4):
            step(_X)
        while len(drawn) < 2 and thread.is_alive():     # a thread may wait long on a busy machine
            step(_X)
    finally:
        end.set()
        thread.join()
    assert len(drawn) > 1 and all(printed)
    np.testing.assert_array_equal(drawn, np.random.RandomState(3).rand(len(drawn)))
    again = random.Random(3)
    assert pythons == [again.random() for _ in pythons] and SHARED["seen"] == len(drawn)
    assert capfd.readouterr().out.count("line") == len(drawn)


@pytest.fixture
def handled():
    """What a handler of SIGUSR1 was called for."""
    came = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: came.append(mode.tracing))
    yield came
    signal.signal(signal.SIGUSR1, before)


def _signals():
    if mode.tracing is not None:
        signal.raise_signal(signal.SIGUSR1)


def test_signal_handlers_wait_for_the_end_of_a_trace(handled):
    step = _step(_signals)
    for _ in range(3):
        step(_X)
    assert handled == [None] and not step.__dict__["_compiled_step"].off


def test_what_a_handler_raises_while_a_step_compiles_is_not_the_compilers(monkeypatch):
    def late(number, frame):
        raise TimeoutError("late")

    before = signal.signal(signal.SIGUSR1, late)
    monkeypatch.setattr(backends, "compiled", lambda *args: signal.raise_signal(signal.SIGUSR1))
    try:
        with pytest.raises(TimeoutError, match="late"):
            _step(_reads_shared)(_X)
        assert signal.getsignal(signal.SIGUSR1) is late
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_profilers_go_on():
    step, seen = _step(_reads_shared), []
    before = sys.getprofile()
    sys.setprofile(own := lambda frame, event, arg: seen.append(event))
    try:
        step(_X)
        assert sys.getprofile() is own and seen
    finally:
        sys.setprofile(before)
    with cProfile.Profile() as profile:
        _step(_reads_shared)(_X)
        sorted([2, 1])
    assert any("sorted" in entry.code for entry in profile.getstats() if isinstance(entry.code, str))
    assert not step.__dict__["_compiled_step"].off


INTERRUPT: list = []


def _interrupted():
    if INTERRUPT and mode.tracing is not None:
        raise KeyboardInterrupt


@pytest.mark.parametrize("when", ["traced", "compiled", "run"])
def test_an_interrupt_leaves_weights_and_counters_as_they_were(when, monkeypatch):
    net = Doing(_interrupted)
    rule = nn.Adam(net.trainable_params(), 0.1)
    step = nn.TrainOneStepCell(net, rule).set_train()
    step_of = lambda: [p.asnumpy().copy() for p in (*net.get_parameters(), *rule.get_parameters())]  # noqa: E731

    def stop(*args):
        raise KeyboardInterrupt

    before = step_of()
    if when == "traced":
        INTERRUPT.append(1)
    elif when == "compiled":
        monkeypatch.setattr(backends, "compiled", stop)
    else:
        for _ in range(4):
            step(_X)
        before = step_of()
        variant = step.__dict__["_compiled_step"].variants[0]
        kept, variant.function = variant.function, stop
    try:
        with pytest.raises(KeyboardInterrupt):
            step(_X)
    finally:
        INTERRUPT.clear()
    monkeypatch.undo()
    assert mode.tracing is None and sys.getprofile() is None
    for a, b in zip(before, step_of(), strict=True):
        np.testing.assert_array_equal(a, b)
    monkeypatch.setattr(settings, "backend", "graph")
    monkeypatch.setattr(mode, "graphs", "compile")
    if when == "run":
        variant.function = kept
    step(_X)
    assert step.__dict__["_compiled_step"].variants and not step.__dict__["_compiled_step"].off


class Flagged(nn.Cell):
    """A train cell as on Ascend: it clears the device's overflow flag, and reads it after its gradients."""

    def __init__(self, network, reads):
        super().__init__(auto_prefix=False)
        self.network, self.weights, self.reads = network, network.trainable_params(), reads
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x, sens):
        loss = self.network(x)
        flag = ops.NPUAllocFloatStatus()()
        if self.reads:
            ops.NPUClearFloatStatus()(flag)
        grads = self.grad(self.network, self.weights)(x, sens)
        if self.reads:
            ops.NPUGetFloatStatus()(flag)
        return loss, flag[:1].sum(), grads


@pytest.mark.parametrize("reads", ["in the step", "after it"])
def test_the_overflow_flag_hears_of_every_step(reads, monkeypatch):
    monkeypatch.setattr(overflow, "watching", False)        # what the program turns on ends with it
    step, sens = Flagged(nn.Dense(3, 1), reads == "in the step").set_train(), np.ones((2, 1), np.float32)
    for scale in (1.0, np.inf, 1.0, np.inf):
        step(Tensor(sens[:, :1].repeat(3, 1)), Tensor(sens))
        if reads == "after it":
            ops.NPUClearFloatStatus()(ops.NPUAllocFloatStatus()())
        _, flag, _ = step(Tensor(sens.repeat(3, 1)), Tensor(sens * np.float32(scale)))
        if reads == "after it":
            flag = ops.NPUGetFloatStatus()(ops.NPUAllocFloatStatus()())[0]
        assert float(flag) == (scale != 1.0)
    assert step.__dict__["_compiled_step"].off


class Scaled(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = ms.Parameter(Tensor(np.array([1.0, 2.0, 3.0], np.float32)), name="w")

    def construct(self, x):
        return ((self.w * x) ** 2).sum()


OPTIMIZERS = {
    "SGD": lambda p: nn.SGD(p, 0.01, momentum=0.9), "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.1),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_parameter_of_another_dtype_is_traced_again(optimizer, monkeypatch):
    found = []
    for graphs in ("eager", "compile"):
        monkeypatch.setattr(mode, "graphs", graphs)
        net = Scaled()
        step = nn.TrainOneStepCell(net, OPTIMIZERS[optimizer](net.trainable_params()))
        x = Tensor(np.array([1.0, 2.0, -1.0], np.float32))
        losses = [float(step(x)) for _ in range(4)]
        net.w.set_dtype(ms.float16)
        found.append([*losses, *[float(step(x)) for _ in range(4)]])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-3)


def test_torch_is_known_through_a_link_too(tmp_path, monkeypatch):
    """An environment that is reached by a symbolic link: torch's own functions are no part of the program."""
    real = os.path.dirname(os.path.realpath(torch.__file__))
    (tmp_path / "torch").symlink_to(real)
    monkeypatch.setattr(torch, "__file__", str(tmp_path / "torch" / "__init__.py"))
    spec = importlib.util.spec_from_file_location("ms2torch.compiler.effects", effects.__file__)
    anew = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(anew)
    for folder in (str(tmp_path / "torch"), real):
        assert anew.owner_of(os.path.join(folder, "_ops.py")) == anew.ENGINE


def test_steps_are_compiled_on_devices_that_inductor_knows(monkeypatch):
    monkeypatch.setattr(settings, "backend", "inductor")
    known, place = torch_private.inductor_backends, torch.device("privateuseone")
    assert not settings.can_compile(place)
    monkeypatch.setitem(known.device_codegens, place.type, known.DeviceCodegen(object, object))
    assert settings.can_compile(place)
