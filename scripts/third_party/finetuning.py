"""Fine-tuning by the libraries' own training scripts: run to the end, and killed on the way and resumed.

    python scripts/third_party finetune [LIBRARY ...]

A training is run whole; again, until a checkpoint on the way is written, then it gets
SIGKILL; a third process resumes it. Both end with the same weights, or the row says how far apart they are
(of the largest number). ``finetuned.tsv`` keeps what was found.

Scripts that a library has in its repository alone are downloaded to LIBRARIES/@scripts, or put there by hand.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).parent
TABLE = HERE / "finetuned.tsv"
HEAD = ("library", "version", "by", "kind", "weights trained", "loss", "resumed: differs by")
PAGES = "https://raw.githubusercontent.com/mindspore-lab"
SCRIPTS = {
    "run_mindformer.py": f"{PAGES}/mindformers/r1.3.0/run_mindformer.py",
    "finetune_with_mindspore_trainer.py":
        f"{PAGES}/mindone/v0.5.0/examples/transformers/bert/finetune_with_mindspore_trainer.py",
}


class Training(NamedTuple):
    """A row: the library's folder, its program in ``trainings``, LoRA or not, what the row calls it, and the
    file (a pattern) after which it is killed: a later checkpoint than the first. None where the library's
    Trainer has no code that resumes."""

    library: str
    program: str
    kind: str
    by: str
    until: str | None


_EPOCHS, _STEPS = "checkpoint-16/trainer_state.json", "checkpoint/rank_0/*-3_*.ckpt"
TRAININGS = (
    Training("mindformers-1.3.2", "mindformers", "full", "run_mindformer.py", _STEPS),
    Training("mindformers-1.3.2", "mindformers", "lora", "run_mindformer.py", _STEPS),
    Training("mindone-0.5.0", "example", "full", "finetune_with_mindspore_trainer.py", None),
    Training("mindone-0.5.0", "mindone", "full", "Trainer", None),
    Training("mindone-0.5.0", "mindone", "lora", "Trainer, add_adapter", None),
    Training("mindnlp-0.4.1", "mindnlp", "full", "Trainer", _EPOCHS),
    Training("mindnlp-0.4.1", "mindnlp", "lora", "Trainer, mindnlp.peft", None),
)


def scripts(folder: Path) -> None:
    """Download what the libraries' packages leave out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, address in SCRIPTS.items():
        if not (folder / name).exists():
            try:
                urllib.request.urlretrieve(address, folder / name)
            except OSError as error:
                print(f"not to be had: {address} ({error})", file=sys.stderr)


def run(command: list[str], env: dict, cwd: Path, until: str | None = None) -> None:
    """Run a program to its end, or until a file is there, when it gets SIGKILL."""
    with (cwd / "output.txt").open("a") as log:
        process = subprocess.Popen(command, env=env, cwd=cwd, stdout=log, stderr=subprocess.STDOUT)
        while process.poll() is None:
            if until and any(cwd.glob(until)):
                process.send_signal(signal.SIGKILL)
                process.wait()
                return
            time.sleep(0.02)
    if process.returncode or until:
        tail = (cwd / "output.txt").read_text(errors="replace").splitlines()[-5:]
        raise RuntimeError(f"ended with {process.returncode}: {' | '.join(tail)}")


def ended(training: Training, out: Path) -> tuple[dict, dict, list[float]]:
    """The weights with which a run began and ended, and the losses that it told."""
    if training.program != "mindformers":
        start, final = dict(np.load(out / "start.npz")), dict(np.load(out / "final.npz"))
        return start, final, list(final.pop("losses"))
    sys.path.insert(0, str(HERE.parents[1]))
    import ms2torch as ms

    def read(file: Path) -> dict[str, np.ndarray]:
        return {name: p.asnumpy() for name, p in ms.load_checkpoint(str(file)).items()}

    files = (out / "checkpoint_network" / "rank_0").glob("*.ckpt")
    losses = re.findall(r"loss: ?\[?([\d.]+)", (out / "output.txt").read_text(errors="replace"))
    return read(out.parent / "llama.ckpt"), read(max(files, key=os.path.getmtime)), list(map(float, losses))


def trained(training: Training, python: list[str], env: dict, judged: Path, folder: Path) -> tuple[str, ...]:
    """The columns of a training: weights that it changed, its losses, what the resumed run differs by."""
    place = folder / f"{training.library}-{training.program}-{training.kind}"
    shutil.rmtree(place, ignore_errors=True)

    def go(name: str, *more: str, until: str | None = None) -> Path:
        out = place / name
        out.mkdir(parents=True, exist_ok=True)
        command = [*python, str(HERE / "trainings.py"), training.program, str(judged), training.kind,
                   str(out)]
        if training.program == "mindformers":
            run([*command, *more], env, out)
            command, more = [*python, str(folder / "@scripts" / "run_mindformer.py"), "--config",
                             f"{out}.yaml"], ()
        run([*command, *more], env, out, until)
        return out

    start, whole, losses = ended(training, go("whole"))
    moved = {name for name, value in whole.items()
             if name in start and not np.array_equal(value, start[name])}
    adapters = {name for name in whole if "lora" in name}
    assert bool(adapters) == (training.kind == "lora")
    far = "it can not resume"
    if training.until:
        go("killed", until=training.until)
        _, resumed, _ = ended(training, go("killed", "resume"))
        assert set(whole) == set(resumed)
        apart = max(float(np.abs(whole[name].astype(float) - resumed[name]).max()) for name in whole)
        far = f"{apart / max(float(np.abs(value).max()) for value in whole.values()):.1e}"
    return f"{len(moved | adapters)} of {len(whole)}", f"{losses[0]:.4f} to {losses[-1]:.4f}", far


def main(chosen, folder: Path, judged: Path, environment) -> None:
    """Run the trainings of the ``chosen`` libraries, in the ``environment`` of each, and write their rows."""
    scripts(folder / "@scripts")
    lines = TABLE.read_text().splitlines()[1:] if TABLE.exists() else []
    known = {tuple(line.split("\t")[:4]): line for line in lines}
    rows = {library.folder: library for library in chosen}
    for training in TRAININGS:
        library = rows.get(training.library)
        if library is None:
            continue
        key = library.name, library.version, training.by, training.kind
        env = environment(library) | {
            "SCRIPT": str(folder / "@scripts" / "finetune_with_mindspore_trainer.py")}
        python = [sys.executable, "-W", "ignore", "-m", "ms2torch", "--api", library.api]
        try:
            found = trained(training, python, env, judged, folder)
        except (RuntimeError, OSError, AssertionError) as error:
            print(*key, error, file=sys.stderr)
            found = "", "", f"failed: {error}".replace("\t", " ")[:200]
        known[key] = "\t".join((*key, *found))
        print(known[key], flush=True)
        order = [(*one.library.rsplit("-", 1), one.by, one.kind) for one in TRAININGS]
        TABLE.write_text("\n".join(["\t".join(HEAD), *(known[k] for k in order if k in known)]) + "\n")
