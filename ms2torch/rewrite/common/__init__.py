"""``mindspore.rewrite.common``: what libraries tell the rewriter."""

from . import config, namespace

__all__ = ["config", "namespace"]
