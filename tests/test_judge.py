"""The comparison under tests/reference: what it must not let pass."""
import numpy as np
import pytest

from tests.reference import judge
from tests.reference.encoding import differences, encode, plain


def tensor(dtype, shape, values):
    return {"Tensor": [dtype, shape, values]}


@pytest.mark.parametrize(("theirs", "ours"), [
    (tensor("Float32", [2], [1.0, 2.0]), tensor("Float32", [2], [1.0, 2.001])),
    (tensor("Float32", [2], [1.0, 2.0]), tensor("Float16", [2], [1.0, 2.0])),
    (tensor("Float32", [1, 2], [1.0, 2.0]), tensor("Float32", [2], [1.0, 2.0])),
    (tensor("Int64", [1], [3]), tensor("Int64", [1], [4])),
    (tensor("Bool", [1], [True]), tensor("Bool", [1], [False])),
    (tensor("Float32", [], [3.0]), {"float": "3.0"}),
    (3, {"Tensor": ["Int64", [], [3]]}), (3, True), (3, {"float": "3.0"}), (None, 0), ("a", "b"),
    ({"tuple": ["a", [1], [2]]}, {"tuple": ["a", [1], [3]]}),
    ({"tuple": [1, 2]}, [1, 2]), ({"tuple": [1, 2]}, {"tuple": [1]}),
    ({"dict": [["a", 1]]}, {"dict": [["b", 1]]}),
    ({"Parameter": ["Float32", [], [1.0], "w", True]}, tensor("Float32", [], [1.0])),
    ({"Parameter": ["Float32", [], [1.0], "w", True]}, {"Parameter": ["Float32", [], [1.0], "w", False]}),
    ({"Parameter": ["Float32", [], [1.0], "w", True]}, {"Parameter": ["Float32", [], [1.0], "v", True]}),
    (tensor("Float32", [1], [float("nan")]), tensor("Float32", [1], [0.0])),
    ({"dtype": "Float32"}, {"dtype": "Float16"}), ({"class": "Tensor"}, {"class": "Parameter"})])
def test_a_difference_is_found(theirs, ours):
    assert differences(theirs, ours)
    assert not differences(theirs, theirs) and not differences(ours, ours)


def test_tolerance_follows_the_dtype_and_never_reaches_integers():
    near = 1.0 + 5e-4
    assert not differences(tensor("Float16", [1], [1.0]), tensor("Float16", [1], [near]))
    assert differences(tensor("Float32", [1], [1.0]), tensor("Float32", [1], [near]))
    assert not differences(tensor("Float32", [1], [1.0]), tensor("Float32", [1], [near]), rtol=1e-3)
    assert differences(tensor("Int32", [1], [1000]), tensor("Int32", [1], [1001]), rtol=0.1)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int64", "bool",
                                   "complex64"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (9, 8)])
def test_arrays_survive_encoding_exactly(dtype, shape):
    from tests.reference.encoding import _numbers

    array = judge.data(shape, dtype)
    kind, its_shape, values = encode(array)["ndarray"]
    back = _numbers(kind, its_shape, values)
    assert back.dtype == array.dtype and back.shape == array.shape and np.array_equal(back, array)


def test_texts_lose_addresses_and_the_packages_name():
    assert plain("<ms2torch.common.X object at 0x7fd7a854c7d0>") == "<mindspore.common.X object at 0x>"


SOURCE = '''
import numpy as np
CONSTANT = 3
UNUSED = 4

def helper():
    return CONSTANT

def test_it():
    # a comment
    return helper()
'''


@pytest.mark.parametrize(("old", "new", "stale"), [
    ("CONSTANT = 3", "CONSTANT = 5", True), ("return CONSTANT", "return -CONSTANT", True),
    ("return helper()", "return [helper()]", True), ("# a comment", "# another", False),
    ("UNUSED = 4", "UNUSED = 9", False)])
def test_a_record_goes_stale_with_what_the_case_uses(tmp_path, old, new, stale):
    digests = []
    for name, source in (("a", SOURCE), ("b", SOURCE.replace(old, new))):
        path = tmp_path / f"{name}.py"
        path.write_text(source)
        namespace = {"__name__": name}
        exec(compile(source, str(path), "exec"), namespace)
        digests.append(judge._digest(namespace["test_it"], {}, "PYNATIVE"))
    assert (digests[0] != digests[1]) == stale


def test_a_case_that_raises_unsaid_cannot_be_recorded():
    def one(raises):
        return judge.Case(lambda: None, {}, "test_x", "PYNATIVE", "PYNATIVE", raises)

    error, value = {"error": ["ValueError", "some words"]}, {"value": 3}
    assert judge.as_declared(one(False), error) and judge.as_declared(one(True), value)
    assert judge.as_declared(one("other words"), error)
    assert not judge.as_declared(one("some words"), error) and not judge.as_declared(one(False), value)


def test_a_record_holds_no_folder_of_the_machine_it_was_made_on():
    here = judge.__file__
    assert judge.failure(ValueError(f"line: 3 in {here}"))["error"][1] == "line: 3 in judge.py"
    one = judge.Case(lambda: None, {}, "test_x", "PYNATIVE", "PYNATIVE", False)
    assert judge.as_declared(one, {"value": here})


def test_a_wider_tolerance_needs_a_reason():
    with pytest.raises(TypeError, match="reason"):
        judge.case(lambda: None, rtol=0.1)
