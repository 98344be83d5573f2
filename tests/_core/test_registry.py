"""The registry: one definition a name, and forms declared by their signatures."""

import inspect

import pytest
import torch

from ms2torch._core.operators import registry
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import method, mint_form, op, primitive, primitive_class
from ms2torch._core.operators.spelling import declared, spelled
from ms2torch._core.tensor.tensor import wrap

X = torch.tensor([1.0, -2.0])


def _named(name: str):
    def kernel(input):
        return input

    kernel.__name__ = name
    return kernel


def _class(name: str) -> type:
    return type(name, (registry.Primitive,), {})


@pytest.mark.parametrize("again", [
    lambda: op(_named("relu")),
    lambda: op(_named("unheard_of_1"), alias="relu"),
    lambda: op(_named("unheard_of_2"), method="relu"),
    lambda: op(_named("unheard_of_3"), mint="sqrt(input)"),
    lambda: op(_named("unheard_of_4"), primitive="ReLU"),
    lambda: method(_named("relu")),
    lambda: method(_named("asnumpy")),                    # the class itself has it
    lambda: mint_form(_named("sqrt")),
    lambda: primitive("ReLU")(_named("_relu")),
    lambda: primitive_class(_class("ReLU")),
    lambda: registry.PRIMITIVES.update(ReLU=_class("ReLU")),
])  # fmt: skip
def test_a_name_is_defined_once(again):
    tables = registry.OPS, registry.METHODS, registry.MINT, registry.PRIMITIVES
    before = [dict(table) for table in tables]
    try:
        with pytest.raises(ValueError, match="is defined twice: "):
            again()
    finally:
        for table, old in zip(tables, before, strict=True):
            for name in set(table) - set(old):
                del table[name]
    assert before == [dict(table) for table in tables]


def _kernel(input, axis=None, keepdims=False, *, scale=1.0):
    total = input.sum() if axis is None else input.sum(axis, keepdims)
    return total * scale


@pytest.mark.parametrize(("text", "args", "kwargs", "meaning"), [
    ("f(x, dim)", (X, 0), {}, {"axis": 0}),
    ("f(x, dim)", (), {"dim": 0, "x": X}, {"axis": 0}),
    ("f(x, dim=-1, keep=True)", (X,), {}, {"axis": -1, "keepdims": True}),
    ("f(x, dim=None, *, keep=False, scale=3.0)", (X,), {"dim": 0, "keep": True},
     {"axis": 0, "keepdims": True, "scale": 3.0}),
    ("f(x, dim=None, keep=False, scale=2.0)", (X, 0, True, 5.0), {},
     {"axis": 0, "keepdims": True, "scale": 5.0}),
    ("f(x|input|self, dim|axis=0)", (), {"self": X, "axis": -1}, {"axis": -1}),
    ("f(x|input, dim|axis=0)", (X,), {}, {"axis": 0}),
])  # fmt: skip
def test_a_form_is_declared_by_its_signature(text, args, kwargs, meaning):
    name, shown = declared(text)
    form = lowered(_kernel, name, shown=shown)
    given = [wrap(a) if isinstance(a, torch.Tensor) else a for a in args]
    named = {k: wrap(v) if isinstance(v, torch.Tensor) else v for k, v in kwargs.items()}
    assert torch.equal(form(*given, **named).torch(), _kernel(X, **meaning))
    assert form.kernel is _kernel
    assert list(inspect.signature(form).parameters)[:2] == ["x", "dim"]


def test_other_names_are_refused():
    form = lowered(_kernel, "f", shown=declared("f(x, dim)")[1])
    with pytest.raises(TypeError, match=r"f\(\) got an unexpected keyword argument 'axis'"):
        form(wrap(X), axis=0)
    with pytest.raises(TypeError, match=r"f\(\) missing 1 required positional argument: 'dim'"):
        form(wrap(X))


def test_a_definition_of_any_number_of_arguments_takes_other_names_too():
    @spelled(size="shape")
    def repeated(input, *sizes, shape=None):
        return input.expand(shape or sizes)

    assert lowered(repeated)(wrap(X), size=(3, 2)).shape == (3, 2)
