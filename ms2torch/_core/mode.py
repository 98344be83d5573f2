"""What the engine is doing: module variables that everybody reads, in a module that imports nothing.

``graph``: graph mode or PyNative mode; ``ms2torch.context`` gives it its first value, which depends on the
chosen release, and ``set_context`` the next. ``differentiation``: the innermost differentiation that is open
in this process (`gradient.passes.Pass`), None at rest; only that module sets it. ``inside`` counts
the calls of marked functions (``jit``) that are under way; ``compiling``: the program has marked some.

``graphs``: whether steps compile ("eager", "compile", "auto"); ``tracing``: the trace of a step that is under
way (`compiler.tracing.Tracing`); ``comparing``: the eager form of a compiled step runs beside it;
``planning``: called in the place of an optimizer's kernels; ``casts`` counts the Parameters that got another
dtype, ``changes`` what could make a compiled step untrue: attributes of Cells, memory of Parameters.
"""

graph = False
# Whether an element is written for this Tensor alone, as before views (the releases up to 2.2).
without_views = False
# Tensor parallelism (`processes.spread`): what spreads the next outermost call, and what spreads the one
# under way; ``kept`` counts the Parameters that came to be kept in parts.
spreading = None
mesh = None
kept = 0
# Whether an optimizer is called.
updating = False
# A micro-batch's way through the stages of a pipeline (`processes.stages`).
way = None
differentiation = None
without_gradients = 0  # how many `no_grad` blocks are open
inside = 0
mapped = 0  # how many calls of `vmap` are under way
compiling = False
GRAPHS = ("eager", "compile", "auto")
graphs = "auto"
tracing = None
comparing = False
planning = None
casts = 0
changes = 0
