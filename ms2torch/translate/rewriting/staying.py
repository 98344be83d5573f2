"""What stays MindSpore's with what stays: what made it, its class, and what is given to it."""

from __future__ import annotations

import ast

import libcst as cst

from ..translation import site_of
from .binding import form_of
from .classes import base_of
from .inferred import Class, Const, Gradient, Many, Of, Plain, Ref, Seq, is_a, is_cell, is_tensor

_REASON = "its class descends from one that stays"
# What is given to a class and is no part of a network.
_SETTINGS = ("CheckpointConfig", "Initializer", "GroupLossScaleManager", "LossScaleManager")


def spread(tree: ast.Module, reading, keep: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Sites to keep, with what made the objects that they are calls of: these are one side's as a whole."""
    found = set(keep)
    for node in ast.walk(tree) if keep else ():
        if isinstance(node, ast.Call) and site_of(node) in keep:
            callee = reading.inferred(node.func)
            owner = reading.inferred(node.func.value) if isinstance(node.func, ast.Attribute) else None
            for one in (callee, owner):
                whole = one is callee or (isinstance(one, Of) and not is_cell(one.cls))
                made = one.call if isinstance(one, (Of, Gradient)) and whole and not is_tensor(one) else None
                if made is not None and hasattr(made.func, "lineno"):
                    found.add(site_of(made))
    return frozenset(found)


# What reads and writes files of one format, and what asks for more than PyTorch's has.
FILES = frozenset(
    ("CheckpointConfig", "ModelCheckpoint", "save_checkpoint", "load_checkpoint", "load_param_into_net")
)
_OF_FORMAT = frozenset(("enc_key", "dec_key", "crc_check", "format", "remove_redundancy", "map_param_inc"))


def keeps_files(tree: ast.Module, reading, keep: frozenset[tuple[int, int]]) -> bool:
    """Whether checkpoints stay MindSpore's files: one call that stays writes or reads them."""
    for node in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
        name = reading.inferred(node.func)
        if not isinstance(name, Ref) or name.rpartition(".")[2] not in FILES:
            continue
        asked = (getattr(k.value, "value", True) for k in node.keywords if k.arg in _OF_FORMAT)
        if site_of(node) in keep or any(value not in (None, False, "ckpt") for value in asked):
            return True
    return False


def is_raw(rewriter, cls: Class | None) -> bool:
    """Whether a class of the program stays a Cell: what it descends from has no counterpart, or differed."""
    if not isinstance(cls, Class) or not cls.is_cell:
        return False
    if isinstance(cls.base, Class):
        return is_raw(rewriter, cls.base)
    bases = [b for b in cls.node.bases if rewriter.reading.inferred(b) == cls.root()]
    return base_of(cls) is None or any(site_of(base) in rewriter.keep for base in bases)


def raw(rewriter, original: cst.CSTNode, updated: cst.CSTNode):
    """A part of a class that stays a Cell: names of MindSpore's are ms2torch's."""
    if not isinstance(original, (cst.Name, cst.Attribute)):
        return updated
    node = rewriter.node(original)
    inferred = rewriter.reading.inferred(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
    outer = rewriter.parents.get(id(node))
    if not isinstance(inferred, Ref) or isinstance(getattr(node, "ctx", None), ast.Store):
        return updated
    if isinstance(outer, ast.Attribute) and isinstance(rewriter.reading.inferred(outer), Ref):
        return updated  # a part of a longer name
    rewriter.keep_site(site_of(node), inferred, _REASON, told=False)
    return cst.parse_expression(inferred.replace("mindspore", "ms2torch", 1))


# What layers call their numbers and words, of which those that are not told are none of PyTorch's.
_NUMBERS = """
in_channels out_channels kernel_size stride padding dilation group has_bias pad_mode data_format num_features
input_size hidden_size num_layers dim axis eps momentum vocab_size embedding_size normalized_shape size
output_size scale_factor p keep_prob prefix directory
"""
_ARE_NUMBERS = frozenset(_NUMBERS.split())


def crosses(rewriter, name: str, node: ast.Call) -> bool:
    """Whether a call is given what may be PyTorch's by now: a network, a tensor, what is not told."""
    form = form_of(name)
    given = [*zip([*(form.made if form else ()), *[""] * len(node.args)], node.args, strict=False)]
    given += [(k.arg or "", k.value) for k in node.keywords]
    return any(
        _crosses(rewriter.reading.inferred(x), argument in _ARE_NUMBERS)
        for argument, x in given
        if not isinstance(x, ast.Constant)
    )


def _crosses(inferred, is_number: bool = False) -> bool:
    if isinstance(inferred, (Const, Plain, Ref)):
        return False
    if isinstance(inferred, Seq):
        return _crosses(inferred.item, is_number)
    if isinstance(inferred, Many):
        return any(_crosses(part, is_number) for part in inferred.items)
    if isinstance(inferred, Of):
        settings = inferred.cls.rpartition(".")[2].endswith(_SETTINGS) or ".initializer." in inferred.cls
        return not settings or is_a(inferred.cls, "mindspore.nn.Cell")
    return inferred is not None or not is_number
