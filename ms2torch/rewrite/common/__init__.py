"""``mindspore.rewrite.common``: what libraries tell the rewriter."""
