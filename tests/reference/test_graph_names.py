"""Names that a branch or a loop of a graph leaves unbound."""
import mindspore as ms
from mindspore import nn, ops

from tests.reference.graphs import INPUTS, graph
from tests.reference.judge import case

NUMBER = 2


@graph(raises=True)
def test_same_condition(x, i):
    if i == 2:
        m = x + 1
    if i == 2:
        return m
    return x


@graph
def test_else_returns(x, i):
    if i == 2:
        m = x + 1
    else:
        return x
    return m


@graph
def test_else_raises(x, i):
    if i == 2:
        m = x + 1
    else:
        raise ValueError("no")
    return m


@graph(raises=True)
def test_if_true(x):
    if True:
        m = x + 1
    return m


@graph(raises=True)
def test_if_constant_comparison(x):
    if 2 > 1:
        m = x + 1
    return m


@graph(raises=True)
def test_if_isinstance(x):
    if isinstance(x, ms.Tensor):
        m = x + 1
    return m


@graph(raises=True)
def test_if_len(x):
    if len(x.shape) == 1:
        m = x + 1
    return m


@graph(raises=True)
def test_if_none(x):
    if x is not None:
        m = x + 1
    return m


@graph(raises=True)
def test_if_not(x):
    if not None:
        m = x + 1
    return m


@graph(raises=True)
def test_if_hasattr(x):
    if hasattr(x, "shape"):
        m = x + 1
    return m


@graph(raises=True)
def test_if_shape(x):
    if x.shape[0] == 3:
        m = x + 1
    return m


@graph
def test_if_local(x):
    k = 2
    if k == 2:
        m = x + 1
    return m


@graph
def test_if_local_bool(x):
    flag = True
    if flag:
        m = x + 1
    return m


@graph(raises=True)
def test_if_global(x):
    if NUMBER == 2:
        m = x + 1
    return m


@graph(raises=True)
def test_if_elif(x, i):
    if i == 1:
        m = x
    elif i == 2:
        m = x + 1
    return m


@graph
def test_if_elif_else(x, i):
    if i == 1:
        m = x
    elif i == 2:
        m = x + 1
    else:
        m = x + 2
    return m


@graph(raises=True)
def test_else_only(x, i):
    if i == 1:
        pass
    else:
        m = x
    return m


@graph(raises=True)
def test_two_names(x, i):
    if i == 2:
        m = x
    else:
        k = x
    return m


@graph
def test_not_read(x, i):
    if i == 1:
        m = x
    return x


@graph(raises=True)
def test_read_in_nested_if(x, i):
    if i == 2:
        m = x
    if i == 3:
        return m
    return x


@graph(raises=True)
def test_read_in_loop(x, i):
    if i == 2:
        m = x
    for k in (1, 2):
        x = x + m
    return x


@graph(raises=True)
def test_read_in_function(x, i):
    if i == 2:
        m = x

    def inner():
        return m
    return inner()


@graph
def test_rebound_later(x, i):
    if i == 2:
        m = x
    m = x + 1
    return m


@graph(raises=True)
def test_augmented_later(x, i):
    if i == 2:
        m = x
    m += 1
    return m


@graph(raises=True)
def test_for_name(x):
    for k in (1, 2):
        y = x + k
    return y


@graph(raises=True)
def test_for_range_name(x):
    for k in range(3):
        y = x + k
    return y


@graph(raises=True)
def test_for_target(x):
    for k in range(3):
        x = x + k
    return x + k


@graph
def test_for_bound_before(x):
    y = x
    k = 0
    for k in range(3):
        y = x + k
    return y + k


@graph
def test_for_not_read(x):
    for k in range(3):
        y = x + k
        x = y
    return x


@graph
def test_for_if_name(x):
    for k in range(3):
        if k == 1:
            y = x + k
            x = y
    return x


@graph(raises=True)
def test_for_if_name_next_turn(x):
    for k in range(3):
        if k == 0:
            y = x
        x = x + y
    return x


@graph(raises=True)
def test_while_name(x, i):
    while i < 4:
        y = x
        i = i + 1
    return y


@graph(raises=True)
def test_while_tensor_name(x, z):
    while z < 4:
        y = x
        z = z + 1
    return y


@graph
def test_while_not_read(x, i):
    while i < 4:
        y = x + i
        x = y
        i = i + 1
    return x


@graph
def test_two_loops_same_target(x):
    for k in range(2):
        x = x + k
    for k in range(2):
        x = x + k
    return x


@graph
def test_loop_target_in_second_while(x, i):
    for k in range(2):
        x = x + k
    while i < 4:
        k = i
        i = i + 1
        x = x + k
    return x


@graph
def test_nested_loops(x):
    for k in range(2):
        for j in range(2):
            y = x + j
        x = x + k
    return x


@graph(raises=True)
def test_nested_loops_read(x):
    for k in range(2):
        for j in range(2):
            y = x + j
        x = x + y
    return x


@graph
def test_both_branches_tensor(x, z):
    if z > 1:
        m = x
    else:
        m = x + 1
    return m


@graph
def test_nested_branches(x, z, i):
    if z > 1:
        if i == 2:
            m = x
        else:
            m = x + 1
    else:
        m = x + 2
    return m


@graph(raises=True)
def test_nested_branch_one(x, z, i):
    if z > 1:
        if i == 2:
            m = x
    else:
        m = x + 2
    return m


@graph(raises=True)
def test_comprehension_name_after(x):
    a = [k for k in (1, 2)]
    return k


@graph
def test_del_by_branch_return(x, z):
    if z > 1:
        m = x
        return m
    return x


@graph(raises=True)
def test_and_condition(x, i):
    if i == 2 and x is not None:
        m = x
    return m


@graph(raises=True)
def test_both_inner_branches(x, z):
    if z > 1:
        if z > 2:
            m = x + 1
        else:
            m = x + 2
        x = x + 1
    return m


@graph
def test_both_inner_branches_not_read_after(x, z):
    if z > 1:
        if z > 2:
            m = x + 1
        else:
            m = x + 2
        x = x + m
    return x


@graph(raises=True)
def test_function_of_a_loop(x):
    for k in range(2):
        def inner(v):
            return v * k
    return inner(x)


class ReadsWhatItLacks(nn.Cell):
    def __init__(self, where):
        super().__init__()
        self.where = where

    def construct(self, x, n=1):
        if self.where == "a branch" and x.sum() > 50:
            x = self.lacks(x)
        if self.where == "a return" and x.sum() > 50:
            return x * self.lacks
        if self.where == "a loop":
            while x.sum() > 50:
                x = x - self.lacks
        if self.where == "an expression":
            x = x if x.sum() < 50 else self.lacks
        if self.where == "a module":
            x = x if x.sum() < 50 else ops.lacks(x)
        return x


@case(mode="GRAPH", raises=r"object has no attribute 'lacks'",
      each={"where": ["a branch", "a return", "a loop", "an expression", "a module"]})
def test_attributes_that_a_branch_on_a_tensor_lacks(where):
    return ReadsWhatItLacks(where)(ms.Tensor([1.0, 2.0]))


class AsksForWhatItLacks(nn.Cell):
    def __init__(self, sets=False):
        super().__init__()
        self.act = None
        if sets:
            self.lacks = nn.ReLU()

    def construct(self, x, n=1):
        if n > 5:
            return self.lacks(x)
        if x.ndim > 5:
            return self.lacks(x)
        if x.sum() > 50:
            if self.act is not None:
                return self.act.lacks(x)
        if hasattr(self, "lacks"):
            if x.sum() > 0:
                return self.lacks(x)
        return x * 2


@case(mode="GRAPH")
def test_attributes_that_nothing_compiled_lacks():
    x = ms.Tensor([1.0, -0.5])
    return AsksForWhatItLacks()(x), AsksForWhatItLacks(True)(x), AsksForWhatItLacks()(x, 3)


@graph(raises="Module: 'Namespace:mindspore.ops' object has no attribute 'lacks'")
def test_a_name_that_a_module_lacks(x):
    return ops.lacks(x)


@graph(raises=True)
def test_a_branch_of_an_inner_function(x):
    def inner(x):
        if x.sum() < 0:
            y = x
        return y

    return inner(x)


@graph(raises=True)
def test_a_loop_of_an_inner_function(x):
    def inner(x):
        while x.sum() < 0:
            x = y = x + 1
        return y

    return inner(x)


@graph
def test_an_inner_function_reads_names_outside(x, i):
    y = x * 2

    def inner(z):
        if z.sum() < 0:
            z = z + y
        return z + i

    return inner(x) + inner(z=y)
