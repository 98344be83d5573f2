"""Products with the Jacobian of a network, as Cells (``mindspore.nn.grad.cell_grad``)."""

from __future__ import annotations

from ms2torch.nn.cell import Cell
from ms2torch.ops.function.grad_func import jvp, vjp

__all__ = ["Jvp", "Vjp"]


class _Product(Cell):
    def __init__(self, fn) -> None:
        super().__init__()
        self.fn = fn


class Jvp(_Product):
    """``(*inputs, v)`` to (outputs, Jacobian times ``v``) of a network (``mindspore.nn.Jvp``).

    ``v`` has the form of the input, a tuple for several.
    """

    def construct(self, *args):
        *inputs, v = args
        return jvp(self.fn, tuple(inputs) if len(inputs) > 1 else inputs[0], v)


class Vjp(_Product):
    """``(*inputs, v)`` to (outputs, ``v`` times Jacobian) of a network (``mindspore.nn.Vjp``).

    ``v`` has the form of the output; the product comes as a tuple for several inputs.
    """

    def construct(self, *args):
        *inputs, v = args
        outputs, pull = vjp(self.fn, *inputs)
        products = pull(*v) if isinstance(v, (tuple, list)) else pull(v)
        return outputs, products if len(inputs) > 1 or not isinstance(products, tuple) else products[0]
