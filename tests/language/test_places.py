"""Words that show where they come from: the place is that of the source."""

import inspect

import pytest
from mindspore import Tensor, jit


@jit
def reads_nothing(x):
    return x * nowhere      # noqa: F821


def test_an_undefined_name_shows_where_it_is_read():
    first = inspect.unwrap(reads_nothing).__code__.co_firstlineno
    with pytest.raises(NameError) as error:
        reads_nothing(Tensor([1.0]))
    assert f"{__file__}:{first + 2}, 15~22\n    return x * nowhere" in str(error.value)
