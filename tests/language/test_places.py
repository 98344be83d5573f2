"""Words that show where they come from: the place is that of the source."""

import inspect

import pytest

from ms2torch import Tensor, jit


@jit
def reads_nothing(x):
    return x * nowhere      # noqa: F821


def test_an_undefined_name_shows_where_it_is_read():
    first = inspect.unwrap(reads_nothing).__code__.co_firstlineno
    with pytest.raises(NameError) as error:
        reads_nothing(Tensor([1.0]))
    assert f"{__file__}:{first + 2}, 15~22\n    return x * nowhere" in str(error.value)


@jit
def reads_one_branch(x):
    if x < 0:
        y = 0
    return y


def test_a_name_of_one_branch_shows_where_it_is_read():
    first = inspect.unwrap(reads_one_branch).__code__.co_firstlineno
    with pytest.raises(UnboundLocalError) as error:
        reads_one_branch(Tensor([1.0]))
    assert f"{__file__}:{first + 4}, 11~12\n    return y\n           ^\n" in str(error.value)
