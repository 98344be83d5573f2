"""What the body of a graph's loop binds, where the loop is left early."""
from tests.reference.graphs import graph


@graph(raises=True)
def test_bound_before_a_break():
    i = 0
    while i < 3:
        j = 0
        i += 1
        if i > 1:
            break
    return j


@graph(raises=True)
def test_bound_before_a_break_of_an_inner_loop():
    i = 0
    while i < 3:
        j = 0
        for k in range(3):
            if k > 1:
                break
        i += 1
    return j


@graph(raises=True)
def test_bound_after_an_inner_loop_that_returns(x):
    for i in range(3):
        for k in range(2):
            if k > 0:
                return x
        j = i
    return j


@graph(raises=True)
def test_bound_where_a_tensor_decides_the_break(x):
    for i in range(3):
        j = i
        if x[0] > 10:
            break
    return j


@graph(raises=True)
def test_bound_where_a_tensor_decides_the_inner_break(x):
    i = 0
    while x[0] < 3:
        j = i
        x = x + 1
        k = 0
        while k < 2:
            k += 1
            if x[1] > 50:
                break
    return j


@graph(raises=True)
def test_the_counter_of_an_inner_loop():
    i = 0
    while i < 3:
        i += 1
        j = 0
        while j < 5:
            j += 1
            if j > i:
                break
    return i, j


@graph(raises=True)
def test_bound_in_an_endless_loop():
    i = 0
    while True:
        j = i
        i += 1
        if i > 3:
            break
    return j


@graph
def test_bound_before_and_left_early(x):
    j = 0
    for i in range(4):
        j = i
        if i > 1:
            break
    k = 0
    while True:
        k += j
        for i in range(3):
            if i == 1:
                break
            k += 1
        if k > 5:
            break
    return j, k, x * k


@graph
def test_returns_from_inner_loops(x, n):
    for i in range(3):
        for j in range(3):
            if i * j == 2:
                return x * i + j
            if x[i] * x[j] > n:
                continue
            x = x + 1
    return x


@graph(raises=True)
def test_bound_before_its_own_break_in_a_branch(x, i):
    for k in range(3):
        if i == k:
            m = x
            break
    return m


@graph(raises=True)
def test_bound_in_one_branch_of_a_body(x, i):
    k = 0
    while k < 3:
        if i == k:
            m = x
        k += 1
    return m


@graph(raises=True)
def test_the_target_of_an_inner_loop(x):
    for k in range(3):
        for j in range(2):
            x = x + k
    return x, j


@graph
def test_names_of_comprehensions_in_a_body(x):
    k = 5
    for i in range(3):
        t = [k * i for k in range(2)]
        x = x + t[1]
        if i > 1:
            break
    return x, k
