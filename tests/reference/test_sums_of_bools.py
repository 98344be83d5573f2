"""`Add` and `Sub` take no two bools; PyNative's operators, methods and mint are other operations, which do."""

import mindspore as ms
from mindspore import Tensor, mint, ops

from tests.reference.judge import case

B, C = Tensor([True, False]), Tensor([True, True])
PAIR = [1, 2]
TAKEN = {
    "b + c": lambda: B + C, "b - c": lambda: B - C, "b + True": lambda: B + True, "b - True": lambda: B - True,
    "True + b": lambda: True + B, "1 - b": lambda: 1 - B, "b.add(c)": lambda: B.add(C),
    "b.sub(c)": lambda: B.sub(C), "b.subtract(c)": lambda: B.subtract(C), "mint.add": lambda: mint.add(B, C),
    "ops.add(b, 1)": lambda: ops.add(B, 1), "ops.sub(b, 1.5)": lambda: ops.sub(B, 1.5),
}
REFUSED = {
    "ops.add": lambda: ops.add(B, C), "ops.sub": lambda: ops.sub(B, C), "ops.Add": lambda: ops.Add()(B, C),
    "ops.Sub": lambda: ops.Sub()(B, C), "ops.add(b, True)": lambda: ops.add(B, True),
    "ops.add(True, b)": lambda: ops.add(True, B), "True - b": lambda: True - B,
    "b + [1, 2]": lambda: B + PAIR, "[1, 2] + b": lambda: PAIR + B, "b - [1.5, 2]": lambda: B - [1.5, 2],
}


@ms.jit
def plus(x, y):
    return x + y


@ms.jit
def minus(x, y):
    return x - y


@ms.jit
def plus_true(x):
    return x + True


@ms.jit
def true_minus(x):
    return True - x


@ms.jit
def by_method(x, y):
    return x.add(y)


@ms.jit
def by_mint(x, y):
    return mint.add(x, y)


IN_GRAPHS = {"x + y": lambda: plus(B, C), "x - y": lambda: minus(B, C), "x + True": lambda: plus_true(B),
             "True - x": lambda: true_minus(B), "x.add(y)": lambda: by_method(B, C)}


@case(each={"way": list(TAKEN)})
def test_sums_of_bools_that_are_taken(way):
    return TAKEN[way]()


@case(raises=True, each={"way": list(REFUSED)})
def test_sums_of_bools_that_are_refused(way):
    ms.set_context(pynative_synchronize=True)
    return REFUSED[way]().asnumpy()


@case(raises=True, each={"way": list(IN_GRAPHS)})
def test_sums_of_bools_in_graphs(way):
    return IN_GRAPHS[way]().asnumpy()


@case()
def test_sums_of_bools_by_mint_in_graphs():
    return by_mint(B, C), plus(B, Tensor([1, 2]))
