"""Notebooks, and who finds mindspore."""

import json
import sys

from ms2torch.shim import notebook

from .run import launched, python

LIBRARY = """\
import importlib.metadata, importlib.util
def probe():
    found = [importlib.util.find_spec("mindspore") is not None]
    try:
        import mindspore.nn
        found.append(True)
    except ImportError as err:
        found.append(type(err) is not ModuleNotFoundError or err.name)
    try:
        found.append(importlib.metadata.version("mindspore"))
    except importlib.metadata.PackageNotFoundError:
        found.append(None)
    return found
"""
PROGRAM = """\
import sys
sys.path.insert(0, {folder!r})
import ms2torch
from ms2torch.shim import guard
ms2torch.install({scope})
import mindspore
import probing, mindful, listed
print(mindspore.__name__, probing.probe(), mindful.probe(), listed.probe())
ms2torch.uninstall()
import importlib.util
print(importlib.util.find_spec("mindspore"), __import__ is guard._import)
"""


def test_only_the_scope_finds_it(tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    for name in ("probing", "mindful", "listed"):
        (folder / f"{name}.py").write_text(LIBRARY)
    here, not_here = [True, True, "2.10.0"], [False, "mindspore.nn", None]
    for scope, wanted in (
        ("", [here] * 3),
        ("scope=()", [not_here, here, not_here]),
        ("scope='listed'", [not_here, here, here]),
    ):
        program = PROGRAM.format(scope=scope, folder=str(folder))
        code, out, err = python("-c", program, cwd=tmp_path)
        assert (code, out) == (0, f"ms2torch {' '.join(map(str, wanted))}\nNone False\n"), err


def test_a_notebook_extension_installs_and_leaves(tmp_path):
    code, out, err = python(
        "-c",
        "import ms2torch\nms2torch.load_ipython_extension(None)\nimport mindspore\n"
        "print(mindspore.__name__)\nms2torch.unload_ipython_extension(None)\n"
        "import importlib.util\nprint(importlib.util.find_spec('mindspore'))",
        cwd=tmp_path,
    )
    assert (code, out) == (0, "ms2torch\nNone\n"), err


def test_a_kernel_of_its_own(tmp_path, capsys):
    assert notebook.main(["--prefix", str(tmp_path), "--api", "1.5", "--name", "old"]) == 0
    file = tmp_path / "share" / "jupyter" / "kernels" / "old" / "kernel.json"
    kernel = json.loads(file.read_text())
    assert kernel["display_name"] == "Python (ms2torch, MindSpore 1.5)"
    assert kernel["argv"][0] == sys.executable
    # What the kernel starts is a program under the launcher: here one that prints in place of ipykernel.
    (tmp_path / "ipykernel_launcher.py").write_text(
        "import sys, mindspore\nprint(mindspore.__version__, sys.argv)\n"
    )
    words = [word.format(connection_file="file") for word in kernel["argv"][3:]]
    code, out, err = launched(*words, cwd=tmp_path)
    assert code == 0, err
    assert out == f"1.5.0 {[str(tmp_path / 'ipykernel_launcher.py'), '-f', 'file']}\n"
    (tmp_path / "file").write_text("")
    assert notebook.main(["--prefix", str(tmp_path / "file")]) == 2
