"""Whole steps compiled: what `GRAPH_MODE`, ``jit`` and ``--graph`` make of a train cell or a marked function.

A *step* is one call at rest: forward pass, gradients, update of the weights. Its Python runs once on tensors
without data (`tracing`): every torch operation of it, autograd's included, becomes a node of one graph, and
what MindSpore keeps on the host (rates, powers of beta, counters: `updates`; random numbers) becomes the
graph's inputs, computed anew for each step by the same code that an eager step runs. Sums of products over
many uses of one weight become one product (`products`); torch's Inductor compiles the graph (`backends`).
What Python saw meanwhile is guarded (`watching`, `state`); what a graph would lose is stopped before it
happens, and what other threads and signal handlers do is theirs (`effects`). The first compiled step, and
some later ones, are compared with the eager one (`comparing`). `steps` decides and runs.

Nothing of this may end a run: what cannot be traced or compiled, or differs, runs eagerly, and one line says
where and why.
"""
