"""Two Tensors over one memory, one of which is written: what the other sees."""
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, ops

from tests.reference.judge import case

VIEWS = {
    "row": "x[0]", "part": "x[0:1]", "steps": "x[::2]", "all": "x[...]", "slice": "x[:]", "column": "x[:, 0]",
    "element": "x[0, 1]", "deep": "x[0][1]", "new axis": "x[None]", "rows": "x[[0]]", "picked": "x[Tensor([0])]",
    "masked": "x[x > 2]", "reshape": "x.reshape(-1)", "as it is": "x.reshape(x.shape)", "view": "x.view(-1)",
    "turned": "x.T", "flat": "x.flatten()", "expanded": "x.expand_dims(0)", "unsqueezed": "mint.unsqueeze(x, 0)",
    "narrow": "mint.narrow(x, 0, 0, 1)", "select": "mint.select(x, 0, 0)", "chunk": "ops.chunk(x, 2)[0]",
    "split": "mint.split(x, 1)[0]", "unstacked": "ops.unstack(x)[0]", "broadcast": "x.broadcast_to((2, 2, 3))",
    "transposed": "ops.transpose(x, (1, 0))", "diagonal": "x.diagonal()", "contiguous": "x.contiguous()",
    "squeezed": "x.squeeze()", "of its dtype": "x.astype(x.dtype)",
    "float": "x.float()", "copied": "x.copy()", "stopped": "ops.stop_gradient(x)", "Tensor": "Tensor(x)",
    "Parameter": "Parameter(x, name='q')", "plus": "+x", "array": "x.asnumpy()", "real": "ops.real(x)",
    "of an array": "Tensor.from_numpy(x.asnumpy())", "depend": "ops.depend(x, x)", "cast": "ops.cast(x, x.dtype)",
    "identity": "ops.Identity()(x)", "itself": "x", "relu": "ops.relu(x)", "concat": "ops.concat((x,))",
}  # fmt: skip
WRITES = [
    "y += 1", "y -= y", "y **= 2", "y[...] = 7", "y[0] = 5", "y[-1:] = 9", "y[y > 2] = 0", "y[::2] = y[::2] * 2",
    "y[[0]] = 4", "y.set_data(y + 30)", "y[0:1] += 1", "y[0] *= 2", "ops.assign(y, y * 2)", "ops.assign_add(y, y)",
    "ops.AssignSub()(y, y)", "y[Tensor([0])] = 3", "y[None] = 2", "y[:, 0] = 6", "y[0][0] = 12", "y[1:][0] = 14",
    "y[(0,)] += 2", "y[True] = 8", "y[0, 0] = 33", "y[Tensor(True)] = 1", "y[([0], [1])] = 21", "y[..., 0] = 22",
]  # fmt: skip
MADE = {
    "Tensor": lambda: Tensor(np.arange(6).reshape(2, 3).astype(np.float32)),
    "Parameter": lambda: Parameter(MADE["Tensor"](), name="p"),
    "result": lambda: MADE["Tensor"]() * 1,
    "array's": lambda: Tensor.from_numpy(np.arange(6).reshape(2, 3).astype(np.float32)),
}


def _after(kind, view, write, through):
    """What both hold after a write, by way of the ``view`` or not; and what was said of it."""
    names = {"np": np, "ms": ms, "ops": ops, "mint": mint, "Tensor": Tensor, "Parameter": Parameter}
    names["x"] = x = MADE[kind]()
    names["y"] = z = eval(VIEWS[view], names)
    if not through:
        names["y"] = x
    said = None
    try:
        exec(write, names)
    except Exception as error:
        said = type(error).__name__, str(error).split(" Got")[0] if "view input" in str(error) else ""
    return [np.array(t.asnumpy() if isinstance(t, Tensor) else t) for t in (x, z)], said


@case(each={"view": [view for view in VIEWS if view != "array"], "kind": ["Tensor", "Parameter"]})
def test_through_a_view(view, kind):
    return [_after(kind, view, write, True) for write in WRITES]


@case(each={"view": list(VIEWS), "kind": list(MADE)})
def test_beside_a_view(view, kind):
    return [_after(kind, view, write, False) for write in WRITES]


@case(each={"view": [view for view in VIEWS if view != "array"], "kind": list(MADE)})
def test_an_array_of_a_view(view, kind):
    x = MADE[kind]()
    y = eval(VIEWS[view], {"x": x, "ops": ops, "mint": mint, "Tensor": Tensor, "Parameter": Parameter})
    array = y.asnumpy()
    array[...] = 99
    seen = np.array(y.asnumpy()), np.array(x.asnumpy())
    y += 1
    return *seen, np.array(array), x.asnumpy(), array.flags.c_contiguous
