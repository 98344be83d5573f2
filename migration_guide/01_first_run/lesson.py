"""First run: a MindSpore program of 2020, unmodified, on PyTorch.

    python -m ms2torch migration_guide/01_first_run/lesson.py
"""

# %% shell
import re
import subprocess
import sys


def sh(command):
    """Run a command of this environment's Python and print both, as a terminal would show them."""
    print(f"$ {command}")
    words = [sys.executable if word == "python" else word for word in re.findall(r'"[^"]*"|\S+', command)]
    words = [word.strip('"') for word in words]
    done = subprocess.run(words, capture_output=True, text=True)
    print(done.stderr + done.stdout, end="")
    return done


# %% train
trained = sh("python -m ms2torch -m ms2torch.examples.segments")

# %% beside
real = [1.923431634902954, 0.5692727565765381, 0.4237070083618164, 0.10431793332099915]
here = [float(x) for x in re.findall(r"loss is (\S+)", trained.stdout)]
print("| epoch | MindSpore 2.10.0 | ms2torch | difference |")
print("|--:|--:|--:|--:|")
for epoch, (a, b) in enumerate(zip(real, here, strict=True), 1):
    print(f"| {epoch} | {a:.8f} | {b:.8f} | {'below 1e-4' if abs(a - b) < 1e-4 * a else abs(a - b)} |")

# %% check beside
assert all(abs(a - b) < 2e-3 * a for a, b in zip(real, here, strict=True)), here
assert "{'Accuracy': 0.9708333333333333}" in trained.stdout, trained.stdout

# %% alias
_ = sh('python -m ms2torch -c "import mindspore; print(mindspore.__version__, mindspore.nn.Dense)"')

# %% notebook
import ms2torch

ms2torch.install()

import mindspore

print(mindspore.nn is ms2torch.nn)

# %% scan
scanned = sh("python -m ms2torch --check migration_guide/01_first_run/old_names.py")
print("exit code", scanned.returncode)

# %% check scan
assert scanned.returncode == 1, scanned.stdout
assert "obfuscate_ckpt" in scanned.stdout and "keepdims" in scanned.stdout, scanned.stdout

# %% unsupported
failed = sh('python -m ms2torch -c "import mindspore as ms; ms.obfuscate_ckpt(1, 2)"')

# %% check unsupported
assert failed.returncode == 1 and "NotImplementedError" in failed.stderr, failed.stderr

# %% device
program = "import mindspore as ms; print(ms.get_context('device_target'))"
_ = sh(f'python -m ms2torch --device cpu -c "{program}"')

# %% api
program = "import mindspore as ms; print(ms.Tensor([1.0, 2.0]).repeat(2))"
for release in ("1.5", "2.10"):
    last = sh(f'python -m ms2torch --api {release} -c "{program}"')
