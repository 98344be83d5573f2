"""Records what a MindSpore program computes, step by step, into a trace. One folder, to be copied anywhere.

    python recorder -o run.trace [options] train.py [arguments of train.py]

It needs numpy and the MindSpore that it runs in (written for what 1.5 to 2.10 share), not ms2torch, whose own
side is recorded by the same code. ``--torch`` records a PyTorch program instead. FORMAT.md describes the
file. The program is not changed: `Cell.__call__` is the only place where calls are seen, gradients pass
through MindSpore's own ``HookBackward``.
"""

from .naming import map_tensors
from .program import main, parse, record, run
from .seeing import DIFFERENTIATED, PROGRAM, Recorder
from .writing import MAGIC, Writer, statistics

__all__ = ["DIFFERENTIATED", "MAGIC", "PROGRAM", "Recorder", "Writer", "main", "map_tensors", "parse",
           "record", "run", "statistics"]
