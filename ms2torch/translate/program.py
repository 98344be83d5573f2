"""The proof of the whole program: the original's run beside the translation's, in what they print and
train."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import torch

from . import draws, printed, whole
from .bisecting import Bisection
from .outcome import Outcome
from .places import Draft, Project
from .proving import PROVED
from .twins import TRAINS

# The ends of training may lie so far apart, as a part of the way from its start.
_NEAR = 1e-2


def prove(
    outcome: Outcome, project: Project, draft: Draft, script: list[str], api, folder: Path, result: dict
) -> None:
    """Run the translation of the script, and fill in how it compares."""
    path = os.path.realpath(script[0])
    if path not in project.sources:
        outcome.compared = "was not compared: --run names a script outside of SRC"
        return
    if outcome.failure or project.sources[path].notebook is not None:
        return
    from .command import run_again

    target = project.target(path, draft.place)
    spec = {
        "side": "translation",
        "script": str(target),
        "arguments": script[1:],
        "given": str(folder / "original.pt"),
        "weights": str(folder / "translation.pt"),
        "out": str(folder / "translation.end.json"),
        "paths": [os.path.dirname(path)],
    }
    side = "original"
    outcome.whole = _compared(outcome, run_again, spec, folder, side)
    if outcome.whole and (drawn := _drawn(result)):
        original = {**spec, "side": "original", "script": os.path.abspath(script[0]), "given": None}
        original |= {"still": drawn, "api": api}
        original |= {"weights": str(folder / "original.pt"), "out": str(folder / "still.end.json")}
        run_again("whole", original, folder, "still")
        side, spec["still"] = "still", drawn
        outcome.whole = _compared(outcome, run_again, spec, folder, side)
    if outcome.whole:
        differs = partial(_compared, outcome, run_again, spec, folder, side)
        Bisection(outcome, project, draft, result, differs).take_back()
    if not outcome.whole and side == "still":
        outcome.compared += "".join(_STILL[word] for word in drawn)
    _settle(outcome)


def _settle(outcome: Outcome) -> None:
    """What trains is proved where the whole program is."""
    for proof in outcome.proofs:
        if outcome.whole != "":
            continue
        if proof["reason"] == TRAINS:
            proof.update(state=PROVED, reason="with the whole program")
        elif proof["state"] == "differs" and proof["reason"].startswith("gradient of input"):
            # Labels have gradients in PyTorch that MindSpore's losses leave at zero; training asks for none.
            proof.update(state=PROVED, reason=f"with the whole program, which asks for no {proof['reason']}")


# What was kept still so that two sides that draw otherwise can be compared.
_STILL = {
    "dropout": " Dropout was off on both sides: they draw other masks.",
    "orders": " Shuffling was off on both sides: without a seed they draw other orders.",
    "numpy": " Initial weights were drawn apart from numpy's generator on both sides.",
}
_FROM_NUMPY = (
    "MindSpore draws initial weights from numpy's generator, PyTorch does not: what the program draws "
    "from it afterwards is different"
)


def note_draws(outcome: Outcome, project: Project, result: dict) -> None:
    """Say so where other numbers follow from numpy's generator than in the original."""
    texts = [source.text for source in project.sources.values() if source.notebook is None]
    if not result["run"]:
        layers = any(site.name.startswith("mindspore.nn.") for f in outcome.files for site in f.sites)
        if layers and draws.may_matter(texts):
            outcome.numpy = f"{_FROM_NUMPY}, unless --run tells how many"
    elif _is_untold(result) and draws.may_matter(texts):
        outcome.numpy = f"{_FROM_NUMPY}, for where its weights are made is not told"


def _is_untold(result: dict) -> bool:
    return any(draws.told(rows) is False for rows in result["facts"].values())


def _drawn(result: dict) -> list[str]:
    """What the run drew that PyTorch draws otherwise, in the words of `_STILL`."""
    names = {fact[2][0] for facts in result["facts"].values() for fact in facts}
    seeded = any(name.endswith("set_seed") for name in names)
    found = ["dropout"] if any("ropout" in name for name in names) else []
    if any(name.startswith("mindspore.dataset.") for name in names) and not seeded:
        found = ["dropout", "orders"]
    if _is_untold(result):
        found.append("numpy")
    return found


def _compared(outcome: Outcome, run_again, spec: dict, folder: Path, side: str) -> str:
    """Run the translation; the first difference from ``side`` in words."""
    end = Path(spec["out"])
    end.unlink(missing_ok=True)
    code, tail = run_again("whole", spec, folder, "translation")
    if not end.exists():
        return f"the translation came to no end (exit code {code}): {tail}"
    ended = json.loads(end.read_text())
    if ended["error"] or ended["code"]:
        how = ended["error"] or f"exit code {ended['code']}"
        if "No module named 'mindspore'" in how:
            how += " (what it imports outside of SRC needs MindSpore: give the folder)"
        return f"the translation fails: {how}{_line(folder, spec)}"
    lines = [(folder / f"{s}.out").read_text(errors="replace").splitlines() for s in (side, "translation")]
    one, two = (torch.load(f, weights_only=True) for f in (folder / "original.pt", spec["weights"]))
    names = [name for side in (one, two) for made in side for name in made["names"]]
    found = printed.first_difference(*lines, names)
    count, of, worst = whole.compare(one, two)
    if not found and count and worst > _NEAR:
        found = f"the parameters end {worst:.2g} of their way elsewhere"
    if not found:
        told = f"prints the same {len(lines[0])} lines" if lines[0] else "prints nothing, as before"
        ends = f", and {count} of {of} trained parameters end {worst:.2g} of their way apart" if of else ""
        outcome.compared = f"{told}{ends}."
    return found


def _line(folder: Path, spec: dict) -> str:
    """The last line of the translation that an error came through."""
    place = os.path.dirname(spec["script"])
    lines = (folder / "translation.err").read_text(errors="replace").splitlines()
    found = [line.strip() for line in lines if line.strip().startswith('File "') and place in line]
    if not found:
        return ""
    name, _, number = found[-1].removeprefix('File "').partition('", line ')
    return f" ({os.path.relpath(name, place)}:{number.split(',')[0]} of the translation)"
