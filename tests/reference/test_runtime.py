"""``mindspore.runtime`` and ``mindspore.hal`` on the CPU."""

import mindspore as ms

from tests.reference.judge import case


@case
def test_memory_of_the_cpu_is_zero_and_waiting_does_nothing():
    runtime, hal = ms.runtime, ms.hal
    asked = [
        runtime.memory_allocated(),
        runtime.max_memory_allocated(),
        runtime.memory_reserved(),
        runtime.max_memory_reserved(),
        runtime.empty_cache(),
        runtime.synchronize(),
        runtime.reset_peak_memory_stats(),
        runtime.reset_max_memory_allocated(),
    ]
    asked += [hal.memory_allocated(), hal.max_memory_reserved("CPU"), hal.empty_cache(), hal.synchronize()]
    return asked


@case
def test_one_cpu():
    return (
        ms.hal.is_available("CPU"),
        ms.hal.device_count(),
        ms.hal.device_count("CPU"),
        ms.hal.get_device_name(0),
    )


@case
def test_figures_of_the_cpu():
    runtime, hal = ms.runtime, ms.hal
    return (
        runtime.memory_stats(),
        hal.memory_stats(),
        runtime.memory_summary(),
        hal.memory_summary("CPU"),
        hal.get_device_capability(0),
        hal.get_device_properties(0),
        hal.get_arch_list(),
        runtime.communication_stream(),
        runtime.set_cur_stream(runtime.current_stream()),
        runtime.set_kernel_launch_group(),
        runtime.set_cpu_affinity(True, ["0-1"]),
    )


@case(each={"arguments": [
    ("x",), (None, 3), ([1],), (["a"],), (["1 - 2"],), (None, {"main": 0}), (None, {"main": [-1]})]}, raises=True)
def test_bad_cores(arguments):
    ms.runtime.set_cpu_affinity(True, *arguments)


@case(raises=True)
def test_bad_launch_group():
    ms.runtime.set_kernel_launch_group(3.5)


@case(
    each={
        "given": [
            {"wait": 1, "active": 2, "warmup": 1, "repeat": 1, "skip_first": 2},
            {"wait": -1, "active": 2},
            {"wait": 1, "active": 0},
            {"wait": "x", "active": 1},
            {"wait": 0, "active": 1, "repeat": -3},
        ]
    }
)
def test_schedule_of_the_profiler(given):
    schedule = ms.profiler.schedule(**given)
    return schedule.to_dict(), [schedule(step).name.replace("_", "").upper() for step in range(9)]


@case
def test_names_of_the_profiler():
    found = ms.profiler
    kinds = [
        found.ProfilerLevel,
        found.ProfilerActivity,
        found.AicoreMetrics,
        found.ExportType,
        found.HostSystem,
    ]
    return [[(member.name, member.value) for member in kind] for kind in kinds]
