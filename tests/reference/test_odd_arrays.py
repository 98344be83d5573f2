"""What mindspore.numpy, scipy and mint say of arguments that numpy would take, and what they take that numpy would
not."""

from mindspore import dataset, mint, scipy

from tests.reference.judge import case
from tests.reference.test_given_twice_and_numpy_kinds import NAMES
from tests.reference.test_wrong_calls import told

NAMES = {**NAMES, "mint": mint, "scipy": scipy, "dataset": dataset}
F = "Tensor([[1.0, 2.0, 5.0], [1.0, 2.0, 4.0]])"
I = "Tensor([[0, 1], [1, 0]], ms.int32)"


def call(text):
    return eval(text, NAMES)


@case(each={"text": [
    f"mnp.apply_over_axes(mnp.sum, {F}, [True])", f"mnp.apply_over_axes(mnp.amax, {F}, [True])",
    f"mnp.apply_over_axes(mnp.sum, {F}, True)", f"mnp.apply_over_axes(mnp.sum, {F}, [-1])",
    f"mnp.apply_over_axes(mnp.amax, {F}, ((0, 1),))", f"mnp.apply_over_axes(mnp.sum, {F}, np.array([0, 1]))",
    f"mnp.apply_over_axes(mnp.sum, {F}, Tensor([0, 1]))", f"mnp.average({F}, axis=())",
    f"mnp.gradient({F}, axis=())", f"mnp.gradient({F}, axis=range(2))", f"mnp.gradient({F}, axis=(np.int64(1),))",
    f"mnp.gradient({F}, axis=(Tensor(1),))", f"mnp.gradient({F}, axis=[1, 0])", f"mnp.gradient({F}, axis=5)",
    f"mnp.concatenate(({F}, {F}), 32)", f"mnp.concatenate(({F}, {F}), 3)"]})
def test_axes(text):
    return told((call, text))


@case(each={"text": [
    f"mnp.average({F}, axis=0, weights=(1.0, 2.0))", f"mnp.average({F}, axis=(0,), weights=Tensor([1.0, 2.0]))",
    f"mnp.average({F}, axis=(0, 1), weights=Tensor([1.0, 2.0]))",
    "mnp.average(Tensor([True, False]), weights=Tensor([1.0, 2.0]))", "mnp.average(Tensor([True, False]))",
    "mnp.cov((Tensor(1),))", "mnp.cov([1, 2], [Tensor(3), Tensor(4)])", "mnp.cov([[1, 2], [3, 4]])",
    "mnp.corrcoef((Tensor(1),))", "mnp.corrcoef([Tensor([1.0, 2.0]), Tensor([1.0, 4.0])])",
    "mnp.corrcoef(Tensor([[1.0, 2.0]]), dtype=ms.float16)",
    f"mnp.choose({I}, b'ab')", f"mnp.choose({I}, {{1, 2}})", f"mnp.choose({I}, range(2))",
    f"mnp.choose({I}, (Tensor(1),))", f"mnp.choose({I}, [Tensor(1), Tensor(2)])",
    "mnp.array([2**63])", "mnp.asfarray([2**63])", "mnp.array_equiv([Tensor([1.0, 2.0])], [1, 2])",
    "mnp.array_equiv([Tensor([1, 2])], [1, 2])", "mnp.square((Tensor(1),))",
    "mnp.correlate((Tensor(1),), Tensor([1.0, 2.0]))", "mnp.correlate((Tensor(1), 2), [1, 2])",
    "mnp.correlate(Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 2.0]), 'mean')",
    "mnp.ix_(Tensor([1, 2]), (1, 2))", "mnp.ix_(Tensor([1, 2]), Tensor([1, 2]))",
    "mnp.log1p(2**63)", "mnp.reciprocal(2**63)", "mnp.norm(2**63)",
    "mnp.dot(Tensor(2), Tensor([[1.0, 2.0]]))", "mnp.inner(Tensor([[1.0, 2.0]]), Tensor(2))",
    "mnp.dot(Tensor([2]), Tensor([1.0]))"]})
def test_operands(text):
    return told((call, text))


@case(each={"text": [
    "mnp.choose(1.5, i)", "mnp.choose(1, i)", "mnp.moveaxis(mnp.ones((2, 3, 4)), (), 0)",
    "mnp.moveaxis(mnp.ones((2, 3, 4)), (0, 1), (1, 2))", "mnp.rollaxis(mnp.ones((2, 3, 4)), (1, 2))",
    "mnp.size(x, (1,))", "mnp.size(x, 1)", "mnp.interp([1.0, 2.0], [[1.0, 2.0]], [[1.0, 2.0]])",
    "mnp.maximum((Tensor(1),), v)", "mnp.minimum(v, [Tensor(1.0), 2, 3])", "mnp.maximum([1, 2, 3], v)",
    "mnp.maximum([1, 2, 3], 2)", "mnp.tensordot(x, x, range(2))", "mnp.tensordot(x, x, 2)",
    "mnp.empty(np.int64(3)).shape", "mnp.empty(np.float32(3))",
    "mnp.arange(1, Tensor([4, 5]))", "mnp.arange(Tensor([4]))",
    *[f"mint.min(x, 1, keepdim={keep})" for keep in ("1", "()", "None", "True")],
    "mint.meshgrid(v, v, indexing='')", "mint.meshgrid(v, v, indexing=())", "mint.meshgrid(v, v)",
    "mint.index_add(v, 0, Tensor([0], ms.int32), Tensor([1.0]), alpha=float('nan'))",
    "mint.index_add(v, 0, Tensor([0], ms.int32), Tensor([1.0]), alpha=2)"]})
def test_axes_of_others_and_words(text):
    return told((call, text))


L = "Tensor([[1.0, 0.0], [1.0, 1.0]]), Tensor([1.0, 2.0])"


@case(each={"text": [
    *[f"scipy.linalg.solve_triangular({L}, lower={v})" for v in ("range(2)", "...", "nn.ReLU()", "True", "1")],
    *[f"scipy.linalg.solve_triangular({L}, lower=True, trans={v})" for v in ("np.float32(1)", "1.0", "np.array(1)", "1",
                                                                            "'T'")],
    "scipy.optimize.minimize(lambda x: (x**2).sum(), v, method='BFGS', options='').x.shape",
    "scipy.optimize.minimize(lambda x: (x**2).sum(), v, method='LBFGS', options=[]).x.shape",
    "scipy.optimize.minimize(lambda x: (x**2).sum(), v, method='BFGS', options={}).x.shape",
    "scipy.optimize.minimize(lambda x: (x**2).sum(), 'a', method='BFGS')",
    "scipy.optimize.minimize(lambda x: (x**2).sum(), [1.0], method='BFGS')", "scipy.linalg.block_diag(v, v, v, 1)",
    "ops.bartlett_window(Tensor(5), dtype=np.dtype('float32'))", "ops.blackman_window(Tensor(5), dtype=np.float32)",
    "ops.bartlett_window(Tensor(5), dtype=ms.float32)", "ops.nansum(v, dtype=np.dtype('float32'))",
    "ops.nansum(v, dtype=np.float16)", "ops.nanmean(v, dtype=np.dtype('float16'))",
    "scipy.optimize.line_search((1,), v, v)", "dataset.transforms.TypeCast(ms.float32)((1, (2,)))",
    "dataset.transforms.TypeCast(ms.float32)([[1], [2]]).tolist()"]})
def test_other_rooms(text):
    return told((call, text))


@case(each={"text": [
    *[f"mnp.{name}(Tensor([1.0, 2.0]), dtype=np.dtype('float32'))" for name in ("mean", "nanmean", "nansum", "nanmax",
                                                                              "nanvar", "cumprod", "cov")],
    "mnp.mean(Tensor([1.0, 2.0]), dtype=np.float16)", "mnp.arange(3, dtype=np.dtype('float32'))",
    "mnp.arange(3, dtype=np.float32)", "mnp.clip(Tensor([1.0, 5.0]), 2, 3, dtype=ms.int32)",
    "mnp.clip(Tensor([1, 5]), 1, 3, dtype=np.dtype('float32'))", "mnp.clip(Tensor([1, 5]), None, 3, dtype='wrong')"]})
def test_dtypes(text):
    return told((call, text))


@case(each={"text": [
    "mnp.repeat(Tensor([1, 2]), (np.int64(1),))", "ops.repeat_interleave(Tensor([1, 2]), (np.int64(1),))",
    "ops.repeat_interleave(Tensor([1, 2]), np.int64(2))", "mnp.repeat(Tensor([1, 2]), (1, 2))",
    "Tensor([1, 2]).repeat_interleave([np.int64(1), 2])",
    "mnp.ravel_multi_index({1, 2}, (3, 4))", "mnp.ravel_multi_index((1, (2,)), (3, 4))",
    "mnp.ravel_multi_index((np.array([1, 2]), np.array([1, 2])), (3, 4))",
    "mnp.ravel_multi_index(Tensor([[1, 2], [2, 1]]), (True, 4))",
    "mnp.ravel_multi_index(Tensor([[1, 2], [2, 1]]), Tensor([True, False]))",
    f"mnp.pad({F}, -1, mode='edge')", f"mnp.pad({F}, -1, mode='mean')", f"mnp.pad({F}, -1, mode='symmetric')",
    f"mnp.pad({F}, Tensor([1.0, 2.0]), mode='symmetric')", f"mnp.pad({F}, Tensor([1.0, 2.0]), mode='edge')",
    f"mnp.pad({F}, Tensor([1.0, 2.0]), mode='wrap')", f"mnp.pad({F}, Tensor([1, 2]), mode='edge')",
    "mnp.histogram2d(Tensor([1.0, 2.0, 3.0]), Tensor([1.0]))",
    "mnp.histogramdd((Tensor([1.0, 2.0]), Tensor([1.0, 2.0])), bins=((1.0,), (1.0, 2.0)))"]})
def test_counts_and_places(text):
    return told((call, text))
