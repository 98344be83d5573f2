"""The process in which ms2torch's side of a twin run happens: ``python -m ms2torch.difftest.ours SPEC.json``.

It gives the script what ``ms2torch run`` gives it, and runs it under the recorder, or under Replay.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main(spec: dict) -> int:
    """Run as the spec says (twin.py writes it); the script's exit code."""
    from ms2torch._core.devices import device
    from ms2torch.shim import alias

    if spec.get("device"):
        os.environ["MS2TORCH_DEVICE"] = spec["device"]
    try:
        device.select(None)
        alias.install(spec.get("api"), inherit=True)
    except (ValueError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 2
    from . import recorder

    script, *arguments = spec["script"]
    names = ("level", "steps", "updates", "seed", "only_step", "cells", "full")
    more = {name: spec[name] for name in names if spec.get(name) is not None}
    if spec.get("refeed"):
        more["refeed"] = frozenset(spec["refeed"])
    return recorder.record(script, arguments, make=_maker(spec), out=spec["out"], **more)


def _maker(spec: dict):
    """What makes the recorder of this run."""
    how, reference = spec["how"], spec.get("reference")
    if how == "record":
        if spec.get("align"):
            from .align import Aligned

            return lambda writer, options, frame: Aligned(writer, options, frame, reference, spec["align"])
        from .recorder import Recorder

        return Recorder
    from .replay import Replay

    def make(writer, options, frame):
        return Replay(writer, options, frame, reference, spec["out"], how, spec.get("wanted"))

    return make


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text())
    code = main(given)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # what the script left running does not keep the twin run waiting
