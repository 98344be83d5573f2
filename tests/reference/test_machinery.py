"""What programs and libraries reach into: scopes, contiguous memory, settings of other devices, files."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.common.file_system import (
    FileSystem,
    _register_basic_file_system,
    mindio_preload,
    set_mindio_server_info,
)
from mindspore.hal.contiguous_tensors_handle import combine_tensor_list_contiguous
from mindspore.train.serialization import init_ckpt_file_system

from tests.reference.judge import case
from tests.reference.test_mindrecord import said


def tensor(*values, kind=np.float32):
    return Tensor(np.array(values, kind))


@case
def test_scopes():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.SequentialCell(nn.ReLU()))
    before = net[0].get_scope(), net[0].cell_type
    net.generate_scope()
    net[0].update_cell_type("quant")
    return before, net[0].cell_type, [(name, cell.get_scope()) for name, cell in net.cells_and_names()]


@case
def test_methods_of_cells_that_do_nothing():
    net = nn.Dense(2, 2)
    return net.cast_inputs([tensor(1)], ms.float16), net.remove_redundant_parameters()


@case
def test_hooks_on_what_a_cell_saves():
    class Squared(nn.Cell):
        def construct(self, x):
            return x * x

    seen, net = [], Squared()
    net.register_saved_tensors_hooks(lambda x: seen.append("packed") or x, lambda x: x * 2)
    return ms.grad(net)(tensor(1.5, 2)), sorted(set(seen))


def handle():
    x, y = tensor(1, 2, 3), tensor(4, 5, 6, 7, 8)
    return x, combine_tensor_list_contiguous([x, y])


@case
def test_tensors_in_one_memory():
    x, whole = handle()
    x[0] = 100.0
    return (whole[0], whole[1:3], whole[7], whole[::2], whole.slice_by_tensor_index(0, 1),
            whole.slice_by_tensor_index(1), whole.slice_by_tensor_index(), str(whole), whole.total_padding_size,
            whole.handle_shape, whole.before_padding_sizes, whole.after_padding_sizes)


@case(raises=True, each={"what": [
    "index", "part", "kind", "part-kind", "order", "no-list", "no-tensor", "empty", "align", "twice"]})
def test_tensors_in_one_memory_refuse(what):
    x, whole = handle()
    return {
        "index": lambda: whole[9], "part": lambda: whole[0:9], "kind": lambda: whole["a"],
        "part-kind": lambda: whole[0:"a"], "order": lambda: whole.slice_by_tensor_index(2, 1),
        "no-list": lambda: combine_tensor_list_contiguous(3), "empty": lambda: combine_tensor_list_contiguous([]),
        "no-tensor": lambda: combine_tensor_list_contiguous([3]), "align": lambda: combine_tensor_list_contiguous(
            [x], 1), "twice": lambda: combine_tensor_list_contiguous([x, x])}[what]()


@case
def test_operators_of_assignments():
    return (ops.augassign_add(tensor(1, 2), 1), ops.augassign_sub(tensor(1, 2), tensor(1, 1)),
            ops.augassign_mul(2, 3), ops.augassign_div(4, 2), ops.augassign_floordiv(5, 2),
            ops.augassign_mod(5, 3), ops.augassign_add((1,), (2,)), ops.augassign_add("a", "b"),
            ops.hyper_add((tensor(1), (tensor(2),)), [tensor(3), (tensor(4),)]), ops.hyper_add([tensor(1)], [tensor(2)]),
            ops.HyperMap()(ops.add, [tensor(1)], [tensor(2)]), ops.Map()(ops.add, [tensor(1)], [tensor(2)]))


ASCEND, GPU = ms.device_context.ascend, ms.device_context.gpu
SETTINGS = {
    "precision": lambda: ASCEND.op_precision.precision_mode("must_keep_origin_dtype"),
    "precision-file": lambda: ASCEND.op_precision.op_precision_mode("a.ini"),
    "matmul-hf32": lambda: ASCEND.op_precision.matmul_allow_hf32(True),
    "conv-hf32": lambda: ASCEND.op_precision.conv_allow_hf32(True),
    "timeout": lambda: ASCEND.op_debug.execute_timeout(30), "debug": lambda: ASCEND.op_debug.debug_option("oom"),
    "compile": lambda: ASCEND.op_tuning.op_compile(True), "tune": lambda: ASCEND.op_tuning.aoe_tune_mode("online"),
    "job": lambda: ASCEND.op_tuning.aoe_job_type("1"), "cache": lambda: ASCEND.op_tuning.aclnn_cache(True),
    "tf32": lambda: GPU.op_precision.matmul_allow_tf32(False), "conv": lambda: GPU.op_tuning.conv_fprop_algo("normal"),
    "precision-kind": lambda: ASCEND.op_precision.op_precision_mode(3),
    "timeout-kind": lambda: ASCEND.op_debug.execute_timeout("x"),
    "tf32-kind": lambda: GPU.op_precision.matmul_allow_tf32(1), "ascend": lambda: ASCEND.is_available(),
    "ascend-count": lambda: ASCEND.device_count(), "threads": lambda: ms.device_context.cpu.op_tuning.threads_num(0),
    "preload": lambda: mindio_preload("x"), "preload-kind": lambda: mindio_preload(1),
    "server": lambda: set_mindio_server_info(), "server-size": lambda: set_mindio_server_info(0),
}


@case(each={"name": list(SETTINGS)})
def test_settings_of_other_devices(name):
    return said(SETTINGS[name])


@case
def test_file_system():
    files = FileSystem()
    files.backend, files.create = "x", None
    init_ckpt_file_system(files)
    return files.create is open, files.open is open, files.create_args, files.open_args, FileSystem().backend


@case
def test_ordinary_files_again():
    files = FileSystem()
    files.create, files.create_args, files.open_args = None, (), ()
    return (_register_basic_file_system(files), files.create is open, files.create_args, files.open_args,
            files.backend)


@case
def test_symbols_as_dicts():
    return (ms.Symbol().to_dict(), ms.Symbol(max=8, min=2, divisor=4, remainder=2).to_dict(),
            sorted(ms.Symbol(unique=True).to_dict()))
