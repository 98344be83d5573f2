"""``mindspore.communication._comm_helper``: private questions about the group of processes."""

from .._core.surface import install_lazy
from .management import GlobalComm


class Backend:
    """Names of the communication backends."""

    UNDEFINED = "undefined"
    HCCL = "hccl"
    NCCL = "nccl"
    MCCL = "mccl"
    HCCL_MPI = "hccl_mpi"


def _is_available() -> bool:
    return True


def _is_initialized() -> bool:
    return GlobalComm.INITED


def _check_mpi_envs() -> bool:
    return False


install_lazy(__name__, globals())
