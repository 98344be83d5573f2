"""Python's sequences as operators of ``mindspore.ops.operations._sequence_ops``."""
import mindspore as ms
from mindspore.ops.auto_generate import SequenceConcat
from mindspore.ops.function.clip_func import get_square_sum
from mindspore.ops.operations import _inner_ops, manually_defined
from mindspore.ops.operations import _sequence_ops as q
from mindspore.train._utils import _construct_tensor_list

from tests.reference.judge import case

x = ms.Tensor([1.0, 2.0])
CALLS = {
    "ListAppend": ([1, 2], 3),
    "ListToTensor": ([1, 2, 3], ms.float32),
    "SequenceAdd": ((1, 2), (3,)),
    "SequenceCount": ((1, 2, 1), 1),
    "SequenceIndex": ((1, 2, 1), 1, 0, 3),
    "SequenceMax": ((1, 2, 1),),
    "SequenceMin": ((1, 2, 1),),
    "SequenceMul": ((1, 2), 2),
    "SequenceSlice": ((1, 2, 3), 0, 2, 1),
    "SequenceZerosLike": ((1, 2.0, x),),
    "TensorToList": (x,),
    "TensorToTuple": (x,),
    "TupleToTensor": ((1.5, 2.0), ms.int32),
    "InSequence": (1, (1, 2)),
    "sequence_len": ((1, 2),),
    "tuple_equal": ((1, 2), (1, 2)),
    "tuple_lt": ((1, 2), (1, 3)),
}


@case(mode="BOTH", each={"name": list(CALLS)})
def test_on_python_sequences(name):
    return getattr(q, name)()(*CALLS[name])


@case(mode="GRAPH", each={"axis": [0, 1]})
def test_joined(axis):
    values = ms.mutable((ms.Tensor([[1, 2], [2, 3]]), ms.Tensor([[2, 3], [3, 4]])), True)
    return Of(SequenceConcat(axis=axis))(values)


@case(mode="GRAPH")
def test_offsets():
    return Of(q.SequenceAddOffset())(ms.mutable((1, 2, 3)), ms.mutable((4, 5)))


class Of(ms.nn.Cell):
    def __init__(self, made):
        super().__init__()
        self.made = made

    def construct(self, *values):
        return self.made(*values)


KINDS = ((([1], (1,), 1.0, 1, True, "a", x)), (ms.list_, ms.tuple_, ms.float_, ms.int_, ms.int32, ms.bool_, ms.string))


@case
def test_kinds():
    asks = _inner_ops.IsInstance()
    return [[asks(value, kind) for kind in KINDS[1]] for value in KINDS[0]]


@case
def test_the_truth_of_numbers():
    return [manually_defined.scalar_bool(one) for one in (0, 1, 2.5, 0.0)]


@case(each={"what": ["in place", "shape", "dtype"]})
def test_written_into(what):
    def run():
        target = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        source = {"in place": ms.Tensor([[5.0, 6.0], [7.0, 8.0]]), "shape": ms.Tensor([5.0, 6.0]),
                  "dtype": ms.Tensor([[5, 6], [7, 8]])}[what]
        _inner_ops.CopyWithSlice()(target, source)
        return target

    try:
        return run()
    except RuntimeError:
        return "refused"


@case
def test_zeros_for_a_dataset():
    return _construct_tensor_list([ms.float32, ms.int32], [(2, 3), ()], 2)


@case
def test_squares_added_up():
    return [get_square_sum(ms.Tensor(one, kind)) for one in ([1.0, 2.0], [[3.0]]) for kind in (ms.float32, ms.float16)]
