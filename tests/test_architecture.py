"""ARCHITECTURE.md is true: its rooms exist, every package has a room, and imports run one way."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "ms2torch"
SOURCES = sorted(PACKAGE.rglob("*.py"))


def _rooms(page: str = "ARCHITECTURE.md") -> set[str]:
    table = (ROOT / page).read_text(encoding="utf-8").split("\n## ")[1]
    return {
        name for row in re.findall(r"^\| (`.*?`) \|", table, re.M) for name in re.findall(r"`([^`]+)/`", row)
    }


def test_every_room_exists():
    assert [room for room in _rooms() if not (ROOT / room).is_dir()] == []


def test_the_chinese_page_has_the_same_rooms():
    assert _rooms("ARCHITECTURE.zh-CN.md") == _rooms()


def test_every_public_package_has_a_room():
    folders = {f"ms2torch/{p.parent.name}" for p in PACKAGE.glob("*/__init__.py")}
    assert {f for f in folders if not f.endswith(("/_extends", "/_c_expression"))} - _rooms() == set()


def _everywhere(tree):
    return ast.walk(tree)


def _at_import(tree):
    """The statements that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        typing = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if not typing and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node
            yield from _at_import(node)


@functools.cache
def _tree(path: Path):
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(path: Path, where=_everywhere):
    """Absolute names of all that a file imports, and the lines."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in where(_tree(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(x for x in (base, node.module) if x)
            yield from ((f"{name}.{alias.name}", node.lineno) for alias in node.names)


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_module(p): p for p in SOURCES}

# The rooms from the ground up: a module imports, at import time, from its own layer and those below. The
# engine and the names keep to it inside functions too.
LAYERS = [layer.split() for layer in """
_early _version _core.errors _core.live_numbers _core.mode _core.messages _core.protobuf _core.torch_private
_core.devices
_core.random
_core.tensor _core.operators _core.checks
_core.gradient _core.module
_core.processes
_naming
_checkparam _checkparam_arrays log version common communication language mint.distributed
ops
_context_settings boost context nn parallel train compression
_c_dataengine _c_expression _extends amp dataset device_context device_manager experimental explainer hal \
    mindrecord mint multiprocessing numpy onnx profiler rewrite runtime scipy tools utils
cli compiler convert difftest doctor examples migrate mindir run_check scan shim translate __main__
""".replace("\\\n", "").strip().splitlines()]
_HEIGHTS = {room: height for height, layer in enumerate(LAYERS) for room in layer}


def _height(module: str) -> int | None:
    """The layer of a module, by the longest room's name that it begins with; None where there is none."""
    parts = module.split(".")[1:]
    names = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((_HEIGHTS[name] for name in names if name in _HEIGHTS), None)


def _known(name: str) -> str | None:
    """The module that an imported name is, or is in."""
    return next((n for n in (name, name.rpartition(".")[0]) if n in MODULES), None)


def test_every_module_has_a_layer():
    free = ("ms2torch", "ms2torch._core")        # the front door, and a folder without code
    assert [m for m in MODULES if _height(m) is None and m not in free] == []


def test_imports_run_down():
    wrong = []
    for module, path in MODULES.items():
        inside = module.startswith(("ms2torch._core.", "ms2torch._naming"))
        for name, line in _imports(path, _everywhere if inside else _at_import):
            height = _height(_known(name) or "")
            if height is not None and module != "ms2torch" and height > _height(module):
                wrong.append(f"{path.relative_to(ROOT)}:{line} {name}")
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle():
    below = {m: {_known(n) for n, _ in _imports(p, _at_import)} - {m, None, "ms2torch"}
             for m, p in MODULES.items()}
    while free := [m for m, needed in below.items() if not needed & below.keys()]:
        for module in free:
            del below[module]
    assert below == {}


@pytest.mark.parametrize(("one", "other"), [
    ("_core.tensor.dtype", "_core.errors"), ("context", "device_manager"),
    ("common.sparse_tensor", "ops.function.sparse_func"), ("nn.optim._groups", "nn.optim.optimizer"),
    ("dataset.engine._sources", "dataset.engine._caching"),
])  # fmt: skip
def test_pairs_that_knew_each_other_do_so_no_more(one, other):
    knows = [f"ms2torch.{b}" in {_known(n) for n, _ in _imports(MODULES[f"ms2torch.{a}"])}
             for a, b in ((one, other), (other, one))]
    assert not all(knows)


def test_nothing_in_the_mirror_imports_the_shim():
    allowed = {PACKAGE / "__init__.py", PACKAGE / "__main__.py", PACKAGE / "cli.py"}
    wrong = [
        f"{p.relative_to(ROOT)}:{line} {name}"
        for p in SOURCES
        if p not in allowed and p.relative_to(PACKAGE).parts[0] not in ("shim", "difftest", "translate")
        for name, line in _imports(p)
        if name.startswith("ms2torch.shim")
    ]
    assert wrong == []


def test_importing_ms2torch_imports_nothing_heavy_but_torch():
    code = (
        "import sys, torch; before = set(sys.modules); import ms2torch; "
        "print(*sorted({m.partition('.')[0] for m in set(sys.modules) - before}))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout
    assert {"PIL", "cv2", "scipy", "sklearn", "matplotlib", "rich", "pandas"} & set(out.split()) == set()
