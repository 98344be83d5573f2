"""Many devices: the same script in one process and in two; what is reduced, and when.

    python -m ms2torch migration_guide/08_many_devices/lesson.py
"""

# %% shell
import re
import subprocess
import sys


def sh(command):
    """Run a command; print it and what each rank said, in the order of ranks."""
    print(f"$ {command}")
    words = command.replace("train.py", "migration_guide/08_many_devices/train.py").split()
    programs = {"torchrun": ["-m", "torch.distributed.run"], "python": []}
    words = [sys.executable, *programs[words[0]], *words[1:]]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    lines = sorted(re.findall(r"rank \d+ of .*? weights \d+\.\d+", done.stdout))
    print("\n".join(lines))
    return [tuple(map(float, re.findall(r"\d+\.\d+", line))) for line in lines]


# %% alone
((loss, norm),) = sh("python -m ms2torch train.py --alone")

# %% two
ranks = sh("torchrun --nproc-per-node 2 -m ms2torch train.py")
print("mean of the losses:", round((ranks[0][0] + ranks[1][0]) / 2, 6))

# %% check two
assert len(ranks) == 2 and ranks[0][1] == ranks[1][1] and abs(ranks[0][1] - norm) < 1e-5
assert abs((ranks[0][0] + ranks[1][0]) / 2 - loss) < 2e-6

# %% sum
added = sh("python -m ms2torch run --nproc 2 train.py --sum")
((_, twice),) = sh("python -m ms2torch train.py --alone --rate 0.1")

# %% check sum
assert len(added) == 2 and added[0][1] == added[1][1]
assert abs(added[0][1] - twice) < 1e-5 and abs(twice - norm) > 0.1
