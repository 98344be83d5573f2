"""``mindspore.rewrite.common.namespace``: what libraries tell the rewriter when they are imported."""

# The classes of Cells that the rewriter leaves whole.
_subtree_black_list: list[type] = []
