"""What keeps two runs from being compared, each with its name: a side that failed, was killed or filled the
disk, a trace that is cut off or was made otherwise, steps or parameters that only one side has."""

from __future__ import annotations

import errno
import hashlib
import traceback
from pathlib import Path

from .finding import CannotCompare, Finding, Verdict
from .reference import NoReference
from .trace import Trace, TraceError

REFERENCE, OURS = "the reference", "ms2torch"
_NAMED = 8


class Failed(CannotCompare):
    """CannotCompare with its kind ("script", "killed", "disk", "timeout", "trace", "steps", "parameters") and
    the side to which it happened, where it is one side's."""

    def __init__(self, kind: str, text: str, side: str | None = None) -> None:
        super().__init__(text)
        self.kind, self.side = kind, side


def error_as_json(error: BaseException) -> dict:
    """The ``error`` of ``--json``: its type, the side where it happened (or None), and a text."""
    side, text = getattr(error, "side", None), str(error)
    match error:
        case Failed():
            kind = error.kind
        case KeyboardInterrupt():
            kind, text = "interrupted", f"ended by {text or 'Ctrl-C'}; both runs were ended, too"
        case TraceError():
            kind = "trace"
        case NoReference():
            kind = "reference"
        case CannotCompare():
            kind = "comparison"
        case OSError():
            kind = "disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "files"
            text = f"{error.filename + ': ' if error.filename else ''}{error.strerror or error}"
        case _:
            traceback.print_exception(error)
            kind, text = "internal", f"an error of its own, please report it: {type(error).__name__}: {text}"
    return {"side": side, "type": kind, "text": text}


def same_script(reference: Trace, script: str, arguments: list[str], verdict: Verdict) -> None:
    """Failed unless the trace was made of this very script; a note where its arguments were others."""
    header = reference.header
    wanted = header.get("sha256")
    if wanted and hashlib.sha256(Path(script).read_bytes()).hexdigest() != wanted:
        raise Failed("trace", f"the trace is of another script: {header.get('script')} as it was then is not "
                              f"{Path(script).name} as it is now; record it again")
    if header.get("argv") is not None and header["argv"] != arguments:
        said = [" ".join(words) or "none" for words in (header["argv"], arguments)]
        verdict.notes.append(f"the trace was made with other arguments: {said[0]}; here: {said[1]}")


def can_align(reference: Trace, align: tuple[str, ...]) -> None:
    """Failed where a given trace does not hold whole what is to be taken over from it."""
    stages = {"weights": "initial", "data": "data", "random": "random"}
    missing = {stages[what]: what for what in align}
    drew = False
    for record in reference:
        if not missing:
            return
        if record["kind"] == "tensor":
            drew = drew or record["stage"] == "random"
            if record.get("full") is not None:
                missing.pop(record["stage"], None)
    header = reference.header
    if not drew and (header.get("level", "step") != "step" or header["options"].get("refeed")):
        missing.pop("random", None)  # nothing was drawn
    if missing:
        options = " ".join(f"--full '{stage}/*'" for stage in missing)
        deep = " --level cell" if "random" in missing else ""
        raise Failed("trace", f"the trace does not hold {' and '.join(missing.values())} whole; record it "
                              f"with {options}{deep}")


def same_parameters(findings: list[Finding]) -> None:
    """Failed where one side has parameters that the other has not."""
    lists = {kind: list(dict.fromkeys(f.where for f in findings if (f.stage, f.kind) == ("initial", kind)))
             for kind in ("missing", "extra")}
    said = [f"{what} {_listed(lists[kind])}" for kind, what in
            (("missing", "lacks these of the reference:"), ("extra", "has these that the reference has not:"))
            if lists[kind]]
    if said:
        raise Failed("parameters", f"the parameters are not the same: ms2torch {'; '.join(said)}")


def _listed(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def has_failed(opened: Trace) -> bool:
    """Whether a run did not come to its end."""
    return opened.end is None or opened.end.get("status") != "ok"


def ended_at(reference: Trace) -> int | None:
    """The step after which the reference's script ended by itself; None where it was told to end there."""
    made = reference.header.get("options", {})
    whole = reference.end is not None and reference.end.get("status") == "ok"
    told = [(reference.length, made.get("steps")), (reference.steps, made.get("updates"))]
    return reference.steps if whole and all(n is None or held < n for held, n in told) else None


def check_completed(reference: Trace, ours: Trace, verdict: Verdict, steps: int | None = None,
                    fates=None) -> None:
    """Failed where a side did not do all of the first ``steps`` steps (None: all), for the reason that its
    trace or its process (``fates``: side -> Failed) tells."""
    sides = ((REFERENCE, reference), (OURS, ours))
    if steps is None or min(reference.steps, ours.steps) < steps:
        for side, opened in sides:
            if opened.end is not None and opened.end.get("status") == "error":
                said = opened.end.get("traceback") or opened.end.get("message")
                raise Failed("script", f"the script failed on {side}:\n{said}", side)
        for failed in (fates or {}).values():
            raise failed
        for side, opened in sides:
            if has_failed(opened):
                how = "was interrupted" if opened.end is not None else \
                    "is cut off: the run was killed, or its disk was full"
                rest = f"; --steps {opened.steps} compares what it holds" if opened.steps else ""
                raise Failed("trace", f"{side}'s trace {how}{rest}", side)
        left, right = reference.steps, ours.steps
        if left != right:
            kind = "missing" if left > right else "extra"
            verdict.findings.append(Finding(min(left, right) + 1, "data", "step", kind))
            raise Failed("steps", f"the reference made {left} training steps, ms2torch {right}")
    if not reference.steps:
        raise Failed("steps", "no training step was seen: no Optimizer was called")
