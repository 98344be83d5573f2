"""Graph mode or PyNative mode: the module variable that ``set_context`` sets and the engine reads.

``ms2torch.context`` gives it its first value, which depends on the chosen release.
"""

graph = False
without_gradients = 0  # how many `no_grad` blocks are open
