"""A translation's run beside its original's: what both print, and where the parameters end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from ms2torch.difftest.yardstick import K

from . import printed, whole
from .outcome import Outcome

# The ends of training may lie so far apart, as a part of the way from its start.
_NEAR = 1e-2
# Runs of the original with its results moved, from these seeds, before rounding is no explanation.
_SEEDS = (1, 2)

Run = Callable[[str, dict, Path, str], tuple[int, str]]


class Beside:
    """``differs()`` runs the translation and tells its first difference from the original in words.

    ``side`` is the run of the original that lies in ``folder``; ``original`` and ``translation`` are the
    specs of `whole` for runs to come. ``seeds`` are those of the runs that tell rounding: of the original,
    and the first time of the translation too, for a step over a kink, which few runs take, may be its own.
    """

    def __init__(
        self,
        outcome: Outcome,
        run: Run,
        folder: Path,
        original: dict,
        translation: dict,
        side: str,
        seeds: tuple[int, ...] = _SEEDS,
    ) -> None:
        self.outcome, self.run, self.folder, self.side = outcome, run, folder, side
        self.original, self.translation, self.seeds = original, translation, seeds
        self._moved: list[tuple[list[str], list[dict]]] = []
        self._again = False

    def differs(self) -> str:
        """The first difference; where there is none the outcome says how the two compared."""
        failed = self._translated()
        if failed:
            return failed
        lines, others = (self._lines(side) for side in (self.side, "translation"))
        one, two = (_ends(spec) for spec in (self.original, self.translation))
        names = [name for side in (one, two) for made in side for name in made["names"]]
        exact = found = self._compared(lines, others, names, one, two)
        mover = "the original"
        if found and not printed.differs_in_words(lines, others, names):
            for count, seed in enumerate(self.seeds, 1):
                if found and (len(self._moved) >= count or self._move(self.original, seed, self._moved)):
                    found = self._compared(lines, others, names, one, two, self._moved)
            moved, mover = [], "the translation" if found else mover
            for seed in () if self._again else self.seeds:
                if found and self._move(self.translation, seed, moved):
                    found = self._compared(others, lines, names, two, one, moved) and found
        self._again = True
        if not found:
            told = f"prints the same {len(lines)} lines" if lines else "prints nothing, as before"
            count, of, worst = whole.compare(one, two)
            if of:
                told += f", and {count} of {of} trained parameters end {worst:.2g} of their way apart"
            self.outcome.compared = f"{told}."
            if exact:
                drawn = f" Rounding alone moves {mover}, or what it draws without a seed does,"
                self.outcome.compared += f"{drawn} as far as they differ: {exact}."
        return found

    def _translated(self) -> str:
        """Run the translation; how it failed."""
        end = Path(self.translation["out"])
        end.unlink(missing_ok=True)
        code, tail = self.run("whole", self.translation, self.folder, "translation")
        if not end.exists():
            return f"the translation came to no end (exit code {code}): {tail}"
        ended = json.loads(end.read_text())
        if not (ended["error"] or ended["code"]):
            return ""
        how = ended["error"] or f"exit code {ended['code']}"
        if "No module named 'mindspore'" in how:
            how += " (what it imports outside of SRC needs MindSpore: give the folder)"
        return f"the translation fails: {how}{self._place()}"

    def _place(self) -> str:
        """The last line of the translation that an error came through."""
        place = os.path.dirname(self.translation["script"])
        lines = (self.folder / "translation.err").read_text(errors="replace").splitlines()
        found = [line.strip() for line in lines if line.strip().startswith('File "') and place in line]
        if not found:
            return ""
        name, _, number = found[-1].removeprefix('File "').partition('", line ')
        return f" ({os.path.relpath(name, place)}:{number.split(',')[0]} of the translation)"

    def _compared(self, lines, others, names, one, two, moved=()) -> str:
        found = printed.first_difference(lines, others, names, [said for said, _ in moved])
        if found:
            return found
        count, _, worst = whole.compare(one, two)
        rounding = max((whole.compare(one, ends)[2] for _, ends in moved), default=0.0)
        if count and worst > max(_NEAR, (K + 1) * rounding):
            return f"the parameters end {worst:.2g} of their way elsewhere"
        return ""

    def _move(self, side: dict, seed: int, moved: list) -> bool:
        """Run a side with its results moved by what rounding may do; whether it came to its end."""
        files = {"out": str(self.folder / "moved.end.json"), "weights": str(self.folder / "moved.pt")}
        Path(files["out"]).unlink(missing_ok=True)
        spec = {**side, "trembling": seed, **files}
        self.run("whole", spec, self.folder, "moved")
        if not os.path.exists(files["out"]):
            return False
        moved.append((self._lines("moved"), _ends(spec)))
        return True

    def _lines(self, side: str) -> list[str]:
        return (self.folder / f"{side}.out").read_text(errors="replace").splitlines()


def _ends(spec: dict) -> list[dict]:
    return whole.saved(spec["weights"])[0]
