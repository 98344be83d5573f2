"""The proof of the whole program: the original's run beside the translation's, in what they print and
train."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from . import draws
from .beside import Beside
from .bisecting import Bisection
from .comparing import RANDOM
from .outcome import Outcome
from .places import Draft, Project
from .proving import NEVER_CALLED, PROVED
from .twins import LOWERED, TRAINS


def prove(
    outcome: Outcome, project: Project, draft: Draft, script: list[str], api, folder: Path, result: dict
) -> None:
    """Run the translation of the script, and fill in how it compares."""
    path = os.path.realpath(script[0])
    if path not in project.sources:
        outcome.compared = "was not compared: --run names a script outside of SRC"
        return
    if outcome.failure:
        return
    from .command import run_again

    original = {
        "side": "original",
        "script": os.path.abspath(script[0]),
        "arguments": script[1:],
        "api": api,
        "weights": str(folder / "original.pt"),
        "out": str(folder / "original.end.json"),
    }
    translation = {
        "side": "translation",
        "script": str(project.target(path, draft.place)),
        "arguments": script[1:],
        "api": api,
        "given": original["weights"],
        "weights": str(folder / "translation.pt"),
        "out": str(folder / "translation.end.json"),
        "paths": [os.path.dirname(path)],
    }
    drawn = _drawn(result)
    seeds = {"seeds": ()} if drawn else {}
    beside = Beside(outcome, run_again, folder, original, translation, "original", **seeds)
    outcome.whole = beside.differs()
    if outcome.whole and drawn:
        original, translation = {**original, "still": drawn}, {**translation, "still": drawn}
        run_again("whole", original, folder, "still")
        beside = Beside(outcome, run_again, folder, original, translation, "still")
        outcome.whole = beside.differs()
    if outcome.whole:
        Bisection(outcome, project, draft, result, beside.differs).take_back()
    if not outcome.whole and beside.side == "still":
        outcome.compared += "".join(_STILL[word] for word in drawn)
    _settle(outcome, drawn if beside.side == "still" else ())


def _settle(outcome: Outcome, still: Sequence[str]) -> None:
    """What trains is proved where the whole program is; what draws, where both sides drew alike."""
    for proof in outcome.proofs:
        if outcome.whole != "":
            continue
        draws_alike = "numbers" in still and proof["reason"].endswith(RANDOM)
        if proof["reason"] in (TRAINS, NEVER_CALLED, LOWERED) or draws_alike:
            proof.update(state=PROVED, reason="with the whole program")
        elif proof["state"] == "differs" and proof["reason"].startswith("gradient of input"):
            # Labels have gradients in PyTorch that MindSpore's losses leave at zero; training asks for none.
            proof.update(state=PROVED, reason=f"with the whole program, which asks for no {proof['reason']}")


# What draws normal or uniform numbers.
_DRAWS = re.compile(
    r"mindspore\.(?:ops|mint|numpy)\.(?:randn?(?:_like)?|normal|uniform|standard_normal|StandardNormal|UniformReal)$"
)
# What was kept still so that two sides that draw otherwise can be compared.
_STILL = {
    "dropout": " Dropout was off on both sides: they draw other masks.",
    "orders": " Shuffling was off on both sides: without a seed they draw other orders.",
    "numbers": " Normal and uniform numbers were drawn alike on both sides: each has a generator of its own.",
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
    if any(map(_DRAWS.match, names)):
        found.append("numbers")
    if _is_untold(result):
        found.append("numpy")
    return found
