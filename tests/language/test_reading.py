"""A copy in graph mode's language stands where the function stood; without a difference there is none."""

import inspect
import sys
import traceback

import pytest

import ms2torch as ms
from ms2torch import nn, ops
from ms2torch._core import mode
from ms2torch.language.reading import copy_of

FACTOR = 2


@pytest.fixture(autouse=True)
def pynative_after():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert mode.inside == 0


def plain(x, *parts, **named):
    total = x
    for k, part in enumerate(parts):
        total = total + part * k
    outs = []
    outs.append(ops.relu(total))
    if len(named) > 1:
        outs = [*outs, total]
    return outs, [row.sum() for row in total]


def prints(x, k=2, *, c=3):
    print("x")
    y = x * k + c
    return y


def fails(x):
    print("before")
    return (x +
            x.nothing)


def test_what_does_not_differ_is_itself():
    assert copy_of(plain) is plain


def test_what_has_no_source_is_itself():
    names = {}
    exec("def made(x):\n    print(x)\n    return x", names)
    assert copy_of(names["made"]) is names["made"]
    assert copy_of(ops.relu) is ops.relu


def test_a_copy_keeps_lines_columns_and_surroundings():
    copy = copy_of(prints)
    assert copy is not prints
    assert copy.__code__.co_filename == __file__
    lines = [{line for *_, line in f.__code__.co_lines() if line} for f in (prints, copy)]
    assert lines[0] == lines[1]
    assert copy.__globals__ is prints.__globals__
    assert inspect.signature(copy) == inspect.signature(prints)
    assert (copy.__qualname__, copy.__doc__, copy.__module__) == (
        prints.__qualname__, prints.__doc__, prints.__module__)


def test_a_traceback_shows_the_line(capsys):
    with pytest.raises(AttributeError) as caught:
        ms.jit(fails)(ms.Tensor([1.0]))
    last = [f for f in traceback.extract_tb(caught.tb) if f.filename == __file__][-1]
    assert last.line == "x.nothing)" and last.name == "fails"
    assert capsys.readouterr().out == "before\n"


def test_a_debugger_sees_the_lines():
    seen = []

    def trace(frame, event, _):
        if frame.f_code.co_filename == __file__ and frame.f_code.co_name == "prints":
            seen.append(frame.f_lineno - prints.__code__.co_firstlineno)
        return trace

    marked = ms.jit(prints)
    marked(ms.Tensor([1.0]))
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        marked(ms.Tensor([1.0]))
    finally:
        sys.settrace(before)
    assert sorted(set(seen)) == [0, 1, 2, 3]


def test_private_names_and_super(capsys):
    class Base(nn.Cell):
        def construct(self, x):
            print("base")
            return x + 1

    class Derived(Base):
        def __init__(self):
            super().__init__()
            self.__factor = 3

        def construct(self, x):
            return super().construct(x) * self.__factor

    ms.set_context(mode=ms.GRAPH_MODE)
    assert Derived()(ms.Tensor([1.0])).asnumpy() == 6
    assert capsys.readouterr().out == "base\n"


class Printing(nn.Cell):
    def construct(self, x):
        print("x", x)
        return x


class Silent(nn.Cell):
    def construct(self, x):
        return ops.relu(x)


# Where graphs have begun before this file is read, the class is watched from its making on.
WRITTEN = getattr(Silent.construct, "_graph_source", Silent.construct)


def test_each_mode_has_its_meaning(capsys):
    net, x = Printing(), ms.Tensor([1.0])
    for _ in range(2):
        ms.set_context(mode=ms.GRAPH_MODE)
        net(x)
        assert capsys.readouterr().out == "x\nTensor(shape=[1], dtype=Float32, value=[ 1.00000000e+00])\n"
        ms.set_context(mode=ms.PYNATIVE_MODE)
        net(x)
        assert capsys.readouterr().out == "x [1.]\n"


def test_jit_in_pynative_mode_reaches_the_cells_it_calls(capsys):
    net, x = Printing(), ms.Tensor([1.0])

    @ms.jit
    def step(x):
        return net(x)

    step(x)
    assert capsys.readouterr().out.startswith("x\nTensor(")
    net(x)
    assert capsys.readouterr().out == "x [1.]\n"


def test_a_construct_without_differences_runs_as_it_is():
    ms.set_context(mode=ms.GRAPH_MODE)
    Silent()(ms.Tensor([1.0]))
    assert Silent.construct is WRITTEN


class _Doubling:
    @staticmethod
    def twice(x):
        return x * 2

    def both(self, x):
        y = x
        y += _Doubling.twice(x)
        return y


def test_a_method_that_names_its_class():
    """The class that a rewritten method stands in is the module's, not one of the rewriting's own."""

    class Net(nn.Cell, _Doubling):
        def construct(self, x):
            return self.both(x)

    ms.set_context(mode=ms.GRAPH_MODE)
    assert Net()(ms.Tensor([1.0])).asnumpy().tolist() == [3.0]
