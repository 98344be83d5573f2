"""What rounding alone can do to a program: it runs with every result of arithmetic moved by its last bit.

A translation sums in another order than the original. Most programs show nothing of it; some make it large:
a bias before BatchNorm has rounding for its whole gradient, and Adam makes that a step of full length. How
far the moved run's figures lie from the original's is what no comparison of the two programs can see below.

MindSpore also keeps the powers of Adam's betas in float32: its first steps are off by 1e-5 of themselves for
it, a hundred times what a result is. The moved run has these powers in double precision, as PyTorch does.
"""

from __future__ import annotations

import torch

from ms2torch._core.torch_private import TorchDispatchMode, tree_flatten
from ms2torch.difftest.double import Noise, plain_name
from ms2torch.nn.optim.optimizer import Optimizer

# Results that are rounded nowhere: copies, choices, and what is random.
_EXACT = ("clone", "copy", "to_copy", "detach", "where", "cat", "stack", "relu", "neg", "abs", "sign",
          "index", "gather", "embedding", "max", "min", "sort", "topk", "constant_pad_nd", "floor", "ceil",
          "round", "rand", "bernoulli", "multinomial", "dropout", "exponential", "normal", "uniform")
_ROUNDED = (torch.float32, torch.float16, torch.bfloat16)


class Trembling(TorchDispatchMode):
    """``with Trembling():`` each new tensor is off by what a kernel may be wrong by, up or down by a seed:
    the twin run's `Noise`. What is written in place stays: it is made of what was moved."""

    def __init__(self, seed: int = 1) -> None:
        super().__init__()
        self.noise = Noise(seed)
        self._powers: dict[int, float] = {}

    def __enter__(self) -> Trembling:
        self._rounded = Optimizer._power
        Optimizer._power = lambda optimizer, *given: self._power(optimizer, *given)
        return super().__enter__()

    def __exit__(self, *raised) -> None:
        Optimizer._power = self._rounded
        super().__exit__(*raised)

    def _power(self, optimizer: Optimizer, parameter, beta: float) -> float:
        before = self._powers.get(id(parameter), optimizer._host(parameter))
        self._rounded(optimizer, parameter, beta)
        self._powers[id(parameter)] = before * beta
        return before * beta

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        name = func._schema.name
        sizes = [t.numel() for t in tree_flatten(args)[0] if isinstance(t, torch.Tensor)]
        if result is None or not sizes or plain_name(name).startswith(_EXACT):
            return result
        if name == "aten::convolution_backward":
            result = self.noise.convolved(func, args, result)
        is_new = [returned.alias_info is None for returned in func._schema.returns]
        if len(is_new) == 1:
            return self._moved(name, result, max(sizes)) if is_new[0] else result
        parts = zip(result, is_new, strict=True)
        return tuple(self._moved(name, part, max(sizes)) if new else part for part, new in parts)

    def _moved(self, name: str, value, longest: int):
        if isinstance(value, (list, tuple)):
            return type(value)(self._moved(name, part, longest) for part in value)
        if not isinstance(value, torch.Tensor) or value.dtype not in _ROUNDED:
            return value
        return self.noise.result(name, value.double(), longest).to(value.dtype)
