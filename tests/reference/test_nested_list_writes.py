"""Lists within a list as the index of a write: one for each dimension, as in reading, and numbers where they hold bools."""
import mindspore as ms
import numpy as np

from tests.reference.judge import case

NESTED = {"pairs": [[0, 1], [1, 0]], "ones": [[0], [1]], "one row": [[0, 1]], "mixed": [[0, 1], 1], "uneven": [[0, 1], [1]],
          "bools": [[True, False], [False, True]], "one row of bools": [[True, False]]}


def numbered():
    return ms.Tensor(np.arange(18, dtype=np.float32).reshape(3, 3, 2))


@case(each={"index": list(NESTED)})
def test_written(index):
    x, y, added = numbered(), numbered(), numbered()
    x[NESTED[index]] = -1
    y[NESTED[index]] = ms.Tensor([-1.0, -2.0])
    if "bools" not in index:                    # (MindSpore writes numbers into the list itself)
        added[NESTED[index]] += 1
    return x, y, added


@case()
def test_gradients():
    def written(x, value):
        y = x * 1
        y[[[0, 1], [1, 0]]] = value
        return (y * y).sum()
    return ms.grad(written, (0, 1))(numbered(), ms.Tensor(3.0))


@case(raises=True)
def test_more_lists_than_dimensions():
    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    x[[[0, 1], [1, 0], [1, 1]]] = 1


ARRAYS = {"ragged": [[1, 2], [3]], "a word": [1, "a"], "None": [2, None], "numbers": [1, 2.5], "nothing": []}


@case(each={"of": list(ARRAYS)}, raises=True)
def test_arrays_of_objects(of):
    array = np.empty(len(ARRAYS[of]), object)
    array[:] = ARRAYS[of]
    return ms.Tensor(array)
