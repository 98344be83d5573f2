"""Dicts in graph mode's language."""
import mindspore as ms
import numpy as np
from mindspore import mutable, ops

from tests.reference.graphs import INPUTS, graph, shown
from tests.reference.judge import case


@graph
def test_has_key():
    d = {"a": 1}
    return d.has_key("a"), d.has_key("b")


@graph
def test_has_key_input(d):
    return d.has_key("a")


@graph
def test_dict_get(d):
    return d.get("a"), d.get("c"), d.get("c", 3)


@graph
def test_dict_keys(d):
    return d.keys()


@graph
def test_dict_values(d):
    return d.values()


@graph
def test_dict_items(d):
    return d.items()


@graph
def test_dict_keys_constant():
    return {"a": 1, "b": 2}.keys(), {"a": 1}.values(), {"a": 1}.items()


@graph
def test_dict_update():
    d = {"a": 1}
    d.update({"b": 2, "a": 3})
    return d


@graph
def test_dict_fromkeys():
    return dict.fromkeys(["a", "b"], 1)


@graph
def test_dict_fromkeys_method():
    return {"x": 1}.fromkeys(["a", "b"], 1)


@graph
def test_dict_clear():
    d = {"a": 1}
    d.clear()
    return d


@graph
def test_dict_setdefault():
    d = {"a": 1}
    return d.setdefault("b", 2), d


@graph(raises=True)
def test_dict_missing():
    return {"a": 1}["b"]


@graph(raises=True)
def test_dict_missing_input(d):
    return d["z"]


@graph
def test_dict_set(x):
    d = {"a": 1}
    d["b"] = x
    return d


@graph
def test_dict_input_set(d, x):
    d["c"] = x
    return d


@graph
def test_dict_number_keys(x):
    return {1: x, 2.5: x, (1, 2): x}


@graph
def test_dict_len_in(d):
    return len(d), "a" in d, "z" not in d


@graph
def test_dict_equal():
    return {"a": 1} == {"a": 1}


@graph
def test_dict_copy():
    return {"a": 1}.copy()


@graph(raises=True)
def test_dict_missing_method():
    return {"a": 1}.nothing()


@graph(raises=True)
def test_a_list_as_a_key():
    key = [1, 2]
    return {key: 3}


@graph(raises=True)
def test_a_dict_as_a_key():
    return {{"a": 1}: 2}


@graph(raises=True)
def test_an_argument_as_a_key(x):
    return {x: 10}


@graph(raises=True)
def test_an_argument_in_a_key(x):
    return {(1, x): 10}


@graph(raises=True)
def test_keys_from_a_number():
    return {"a": 1}.fromkeys(123, 1)


@graph(raises=True)
def test_keys_from_lists():
    return {"a": 1}.fromkeys([[1]], 1)


@graph
def test_a_list_in_a_key():
    part = [1, 2]
    made = {((3, part), 3): 4, (1, 2): 5, 1.5: 6}
    return made.values(), made[(1, 2)]
