"""Products with the Jacobian of a network, as Cells (``mindspore.nn.grad.cell_grad``)."""

from __future__ import annotations

from ms2torch.nn.cell import Cell
from ms2torch.ops.function.grad_func import jvp, vjp

__all__ = ["Jvp", "Vjp"]


def _unlike(v) -> TypeError:
    """For a ``v`` that is a tuple where a Tensor belongs, or the other way round."""
    first, second = ("Tuple", "Tensor") if isinstance(v, (tuple, list)) else ("Tensor", "Tuple")
    return TypeError(f"Type Join Failed: Abstract type Abstract{first} cannot join with Abstract{second}.")


class _Product(Cell):
    def __init__(self, fn) -> None:
        super().__init__()
        self.fn = fn


class _FirstGrad(_Product):
    """The network as `Jvp` holds it a second time."""


class _FirstGradSingleValue(_Product):
    """The network as `Jvp` holds it last, so that its parameters' names begin with this Cell's."""


class Jvp(_Product):
    """``(*inputs, v)`` to (outputs, Jacobian times ``v``) of a network (``mindspore.nn.Jvp``).

    ``v`` has the form of the input, a tuple for several.
    """

    def __init__(self, fn) -> None:
        super().__init__(fn)
        self.first_grad, self.first_grad_single_value = _FirstGrad(fn), _FirstGradSingleValue(fn)

    def construct(self, *args):
        *inputs, v = args
        if isinstance(v, (tuple, list)) != (len(inputs) > 1):
            raise _unlike(v)
        return jvp(self.fn, tuple(inputs) if len(inputs) > 1 else inputs[0], v)


class Vjp(_Product):
    """``(*inputs, v)`` to (outputs, ``v`` times Jacobian) of a network (``mindspore.nn.Vjp``).

    ``v`` has the form of the output; the product comes as a tuple for several inputs.
    """

    def construct(self, *args):
        *inputs, v = args
        outputs, pull = vjp(self.fn, *inputs)
        if isinstance(v, (tuple, list)) != isinstance(outputs, tuple):
            raise _unlike(v)
        products = pull(*v) if isinstance(v, (tuple, list)) else pull(v)
        return outputs, products if len(inputs) > 1 or not isinstance(products, tuple) else products[0]
