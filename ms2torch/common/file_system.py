"""Where checkpoints are written to (``mindspore.common.file_system``): ordinary files."""

from ms2torch._checkparam import check_positive_int, check_value_type

__all__ = ["FileSystem", "mindio_preload", "set_mindio_server_info"]


class FileSystem:
    """How files are made and opened: functions, and their arguments after the name."""

    def __init__(self) -> None:
        _register_basic_file_system(self)
        self.backend = "basic"


def _register_basic_file_system(fs: FileSystem) -> bool:
    """Let ``fs`` make and open ordinary files; True, for it can."""
    fs.create, fs.create_args = open, ("ab",)
    fs.open, fs.open_args = open, ("rb",)
    return True


def _init_mindio() -> None:
    """Huawei's MindIO, which is not used here."""


def _register_mindio_file_system(fs: FileSystem) -> bool:
    """False: ``fs`` stays as it is."""
    return False


def set_mindio_server_info(data_block_pool_capacity_in_gb=100) -> None:
    """Accepted: the memory of Huawei's MindIO, which is not used here."""
    check_positive_int(data_block_pool_capacity_in_gb, "data_block_pool_capacity_in_gb")


def mindio_preload(ckpt_file_name) -> bool:
    """Whether MindIO has read a checkpoint ahead: it has not (``mindspore.mindio_preload``)."""
    check_value_type("ckpt_file_name", ckpt_file_name, str, "mindio_preload")
    return False
