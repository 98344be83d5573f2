"""What MindSpore's optimizers say of gradients that they do not take.

A step is a graph there: a Map over parameters and gradients, a HyperMap in some optimizers, of an operator
that wants one shape and one dtype. AddN adds the weight decay before it.
"""

from __future__ import annotations

import inspect

import numpy as np
import torch

from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import Tensor

# How the operators of updates name two shapes that differ.
UNLIKE = "For primitive[{operator}], the var_shape: {var_dims} must be equal to {grad_dims}"
EVALUATED = ("For '{operator}', evaluator arg 'grad' and 'var' must have the same shape. "
             "But got 'grad' shape: {grad}, 'var' shape: {var}.")


def not_mapped(name: str, count: int, gradients, hyper: bool) -> Exception | None:
    """What a Map says of ``gradients`` that are no tuple of ``count`` Tensors; ``hyper``: a HyperMap."""
    if not isinstance(gradients, tuple):
        begin = "In a nonleaf situation, the types of arguments in HyperMap" if hyper else \
            "The types of arguments in Map"
        return RuntimeError(f"{begin} must be consistent, but the types of arguments are inconsistent. "
                            f"'{name}' takes a tuple of gradients, but got {type(gradients).__name__}.")
    if len(gradients) != count:
        begin = "The tuples in HyperMap should have the same length" if hyper else \
            "For 'Map', the length of tuples must be the same"
        return RuntimeError(f"{begin}. For '{name}', there are {count} parameters, but got {len(gradients)} "
                            "gradients.")
    kinds = {type(g) for g in gradients if not isinstance(g, Tensor)}
    if np.ndarray in kinds:
        return TypeError("For 'MultitypeFuncGraph', the input can not be numpy.ndarray")
    return ValueError("For 'MultitypeFuncGraph', cannot find fn match given args. "
                      f"'{name}' takes Tensors, but got {', '.join(sorted(k.__name__ for k in kinds))}. "
                      "Row-sparse gradients come from EmbeddingLookup(sparse=True) inside a graph.")


def not_decayed(g: torch.Tensor, param: torch.Tensor) -> Exception:
    """What AddN says where the weight decay of ``param`` is added to a gradient that is unlike it."""
    if g.shape != param.shape:
        return ValueError("For 'AddN', input shape must be same, but got shape of input[1]: "
                          f"{_shapes(g)['plain']}, shape of input[0]: {_shapes(param)['plain']}.")
    return TypeError("For primitive[AddN], the input type must be same.\n"
                     f"name:[element_0]:Tensor[{from_torch(param.dtype)}].\n"
                     f"name:[element_1]:Tensor[{from_torch(g.dtype)}].\n")


def not_of_shape(words: str, operator: str, g: torch.Tensor, param: torch.Tensor) -> ValueError:
    """``words`` with the two shapes in its holes."""
    grad, var = _shapes(g), _shapes(param)
    return ValueError(words.format(operator=operator, grad=grad["plain"], var=var["plain"],
                                   grad_dims=grad["dims"], var_dims=var["dims"],
                                   grad_vector=grad["vector"], var_vector=var["vector"]))


def _shapes(t: torch.Tensor) -> dict[str, str]:
    sizes = list(map(str, t.shape))
    listed = ", ".join(sizes)
    return {"plain": f"({listed})", "dims": f"[{''.join(f'{n},' for n in sizes)}]",
            "vector": f"[const vector]{{{listed}}}"}


def not_bound(construct, args, kwargs) -> TypeError | None:
    """What the compiler of a graph says of arguments that ``construct`` does not take; None of those that it
    does."""
    takes = inspect.signature(construct)
    try:
        takes.bind(*args, **kwargs)
    except TypeError as err:
        if kwargs:
            return TypeError(str(err))
        needed, given = len(takes.parameters) + 1, len(args) + 1
        some = f" and 0 default argument, total {needed}" if given > needed else ""
        return TypeError(f"Function construct needs {needed} positional argument{some}, but got {given}.")
    return None
