"""ARCHITECTURE.md is true: its rooms exist, every package has a room, and imports run one way."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "ms2torch"
SOURCES = sorted(PACKAGE.rglob("*.py"))


def _rooms() -> set[str]:
    table = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("## Rooms")[1].split("\n##")[0]
    return {
        name for row in re.findall(r"^\| (`.*?`) \|", table, re.M) for name in re.findall(r"`([^`]+)/`", row)
    }


def test_every_room_exists():
    assert [room for room in _rooms() if not (ROOT / room).is_dir()] == []


def test_every_public_package_has_a_room():
    folders = {f"ms2torch/{p.parent.name}" for p in PACKAGE.glob("*/__init__.py")}
    assert {f for f in folders if not f.endswith(("/_extends", "/_c_expression"))} - _rooms() == set()


def _imports(path: Path):
    """Absolute names of all that a file imports."""
    package = path.relative_to(ROOT).with_suffix("").parts
    package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(x for x in (base, node.module) if x)
            yield from ((f"{name}.{alias.name}", node.lineno) for alias in node.names)


@pytest.mark.parametrize("path", [p for p in SOURCES if "_core" in p.relative_to(PACKAGE).parts],
    ids=lambda p: str(p.relative_to(PACKAGE)))
def test_the_engine_does_not_import_the_mirror(path):
    wrong = [
        f"{path.name}:{line} {name}"
        for name, line in _imports(path)
        if name.startswith("ms2torch.") and not name.startswith(("ms2torch._core", "ms2torch._version"))
    ]
    assert wrong == []


def test_nothing_in_the_mirror_imports_the_shim():
    allowed = {PACKAGE / "__init__.py", PACKAGE / "__main__.py", PACKAGE / "cli.py"}
    wrong = [
        f"{p.relative_to(ROOT)}:{line} {name}"
        for p in SOURCES
        if p not in allowed and p.relative_to(PACKAGE).parts[0] not in ("shim", "difftest")
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
