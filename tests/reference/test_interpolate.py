"""``interpolate``: what each mode takes, and what it gives in every dtype."""

from itertools import product

import mindspore as ms
from mindspore import ops

from tests.reference.judge import case, data
from tests.reference.test_wrong_calls import said

SHAPE = (2, 3, 6, 5, 4)
MODES = ["nearest", "linear", "bilinear", "bicubic", "area", "trilinear", "nearest-exact", "cubic"]


def sizes(rank):
    """``(size, scale_factor)`` of every kind."""
    axes = max(rank - 2, 1)
    given = [3, (3, 4, 2)[:axes], [6] * axes, (3,), (3,) * 4, 0, (-1,) * axes, 2.5, (2.5,) * axes, True, "a"]
    scales = [2.0, 2, (2.0, 1.5, 0.5)[:axes], [1.6] * axes, (2,) * axes, 0.0, -1.0, "a", True, (2.0,) * (axes + 1)]
    return [*((size, None) for size in given), *((None, scale) for scale in scales), (3, 2.0), (None, None)]


@case(each={"mode": MODES, "rank": [2, 3, 4, 5]})
def test_arguments(mode, rank):
    x = ms.Tensor(data(SHAPE[:rank]))
    flags = (None, None), (None, True), (None, False), (True, None), (True, True), (1, None), (None, 1), ("a", True)
    return [said(ops.interpolate, (x, size, scale, mode, align, again), {})
            for (size, scale), (align, again) in product(sizes(rank), flags)]


@case(each={"mode": ["nearest", "linear", "bilinear", "bicubic", "area", "trilinear", "nearest-exact"],
            "rank": [3, 4, 5]}, atol=1e-5, rtol=1e-5, reason="sums in another order")
def test_values_and_gradients(mode, rank):
    if said(ops.interpolate, (ms.Tensor(data(SHAPE[:rank])), 3, None, mode), {}) != "value":
        return None
    found = []
    for size in ((3, 4, 2), (7, 9, 6), (1, 1, 1)):
        if mode == "area" and rank == 3:
            size = (3,) if size[0] == 7 else size

        def resized(x, size=size[: rank - 2]):
            return ops.interpolate(x, size, None, mode)

        x = ms.Tensor(data(SHAPE[:rank]))
        found += [resized(x), ms.grad(lambda x, resized=resized: (resized(x) ** 2).sum())(x)]
    return found


@case(each={"mode": MODES[:-1]})
def test_dtypes(mode):
    dtypes = ms.float16, ms.float64, ms.uint8, ms.int8, ms.int32, ms.bool_
    return {f"{dtype} {rank}": said(ops.interpolate, (ms.Tensor(data(SHAPE[:rank])).astype(dtype), 3, None, mode), {})
            for dtype in dtypes for rank in (3, 4, 5)}


@case()
def test_means_of_rows():
    x = [ms.Tensor(data(shape)) for shape in ((4,), (3, 4), (2, 3, 6), (1, 2, 3, 4))]
    return [said(ops.adaptive_avg_pool1d, (one, n), {}) for one in x for n in (1, 2, 3, 4, 5, 0, -1, True, 2.0, "a", None, (2,))]
