"""What mindspore.numpy says of arguments that numpy would take, and what it takes that numpy would not."""

from tests.reference.judge import case
from tests.reference.test_given_twice_and_numpy_kinds import call
from tests.reference.test_wrong_calls import told

F = "Tensor([[1.0, 2.0, 5.0], [1.0, 2.0, 4.0]])"
I = "Tensor([[0, 1], [1, 0]], ms.int32)"


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
