"""What a program asks about MindSpore, ``hasattr(ops, "gelu")``, and what the answer is."""

from __future__ import annotations

import ast

from ms2torch.common.parameter import Parameter

from .inferred import PARAMETER, Ref, is_tensor, resolve

# A Tensor's attribute by which programs tell Tensors from arrays and numbers.
_TELLS_TENSORS = frozenset(("asnumpy",))


def asks(node, infer) -> tuple[object, str] | None:
    """What is inferred of the owner, and the name, of ``hasattr(owner, "name")`` about MindSpore."""
    if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "hasattr" or len(node.args) != 2:
        return None
    owner, name = infer(node.args[0]), getattr(node.args[1], "value", None)
    if not isinstance(name, str):
        return None
    known = isinstance(owner, Ref) or is_tensor(owner) or name in _TELLS_TENSORS
    return (owner, name) if known else None


def answer(owner, name: str) -> bool | None:
    """Whether an owner has a name; None where it may be a Tensor or something else."""
    if isinstance(owner, Ref):
        return hasattr(resolve(owner), name)
    has = hasattr(Parameter, name)
    return has if owner == PARAMETER or (is_tensor(owner) and not has) else None


def told(test: ast.expr, infer) -> bool | None:
    """What a test comes to by such answers alone; None where that is open."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = told(test.operand, infer)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        decides = isinstance(test.op, ast.Or)
        parts = [told(part, infer) for part in test.values]
        return decides if decides in parts else None if None in parts else not decides
    asked = asks(test, infer)
    return answer(*asked) if asked is not None else None
