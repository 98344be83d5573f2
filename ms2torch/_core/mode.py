"""Graph mode or PyNative mode: the module variable that ``set_context`` sets and the engine reads."""

graph = False
