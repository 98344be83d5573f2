"""What MindSpore's compiled base class gives a Tensor beside its public names."""

import mindspore as ms
from mindspore import Parameter, Tensor

from tests.reference.judge import case, data


def tensor():
    return Tensor(data((2, 3)))


@case()
def test_attributes():
    x, parameter = tensor(), Parameter(tensor(), name="weight")
    named = ("_size _itemsize _nbytes _strides _is_leaf _output_index _requires_grad _retains_grad _version "
             "init_finished init_flag _grad _grad_node _dtensor_info index_of_parent_ parent_tensor_ symbolic_shape")
    flags = "requires_aggr _sliced _unique is_in_parallel is_default_input_init _requires_grad _inited_param _cast_type"
    return [getattr(x, name) for name in named.split()], [getattr(parameter, name) for name in flags.split()]


@case()
def test_methods():
    x, note = tensor(), [3]
    x._set_user_data("key", note)
    return (x._get_user_data("key")[0], x._get_user_data("other"), x._getitem(0), tensor()._setitem(0, 1), x.__req__(2.0),
            x._numpy_non_blocking(), x.hooks(), x.offload_file_path(), x._is_test_stub(), x._need_contiguous(),
            x.cauchy(0.5, 0.0), Tensor([1, 2], ms.int32).cauchy(3.5, 0.0), x.log_normal(0.5, 0.0))


@case()
def test_storage():
    storage = tensor()[1].storage()
    return (storage.nbytes(), storage.size(), len(storage), storage.element_size(), str(storage.dtype),
            storage.device, storage.is_shared())


@case()
def test_swapping():
    a, b = Parameter(Tensor([1.0, 2.0]), name="a"), Tensor([3])
    ms.swap_tensors(a, b)
    return a, b.name, b.requires_grad, b * 2, isinstance(a, Parameter), isinstance(b, Parameter)


@case(each={"name": ["cauchy", "log_normal"]}, raises=True)
def test_limits_are_floats(name):
    return getattr(tensor(), name)(1)


@case(raises=True)
def test_storage_has_no_elements():
    return tensor().untyped_storage()[0]


@case(raises=True)
def test_moved_to_a_dtype():
    return tensor().to_(ms.float16)
