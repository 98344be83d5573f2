"""Whether steps compile, and what with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import torch

from ms2torch._core.errors import notice
from ms2torch._core.torch_private import RELEASE

# What compiles a traced step: "inductor", or "graph" for the traced graph as it is (tests).
backend = os.environ.get("MS2TORCH_GRAPH_BACKEND", "inductor")


def cxx() -> str | None:
    """The C++ compiler that Inductor would call on a CPU; None where there is none."""
    return next((found for name in (os.environ.get("CXX"), "g++", "clang++", "c++", "cl")
                 if name and (found := shutil.which(name))), None)


def can_compile(device) -> bool:
    """Whether steps on ``device`` can be compiled here; where not, it is said once."""
    if RELEASE < (2, 5):
        notice("compile: torch", f"steps are compiled by torch 2.5 and newer, this is {torch.__version__}: "
               "everything runs eagerly. 编译需要 torch 2.5 或更新版本，全部以 eager 方式运行。")
        return False
    if backend != "inductor":
        return True
    if device.type == "cpu" and cxx() is None:
        notice("compile: no compiler", "no C++ compiler here (g++ or clang++), which compiling on a CPU "
               "needs: everything runs eagerly. 没有 C++ 编译器，全部以 eager 方式运行。")
        return False
    from ms2torch._core.torch_private import inductor_backends

    inductor_backends.init_backend_registration()
    return inductor_backends.get_scheduling_for_device(device.type) is not None


def keep_cache() -> None:
    """Have torch keep what it compiled across runs, and reboots; a folder that the user chose stays."""
    from ms2torch._core.torch_private import default_cache_dir

    if os.environ.get("TORCHINDUCTOR_CACHE_DIR") in (None, os.path.abspath(default_cache_dir())):
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(home / "ms2torch" / "inductor")
