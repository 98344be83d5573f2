"""``mindspore.profiler`` over torch.profiler: what is recorded, and where it goes."""

import json

import pytest

import ms2torch as ms
from ms2torch import Tensor, profiler


def traces(folder):
    return [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]


def names(trace):
    return {event.get("name") for event in trace["traceEvents"]}


def test_a_schedule_gives_a_trace_of_the_active_steps(tmp_path):
    x, seen = Tensor([[1.0, 2.0]]), []
    handler = profiler.tensorboard_trace_handler(str(tmp_path))

    def ready(running):
        seen.append(step)
        handler(running)

    schedule = profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    activities = [profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU]
    with profiler.profile(activities=activities, schedule=schedule, on_trace_ready=ready) as running:
        for step in range(6):  # noqa: B007
            ms.ops.matmul(x, x.T)
            running.step()
    (trace,) = traces(tmp_path)
    assert seen == [3] and "aten::matmul" in names(trace)
    assert {"ProfilerStep#2", "ProfilerStep#3"} <= names(trace) and "ProfilerStep#1" not in names(trace)


def test_ranges_and_facts_of_a_program_are_in_the_trace(tmp_path):
    running = profiler.profile(
        start_profile=False, on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path))
    )
    running.start()
    number = profiler.mstx.range_start("my range")
    profiler.mstx.mark("my mark")
    profiler.mstx.range_end(number)
    profiler.mstx.range_end(number)
    running.add_metadata("author", "me")
    running.stop()
    (trace,) = traces(tmp_path)
    assert {"my range", "my mark"} <= names(trace) and trace["author"] == "me"


def test_options_for_other_hardware_are_kept():
    config = profiler._ExperimentalConfig(profiler_level=profiler.ProfilerLevel.Level1, export_type=["db"])
    assert (config.profiler_level, config.export_type, config.l2_cache) == (
        profiler.ProfilerLevel.Level1,
        ["db"],
        False,
    )


def test_what_is_no_model_is_left_alone_and_what_is_no_network_told():
    model = object()
    assert ms.ConvertModelUtils.convert_to_thor_model(model, None) is model
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'update_cell_prefix'"):
        ms.train.ConvertNetUtils().convert_to_thor_net(None)
    with ms.nn.no_init_parameters():
        assert ms.nn.Dense(2, 3).weight.shape == (3, 2)
