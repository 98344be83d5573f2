"""``mint.distributed`` and ``comm_func`` on ranks, against mathematics and the real MindSpore's two ranks.

The real one (2.10.0, CPU, msrun) runs all_reduce, broadcast, all_gather and all_gather_object; its results
are asserted where the test says so.
"""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor
from ms2torch.communication import comm_func
from ms2torch.mint import distributed as dist
from ms2torch.shim.processes import free_port
from tests.distributed import mint_cases as cases

X = [np.arange(4, dtype=np.float32) + 10 * r for r in range(4)]
ZERO = np.zeros(4, np.float32)
INTS = Tensor(ZERO, ms.int32)
KINDS = "output_tensor type Int32 must be equal to input_tensor type Float32"


def test_in_place(together):
    a, b = X[:2]
    for rank, found in enumerate(together(cases.in_place, 2)):
        x = X[rank]
        assert found.pop("places") == (rank, 2, True, "hccl", [0, 1])
        expected = {
            "sum": [10, 12, 14, 16],        # as the real one gives
            "prod": a * b, "min": a, "max": b, "avg": (a + b) / 2,
            "async": a + b, "broadcast": b, "all_gather_into_tensor": [*a, *b],
            "all_gather": [a, b],           # as the real one gives
            "uneven gather": [a[0], b[0], b[1]], "reduce_scatter_tensor": np.split(a + b, 2)[rank],
            "uneven scatter": (a + b)[:1] if rank == 0 else (a + b)[1:],
            "reduce_scatter": np.split(b, 2)[rank], "scatter_tensor": np.split(b, 2)[rank],
            "scatter": np.split(a, 2)[rank], "gather_into_tensor": [*a, *b] if rank == 1 else np.zeros(8),
            "gather": [a, b] if rank == 0 else [ZERO, ZERO],
            "all_to_all": [a[:1], b[:1]] if rank == 0 else [a[1:3], b[1:3]],
            "all_to_all_single": [*np.split(a, 2)[rank], *np.split(b, 2)[rank]],
            "reduce": a + b if rank == 1 else a,    # as documented: the others keep theirs
        }
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value, err_msg=f"{name} on rank {rank}, {x}")


def test_messages_and_objects(together):
    for rank, found in enumerate(together(cases.messages, 2)):
        got, both, objects, gathered, shared, scattered, letters = found
        np.testing.assert_array_equal(got, X[1 - rank])
        np.testing.assert_array_equal(both, X[1 - rank])
        assert objects == [{"rank": 0}, {"rank": 1}]
        assert gathered == ([("r", 0), ("r", 1)] if rank == 1 else [None, None])
        assert (shared, scattered) == ([0, "a"], [["zero", "one"][rank]])
        assert letters == (["x", {"y": 1}] if rank == 1 else [None, None])


def test_groups(together):
    names = {0: "mccl_2_", 1: "mccl_2_"}
    for rank, found in enumerate(together(cases.groups, 4)):
        mine = [0, 2] if rank in (0, 2) else [1, 3]
        assert found[0].startswith(names[rank % 2])
        assert found[1:6] == (mine.index(rank), 2, mine[1], mine.index(rank), "mccl")
        np.testing.assert_array_equal(found[6], X[mine[0]] + X[mine[1]])
        assert found[7] is False


def test_a_group_s_name_is_the_real_one_s():
    dist.init_process_group()
    assert dist.new_group([0]) == "hccl_1_b6589fc6ab0dc82cf12099d1c2d40ab994e8410c"
    assert dist.new_group() == ms.communication.GlobalComm.WORLD_COMM_GROUP
    dist.destroy_process_group()


def test_processes_meet_at_an_address(together):
    for found in together(cases.by_address, 2, free_port()):
        np.testing.assert_array_equal(found, X[0] + X[1])


def test_functions_give_new_tensors(together):
    a, b = X[:2]
    for rank, found in enumerate(together(cases.functions, 2)):
        other = X[1 - rank]
        halves = [np.split(a, 2)[rank], np.split(b, 2)[rank]]
        expected = {
            "all_reduce": a + b, "max": b, "all_gather": [*a, *b],
            "reduce_scatter": np.split(a + b, 2)[rank], "async": a + b, "broadcast": b,
            "reduce": a + b if rank == 0 else [0], "scatter": np.split(b, 2)[rank],
            "gather": [*a, *b] if rank == 0 else [0], "irecv": other, "batch": other,
            "all_to_all 0": halves[0],
            "all_to_all 1": halves[1], "single": np.concatenate(halves), "gradient": 2 * (a + b),
        }
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value, err_msg=f"{name} on rank {rank}")


def test_alone_every_operation_is_its_own():
    x = Tensor(X[1])
    dist.all_reduce(x)
    out = Tensor(ZERO)
    dist.all_gather_into_tensor(out, x)
    np.testing.assert_array_equal(out.asnumpy(), X[1])
    gathered = [None]
    dist.all_gather_object(gathered, 3)
    assert gathered == [3]


@pytest.mark.parametrize(("call", "kind", "text"), [
    (lambda: dist.all_reduce(1), TypeError, "For all_reduce, the input tensor must be tensor"),
    (lambda: dist.all_reduce(Tensor([1.0]), 1), TypeError, "For all_reduce, the input op type must be str"),
    (lambda: dist.all_reduce(Tensor([1.0]), "mean"), TypeError,
     "For all_reduce, the input op value must be one of sum, prod, min, max, avg"),
    (lambda: dist.all_reduce(Tensor([1.0]), group=1), TypeError,
     "The argument 'group' must be type of string, but got 'group' type : <class 'int'>."),
    (lambda: dist.all_reduce(Tensor([1.0]), async_op=1), TypeError,
     "The argument 'async_op' must be a bool, but got <class 'int'>."),
    (lambda: comm_func.all_reduce(Tensor([1.0]), group=3), TypeError,
     'Failed calling InnerCommAllReduce with "InnerCommAllReduce()(input=Tensor, op_type=string, group=int, '
     'async_op=bool)". The valid calling should be: "InnerCommAllReduce()(input=<Tensor>, op_type=<string>, '
     'group=<string>, async_op=<bool>)".'),
    (lambda: comm_func.all_gather_into_tensor(Tensor([1.0]), async_op=3), TypeError,
     'Failed calling InnerCommAllGather with "InnerCommAllGather()(input=Tensor, rank_size=int, '
     'group=string, async_op=int)". The valid calling should be: "InnerCommAllGather()(input=<Tensor>, '
     'rank_size=<int>, group=<string>, async_op=<bool>)".'),
    (lambda: comm_func.reduce_scatter_tensor(Tensor([1.0]), group=None), TypeError,
     "For 'get_group_size', the argument 'group' must be type of string, but got 'group' type : "
     "<class 'NoneType'>."),
    (lambda: comm_func.all_to_all_single_with_output_shape(3, Tensor([1.0])), TypeError,
     "Expected tensor or tuple, but got <class 'int'>"),
    (lambda: dist.broadcast(Tensor([1.0]), "0"), TypeError, "For broadcast, the src must be int"),
    (lambda: dist.all_gather([], Tensor([1.0])), TypeError,
     "The argument list tensor len must be equal to group rank size, but got 0."),
    (lambda: dist.init_process_group("nccl"), ValueError,
     "Only support hccl now, please setting backend to hccl or using default value"),
    (lambda: dist.batch_isend_irecv([]), TypeError, "p2p_op_list can not be empty list."),
    (lambda: dist.new_group((0, 1)), TypeError, "ranks must be list, but got <class 'tuple'>"),
    (lambda: dist.send(Tensor([1.0]), 0), ValueError,
     "Invalid destination rank: destination rank should not be the same as the rank of the current process."),
    (lambda: dist.all_reduce(Tensor([1.0]), None), TypeError,
     "For all_reduce, the input op type must be str"),
    (lambda: dist.all_gather_into_tensor(Tensor([ZERO]), Tensor(ZERO)), ValueError,
     "For 'DistCommAllGatherIntoTensor', output_tensor shape size must be equal to 1, but got 2"),
    (lambda: dist.all_gather_into_tensor(INTS, Tensor(ZERO)), ValueError,
     f"For 'DistCommAllGatherIntoTensor', {KINDS}"),
    (lambda: dist.reduce_scatter_tensor(Tensor([ZERO[:3]]), Tensor([ZERO])), ValueError,
     "For 'DistCommReduceScatterTensor', output_tensor shape must be equal to [const vector]{1, 4}, but got "
     "[const vector]{1, 3}"),
    (lambda: dist.reduce_scatter_tensor(INTS, Tensor(ZERO)), ValueError,
     f"For 'DistCommReduceScatterTensor', {KINDS}"),
    (lambda: dist.all_to_all_single(INTS, Tensor(ZERO)), ValueError,
     f"For 'DistCommAllToAllVSingle', {KINDS}"),
    (lambda: dist.recv(Tensor([1.0]), 0), ValueError,
     "Invalid source rank: source rank should not be the same as the rank of the current process."),
])
def test_bad_arguments_in_the_real_ones_words(call, kind, text):
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == text


def test_a_tag_is_a_number(together):
    """In the words of the real one on two ranks (where DistCommIsend looks for its group first)."""
    sends = "input=Tensor, dst=int, group=string, tag=string"
    receives = "input=Tensor, tag=string, src=int, group=string"
    others = "tag=string, src=int, shape=Tuple<int>, group=string, dtype=mindspore.dtype"
    assert together(cases.tags, 2)[0] == [
        f'Failed calling {name} with "{name}()({said})".' for name, said in (
            ("DistCommIsend", sends), ("DistCommIrecv", receives), ("InnerCommIsend", sends),
            ("InnerCommIrecv", others))]
