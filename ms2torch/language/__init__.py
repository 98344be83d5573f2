"""Graph mode's language: what GRAPH_MODE, ``jit`` and ``ms_function`` understand by a function's source.

MindSpore compiles source; where its meaning differs from Python's, functions and Cells in a graph follow it,
and PyNative mode keeps Python's. The invariants of this room:

- A function's source is looked at once, at its first call in a graph. Only where something in it differs
does a copy run, which has the same file, lines and columns (``reading``). Everything else runs as it is.
- What is refused is refused before anything runs, in MindSpore's words (``refusals``, ``names``).
- An error's MindSpore words are looked for only after it happened (``words``).
- Where the static look is not sure that something differs, it is left as Python has it.
"""

from ms2torch.language.entry import begins, compiled, explained, first_call, gradients, graph_mode, handed_out

__all__ = ["begins", "compiled", "explained", "first_call", "gradients", "graph_mode", "handed_out"]
