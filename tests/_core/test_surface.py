"""Names that MindSpore has and ms2torch has not: importing works, using says what to do."""

import importlib
import inspect
import sys

import pytest

import ms2torch
from ms2torch._naming import surface
from ms2torch._naming.surface import Missing

# Unsupported by decision, so no release of ms2torch fills it and these tests keep their subject.
from ms2torch.rewrite import SparseFunc


def test_a_missing_name_imports_and_every_use_names_it():
    uses = [
        lambda: SparseFunc(),
        lambda: SparseFunc.create,
        lambda: isinstance(1, SparseFunc),
        lambda: issubclass(int, SparseFunc),
        lambda: list(SparseFunc),
        lambda: SparseFunc[0],
        lambda: SparseFunc == 1,
        lambda: SparseFunc + 1,
        lambda: bool(SparseFunc),
        lambda: len(SparseFunc),
        lambda: exec("class A(base): pass\nA()", {"base": SparseFunc}),
        lambda: exec("@base\ndef f(): pass", {"base": SparseFunc}),
        lambda: setattr(SparseFunc, "x", 1),
    ]
    for use in uses:
        with pytest.raises(
            NotImplementedError, match=r"^mindspore\.rewrite\.SparseFunc: not supported .* Instead: "
        ):
            use()


def test_a_missing_name_can_be_looked_at_without_use():
    assert "mindspore.rewrite.SparseFunc" in repr(SparseFunc)
    assert not hasattr(SparseFunc, "__wrapped__")
    assert not inspect.isclass(SparseFunc)
    assert {SparseFunc: 1}[SparseFunc] == 1


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("mindspore.rewrite.SparseFunc", "unsupported", "makes networks sparse"),
        ("mindspore.compression.quant.create_quant_config", "removed", "v1.1.0 to v1.10.0"),
        ("mindspore.dataset.GraphData", "removed", "v1.0.0 to v2.0.0"),
        ("mindspore.no_such_thing", "internal", "MindSpore, which does not document it"),
    ],
)
def test_status_says_unsupported_removed_or_internal(name, status, words):
    found, reason, _ = surface.status(name)
    assert found == status
    assert words in reason


def test_a_removed_name_points_to_its_namesake():
    assert (
        surface.status("mindspore.dataset.vision.c_transforms.Resize")[2]
        == "use mindspore.dataset.vision.Resize."
    )


def test_a_name_that_never_was_is_an_attribute_error_with_a_hint():
    with pytest.raises(
        AttributeError, match=r"module 'mindspore' has no attribute 'Tensr'. Did you mean: 'Tensor'\?"
    ):
        ms2torch.Tensr  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Tensr'"):
        from ms2torch import Tensr  # noqa: F401
    assert not hasattr(ms2torch, "qqqqqqqq")
    assert surface.nearest("concatt", {"Concat", "concat"}) == "concat"
    assert surface.nearest("Concatt", {"Concat", "concat"}) == "Concat"


def test_modules_that_mindspore_has_import_and_others_do_not():
    module = importlib.import_module("ms2torch.rewrite.sparsify.utils")
    assert isinstance(module.SparseFunc, Missing)
    removed = importlib.import_module("ms2torch.experimental.llm_boost.register")
    assert isinstance(removed.LlmBoostRegister, Missing)
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'ms2torch\.nothing'"):
        importlib.import_module("ms2torch.nothing")


def test_private_paths_give_the_object_of_the_public_path():
    # MindSpore 2.10: mindspore.nn.layer.basic.Dense is mindspore.nn.Dense, and so on.
    assert importlib.import_module("ms2torch.common.parameter").Parameter is ms2torch.Parameter
    assert importlib.import_module("ms2torch.nn.wrap.cell_wrapper").Cell is ms2torch.nn.Cell
    assert importlib.import_module("ms2torch.train.serialization").context is ms2torch.context


def test_a_module_that_newer_releases_lack_gives_the_object_of_the_package_above():
    gone = importlib.import_module("ms2torch.profiler.profiling")
    assert gone.Profiler is ms2torch.profiler.Profiler
    gone = importlib.import_module("ms2torch.nn.layer.flash_attention")
    with pytest.raises(NotImplementedError, match=r"Ascend alone. Instead: ops.flash_attention_score"):
        gone.FlashAttention()
    assert getattr(gone, "annotations", None) is None  # packages probe a module for other modules' names


def test_tables_are_complete_and_small():
    table = surface._table()
    assert "Conv2d" in surface.names("mindspore.nn")
    assert "Tensor" in surface.names("mindspore")
    assert "c_transforms" not in surface.names("mindspore.dataset.vision")  # gone in 2.10
    assert surface.has_module("mindspore.dataset.vision.c_transforms")
    assert len(table) > 700
    assert sum(f.stat().st_size for f in surface._DATA.iterdir()) < 1_000_000


def test_every_loaded_module_of_the_mirror_answers():
    silent = [
        n
        for n, m in sys.modules.items()
        if n.startswith("ms2torch.")
        and "__getattr__" not in vars(m)
        and surface.mindspore_name(n) in surface._table()
    ]
    assert silent == []


STARRED = [
    "mindspore", "mindspore.common", "mindspore.dataset", "mindspore.mint", "mindspore.nn", "mindspore.numpy",
    "mindspore.ops", "mindspore.ops.composite", "mindspore.ops.operations", "mindspore.train",
    "mindspore.utils",
]


@pytest.mark.parametrize("path", STARRED)
def test_star_import_brings_what_mindspore_exports_and_no_placeholders(path):
    module = importlib.import_module(surface.our_name(path))
    space = {}
    exec(f"from {module.__name__} import *", space)
    assert not [n for n, v in space.items() if isinstance(v, Missing)]
    assert list(module.__all__)
    exported = surface._exports()[path].split()
    lacking = [n for n in exported if n not in space and not isinstance(getattr(module, n), Missing)]
    assert lacking == []


def test_dir_tells_what_a_module_answers_for():
    told = dir(importlib.import_module("ms2torch"))
    assert {"load_checkpoint", "Callback", "Model", "numpy", "boost", "nn", "Tensor"} <= set(told)
    assert "SparseFunc" not in dir(sys.modules["ms2torch.rewrite"])              # which is refused
    assert set(ms2torch.nn.__all__) <= set(dir(ms2torch.nn))


def test_star_import_brings_nothing_of_the_modules_own_imports():
    space = {}
    exec("from ms2torch import *", space)
    assert {"Tensor", "Model", "COOTensor"} <= set(space)
    assert not {"annotations", "torch", "install_lazy", "api", "nn"} & set(space)


@pytest.mark.parametrize(("path", "name", "same"), [
    ("ops.function.array_func", "full_like_ext", "mint.full_like"),
    ("ops.function.array_func", "split_ext", "mint.split"),
    ("ops.operations.manually_defined", "shape_", "ops.shape"),
    ("ops.function.math_func", "addmm_ext", "mint.addmm"),
    ("ops.function.nn_func", "batch_norm_ext", "mint.nn.functional.batch_norm"),
])
def test_what_mint_is_made_of(path, name, same):
    found = getattr(importlib.import_module(f"ms2torch.{path}"), name)
    home, _, plain = same.rpartition(".")
    assert found is getattr(importlib.import_module(f"ms2torch.{home}"), plain)
