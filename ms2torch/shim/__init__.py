"""Running unmodified programs: the ``mindspore`` alias, the launcher, and what programs expect around them.

This package stands on the mirror; nothing in the mirror imports it. Importing it costs nothing.
"""

from .alias import install, uninstall

__all__ = ["install", "uninstall"]
