"""``mindspore.load``: the file of a graph, with MindSpore's words for what is no such file."""

from __future__ import annotations

import os
from functools import partial

from ms2torch._checkparam import check_isinstance
from ms2torch._core.errors import unsupported
from ms2torch._core.protobuf import Damaged
from ms2torch.train import _encryption

from . import graph, running

_FAILED = "Load MindIR failed."
_ENCRYPTED = (
    " The file may be encrypted and decrypt failed, you can check whether the values of the arguments "
    "'dec_key' and 'dec_mode' are the same as when exported MindIR file, or check the file integrity."
)


def load(file_name, dec_key=None, dec_mode="AES-GCM", dec_func=None, obf_func=None, **_) -> graph.FuncGraph:
    """Read a MindIR file. ValueError for what is no such file, RuntimeError for what is none inside."""
    if not isinstance(file_name, str):
        raise ValueError(f"For 'load', the argument 'file_name' must be string, but got {type(file_name)}.")
    if not file_name.endswith(".mindir"):
        raise ValueError(
            "For 'load', the argument 'file_name'(MindIR file) should end with '.mindir', please input the "
            "correct 'file_name'."
        )
    if not os.path.exists(file_name):
        raise ValueError(
            "For 'load', the argument 'file_name'(MindIR file) does not exist, please check whether the "
            "'file_name' is correct."
        )
    for name, given in (("dec_func", dec_func), ("obf_func", obf_func)):
        if given is not None:
            raise unsupported(
                f"mindspore.load({name}=...)",
                "files of a program's own form are not read.",
                "decrypt the file first, or dec_key and dec_mode.",
            )
    check_isinstance("dec_key", dec_key, (type(None), bytes))
    check_isinstance("dec_mode", dec_mode, str)
    decrypt = None if dec_key is None else partial(_encryption.decrypted, key=dec_key, mode=dec_mode)
    try:
        found = graph.read(os.path.realpath(file_name), decrypt)
    except _encryption.Undecipherable:
        raise RuntimeError(_FAILED + _ENCRYPTED) from None
    except (Damaged, OSError, RecursionError) as err:
        why = _ENCRYPTED if _encryption.is_encrypted(file_name) else f" {file_name}: {err}."
        raise RuntimeError(_FAILED + why) from None
    running.check(found)
    return found
