"""What graph mode makes of the two values of a name that a Tensor's branches bind."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from tests.reference.graphs import graph
from tests.reference.judge import case


@graph
def test_join_unused(x, z):
    if z > 1:
        y = x
    else:
        y = 1
    return x


@graph(raises=True)
def test_join_bool_int(z):
    if z > 1:
        y = True
    else:
        y = 1
    return y


@graph
def test_join_none_number(z):
    if z > 1:
        y = None
    else:
        y = 1
    return y


@graph
def test_join_none_else(x, z):
    if z > 1:
        y = None
    else:
        y = x
    return y


@graph(raises=True)
def test_join_str_number(z):
    if z > 1:
        y = "a"
    else:
        y = 1
    return y


@graph(raises=True)
def test_join_str_tensor(x, z):
    if z > 1:
        y = x
    else:
        y = "b"
    return y


@graph(raises=True)
def test_join_tuple_elem(x, z):
    if z > 1:
        y = (x, 1)
    else:
        y = (x, 1.5)
    return y


@graph(raises=True)
def test_join_tuple_elem_kind(x, z):
    if z > 1:
        y = (x, 1)
    else:
        y = (1, x)
    return y


@graph
def test_join_tuple_lengths_const(z):
    if z > 1:
        y = (1, 2)
    else:
        y = (1, 2, 3)
    return y


@graph(raises=True)
def test_join_tuple_number(x, z):
    if z > 1:
        y = (x, x)
    else:
        y = 1
    return y


@graph(raises=True)
def test_join_number_tensor_first(x, z):
    if z > 1:
        y = 1
    else:
        y = x
    return y


@graph(raises=True)
def test_join_float_tensor(x, z):
    if z > 1:
        y = 1.0
    else:
        y = x
    return y + 1


@graph(raises=True)
def test_join_return_two_numbers(z):
    if z > 1:
        return 1
    return 1.5


@graph(raises=True)
def test_join_return_tensor_number(x, z):
    if z > 1:
        return x
    return 1


@graph(raises=True)
def test_join_return_list_tuple(x, z):
    if z > 1:
        return [x]
    return (x,)


@graph
def test_join_return_none_mid(x, z):
    if z > 1:
        return None
    return 1


@graph(raises=True)
def test_join_one_sided(x, z):
    y = 1
    if z > 1:
        y = x
    return y


@graph(raises=True)
def test_join_one_sided_float(z):
    y = 1
    if z > 1:
        y = 2.5
    return y


@graph(raises=True)
def test_join_one_sided_zero(x, z):
    loss = 0
    if z > 1:
        loss = loss + x
    return loss


@graph(raises=True)
def test_join_elif(x, z):
    if z > 10:
        y = x
    elif z > 5:
        y = x
    else:
        y = 0
    return y


@graph
def test_join_raise(x, z):
    if z > 1:
        y = x
    else:
        y = 1
        raise ValueError("no")
    return y


@graph
def test_join_for_zero(x, z):
    s = 0
    for i in range(3):
        s = s + x
    return s


@graph(raises=True)
def test_join_while_zero(x, z):
    s = 0
    while z > 0:
        s = s + x
        z = z - 1
    return s


@graph(raises=True)
def test_join_while_float_tensor(x, z):
    s = 0.0
    while z > 0:
        s = s + x
        z = z - 1
    return s


@graph
def test_join_while_int_tensor(z):
    k = 1
    while z > 0:
        k = k * 2
        z = z - 1
    return k


@graph
def test_join_while_unused(z, x):
    k = 0
    while z > 0:
        k = 0.5
        z = z - 1
    return z


@graph
def test_join_or_tensor(x, z):
    return z > 5 or z > 1


@graph(raises=True)
def test_join_ternary_numbers(z):
    return 1 if z > 1 else 2.5


@graph
def test_join_ternary_none(x, z):
    return x if z > 1 else None


@graph
def test_join_ternary_used_mixed(x, z):
    return x * (2 if z > 1 else 0.5)


@graph(raises=True)
def test_join_call(x, z):
    if z > 1:
        y = ops.relu(x)
    else:
        y = 0
    return y


@graph(raises=True)
def test_join_neg(z):
    if z > 1:
        y = -1
    else:
        y = 1.0
    return y


@graph
def test_join_condition_is_number(x, i):
    if i > 1:
        y = x
    else:
        y = 1
    return y


@graph(raises=True)
def test_join_scalar_tuple(x, z):
    if z > 1:
        y = 1
    else:
        y = (x, x)
    return y


@graph(raises=True)
def test_join_scalar_str(z):
    if z > 1:
        y = 1
    else:
        y = "a"
    return y


@graph(raises=True)
def test_join_tuple_tensor(x, z):
    if z > 1:
        y = (x,)
    else:
        y = x
    return y


@graph
def test_join_list_of_numbers(z):
    if z > 1:
        y = [1, 2]
    else:
        y = [1.0, 2.0]
    return y


@graph(raises=True)
def test_join_lengths_types(z):
    if z > 1:
        y = (1, 2)
    else:
        y = (1.0, 2.0, 3.0)
    return y


@graph(raises=True)
def test_join_vector_cond_one(x):
    if x[:1] > 0:
        y = x
    else:
        y = 1
    return y


@graph
def test_join_ternary_assigned_used(x, z):
    k = 2 if z > 1 else 0.5
    return x * k


@graph(raises=True)
def test_join_ternary_arg(x, z):
    return ops.add(x, x if z > 1 else 1)


@graph
def test_join_if_used(x, z):
    if z > 1:
        k = 2
    else:
        k = 0.5
    return x * k


@graph
def test_join_one_sided_used(x, z):
    k = 1
    if z > 1:
        k = 0.5
    return x * k


@graph
def test_join_not_taken_raise(x, z):
    if z > 1:
        return x
    raise ValueError("no")


@graph
def test_join_return_bare(x, z):
    if z > 1:
        return x
    return


@graph
def test_join_read_only_in_branch(x, z):
    if z > 1:
        y = x
        x = y + 1
    else:
        y = 1
        x = x + y
    return x


@graph
def test_join_rebound(x, z):
    if z > 1:
        y = x
    else:
        y = 1
    y = x
    return y


@graph(raises=True)
def test_join_for_if(x, z):
    s = 0
    for i in range(3):
        if z > i:
            s = s + x
    return s


@graph
def test_join_count(x, z):
    n = 0
    for v in x:
        if v > 1:
            n += 1
    return n


@graph
def test_join_flag(x):
    found = False
    for v in x:
        if v > 1:
            found = True
    return found


@graph(raises=True)
def test_join_best(x):
    best = 0.0
    for v in x:
        if v > best:
            best = v
    return best


@graph(raises=True)
def test_and_of_two_dtypes(z, n):
    return z and n


@graph(raises=True)
def test_or_of_a_flag(z):
    return z if z > 3 or True else z + 1


@graph(raises=True)
def test_and_of_what_is_not_evaluated(z, n):
    if z > 3 and n:
        z = z + 1
    return z


@graph
def test_and_of_one_type(z, b, i):
    if (z > 1 and not z) or i is None or b:
        return z > 1 and b, i and z
    return b, z


@graph(raises=True)
def test_return_before_the_end(z):
    if z < 3:
        a = ms.Tensor([1, 2, 3])
    else:
        return 0
    return a


@graph(raises=True)
def test_return_out_of_a_loop(z, n):
    for k in range(3):
        if z > k:
            return z
        z = z + 1
    return n


@graph
def test_returns_of_one_type(z, x):
    while z < 9:
        z = z + 1
        if z > 5:
            return z
    if z > 10:
        return ops.reduce_sum(x)
    return z * 2


@graph
def test_number_that_becomes_a_tensor(x, z):
    a, b = 1, 1
    while z < 4:
        a = Tensor(2, ms.float32)
        b = x
        z = z + 1
    return x + a, x * b


@graph
def test_number_or_a_constant(x, z):
    c = 1
    if z < 9:
        c = Tensor(3, ms.float32)
    return x - c


@graph(raises="Type Join Failed: dtype1 = Int32, dtype2 = Float32.")
def test_join_returned_cast(z):
    if z > 5:
        return z.astype(ms.int32)
    return z


@graph(raises="Type Join Failed: dtype1 = Float16, dtype2 = Float32.")
def test_join_assigned_cast(x):
    y = x
    if x.sum() > 50:
        y = ops.cast(x, ms.float16)
    return y


@graph(raises="Type Join Failed: dtype1 = Int32, dtype2 = Float32.")
def test_join_chosen_cast(z):
    return z.astype(ms.int32) if z > 5 else z


@graph
def test_join_casts_of_one_dtype(z, n):
    y = n.astype(ms.float32)
    if z > 5:
        y = ops.cast(z + 1, ms.float32)
    if n > 5:
        return y.astype(ms.float16)
    return z.astype(ms.float16) * y.astype(ms.float16)


@graph
def test_join_casts_that_a_number_chooses(z, i):
    if i > 5:
        return z.astype(ms.int32)
    return z


@case(mode="GRAPH", each={"first": ["bool_", "uint8", "int32", "float16"], "second": ["int8", "int64", "float32"]})
def test_concat_of_two_dtypes(first, second):
    @ms.jit
    def join(x, y):
        return ops.concat((x, y)), ops.cat((y, x))
    return join(ms.Tensor([1, 0]).astype(getattr(ms, first)), ms.Tensor([2.5, -3]).astype(getattr(ms, second)))


@case(mode="GRAPH", raises=True, each={"how": ["sum", "difference", "reshape", "inferred", "twice", "view", "not",
                                               "and", "if", "ternary"]})
def test_shapes_that_do_not_fit_in_a_graph(how):
    @ms.jit
    def use(x, how):
        if how == "sum":
            return x + x.T
        if how == "difference":
            return x - x.T
        if how == "reshape":
            return ops.reshape(x, (4, 2))
        if how == "inferred":
            return x.reshape(4, -1)
        if how == "twice":
            return x.reshape(-1, -1)
        if how == "view":
            return x.view(7)
        if how == "not":
            return x if not (x > 1) else -x
        if how == "and":
            return x if x > 1 and x < 3 else -x
        if how == "if":
            if x.mean(0) > 1:
                x = x + 1
            return x
        return x if x > 1 else -x
    return use(Tensor(np.arange(6).reshape(2, 3).astype(np.float32)), how)


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def in_one_expression(n):
    return 1 if n <= 1 else n * in_one_expression(n - 1)


def last_pair(n):
    if n <= 0:
        return 1, 2
    return last_pair(n - 1)


@graph
def test_what_calls_itself_is_not_asked_for_its_type(x, n):
    return x * factorial(n), x * in_one_expression(n), x * last_pair(n)[0]
