"""``mindspore.communication._comm_helper``: private questions about the group of processes."""

from __future__ import annotations

import os

from ms2torch._naming.surface import install_lazy

from .management import GlobalComm


class Backend:
    """Names of the communication backends; ``Backend("nccl")`` gives the name back, ValueError for others."""

    UNDEFINED = "undefined"
    HCCL = "hccl"
    NCCL = "nccl"
    MCCL = "mccl"

    def __new__(cls, name):
        if not isinstance(name, str):
            raise TypeError("For 'Backend', the class variable 'name' must be a string, "
                            f"but got the type : {type(name)}")
        value = getattr(Backend, name.upper(), Backend.UNDEFINED)
        if value == Backend.UNDEFINED:
            raise ValueError(f"For 'Backend', the class variable 'name' {name} is not supported, "
                             "please use hccl or nccl.")
        return value


def _is_available() -> bool:
    return True


def _is_initialized() -> bool:
    return GlobalComm.INITED


def _get_backend() -> str:
    return GlobalComm.BACKEND


def _check_mpi_envs() -> bool:
    return bool(os.environ.get("OMPI_COMMAND") and os.environ.get("PMIX_RANK"))


install_lazy(__name__, globals())
