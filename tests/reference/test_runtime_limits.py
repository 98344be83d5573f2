"""Limits, pools and detectors of Ascend chips, which change nothing on a CPU."""

import mindspore as ms
from mindspore import nn

from tests.reference.judge import case


@case()
def test_what_is_accepted():
    stream = ms.runtime.Stream()
    return [ms.runtime.set_device_limit(0, 2, 2), ms.runtime.set_stream_limit(stream, 2, 2),
             ms.runtime.reset_stream_limit(stream), ms.runtime.MemPool(3).allocator, stream.stream_id(),
             ms.utils.sdc_detect_start(), ms.utils.sdc_detect_stop(), ms.utils.get_sdc_detect_result(),
             ms.set_dump(nn.Dense(2, 3)), sorted(ms.runtime.get_stream_limit(stream)),
             ms.runtime.StreamLimitCtx(stream, 1, 2).vector_num]


@case(each={"name": ["set_stream_limit", "get_stream_limit", "reset_stream_limit", "StreamLimitCtx", "MemPool",
                     "set_device_limit"]}, raises=True)
def test_what_is_refused(name):
    function = getattr(ms.runtime, name)
    return function() if name in ("MemPool", "set_device_limit") else function(3)


@case(each={"args": [(5,), (None, True), ("add", 3)]}, raises=True)
def test_what_cannot_be_dumped(args):
    return ms.set_dump(*args) if args[0] != "add" else ms.set_dump(ms.ops.Add(), args[1])


@case(raises=True)
def test_an_allocator_without_a_library():
    return ms.runtime.PluggableAllocator("no_such_library.so", "take", "give")


@case(raises=True)
def test_stress():
    return ms.utils.stress_detect()


class Dumped(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.add, self.relu = nn.Dense(2, 3), ms.ops.Add(), ms.ops.ReLU()


@case
def test_what_is_to_be_dumped_is_noted():
    net, found = Dumped(), []
    for target, enabled in ((net.relu, True), (net, True), (net.dense, False), (net, False)):
        ms.set_dump(target, enabled)
        found.append((net.get_flags().get("dump"), net.dense.get_flags().get("dump"), net.add.attrs.get("dump"),
                      net.relu.attrs.get("dump")))
    return found


@case
def test_other_paths_of_tests_of_chips():
    from mindspore.common.file_system import FileSystem, _init_mindio, _register_mindio_file_system
    from mindspore.tools import sdc_detect_start, set_dump, stress_detect
    from mindspore.tools.data_dump import set_dump as dump
    from mindspore.tools.stress_detect import stress_detect as detect

    return (stress_detect("x"), detect(1), ms.utils.stress_detect("AIC"), sdc_detect_start(), dump is set_dump,
            _init_mindio(), _register_mindio_file_system(FileSystem()))
