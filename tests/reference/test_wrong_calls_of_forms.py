"""Arguments that a form of an operation has, and others of the same operation have not; and what is said where
one of several forms is meant."""

import mindspore as ms
from mindspore import Tensor, mint, ops

from tests.reference.judge import case
from tests.reference.test_wrong_calls import T, said

_NAMES = ("axis", "keep_dims", "keepdims")


@case(each={"name": ["sum", "mean", "prod", "argmax", "argmin", "logsumexp", "all", "any", "max", "amax", "var",
                     "median", "norm", "softmax", "cumsum", "cumprod", "unbind", "stack", "cat", "sort", "topk"]})
def test_mint_has_torchs_names_alone(name):
    """Those of ``mindspore.ops``, which older releases had, are refused."""
    function = getattr(mint, name)
    given = ((T(2, 3), T(2, 3)),) if name in ("stack", "cat") else (T(2, 3),)
    return [said(function, given, {keyword: 0}) for keyword in _NAMES]


@case()
def test_other_names_of_single_arguments():
    """... as of some functions that release by release were called otherwise."""
    return (said(mint.isclose, (T(2),), {"x2": T(2)}), said(mint.where, (T(2) > 0,), {"x": T(2), "y": T(2)}),
            ops.sum(T(2, 3), dim=0), ops.logsumexp(T(2, 3), 0), mint.sum(T(2, 3), dim=0, keepdim=True))


_CALLS = {"0": lambda: ((), {}), "1": lambda: ((object,), {}), "2": lambda: ((T(2), object), {}),
          "3": lambda: ((T(2), 0, object), {}), "objects": lambda: ((object, object, object), {}),
          "3 of Tensors": lambda: ((T(2), T(2), T(2)), {}), "4": lambda: ((T(2), 0, True, object), {}),
          "5": lambda: ((object,) * 5, {}), "unknown": lambda: ((), {"foo": 1}),
          "2 and unknown": lambda: ((T(2), object), {"foo": 1}), "3 and unknown": lambda: ((T(2), 0, 7), {"foo": 1})}


@case(each={"call": list(_CALLS), "name": ["max", "min", "any", "where", "lerp"]})
def test_which_form_of_a_function_is_meant(call, name):
    """The one that takes as many arguments, where only one does."""
    args, named = _CALLS[call]()
    return said(getattr(mint, name), args, named)


@case(each={"call": list(_CALLS), "name": ["max", "min", "mean", "sum", "argsort", "sort", "gather", "addcdiv",
                                           "count_nonzero"]})
def test_which_form_of_a_method_is_meant(call, name):
    args, named = _CALLS[call]()
    return said(getattr(Tensor([[1.0, 2.0]], ms.float32), name), args, named)
