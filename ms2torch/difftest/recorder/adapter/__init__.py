"""Lets the real MindSpore, on a CPU and in one process, run programs written for devices and releases that it
does not serve: one folder that needs numpy and MindSpore alone.

    python adapter train.py [arguments]

`install` changes nothing by itself that a program could tell; each adaptation tells ``report(name, text)``
when the program first leans on it. Numbers come from MindSpore's own arithmetic throughout; where a CPU
kernel is known to compute something else than is documented, that is made of other operators.

A program's settings of the device are remembered and given back to it by ``get_context``, so that it takes
the branches it was written with, while MindSpore itself sees a CPU. What is not adapted fails as it did:
quantisation-aware training, ``nn.transformer`` and ``parallel._transformer``, custom Ascend kernels, and
``GraphData``.
"""

from __future__ import annotations

import os
import sys

from . import places


def main(argv):
    """Run a script with adaptations; what was adapted is listed on standard error at the end."""
    import atexit
    import runpy

    told = []
    atexit.register(_listed, told)
    install(report=lambda name, text: told.append(text))
    sys.argv = argv
    sys.path.insert(0, os.path.dirname(os.path.abspath(argv[0])))
    runpy.run_path(argv[0], run_name="__main__")


def _listed(told):
    if told:
        print("\n".join(["adapted:", *("  " + text for text in told)]), file=sys.stderr)
    else:
        print("adapted: nothing", file=sys.stderr)


def install(report=print):
    """Adapt the MindSpore of this process; ``report(name, text)`` hears of each adaptation that is used."""
    from . import dropped, one_device, spellings

    places.on_adaptation(report)
    spellings.numpy_aliases()
    dropped.modules()
    from . import documented, gradients  # they need MindSpore, which may need what is dropped

    for part in (one_device, gradients, documented, dropped, spellings):
        part.adapt()
