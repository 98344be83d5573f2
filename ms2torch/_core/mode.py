"""Graph mode or PyNative mode: the module variable that ``set_context`` sets and the engine reads.

The default is PyNative from MindSpore 2.0 on and graph mode before.
"""

from . import generations

graph = generations.old("mindspore.set_context")
