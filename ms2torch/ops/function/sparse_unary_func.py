"""Functions of the values of sparse tensors (``mindspore.ops.function.sparse_unary_func``).

``coo_NAME`` and ``csr_NAME`` give a tensor with the same places. Zeros that are not stored stay zero, also
where the function of zero is another number, as in MindSpore.
"""

from __future__ import annotations

from ms2torch._core.operators.registry import OPS, op
from ms2torch.common.sparse_tensor import COOTensor, CSRTensor

_NAMES = ("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "expm1",
          "floor", "inv", "isfinite", "isinf", "isnan", "log", "log1p", "neg", "relu", "relu6", "round",
          "sigmoid", "sin", "sinh", "softsign", "sqrt", "square", "tan", "tanh")


def _define(prefix: str, kind: type, name: str):
    def of_values(x):
        if not isinstance(x, kind):
            raise TypeError(f"Expects {kind.__name__} for {prefix}_{name}")
        return x._with(OPS[name].functional(x.values))

    of_values.__name__ = f"{prefix}_{name}"
    of_values.__doc__ = f"``{name}`` of the values of a {kind.__name__} (``mindspore.ops.{prefix}_{name}``)."
    return op(of_values, on_tensors=True)


globals().update({f"{prefix}_{name}": _define(prefix, kind, name)
                  for prefix, kind in (("coo", COOTensor), ("csr", CSRTensor)) for name in _NAMES})
