"""Python's sequences as operators of ``mindspore.ops.operations._sequence_ops``."""
import mindspore as ms
from mindspore.ops.operations import _sequence_ops as q

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
