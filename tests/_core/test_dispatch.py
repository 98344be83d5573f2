"""The outer form of operators: a call is Python's own call of the definition, with Tensors around it."""
import inspect

import pytest
import torch

from ms2torch import ops
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter

X, Y = torch.arange(3.0), torch.tensor([2.0, 5.0, 7.0])


def _plain(result, err, out=1, *, self=2, k0=3):
    """Arguments that have the names of the form's own."""
    return result * 1000 + err * 100 + out * 10 + self + k0 / 10


def _of_several(tensors, sizes=(1, 2), *rest, **more):
    return tensors[0] + tensors[1] * sizes[-1], rest, more


@spelled(axis="dim", keep_dims="keepdim")
def _renamed(input, dim, keepdim=False):
    return torch.sum(input, dim, keepdim)


@pytest.mark.parametrize(("args", "kwargs"), [
    ((X, Y), {}), ((X, Y, 4), {}), ((X,), {"err": Y}), ((), {"err": X, "result": Y, "self": 5}),
    ((X, 2.5, Y), {"k0": Y}), ((X, Y), {"out": 0.5, "k0": 1}),
])
def test_arguments_arrive_as_in_a_call_of_the_definition(args, kwargs):
    wrapped = [wrap(a) if isinstance(a, torch.Tensor) else a for a in args]
    named = {k: wrap(v) if isinstance(v, torch.Tensor) else v for k, v in kwargs.items()}
    found = lowered(_plain)(*wrapped, **named)
    assert found.__class__ is Tensor
    assert torch.equal(found.torch(), _plain(*args, **kwargs))


@pytest.mark.parametrize(("args", "kwargs"), [
    ((X,), {}), ((X, Y, 1, 2), {}), ((X, Y), {"more": 1}), ((X, Y), {"result": X}), ((), {"err": Y}),
])
def test_wrong_arguments_are_refused_in_pythons_words(args, kwargs):
    with pytest.raises(TypeError) as theirs:
        _plain(*args, **kwargs)
    with pytest.raises(TypeError) as ours:
        lowered(_plain)(*args, **kwargs)
    assert str(ours.value) == str(theirs.value)


def test_tensors_in_sequences_and_variable_arguments_are_lowered():
    total, rest, more = lowered(_of_several)([wrap(X), Parameter(wrap(Y))], (3, 4), wrap(X), key=[wrap(Y)])
    assert torch.equal(total.torch(), X + 4 * Y)
    assert isinstance(rest, tuple) and torch.equal(rest[0].torch(), X)
    assert isinstance(more["key"], list) and torch.equal(more["key"][0].torch(), Y)


def test_names_of_other_releases_mean_the_same():
    form, grid = lowered(_renamed), torch.arange(6.0).reshape(2, 3)
    for kwargs in ({"dim": 1, "keepdim": True}, {"axis": 1, "keep_dims": True}, {"axis": 1, "keepdim": True}):
        assert form(wrap(grid), **kwargs).torch().tolist() == [[3.0], [12.0]]
    assert form(axis=0, input=wrap(grid)).torch().tolist() == [3.0, 5.0, 7.0]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'dim'"):
        form(wrap(grid))
    with pytest.raises(TypeError, match="unexpected keyword argument 'axes'"):
        form(wrap(grid), axes=0)


def test_the_form_shows_the_definitions_signature_and_text():
    form = lowered(_plain)
    assert inspect.signature(form) == inspect.signature(_plain)
    assert (form.__name__, form.__doc__) == (_plain.__name__, _plain.__doc__)


# Said by MindSpore 2.10.
LACKING = [
    (lambda: ops.concat(), "concat() missing 1 required positional argument: 'tensors'"),
    (lambda: ops.concat(axis=1), "concat() missing 1 required positional argument: 'tensors'"),
    (lambda: ops.Concat()(), "Concat.__call__() missing 1 required positional argument: 'tensors'"),
    (lambda: ops.zeros(), "zeros() missing 1 required positional argument: 'size'"),
    (lambda: ops.Zeros()(), "Zeros.__call__() missing 1 required positional argument: 'size'"),
    (lambda: ops.split(), "split() missing 2 required positional arguments: 'tensor' and "
                          "'split_size_or_sections'"),
    (lambda: ops.split(ops.ones(4)), "split() missing 1 required positional argument: "
                                     "'split_size_or_sections'"),
    (lambda: ops.linspace(1, 2), "linspace() missing 1 required positional argument: 'steps'"),
    (lambda: ops.where(), "where() missing 3 required positional arguments: 'condition', 'input', and "
                          "'other'"),
    (lambda: ops.pad(ops.ones(4)), "pad() missing 1 required positional argument: 'padding'"),
    (lambda: ops.Transpose()(ops.ones(4)), "Transpose.__call__() missing 1 required positional argument: "
                                           "'dims'"),
]


@pytest.mark.parametrize(("call", "words"), LACKING)
def test_an_argument_that_also_has_an_older_name_is_required(call, words):
    with pytest.raises(TypeError) as told:
        call()
    assert str(told.value) == words


def test_the_older_names_are_still_taken():
    x = ops.ones((2, 3))
    assert ops.concat(input_x=(x, x), axis=1).shape == (2, 6)
    assert ops.zeros(shape=(2,)).shape == ops.Zeros()(shape=(2,)).shape == (2,)
    assert ops.linspace(0, stop=1, num=3).shape == (3,)
    assert ops.where(x > 0, x=x, y=x).shape == (2, 3)
    assert ops.pad(x, paddings=(1, 1)).shape == (2, 5)
    assert ops.transpose(x, input_perm=(1, 0)).shape == ops.tile(x, multiples=(1, 1)).shape[::-1] == (3, 2)
    assert len(ops.split(x, axis=1, output_num=3)) == len(ops.split(input_x=x, output_num=2)) + 1
