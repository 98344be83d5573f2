"""What `jit` asks of the arguments that tell how to compile, in MindSpore's words."""

from __future__ import annotations

from ms2torch._naming import generations

_CAPTURES, _LEVELS = ["ast", "bytecode", "trace"], ["O0", "O1"]
_BACKENDS = ("", "ms_backend", "GE")


def check(capture_mode, jit_level, dynamic, fullgraph) -> None:
    """ValueError or TypeError for what the decorator itself refuses."""
    if generations.has_old_meaning("mindspore.jit"):
        return
    told = ("capture_mode", capture_mode, _CAPTURES), ("jit_level", jit_level, _LEVELS)
    for name, value, allowed in told:
        if not isinstance(value, str) or value not in allowed:
            raise ValueError(f"For 'jit', the '{name}' must be str and must be in '{allowed}', but got "
                             f"'{value}'.")
    if type(dynamic) is not int:
        raise TypeError(f"For 'jit', the 'dynamic' must be 'int',  but got '{type(dynamic).__name__}'.")
    if dynamic not in (0, 1):
        raise ValueError(f"For 'jit', the 'dynamic' must be in range of [0, 1], but got {dynamic} with type "
                         "'int'.")
    if not isinstance(fullgraph, bool):
        raise TypeError(f"For 'jit', the 'fullgraph' must be a bool, but got {type(fullgraph).__name__}.")


def wrong_backend(backend) -> Exception | None:
    """What a call says of a backend that nobody registered."""
    if not isinstance(backend, str):
        return RuntimeError(f"Unable to cast Python instance of type {type(backend)} to C++ type "
                            "'std::string'")
    if backend not in _BACKENDS:
        return RuntimeError(f"Invalid backend name: {backend}, you should register custom backend first")
    return None
