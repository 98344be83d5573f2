"""Arguments under two names at once, numpy's dtypes as dtypes, orders of norms, and what `mindspore.numpy` makes of
operands of two kinds."""
import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor, nn, ops

from tests.reference.judge import case
from tests.reference.test_wrong_calls import told

NAMES = {"ms": ms, "mnp": mnp, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor,
         "x": Tensor(np.arange(6).reshape(2, 3).astype(np.float32)), "v": Tensor([1.0, 2.0, 3.0]), "i": Tensor([1, 0]),
         "n": Tensor([1, 2, 3], ms.int32),
         "places": Tensor([[0, 1, 0]]), "rows": Tensor([[1.0, 2.0, 3.0]])}


def call(text):
    return eval(text, NAMES)


@case(each={"text": [
    "x.index_select(0, i)", "x.index_select(dim=0, index=i)", "x.index_select(0, dim=0, index=i)", "x.narrow(0, 0, 1)",
    "x.split(1, dim=1)", "x.split(1, split_size=1)", "x.split(1, 1, dim=0)", "x.scatter(dim=0, index=places, src=rows)",
    "x.scatter(0, dim=0, index=places, src=rows)", "x.take(i, axis=0)", "x.take(index=i)", "x.take(i, index=i)",
    "x.float_power(other=2)", "x.float_power(exponent=2)", "x.to(other=i)", "x.to(ms.float16, other=i)"]})
def test_two_names_of_an_argument(text):
    return told((call, text))


@case(each={"text": [
    "x.cumsum(0, dtype=np.dtype('float32'))", "x.cumsum(0, dtype=ms.float32)", "mnp.cumsum(x, 0, np.dtype('float32'))",
    "mnp.cumsum(x, 0, np.float32)", "x.astype(np.dtype('float16'))", "x.astype(np.float16)", "x.astype(float)"]})
def test_dtypes_of_numpy(text):
    return told((call, text))


@case(each={"text": [f"mnp.norm({rest})" for rest in (
    "x", "x, 2", "x, 'nuc'", "x, 'fro'", "x, 1", "x, np.inf", "x, 3", "v, 3", "v, 2", "x, 2, 0", "x, 2, (0, 1)",
    "mnp.ones((2, 3, 2)), 2", "mnp.ones((2, 3, 2)), 1, (0, 1)", "mnp.ones((2, 3, 2)), 1, (0, 1, 2)")]})
def test_orders_of_norms(text):
    return told((call, text))


@case(each={"text": [
    "mnp.gradient(v, 2.0)", "mnp.gradient(v, v)", "mnp.interp(v, v, v)", "mnp.interp(v, v, [1.0, 2.0])",
    "mnp.correlate(v, v)", "mnp.correlate(v, i)", "mnp.rint(v)", "mnp.rint([1, 2])", "mnp.rint(i)",
    "mnp.logaddexp(v, v)", "mnp.logaddexp(Tensor([1, 2], ms.int32), Tensor([1, 2], ms.int32))",
    "mnp.expand_dims(x, (0,))", "mnp.expand_dims(x, (0, 1))", "mnp.arange(np.array(1), 4)", "mnp.arange(1, 4)",
    "mnp.hanning(2**63)", "mnp.array([Tensor(1), 2])", "mnp.array([Tensor([1, 2]), Tensor([3, 4])])"]})
def test_operands_of_arrays(text):
    return told((call, text))


@case(each={"text": [
    "nn.GLU(Tensor([1, 2]))(mnp.ones((2, 4, 4)))", "nn.GLU(1)(mnp.ones((2, 4, 4)))",
    "ops.Scan()(lambda c, a: (c + a, a), 1, [1, 2, 3], 3)", "ops.Scan()(lambda c, a: (c + a, a), 1, range(3), 3)",
    "ops.ForiLoop()(Tensor(0.0), 3, lambda i, v: v + 1, x)", "ops.ForiLoop()(0, 3, lambda i, v: v + 1, x)",
    "ops.select_scatter(x, v, 0, np.bool_(True))", "ops.aminmax(Tensor([1, 2**63], ms.uint64))",
    "nn.LeakyReLU(0.2)(Tensor([1, 2], ms.uint64))"]})
def test_layers_and_loops(text):
    return told((call, text))


@case(each={"text": [
    *[f"ops.{name}(n, np.{kind}(2))" for name in ("bitwise_and", "lcm", "truncate_div", "fmax", "hypot")
      for kind in ("int32", "uint32", "int64", "int8")],
    "n & np.int32(1)", "n & np.int64(1)", "n.bitwise_xor(np.uint32(1))", "n + np.int32(1)", "n // np.int32(2)",
    "ops.TruncateMod()(n, np.int32(2))", "ops.TruncateMod()(n, np.int64(2))", "ops.xdivy(n, np.int64(2))",
    "ops.xdivy(v, np.int64(2))", "ops.unique_with_pad(n, np.int32(0))", "ops.unique_with_pad(n, np.int64(0))",
    "mnp.float_power((1, 2, 3), v)", "mnp.float_power(v, [1.0, 2.0, 3.0])", "mnp.float_power(v, v)"]})
def test_integers_of_numpy_of_32_bits(text):
    return told((call, text))
