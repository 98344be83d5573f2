"""Saving and loading of parameters (``mindspore.train.serialization``).

The files are MindSpore's own, to the bit, in both directions: a checkpoint trained here serves the real
MindSpore and the reverse. Unlike there, a file appears whole or not at all: it is written beside its place
and then moved over the old one, so a process that dies in the middle leaves the old file as it was.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import torch

from ms2torch import log as logger
from ms2torch._checkparam import check_bool, check_isinstance
from ms2torch._core import protobuf
from ms2torch._core.devices.device import device
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.dtype import _FROM_TORCH, string
from ms2torch._core.tensor.tensor import Tensor, as_torch, wrap
from ms2torch._naming.surface import install_lazy
from ms2torch.common.parameter import Parameter, _Buffer
from ms2torch.nn.cell import Cell

from . import _checkpoint_file, _encryption, _safetensors
from ._checkpoint_arguments import (
    check_append_dict,
    check_async,
    check_without_encryption,
    checked_prefixes,
    checked_source,
    checked_target,
)
from ._load_into_net import load_param_into_net, update_parameter

__all__ = [
    "async_ckpt_thread_status",
    "ckpt_to_safetensors",
    "export",
    "get_ckpt_path_with_strategy",
    "load",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_param_into_net",
    "safetensors_to_ckpt",
    "save_checkpoint",
]

_THREAD = "asyn_save_ckpt"


def init_ckpt_file_system(fs) -> None:
    """Let ``fs`` (`FileSystem`) read and write ordinary files; Huawei's MindIO is not used here."""
    fs.__init__()


# ---- saving ------------------------------------------------------------------------------------------------


def save_checkpoint(
    save_obj,
    ckpt_file_name,
    integrated_save=True,
    async_save=False,
    append_dict=None,
    enc_key=None,
    enc_mode="AES-GCM",
    choice_func=None,
    crc_check=False,
    format="ckpt",
    **kwargs,
) -> None:
    """Write parameters into a file that only its owner can read (``mindspore.save_checkpoint``).

    ``save_obj``: a Cell, a list of Parameters or of ``{"name": str, "data": Tensor}``, or a dict of name to
    Parameter, str or array. ``append_dict``: more values by name, of int, float, bool, str, Parameter or
    Tensor. ``choice_func``: name to whether to save it. ``format``: "ckpt" or "safetensors", also the
    suffix that a name without it gets. ``async_save``: the file is written by a thread, from a copy
    ("process" too). ``enc_key``: bytes of 16, 24 or 32; ``enc_mode``: "AES-GCM", "AES-CBC" or "SM4-CBC" (16).
    TypeError and ValueError for bad arguments, OSError where the file can not be written.
    """
    path = checked_target(save_obj, ckpt_file_name, format)
    check_bool(integrated_save)
    check_async(async_save)
    check_append_dict(append_dict)
    check_isinstance("enc_key", enc_key, (type(None), bytes))
    check_isinstance("enc_mode", enc_mode, str)
    check_isinstance("crc_check", crc_check, bool)
    redundancy = kwargs.get("remove_redundancy")
    check_isinstance("remove_redundancy", redundancy, (type(None), bool))
    if format == "safetensors":
        check_without_encryption("save_checkpoint", enc_key=enc_key, enc_mode=enc_mode)
    encrypt = None if enc_key is None else partial(_encryption.encrypted, key=enc_key, mode=enc_mode)
    values = dict(_chosen(save_obj, choice_func) if integrated_save else _slices(save_obj, choice_func))
    for name, value in (append_dict or {}).items():
        values[name] = value if isinstance(value, str) else as_torch(value)
    if not async_save:
        _write(path, values, crc_check, format, redundancy, encrypt)
        return
    values = {name: v if isinstance(v, str) else v.detach().clone() for name, v in values.items()}
    _wait_for_thread()
    what = (path, values, crc_check, format, redundancy, encrypt)
    threading.Thread(target=_write, args=what, name=_THREAD).start()


def _chosen(save_obj, choice):
    """``(name, torch tensor or str)`` of what is to be saved; other stages of a pipeline save theirs."""
    if isinstance(save_obj, Cell):
        pairs = [(param.name, param._t) for _, param in save_obj.parameters_and_names() if not param._away]
    elif isinstance(save_obj, dict):
        pairs = [_from_dict(key, value) for key, value in save_obj.items() if not getattr(value, "_away", ())]
    elif save_obj and isinstance(save_obj[0], dict):
        pairs = [_from_named(entry) for entry in save_obj if not getattr(entry.get("data"), "_away", ())]
    else:
        pairs = [_from_parameter(param) for param in save_obj if not getattr(param, "_away", ())]
    return [(name, value.full_tensor() if hasattr(value, "full_tensor") else value)  # (in parts)
            for name, value in pairs if choice is None or choice(name)]


def _slices(save_obj, choice):
    """`_chosen`, of Parameters that several processes share this process's part."""
    if isinstance(save_obj, (Cell, dict)):
        save_obj = ([p for _, p in save_obj.parameters_and_names()] if isinstance(save_obj, Cell) else
                    [{"name": name, "data": p} for name, p in save_obj.items()])
    named = [(one["name"], one["data"]) if isinstance(one, dict) else (one.name, one) for one in save_obj]
    return [(name, p._rest.to_local() if hasattr(getattr(p, "_rest", None), "to_local") else
             p._t if isinstance(p, Tensor) else p)
            for name, p in named if (choice is None or choice(name)) and not getattr(p, "_away", ())]


def _from_dict(key, value):
    if not isinstance(key, str) or not isinstance(value, (Parameter, _Buffer, str, np.ndarray)):
        raise TypeError(
            "For save_checkpoint, when save_obj is made up by dict, the key should be str andvalue should be "
            f"Parameter, but got the type of key is {type(key)} andthe type of value is {type(value)}"
        )
    return key, value if isinstance(value, str) else as_torch(value)


def _from_named(entry):
    if not (isinstance(entry, dict) and "name" in entry and "data" in entry):
        raise TypeError(
            "For save_checkpoint, save_obj should be a list of dict items, and the dict should "
            f"have key values 'name' and 'value', but got {type(entry)} and {entry}."
        )
    name, data = entry["name"], entry["data"]
    if not isinstance(name, str):
        raise TypeError(
            "For save_checkpoint, when save_obj is a list of dict items, the name in dict "
            f"should be string, but got {type(name)}."
        )
    if not isinstance(data, Tensor):
        raise TypeError(
            "For save_checkpoint, when save_obj is a list of dict items, the data in dict "
            f"should be parameter, but got {type(data)}."
        )
    return name, data._t


def _from_parameter(param):
    if not isinstance(param, Parameter):
        raise TypeError(
            "For save_checkpoint, when save_obj is made up by list of Parameter,the param should be "
            f"parameter, but got {type(param)}"
        )
    return param.name, param._t


def _write(path: str, values: dict, crc: bool, format: str, redundancy, encrypt=None) -> None:
    temporary = f"{path.removesuffix('.' + format)}.{os.getpid()}.tmp"
    try:
        if format == "ckpt":
            _checkpoint_file.write(temporary, values.items(), crc, encrypt)
        else:
            _safetensors.write(temporary, *_for_safetensors(values, crc, redundancy))
        os.chmod(temporary, 0o400)
        os.replace(temporary, path)
    except BaseException as err:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        logger.critical(
            "Failed to save the checkpoint file %s. Maybe don't have the permission to write files, "
            "or the disk space is insufficient and so on.",
            path,
        )
        if isinstance(err, FileNotFoundError):
            err.filename = path
        raise


def _for_safetensors(values: dict, crc: bool, redundancy) -> tuple[dict, dict]:
    metadata = {"format": "ms"} if values else {}
    if redundancy is not None:
        metadata["remove_redundancy"] = str(redundancy)
    for name, value in values.items():
        if isinstance(value, str):
            raise TypeError(f"safetensors has no element type for {name}: str.")
    if crc:
        metadata["crc_num"] = str(_crc_of(values))
    return values, metadata


def _crc_of(tensors: dict) -> int:
    total = 0
    for name in sorted(tensors):
        total = zlib.crc32(_checkpoint_file.raw_bytes(tensors[name]), zlib.crc32(name.encode(), total))
    return total


def _wait_for_thread() -> None:
    for thread in threading.enumerate():
        if thread.name == _THREAD and thread is not threading.current_thread():
            thread.join()


def async_ckpt_thread_status() -> bool:
    """Whether a checkpoint is being written in the background (``mindspore.async_ckpt_thread_status``)."""
    return any(thread.name == _THREAD for thread in threading.enumerate())


# ---- loading -----------------------------------------------------------------------------------------------


def load_checkpoint(
    ckpt_file_name,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
    crc_check=False,
    remove_redundancy=False,
    format="ckpt",
) -> dict:
    """Read a checkpoint file into a dict of name to Parameter or str (``mindspore.load_checkpoint``).

    ``net``: a Cell to load it into (see ``load_param_into_net``). ``specify_prefix`` and ``filter_prefix``
    (str or list of str) take and leave names by how they begin; ``choice_func``, name to bool, counts where
    neither is given. ValueError for a file that is missing, cut or damaged, or in which nothing was chosen;
    TypeError for arguments of the wrong type. ``dec_key`` and ``dec_mode`` are those it was saved with.
    """
    specified, filtered = checked_prefixes(specify_prefix), checked_prefixes(filter_prefix)
    check_isinstance("dec_key", dec_key, (type(None), bytes))
    check_isinstance("dec_mode", dec_mode, str)
    check_isinstance("crc_check", crc_check, bool)
    check_isinstance("remove_redundancy", remove_redundancy, bool)
    if format == "safetensors":
        check_without_encryption("load_checkpoint", dec_key=dec_key, dec_mode=dec_mode)
    decrypt = None if dec_key is None else partial(_encryption.decrypted, key=dec_key, mode=dec_mode)
    _wait_for_thread()
    file = checked_source(ckpt_file_name, format)
    if format == "safetensors":
        found = _read_safetensors(file, choice_func, crc_check)
    else:
        wanted = _choice(specified, filtered, _judged(choice_func, file))
        found = _read_ckpt(file, wanted, crc_check, decrypt)
    if not found:
        raise ValueError(
            "The loaded parameter dict is empty after filter or specify, please check whether "
            "'filter_prefix' or 'specify_prefix' are set correctly."
        )
    if net is not None:
        load_param_into_net(net, found, strict_load, remove_redundancy)
    return found


def load_checkpoint_async(
    ckpt_file_name,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
):
    """``load_checkpoint`` in a thread; ``result()`` of what it returns waits for the dict."""
    format = "safetensors" if ckpt_file_name.endswith(".safetensors") else "ckpt"
    with_options = (net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func)
    executor = ThreadPoolExecutor(max_workers=1)
    future = executor.submit(load_checkpoint, ckpt_file_name, *with_options, format=format)
    executor.shutdown(wait=False)
    return future


def _judged(choice, path: str):
    """``choice``, whose own errors become the file's, as in MindSpore."""
    def judge(name):
        try:
            return choice(name)
        except Exception as err:
            raise ValueError(
                f"Failed to read the checkpoint file {path}. May not have permission to read it, "
                "please check the correct of the file."
            ) from err
    return choice and judge


def _choice(specified, filtered, choice):
    if specified or filtered:
        name = "specity_prefix" if specified else "filter_prefix"
        logger.warning(
            f"For load_checkpoint, this parameter `{name}` will be deprecated, please use `choice_func` "
            "instead."
        )
        return lambda tag: tag.startswith(specified or "") and not (filtered and tag.startswith(filtered))
    return choice or (lambda tag: True)


def _read_ckpt(path: str, wanted, crc: bool, decrypt=None) -> dict:
    reading = f"Failed to read the checkpoint file {path}. "
    try:
        if crc and not _checkpoint_file.has_crc(path):
            logger.warning(
                "For 'load_checkpoint', the ckpt file do not contain the crc code, please check the file."
            )
        values = _checkpoint_file.read(path, wanted, crc, decrypt)
    except _encryption.Undecipherable:
        if _encryption.is_encrypted(path):
            why = (
                "The file may be encrypted or tempered with, please pass in the correct 'dec_key' or check "
                "the file integrity."
            )
        else:
            why = "May not have permission to read it, please check the correct of the file."
        raise ValueError(reading + why) from None
    except _checkpoint_file.Damaged as err:
        if isinstance(err, protobuf.NoText) or str(err) == "checksum":
            why = "May not have permission to read it, please check the correct of the file."
        else:
            why = "The file may be corrupted, and the content cannot be parsed."
        raise ValueError(reading + why) from None
    except OSError as err:
        raise ValueError(
            reading + "May not have permission to read it, please check the correct of the file."
        ) from err
    except (ValueError, MemoryError) as err:
        logger.critical("Failed to load the checkpoint file '%s'.", path)
        raise ValueError(
            f"{err}\nFor 'load_checkpoint', failed to load the checkpoint file {path}."
        ) from err
    return {name: v if isinstance(v, str) else _parameter(v, name) for name, v in values.items()}


def _read_safetensors(source, choice, crc: bool) -> dict:
    in_memory = hasattr(source, "getbuffer")
    try:
        with contextlib.nullcontext(source) if in_memory else open(source, "rb") as file:
            size = source.getbuffer().nbytes if in_memory else os.fstat(file.fileno()).st_size
            file.seek(0)
            tensors, metadata = _safetensors.read(file, size)
    except _checkpoint_file.Damaged:
        raise ValueError(
            f"Fail to parse the input safetensors: '{source}'. Please check the correctness of the file."
        ) from None
    if crc:
        _check_crc(tensors, metadata)
    return {name: _parameter(t) for name, t in tensors.items() if choice is None or choice(name)}


def _check_crc(tensors: dict, metadata: dict) -> None:
    if "crc_num" not in metadata:
        logger.warning(
            "For 'load_checkpoint', the safetensors file do not contain the crc code, please check the file."
        )
    elif str(_crc_of(tensors)) != metadata["crc_num"]:
        raise ValueError(
            "For 'load_checkpoint', the crc check has failed. Please check whether the ckpt file is damaged."
        )


def _parameter(t: torch.Tensor, name: str | None = None) -> Parameter:
    return Parameter(wrap(t.to(device())), name=name)


# ---- names that programs import ----------------------------------------------------------------------------

tensor_to_ms_type = {str(t): t for t in _FROM_TORCH.values() if not str(t).startswith("Complex")}
tensor_to_ms_type["str"] = string


def tensor_to_np_type(tensor_type_str: str):
    """The numpy type of an element of a checkpoint, by the name that it has there."""
    return "U" if tensor_type_str == "str" else tensor_to_ms_type[tensor_type_str].numpy


def _update_param(param, new_param, strict_load) -> None:
    """Put what was read into a Parameter, as ``load_param_into_net`` does."""
    update_parameter(param, new_param, strict_load)


# ---- from one format to the other --------------------------------------------------------------------------


def ckpt_to_safetensors(
    file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1
) -> None:
    """Write .ckpt files, one or a folder's, as .safetensors (``mindspore.ckpt_to_safetensors``)."""
    _convert(file_path, save_path, name_map, file_name_regex, "ckpt", "safetensors")


def safetensors_to_ckpt(
    file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1
) -> None:
    """Write .safetensors files, one or a folder's, as .ckpt (``mindspore.safetensors_to_ckpt``)."""
    _convert(file_path, save_path, name_map, file_name_regex, "safetensors", "ckpt")


def _convert(path, save_path, name_map, regex, source: str, target: str) -> None:
    import re

    files = [path]
    if os.path.isdir(path):
        files = sorted(os.path.join(root, name) for root, _, names in os.walk(path) for name in names)
    for file in files:
        if not file.endswith("." + source) or (regex and not re.search(regex, file)):
            continue
        folder = save_path or os.path.dirname(file)
        if os.path.isdir(path) and save_path:
            folder = os.path.join(save_path, os.path.relpath(os.path.dirname(file), path))
        os.makedirs(folder or ".", exist_ok=True)
        values = {(name_map or {}).get(k, k): v for k, v in load_checkpoint(file, format=source).items()}
        name = os.path.basename(file).removesuffix(source) + target
        save_checkpoint(values, os.path.join(folder, name), format=target)


# ---- graphs ------------------------------------------------------------------------------------------------


def export(net, *inputs, file_name, file_format, **kwargs) -> None:
    """``net`` as a file that other programs run: "MINDIR", MindSpore's own, or "ONNX" (``mindspore.export``).

    ``inputs`` are examples, or Tensors of open shapes (``Tensor(shape=[None, 3], dtype=...)``). A MINDIR file
    holds the network as it is set, traced on them: MindSpore traces its source instead, and keeps branches.
    ``enc_key`` and ``enc_mode`` encrypt it. ONNX needs ``pip install onnx onnxscript``. NotImplementedError
    for AIR, and for an operator that has no primitive in MINDIR.
    """
    formats = ["AIR", "ONNX", "MINDIR"]
    if file_format not in formats:
        raise ValueError(f"For 'export', 'file_format' must be one of {formats}, but got {file_format}.")
    if not isinstance(file_name, str):
        raise TypeError(f"The '{file_name}' must be string, but got {type(file_name)}.")
    if file_format == "AIR":
        raise unsupported(
            "mindspore.export(file_format='AIR')",
            "such files are of Ascend's graph engine.",
            'file_format="MINDIR" or "ONNX".',
        )
    if file_format == "MINDIR":
        from ms2torch.mindir.writing import export as export_mindir

        export_mindir(net, *inputs, file_name=file_name, **kwargs)
        return
    if kwargs.get("custom_func") is not None:
        raise ValueError("Currently only support custom_func for MindIR format, but got ONNX format.")
    if "enc_key" in kwargs:
        raise unsupported("mindspore.export(enc_key=...)", "ONNX files stay plain.", "encrypt it yourself.")
    if not isinstance(net, Cell):
        raise ValueError(f"Export ONNX format model only support nn.Cell object, but got {type(net)}.")
    from ms2torch.onnx import export as export_onnx

    export_onnx(net, *inputs, file_name=file_name)


def get_ckpt_path_with_strategy(cur_ckpt_path, cur_strategy_path) -> str | None:
    """A checkpoint that is there and has what this process holds: its own (``rank_3`` in the path of rank 3),
    or in its place that of another rank whose parts are the same by the strategy file; None where none is."""
    from ms2torch.communication.management import get_rank
    from ms2torch.parallel._checkpoint_layouts import ranks_holding_the_same

    own = get_rank()
    if f"rank_{own}" in cur_ckpt_path and os.path.isfile(cur_ckpt_path):
        return cur_ckpt_path
    if isinstance(cur_strategy_path, str):
        os.stat(cur_strategy_path)      # (FileNotFoundError, as there)
    others = (re.sub(r"rank_\d+", f"rank_{rank}", cur_ckpt_path)
              for rank in ranks_holding_the_same(own, cur_strategy_path))
    return next(filter(os.path.isfile, others), None)


def load(file_name, **kwargs):
    """The graph of a MindIR file, for ``nn.GraphCell`` (``mindspore.load``).

    ``dec_key`` and ``dec_mode`` are those that it was exported with. ValueError for what is no such file,
    RuntimeError for one that is damaged, NotImplementedError for an operator that does not run here.
    """
    from ms2torch.mindir import loading

    return loading.load(file_name, **kwargs)


install_lazy(__name__, globals())
