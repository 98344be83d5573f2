"""Running unmodified programs: the ``mindspore`` alias, the launcher, and what programs expect around them.

This package stands on the mirror; nothing in the mirror imports it. Importing it costs nothing.
"""

from .alias import install, uninstall
from .notebook import load_ipython_extension, unload_ipython_extension

__all__ = ["install", "load_ipython_extension", "uninstall", "unload_ipython_extension"]
