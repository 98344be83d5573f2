"""Record what the real MindSpore makes of the packages: record.py PYTHON [PACKAGES].

PYTHON has MindSpore and the packages mindcv, mindvision, mindyolo and mindaudio.

Families of models that its CPU build cannot run are not in ``mindcv_models.MODELS``. A model is a process
of its own: minutes in all.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))
from tests.programs.record import ADAPTER  # noqa: E402
from tests.third_party import mindaudio_models, mindcv_models, mindyolo_models  # noqa: E402

# Before MindSpore 2.5, x.max(axis) and x.min(axis) gave values alone.
OLD_MAX = f"""
import runpy, sys
import mindspore as ms
def old(new):
    return lambda self, axis=None, keepdims=False: new(self, axis=axis, keepdims=keepdims)
ms.Tensor.max, ms.Tensor.min = old(ms.Tensor.max), old(ms.Tensor.min)
sys.path[0] = {str(HERE)!r}
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def families(package, release, names, python, version):
    models = {}
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            subprocess.run([*python, str(HERE / f"{package}_models.py"), place, name], check=True)
            models[name] = json.loads(Path(place, f"{name}.json").read_text())
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(model)}" for name, model in models.items())
    head = f'{{"package": "{package} {release}", "mindspore": "{version}", "models": {{\n'
    (HERE / "records" / f"{package}.json").write_text(f"{head}{rows}\n}}}}\n")


def mindvision(python, version):
    program = str(HERE / "mindvision_lenet.py")
    ours = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    for kind, command, env in (
        ("", [python, ADAPTER], None),
        (".float64", [sys.executable, str(ROOT / "tests" / "programs" / "float64.py")], ours),
    ):
        lines = subprocess.run(
            [*command, program], env=env, check=True, capture_output=True, text=True
        ).stdout.splitlines()
        kept = [
            line
            for line in lines
            if line.startswith(("epoch:", "{", "[")) and not line.startswith("[WARNING]")
        ]
        (HERE / "records" / f"mindvision{kind}.txt").write_text(
            "\n".join([f"MindSpore {version}", *kept, ""])
        )


if __name__ == "__main__":
    ask = [sys.argv[1], "-c", "import mindspore; print(mindspore.__version__)"]
    version = subprocess.run(ask, capture_output=True, text=True).stdout.split()[-1]
    python, wanted = sys.argv[1], sys.argv[2:] or ["mindvision", "mindcv", "mindyolo", "mindaudio"]
    if "mindvision" in wanted:
        mindvision(python, version)
    if "mindcv" in wanted:
        families("mindcv", "0.3.0", mindcv_models.MODELS, [python], version)
    if "mindyolo" in wanted:
        families("mindyolo", "0.5.0", mindyolo_models.MODELS, [python, "-c", OLD_MAX], version)
    if "mindaudio" in wanted:
        families("mindaudio", "0.3.0", mindaudio_models.MODELS, [python], version)
