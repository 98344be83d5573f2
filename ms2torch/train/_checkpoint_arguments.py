"""What ``save_checkpoint`` and ``load_checkpoint`` take, and what they say of the rest."""

from __future__ import annotations

import os

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.nn.cell import Cell

# ---- saving ------------------------------------------------------------------------------------------------


def checked_target(save_obj, name, format: str) -> str:
    """The path of the file to write: ``name`` with the format's ending."""
    if format not in ("safetensors", "ckpt"):
        raise ValueError(
            f"For 'save_checkpoint', the format must be 'safetensors' or 'ckpt', but got {format}."
        )
    if not isinstance(save_obj, (Cell, list, dict)):
        raise TypeError(
            "For 'save_checkpoint', the parameter 'save_obj' must be nn.Cell, list or dict, "
            f"but got {type(save_obj)}."
        )
    if not isinstance(name, str):
        raise TypeError(
            f"For 'save_checkpoint', the parameter {name} for checkpoint file name is invalid,"
            f"'ckpt_file_name' must be string, but got {type(name)}."
        )
    path = os.path.realpath(name)
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"For 'save_checkpoint', the parameter `ckpt_file_name`: {path} is a directory, "
            "it must be a file name."
        )
    return path if path.endswith(format) else f"{path}.{format}"


def check_async(value) -> None:
    """TypeError or ValueError where ``async_save`` is none."""
    if not isinstance(value, (bool, str)):
        raise TypeError(
            f"For 'save_checkpoint', the parameter 'async_save' must be bool or str, but got {type(value)}."
        )
    if isinstance(value, str) and value not in ("process", "thread"):
        raise ValueError(
            "For 'save_checkpoint', the argument 'async_save' can only be 'process' or 'thread',"
            f"but got {value}."
        )


def check_append_dict(values) -> None:
    """TypeError where ``append_dict`` holds what a checkpoint cannot."""
    if values is None:
        return
    if not isinstance(values, dict):
        raise TypeError(
            f"For 'save_checkpoint', the argument 'append_dict' must be dict, but got {type(values)}."
        )
    for key, value in values.items():
        if not isinstance(key, str) or not isinstance(value, (int, float, bool, str, Tensor)):
            raise TypeError(
                "For 'save_checkpoint', the type of dict 'append_info' must be key: string, value: int, "
                f"float, bool or Generator, but got key: {type(key)}, value: {type(value)}"
            )


def check_without_encryption(api: str, **given) -> None:
    """ValueError where arguments about encryption are given that safetensors files have no use for."""
    plain = {"enc_key": None, "enc_mode": "AES-GCM", "dec_key": None, "dec_mode": "AES-GCM"}
    for name, value in given.items():
        if value != plain[name]:
            raise ValueError(
                f"For '{api}', when format is 'safetensors', the parameter '{name}' must be set to default "
                f"value '{plain[name]}', but got '{value}'."
            )


# ---- loading -----------------------------------------------------------------------------------------------


def checked_prefixes(prefix):
    """The prefixes of names as a tuple; None for None."""
    if prefix is None:
        return None
    if not isinstance(prefix, (str, list, tuple)):
        raise TypeError(
            "For 'load_checkpoint', the type of 'specify_prefix' or 'filter_prefix' must be string, "
            f"list[string] or tuple[string], but got {type(prefix)}."
        )
    prefixes = (prefix,) if isinstance(prefix, str) else tuple(prefix)
    if not prefixes:
        raise ValueError(
            "For 'load_checkpoint', the argument 'specify_prefix' or 'filter_prefix' can't be empty when"
            " 'specify_prefix' or 'filter_prefix' is list or tuple."
        )
    for index, one in enumerate(prefixes):
        if not isinstance(one, str):
            raise TypeError(
                "For 'load_checkpoint', when 'specify_prefix' or 'filter_prefix' is list or tuple, the "
                f"element in it must be string, but got {type(one)} at index {index}."
            )
        if not one:
            raise ValueError(
                "For 'load_checkpoint', the value of 'specify_prefix' or 'filter_prefix' can't include ''."
            )
    return prefixes


def checked_source(file, format: str):
    """The path of the file to read, or the memory that holds it."""
    if format not in ("ckpt", "safetensors"):
        raise ValueError(
            "For 'load_checkpoint', the checkpoint file should end with '.ckpt' or '.safetensors', please "
            "input the correct 'format'."
        )
    if hasattr(file, "getbuffer"):
        if format == "ckpt":
            raise TypeError("ckpt don't support BytesIO as input type, please change to safetensors.")
        return file
    if not isinstance(file, str):
        raise TypeError(
            f"For 'load_checkpoint', the argument 'ckpt_file_name' must be string, but got {type(file)}."
        )
    if not file.endswith(format):
        raise ValueError(
            "For 'load_checkpoint', the checkpoint file format must same with 'format', but got "
            f"file_name:'{file}', format:'{format}'"
        )
    path = os.path.realpath(file)
    if not os.path.exists(path):
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file: {path} does not exist, please check "
            "whether the 'ckpt_file_name' is correct."
        )
    return path
