"""``mindspore.rewrite.common.namespace``: what libraries tell the rewriter when they are imported."""

import inspect
import os
import sys

from ms2torch.nn.layer.container import CellList, SequentialCell

_OURS = ("ms2torch.", "mindspore.")

# The classes of Cells that the rewriter leaves whole.
_subtree_black_list: list[type] = [CellList, SequentialCell]
# Whether MindSpore's own Cells are read too.
_ms_cells_to_subtree = False
# The folders of packages whose functions are not read.
_ignore_third_party_paths: list[str] = []
_PACKAGES = [one for one in map(os.path.realpath, sys.path) if "-packages" in one]


def is_subtree(cell_inst) -> bool:
    """Whether a Cell is a network of the program's own."""
    if isinstance(cell_inst, tuple(_subtree_black_list)):
        return False
    return _ms_cells_to_subtree or not f"{type(cell_inst).__module__}.".startswith(_OURS)


def is_ms_function(func_obj) -> bool:
    """Whether a function is MindSpore's."""
    return f"{getattr(func_obj, '__module__', '')}.".startswith(_OURS)


def is_third_party(func_obj) -> bool:
    """Whether a function is another package's."""
    if is_ms_function(func_obj):
        return False
    try:
        path = os.path.realpath(inspect.getfile(inspect.unwrap(func_obj)))
    except TypeError:
        return True
    return path.startswith((*_PACKAGES, *_ignore_third_party_paths))
