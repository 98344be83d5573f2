"""A code base over weeks: a baseline, then file by file, leaves first; after each step the program runs.

Each command runs here, in a folder of its own, and what it says is on the page.
"""

import contextlib
import io
import os
import runpy
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from ms2torch import cli

HERE = Path(__file__).resolve().parent
place = tempfile.TemporaryDirectory()
os.chdir(place.name)
shutil.copytree(HERE / "shop", "shop", ignore=shutil.ignore_patterns("__pycache__"))


def command(line):
    """One of ms2torch's commands; its exit code."""
    said, code = io.StringIO(), 0
    with contextlib.redirect_stdout(said):
        try:
            cli.main(shlex.split(line)[1:])
        except SystemExit as end:
            code = end.code
    print(f"$ {line}\n{said.getvalue()}exit code {code}")


def run(folder):
    """What the program prints, and prints it."""
    said, before = io.StringIO(), list(sys.path)
    sys.modules.pop("models", None)
    sys.path.insert(0, folder)
    with contextlib.redirect_stdout(said):
        runpy.run_path(f"{folder}/train.py", run_name="__main__")
    sys.path[:] = before
    print(said.getvalue(), end="")
    return said.getvalue()


# %% baseline
command("ms2torch scan shop --write-baseline known.json")

# %% new
Path("shop/late.py").write_text("import mindspore as ms\n\nsummary = ms.FlopsUtilizationCollector(64)\n")
command("ms2torch scan shop --baseline known.json")

# %% run
Path("shop/late.py").unlink()
yardstick = run("shop")

# %% leaf
command("ms2torch translate shop/models.py -o models.py")
text = Path("models.py").read_text()
print(text[text.index("class Score") :])

# %% half
shutil.move("models.py", "shop/models.py")
half = run("shop")

# %% check half
assert half == yardstick
needs = ["mindspore" in Path("shop", name).read_text() for name in ("models.py", "train.py")]
assert needs == [False, True]

# %% rest
Path("shop/plots.py").unlink()
command('ms2torch translate shop -o done --run "train.py"')

# %% check rest
assert run("done") == yardstick
assert not any("mindspore" in p.read_text() or "ms2torch" in p.read_text() for p in Path("done").glob("*.py"))
