"""Small private paths: cell_attr_register, the log, dtype kinds, the profiler."""

import io
import json
import logging
import os
import re
import subprocess
import sys
from typing import Union
from unittest import mock

import numpy as np
import pytest
import torch

import ms2torch
from ms2torch import log
from ms2torch._c_expression import typing
from ms2torch._extends import cell_attr_register
from ms2torch.train import serialization


def test_cell_attr_register_keeps_arguments_or_attributes():
    # The strings are what MindSpore 2.10 gives for these classes.
    class Net(ms2torch.nn.Cell):
        @cell_attr_register
        def __init__(self, a, b=2):
            super().__init__()

    class Named(ms2torch.nn.Cell):
        @cell_attr_register(attrs=["kept", "lost"])
        def __init__(self, a):
            super().__init__()
            self.kept = a

    assert Net(1, b=5).cell_init_args == "Netdict_values([1, 5])"
    assert Net(1).cell_init_args == "Netdict_values([1])"
    assert Named(3).cell_init_args == "Named[3]"


def test_objects_are_shown_under_mindspores_names(tmp_path):
    # What MindSpore 2.10 prints of them, but for the number.
    from ms2torch import dataset, nn, ops, train

    shown = [repr(x).partition(" object at 0x")[0] for x in (
        ms2torch.Model(nn.ReLU()), train.Accuracy(), ops.GradOperation(), dataset.vision.Resize(3),
        dataset.NumpySlicesDataset([1, 2]), ms2torch.common.initializer.Zero(),
        ms2torch.SummaryLandscape(str(tmp_path)))]
    assert shown == [
        "<mindspore.train.model.Model", "<mindspore.train.metrics.accuracy.Accuracy",
        "<mindspore.ops.composite.base.GradOperation", "<mindspore.dataset.vision.transforms.Resize",
        "<mindspore.dataset.engine.datasets_user_defined.NumpySlicesDataset",
        "<mindspore.common.initializer.Zero",
        "<mindspore.train.callback._landscape.SummaryLandscape"]


def test_dtype_kinds_as_mindspore_has_them():
    kinds = (typing.Bool, typing.Int, typing.UInt, typing.Float, typing.BFloat, typing.Complex, typing.Number)
    found = {
        str(d): [k.__name__ for k in kinds if isinstance(d, k)]
        for d in (
            ms2torch.bool_,
            ms2torch.int8,
            ms2torch.uint8,
            ms2torch.float16,
            ms2torch.bfloat16,
            ms2torch.complex64,
        )
    }
    assert found == {
        "Bool": ["Bool", "Number"],
        "Int8": ["Int", "Number"],
        "UInt8": ["UInt", "Number"],
        "Float16": ["Float", "Number"],
        "BFloat16": ["BFloat", "Number"],
        "Complex64": ["Complex", "Number"],
    }
    assert not isinstance("Float32", typing.Float)


@pytest.fixture
def written(monkeypatch):
    monkeypatch.setattr(log, "_ready", False)
    monkeypatch.setattr(log, "_config", {"GLOG_v": "2", "GLOG_logtostderr": "1"})
    logging.getLogger("MindSpore").handlers.clear()
    logger = log._get_logger()
    stream = logger.handlers[0].stream = io.StringIO()
    yield stream
    logger.handlers.clear()


def test_log_lines_have_mindspores_form_and_level(written):
    log.info("too quiet")
    log.warning("hi %s", 3)
    form = (
        r"\[WARNING\] ME\(\d+:\d+,MainProcess\):\d{4}(-\d\d){2}-\d\d:\d\d:\d\d\.\d{1,3}\.\d{0,3} "
        r"\[/.*test_private_names\.py:\d+\] hi 3\n"
    )
    assert re.fullmatch(form, written.getvalue())
    assert log.get_level() == "2"
    assert log.get_log_config() == {"GLOG_v": "2", "GLOG_logtostderr": "1"}


def test_log_goes_to_files_as_the_environment_says(tmp_path, monkeypatch):
    for name, text in {"v": 1, "logtostderr": 0, "log_dir": tmp_path, "stderrthreshold": 3}.items():
        monkeypatch.setenv(f"GLOG_{name}", str(text))
    monkeypatch.setenv("RANK_ID", "4")
    config = log._configuration()
    assert config == {  # what MindSpore 2.10 has there
        "GLOG_v": "1",
        "GLOG_logtostderr": "0",
        "GLOG_log_dir": str(tmp_path / "rank_4" / "logs"),
        "logger_maxBytes": 52428800,
        "logger_backupCount": 30,
        "GLOG_stderrthreshold": "3",
    }
    monkeypatch.setattr(log, "_config", config)
    terminal, file = log._handlers()
    assert terminal.level == logging.ERROR
    assert file.baseFilename == str(tmp_path / "rank_4" / "logs" / f"mindspore.log.{os.getpid()}")


@pytest.mark.parametrize("given", ["v=9", "stderrthreshold=x", "logtostderr=0", "logtostderr=7"])
def test_a_log_configured_wrongly_is_refused(given, monkeypatch):
    name, _, text = given.partition("=")
    monkeypatch.setenv(f"GLOG_{name}", text)
    with pytest.raises(ValueError, match=r"Incorrect|must be set"):
        log._configuration()


def test_log_action_once_silences_the_second_warning(written):
    @log._LogActionOnce(logger=log, key="a test")
    def warns():
        log.warning("heard once")

    warns()
    warns()
    assert written.getvalue().count("heard once") == 1


def test_profiler_writes_a_trace(tmp_path, capfd):
    profiler = ms2torch.Profiler(output_path=str(tmp_path), is_detail=True)
    torch.ones(2) + 1
    profiler.analyse()
    profiler.analyse()
    assert json.loads((tmp_path / "ms2torch_trace.json").read_text())["traceEvents"]
    with pytest.raises(RuntimeError, match="has not started"):
        profiler.stop()


def test_run_check_says_that_it_computes(capsys):
    ms2torch.run_check()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"MindSpore version:  {ms2torch.__version__}"
    assert lines[1].startswith(
        "The result of multiplication calculation is correct, MindSpore has been installed on "
    )


def test_names_of_checkpoints(tmp_path):
    """As MindSpore 2.10.0 has them."""
    from ms2torch.train import serialization
    from ms2torch.train._utils import _make_directory

    assert serialization.tensor_to_ms_type["BFloat16"] is ms2torch.bfloat16
    assert serialization.tensor_to_np_type("Int8") is np.int8
    assert serialization.tensor_to_np_type("str") == "U"
    target = ms2torch.Parameter(ms2torch.Tensor([1.0, 2.0]), name="w")
    serialization._update_param(target, ms2torch.Parameter(ms2torch.Tensor([3.0, 4.0])), False)
    assert target.asnumpy().tolist() == [3.0, 4.0]
    assert _make_directory(str(tmp_path / "a" / "b")) == str((tmp_path / "a" / "b").resolve())
    with pytest.raises(TypeError, match="the type should be string"):
        _make_directory(3)
    with pytest.raises(ValueError, match="it should be non-blank"):
        _make_directory(" ")


def test_names_kept_for_libraries():
    """What is imported or derived from at module level; the pairs are those of MindSpore 2.10."""
    from ms2torch import DeviceCtx, Tensor, float32, ops, rewrite
    from ms2torch._c_expression import ParamInfo
    from ms2torch.common.recompute import _RecomputeCell
    from ms2torch.common.tensor import COOTensor, _TensorMeta

    assert COOTensor is ms2torch.COOTensor and issubclass(_TensorMeta, type) and ParamInfo().requires_grad
    assert ops.DataType.F16_5HD == ("float16", "NC1HWC0")
    assert ops.DataType.I8_Default_List == ("int8", "DefaultFormat", "list")
    info = ops.CustomRegOp("k").input(0, "x").output(0, "y").target("CPU").get_op_info()
    assert info["inputs"] == [{"index": 0, "name": "x", "paramType": "required"}] and info["target"] == "CPU"
    x = Tensor([1.0, 2.0])
    out = ops.PyFunc(lambda a, b: a + b, [x.dtype] * 2, [x.shape] * 2, [float32], [x.shape])((x, x))
    assert out[0].asnumpy().tolist() == [2, 4] and ops.move_to(x).asnumpy().tolist() == [1, 2]
    with DeviceCtx("CPU", 0) as chosen:
        assert chosen.device_id == 0
    dense = ms2torch.nn.Dense(2, 1)
    assert (_RecomputeCell(dense)(x[None]) == dense(x[None])).all()

    from ms2torch.common._register_for_recompute import recompute_registry

    assert (recompute_registry.get()(dense)(x[None]) == dense(x[None])).all()
    rewrite.common.namespace._subtree_black_list.append(ms2torch.nn.Dense)
    ms2torch.common.api.set_adapter_config({"Tensor": Tensor})

    class Pass(rewrite.PatternEngine):
        pass

    assert Union[str, rewrite.Node] is not None and (rewrite.Node | None) is not None  # noqa: UP007
    assert Pass([ms2torch.nn.ReLU]).pattern().type() is ms2torch.nn.ReLU


def test_pictures_are_there_once_mindspore_is():
    """MindSpore 2.10 imports ``PIL.Image``, so that programs find it after ``import PIL`` alone."""
    code = "import ms2torch; ms2torch.install(); import mindspore, PIL; print(PIL.Image.Image.__name__)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["Image"]


def test_parameters_of_a_librarys_own():
    """A Tensor with the core's ParamInfo is a weight; 13, 4 and 6 are MindSpore 2.10's."""
    from ms2torch._c_expression import ParamInfo, _empty_instance, pyboost_empty
    from ms2torch.common.api import _pynative_executor as executor

    class Weight(ms2torch.Tensor):
        def __init__(self, data):
            super().__init__(data)
            self.param_info, self.requires_grad = ParamInfo(), True

    w, x = Weight(ms2torch.Tensor([2.0, 3.0])), ms2torch.Tensor([1.0, 1.0])

    def loss(x):
        return (w * w * x).sum()

    value, gradient = ms2torch.value_and_grad(loss, None, w)(x)
    assert value == 13 and gradient.asnumpy().tolist() == [4, 6]
    executor.new_graph(loss, x)
    executor.end_graph(loss, loss(x), x)
    (gradient,) = executor.grad(loss, ms2torch.ops.GradOperation(False, True), [w], None, x)
    assert gradient.asnumpy().tolist() == [4, 6] and executor()[0] is gradient
    executor.set_async_for_graph(True)      # (as MindFormers does before it chooses a token)
    made = pyboost_empty([(2, 3), ms2torch.float32, None]), _empty_instance((2, 3), dtype=ms2torch.float32)
    assert [t._shape for t in made] == [(2, 3)] * 2
    bias = ms2torch.nn.Dense(2, 2).bias
    bias.data.set_data(ms2torch.Tensor([5.0, 6.0]))  # what MindSpore 2.7 has
    assert bias.asnumpy().tolist() == [5, 6]


def test_a_missing_name_can_be_patched():
    ms2torch.install()
    try:
        with mock.patch("mindspore.train.serialization._get_merged_param_data") as merged:
            serialization._get_merged_param_data(1)
    finally:
        ms2torch.uninstall()
    merged.assert_called_once_with(1)
