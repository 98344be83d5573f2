"""torch's private names are met in one file, `ms2torch/_core/torch_private.py`.

Not counted: operators that torch's own optimizers are made of (``_foreach_*``, ``_fused_*``), and what torch
documents for those who subclass it (``Tensor._version``, ``Module._parameters``, ``_modules``, ``_buffers``);
and the twin run's recorder, which runs where no ms2torch is.
"""

import ast
import re
from pathlib import Path

import pytest

from ms2torch._core import torch_private

PACKAGE = Path(torch_private.__file__).resolve().parents[1]
_CHAIN = re.compile(r"torch(\.\w+)*\._(?!foreach_|fused_)[A-Za-z]\w*")
_OF_TENSORS = {"_use_count"}


def _is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def private_names(tree):
    """The private names of torch in a file, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and re.match(r"torch\b", node.module or "") and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "torch"]
        elif isinstance(node, ast.Attribute):
            if _CHAIN.fullmatch(ast.unparse(node)) or node.attr in _OF_TENSORS:
                yield node.lineno, ast.unparse(node)
            continue
        else:
            continue
        yield from ((node.lineno, name) for name in names if _is_private(name))


def test_private_names_of_torch_are_in_one_file():
    recorder = PACKAGE / "difftest" / "recorder"
    found = [f"{path.relative_to(PACKAGE)}:{line} {name}" for path in sorted(PACKAGE.rglob("*.py"))
             if path.name != "torch_private.py" and recorder not in path.parents
             for line, name in private_names(ast.parse(path.read_text(encoding="utf-8")))]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("line", [
    "import torch._inductor", "from torch._C import x", "from torch import _utils", "torch._C._functorch.x",
    "from torch.utils._pytree import tree_map", "t._use_count()",
    "torch.autograd.graph._engine_run_backward"])
def test_each_way_to_name_one_is_seen(line):
    assert list(private_names(ast.parse(line)))


def test_a_name_that_torch_lacks_is_told():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = torch_private.nonsense
    torch_private._LATE["lacking"] = ("torch._lacking:x", "torch:_lacking")
    try:
        with pytest.raises(ImportError, match=r"has no torch\._lacking:x or torch:_lacking"):
            _ = torch_private.lacking
    finally:
        del torch_private._LATE["lacking"]


@pytest.mark.parametrize("name", sorted(torch_private._LATE))
def test_every_name_is_there(name):
    if name in ("compile_fx", "rules_of_collectives", "FakeStore", "InferenceMode"):
        pytest.skip("parts of torch that builds may leave out")
    if name in ("StridedShard", "default_cache_dir") and torch_private.RELEASE < (2, 5):
        pytest.skip("networks are not split, nor steps compiled, with torch 2.4")
    assert getattr(torch_private, name) is not None
