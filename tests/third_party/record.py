"""Record what the real MindSpore makes of the packages: record.py PYTHON.

PYTHON has MindSpore, mindcv and mindvision.

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
from tests.programs.record import ADAPTED  # noqa: E402
from tests.third_party.mindcv_models import MODELS  # noqa: E402


def mindcv(python, version):
    models = {}
    for name in MODELS:
        with tempfile.TemporaryDirectory() as place:
            subprocess.run([python, str(HERE / "mindcv_models.py"), place, name], check=True)
            models[name] = json.loads(Path(place, f"{name}.json").read_text())
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(model)}" for name, model in models.items())
    head = f'{{"package": "mindcv 0.3.0", "mindspore": "{version}", "models": {{\n'
    (HERE / "records" / "mindcv.json").write_text(f"{head}{rows}\n}}}}\n")


def mindvision(python, version):
    program = str(HERE / "mindvision_lenet.py")
    ours = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    for kind, command, env in (
        ("", [python, "-c", ADAPTED], None),
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
    mindvision(sys.argv[1], version)
    mindcv(sys.argv[1], version)
