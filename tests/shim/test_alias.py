"""``install``: mindspore's modules are ms2torch's own module objects, until ``uninstall``."""

import importlib
import os
import sys
import types

import numpy as np
import pytest

import ms2torch
from ms2torch._core import errors, mode
from ms2torch.shim import alias


@pytest.fixture
def installed():
    was = alias._Finder in sys.meta_path
    ms2torch.install()
    yield
    if not was:
        ms2torch.uninstall()


@pytest.fixture
def removed():
    was = alias._Finder in sys.meta_path
    ms2torch.uninstall()
    yield
    ms2torch.uninstall()
    if was:
        ms2torch.install()


def test_every_spelling_gives_the_same_module(installed):
    import mindspore
    import mindspore.common.parameter as parameter
    import mindspore.nn as nn
    from mindspore import context

    assert mindspore is ms2torch
    assert nn is ms2torch.nn
    assert parameter is ms2torch.common.parameter
    assert context is ms2torch.context
    assert (
        importlib.import_module("mindspore.rewrite.api.symbol_tree")
        is sys.modules["ms2torch.rewrite.api.symbol_tree"]
    )


def test_modules_keep_their_own_spec(installed):
    import mindspore.nn.cell

    assert mindspore.nn.cell.__spec__.name == "ms2torch.nn.cell"
    assert mindspore.nn.__spec__.parent == mindspore.nn.__package__ == "ms2torch.nn"


def test_installing_twice_is_installing_once(removed):
    before = list(sys.meta_path)
    ms2torch.install()
    ms2torch.install()
    assert sys.meta_path.count(alias._Finder) == 1
    ms2torch.uninstall()
    assert sys.meta_path == before
    assert not [n for n in sys.modules if n.split(".")[0] == "mindspore"]
    ms2torch.uninstall()


def test_uninstall_gives_back_what_was_imported_before(removed):
    real = sys.modules["mindspore"] = types.ModuleType("mindspore")
    ms2torch.install()
    import mindspore

    assert mindspore is ms2torch
    ms2torch.uninstall()
    assert sys.modules.pop("mindspore") is real


def test_printing_shows_what_runs(installed):
    import mindspore

    shown = repr(mindspore)
    assert shown.startswith("<module 'mindspore' is ms2torch ")
    assert "API 2.10" in shown
    assert "device " in shown


def test_a_path_that_never_was_is_an_import_error(installed):
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'mindspore\.nothing'"):
        import mindspore.nothing  # noqa: F401


def test_the_real_one_beside_it_is_mentioned_once(removed, tmp_path, monkeypatch, capsys):
    (tmp_path / "mindspore").mkdir()
    (tmp_path / "mindspore" / "__init__.py").write_text("raise RuntimeError('the real one was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(errors, "_given", set())
    for _ in range(2):
        ms2torch.install()
        importlib.import_module("mindspore")
        ms2torch.uninstall()
    assert capsys.readouterr().err == (
        "[ms2torch] mindspore itself is installed here too; this program uses ms2torch instead.\n"
    )


def test_api_sets_generation_version_and_default_mode(removed, monkeypatch):
    monkeypatch.setattr(mode, "graph", False)
    ms2torch.install(api="1.5")
    assert ms2torch.__version__ == ms2torch.version.__version__ == "1.5.0"
    assert ms2torch.get_context("mode") == ms2torch.GRAPH_MODE
    with pytest.raises(ValueError, match=r"API generations run from 1.0 to 2.10, but got '0.7'"):
        ms2torch.install(api="0.7")


def test_inherit_sets_and_uninstall_clears_the_environment(removed, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.delenv("MS2TORCH_INSTALL", raising=False)
    ms2torch.install(inherit=True)
    assert os.environ["MS2TORCH_INSTALL"] == "1"
    assert os.environ["PYTHONPATH"].split(os.pathsep) == [str(alias.SITE), "/somewhere"]
    ms2torch.uninstall()
    assert "MS2TORCH_INSTALL" not in os.environ
    assert os.environ["PYTHONPATH"] == "/somewhere"


def test_numpys_removed_aliases_answer_with_one_notice_each(installed, monkeypatch, capsys):
    monkeypatch.setattr(errors, "_given", set())
    for _ in range(2):
        assert np.int is int
        assert np.object is object
        assert np.zeros(2, np.float).dtype == np.float64
    given = capsys.readouterr().err.splitlines()
    assert len(given) == 3
    assert given[0].startswith("[ms2torch] np.int is gone from numpy ")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        np.nothing  # noqa: B018


def test_libraries_hear_numpys_own_answer(installed):
    code = compile("hasattr(np, 'int')", os.path.join(os.path.dirname(os.__file__), "lib.py"), "eval")
    assert eval(code, {"np": np}) is False


def test_uninstall_takes_numpys_aliases_away(removed):
    ms2torch.install()
    assert np.int is int
    ms2torch.uninstall()
    assert not hasattr(np, "int")


def test_moxing_copies_local_files_with_a_notice(installed, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(errors, "_given", set())
    monkeypatch.delitem(sys.modules, "moxing", raising=False)
    import moxing as mox

    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x").write_text("1")
    mox.file.copy_parallel(str(tmp_path / "a"), str(tmp_path / "c"))
    mox.file.copy_parallel(src_url=str(tmp_path / "a"), dst_url=str(tmp_path / "c"))
    assert mox.file.read(str(tmp_path / "c" / "b" / "x")) == "1"
    assert mox.file.exists(str(tmp_path / "c"))
    assert mox.file.list_directory(str(tmp_path / "c"), recursive=True) == ["b", os.path.join("b", "x")]
    with mox.file.File(str(tmp_path / "new"), "w") as file:
        file.write("2")
    assert mox.file.get_size(str(tmp_path / "new")) == 1
    with pytest.raises(FileNotFoundError, match="--map-path obs://bucket=FOLDER"):
        mox.file.exists("obs://bucket/data")
    assert capsys.readouterr().err.count("moxing is not installed") == 1


def test_the_alias_is_an_installed_package_with_the_version_of_its_generation(installed):
    from importlib import metadata

    assert metadata.version("mindspore") == "2.10.0"
    assert metadata.distribution("mindspore").metadata["Name"] == "mindspore"
    assert metadata.version("numpy") == np.__version__
    assert sum(d.metadata["Name"] == "mindspore" for d in metadata.distributions(name="mindspore")) == 1


def test_without_the_alias_no_package_is_called_mindspore(removed):
    from importlib import metadata

    with pytest.raises(metadata.PackageNotFoundError):
        metadata.version("mindspore")


def test_what_packages_take_from_private_modules():
    import ms2torch.dataset.transforms as transforms
    import ms2torch.dataset.vision as vision
    from ms2torch._c_expression import MSContext
    from ms2torch._naming.surface import Missing

    assert MSContext.get_instance().get_ascend_soc_version() == ""  # MindSpore 2.10 without an Ascend chip
    walked = {*dir(vision.transforms), *dir(transforms.transforms)}
    assert not [n for n in walked if isinstance(getattr(vision.transforms, n, None), Missing)]
    assert not isinstance(ms2torch.Tensor(1.0), ms2torch.common._stub_tensor.StubTensor)


def test_importing_a_module_leaves_the_function_of_its_name_in_the_package(removed):
    ms2torch.install()
    import mindspore
    from mindspore.scipy.optimize.linear_sum_assignment import linear_sum_assignment

    assert mindspore.scipy.optimize.linear_sum_assignment is linear_sum_assignment


def test_a_function_with_its_own_gradient_can_be_derived_and_applied():
    class Ring(ms2torch.common._Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 7

    assert float(Ring.apply(ms2torch.Tensor(1.5))) == 3.0
    assert float(ms2torch.grad(Ring.apply)(ms2torch.Tensor(1.5))) == 7.0


def test_every_cell_casts_as_before_2_10():
    cell = ms2torch.nn.Cell()
    assert cell.cast(ms2torch.Tensor(1.5), ms2torch.int32).dtype == ms2torch.int32
    cell.cast = "own"
    assert cell.cast == "own"
