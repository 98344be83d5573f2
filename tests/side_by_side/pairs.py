"""A pair: one computation in PyTorch and in MindSpore, and the documented result."""
import numpy as np
import pytest
import torch


def pair(documented, rtol=1e-4):
    """Decorator of a class with `pytorch` and `mindspore`: a test that both give the documented result."""

    def decorate(cls):
        @pytest.mark.parametrize("framework", ["pytorch", "mindspore"])
        def test(framework):
            agree(getattr(cls, framework)(), documented, rtol)

        test.__doc__ = cls.__doc__
        return test

    return decorate


def agree(result, documented, rtol):
    """Compare nested results: numbers to rtol, all else exactly."""
    if isinstance(documented, tuple):
        assert isinstance(result, tuple) and len(result) == len(documented), result
        for one, other in zip(result, documented, strict=True):
            agree(one, other, rtol)
    elif isinstance(documented, (bool, str)):
        assert result == documented and type(result) is type(documented)
    else:
        np.testing.assert_allclose(plain(result), np.array(documented), rtol, 1e-5)
        assert plain(result).shape == np.shape(documented)


def plain(value):
    """A tensor of either framework, or a number, as an array."""
    if isinstance(value, torch.Tensor):
        return value.detach().numpy()
    return value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
