"""ModelCheckpoint and its CheckpointConfig (``mindspore.train.callback._checkpoint``)."""

from __future__ import annotations

import os
import time

from ms2torch import log as logger
from ms2torch._checkparam import check_bool, check_isinstance, check_non_negative_int
from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.processes import distributed
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.parallel._utils import _get_parallel_mode
from ms2torch.train._checkpoint_arguments import check_async
from ms2torch.train.serialization import _wait_for_thread, save_checkpoint

from ._callback import Callback

_COUNTED = ["epoch_num", "step_num"]


class CheckpointConfig:
    """When checkpoints are saved, how many stay, what goes in (``mindspore.train.CheckpointConfig``).

    ``save_checkpoint_steps`` counts before ``save_checkpoint_seconds``, ``keep_checkpoint_max`` before
    ``keep_checkpoint_per_n_minutes``; without either of these one file is kept. ``append_info``: a list of
    "epoch_num", "step_num" and one dict of further values. ``exception_save``: also where training fails.
    The rest goes to ``save_checkpoint``. ValueError and TypeError for arguments that make no sense.
    """

    def __init__(
        self,
        save_checkpoint_steps=1,
        save_checkpoint_seconds=0,
        keep_checkpoint_max=5,
        keep_checkpoint_per_n_minutes=0,
        integrated_save=True,
        async_save=False,
        saved_network=None,
        append_info=None,
        enc_key=None,
        enc_mode="AES-GCM",
        exception_save=False,
        crc_check=False,
        remove_redundancy=False,
        format="ckpt",
        **kwargs,
    ) -> None:
        amounts = (
            save_checkpoint_steps,
            save_checkpoint_seconds,
            keep_checkpoint_max,
            keep_checkpoint_per_n_minutes,
        )
        for amount in amounts:
            if amount is not None:
                check_non_negative_int(amount)
        if saved_network is not None and not isinstance(saved_network, Cell):
            raise TypeError(
                "For 'CheckpointConfig', the type of 'saved_network' must be None or Cell, "
                f"but got {type(saved_network)}."
            )
        if not any(amounts):
            raise ValueError(
                "For 'CheckpointConfig', the input arguments 'save_checkpoint_steps', "
                "'save_checkpoint_seconds', "
                "'keep_checkpoint_max' and 'keep_checkpoint_per_n_minutes' can't be all None or 0."
            )
        self.exception_save = check_bool(exception_save)
        self.save_checkpoint_steps = save_checkpoint_steps
        self.save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        self.keep_checkpoint_max = keep_checkpoint_max
        self.keep_checkpoint_per_n_minutes = None if keep_checkpoint_max else keep_checkpoint_per_n_minutes
        if not keep_checkpoint_max and not keep_checkpoint_per_n_minutes:
            self.keep_checkpoint_max = 1
        self.integrated_save = check_bool(integrated_save)
        check_async(async_save)
        self.async_save = async_save
        self.saved_network = saved_network
        self.append_dict = _appended(append_info)
        self.enc_key = check_isinstance("enc_key", enc_key, (type(None), bytes))
        self.enc_mode = check_isinstance("enc_mode", enc_mode, str)
        self.crc_check = check_isinstance("crc_check", crc_check, bool)
        self.format = check_isinstance("format", format, str)
        self.map_param_inc = kwargs.get("incremental", False)
        self.enable_redundance = kwargs.get("enable_redundance", False)
        self.remove_redundancy = check_isinstance("remove_redundancy", remove_redundancy, bool)
        special = (
            enc_key is not None or enc_mode != "AES-GCM" or crc_check or exception_save or self.map_param_inc
        )
        if format == "safetensors" and special:
            raise ValueError(
                "For 'save_checkpoint', when format is 'safetensors', other param must be default."
            )

    def get_checkpoint_policy(self) -> dict:
        """The amounts and the network, by name."""
        names = ("steps", "seconds")
        policy = {f"save_checkpoint_{name}": getattr(self, f"save_checkpoint_{name}") for name in names}
        names = ("keep_checkpoint_max", "keep_checkpoint_per_n_minutes", "saved_network")
        return {**policy, **{name: getattr(self, name) for name in names}}


def _appended(info) -> dict | None:
    if info is None or (isinstance(info, list) and not info):
        return None
    if not isinstance(info, list):
        raise TypeError(
            f"For 'CheckpointConfig', the type of 'append_info' must be list,but got {type(info)}."
        )
    found, dicts = {name: 0 for name in _COUNTED if name in info}, 0
    for element in info:
        if not isinstance(element, (str, dict)):
            raise TypeError(
                "For 'CheckpointConfig', the type of 'append_info' element must be str or dict,"
                f"but got {type(element)}."
            )
        if isinstance(element, str):
            if element not in _COUNTED:
                raise ValueError(
                    "For 'CheckpointConfig', the value of element in the argument 'append_info' "
                    f"must be in {_COUNTED}, but got {element}."
                )
            continue
        dicts += 1
        if dicts > 1:
            raise TypeError(
                "For 'CheckpointConfig', the element of 'append_info' must has only one dict, but got "
                "{dict_num}"
            )
        for key, value in element.items():
            if not isinstance(key, str) or not isinstance(value, (int, float, bool, str, Tensor)):
                raise TypeError(
                    "For 'CheckpointConfig', the key type of the dict 'append_info' must be string, the "
                    "value type "
                    f"must be int or float or bool, but got key type {type(key)}, value type {type(value)}"
                )
            found[key] = value
    return found


class ModelCheckpoint(Callback):
    """Saves the training network with its optimizer while it trains (``mindspore.train.ModelCheckpoint``).

    Files are ``directory/prefix-epoch_step.ckpt``, step counted within the epoch; a prefix that is taken
    gets ``_1``, ``_2``, ... ``prefix`` and ``directory`` may be functions of the run's parameters; a prefix
    from a function is the whole name. The last step is always saved. No ``-graph.meta`` is written: there
    is no compiled graph. ValueError for a prefix with "/" in it, TypeError for another config. Libraries
    that override ``_save_ckpt`` find MindSpore's names in it.
    """

    _need_flush_from_cache = False  # no parameters live on a server

    def __init__(self, prefix="CKP", directory=None, config=None) -> None:
        super().__init__()
        if not callable(prefix):
            _check_prefix(prefix, "it must be callable or string that does not contain '/'")
        if config is not None and not isinstance(config, CheckpointConfig):
            raise with_public_classes(TypeError(
                "For 'ModelCheckpoint', the type of argument 'config' should be 'CheckpointConfig', "
                f"but got {type(config)}."
            ))
        if os.environ.get("AITURBO") == "1":
            raise ImportError("The variable AITURBO asks for checkpoints by Huawei's library aiturbo, which "
                              "is not installed. Unset it.")
        self._prefix_func = prefix if callable(prefix) else None
        self._directory_func = directory if callable(directory) else None
        self._prefix = self._exception_prefix = prefix
        self._directory = None
        if not callable(directory):
            self._directory = os.getcwd() if directory is None else make_directory(directory)
        self._config = config or CheckpointConfig()
        self._manager = CheckpointManager(self._config.format)
        if not callable(prefix) and not callable(directory):
            self._prefix = _chg_ckpt_file_name_if_same_exist(self._directory, prefix)
        self._append_dict = self._config.append_dict or {}
        self._append_epoch_num, self._append_step_num = (self._append_dict.get(name, 0) for name in _COUNTED)
        self._latest_ckpt_file_name = ""
        self._last_time = self._last_time_for_keep = time.time()
        self._last_triggered_step = 0

    @property
    def latest_ckpt_file_name(self) -> str:
        """Path of the newest checkpoint, "" before the first."""
        return self._latest_ckpt_file_name

    def begin(self, run_context) -> None:
        """Of processes that train the same network into the same folder, the first one writes."""
        if self._directory:
            distributed.register(f"checkpoints in {self._directory}")

    def _writes(self) -> bool:
        return not distributed.joined() or _get_parallel_mode() == "stand_alone" or distributed.is_first(
            f"checkpoints in {self._directory}")

    def step_end(self, run_context) -> None:
        """Save if it is time to."""
        params = run_context.original_args()
        if self._prefix_func:
            self._prefix = self._prefix_func(params)
            _check_prefix(
                self._prefix, "is callable, it must return a string that does not contain '/'", returned=True
            )
        if self._directory_func:
            self._directory = make_directory(self._directory_func(params))
        self._save_ckpt(params)

    def end(self, run_context) -> None:
        """Save the last step, and wait for what is still being written."""
        self._save_ckpt(run_context.original_args(), force_to_save=True)
        if self._config.async_save:
            _wait_for_thread()

    def _check_save_ckpt(self, params, force_to_save: bool) -> bool:
        """Whether it is time to save; by the clock, the time starts anew."""
        config = self._config
        if config.save_checkpoint_steps:
            return force_to_save or (
                params.cur_step_num >= self._last_triggered_step + config.save_checkpoint_steps
            )
        if not config.save_checkpoint_seconds:
            return False
        due = force_to_save or time.time() - self._last_time > config.save_checkpoint_seconds
        if due:
            self._last_time = time.time()
        return due

    def _save_ckpt(self, params, force_to_save: bool = False) -> None:
        config, step = self._config, params.cur_step_num
        if step == self._last_triggered_step:
            return
        if not self._check_save_ckpt(params, force_to_save):
            return
        if config.remove_redundancy:
            raise TypeError(
                "The deduplication feature for saving checkpoint can only be used in parallel scenarios, "
                "but got 'stand_alone'."
            )
        name = self._prefix
        if not self._prefix_func:
            name += f"-{params.cur_epoch_num}_{(step - 1) % params.batch_num + 1}"
        path = os.path.join(self._directory, f"{name}.{config.format}")
        if not self._writes():
            self._last_triggered_step, self._latest_ckpt_file_name = step, path
            return
        self._make_room()
        self._last_time_for_keep, self._last_triggered_step = time.time(), step
        network = config.saved_network or params.train_network
        options = {name: getattr(config, name) for name in ("enc_key", "enc_mode", "crc_check", "format")}
        self._write(network, path, params.cur_epoch_num, step, **options)
        self._latest_ckpt_file_name = path

    def _make_room(self) -> None:
        """Take away files that are not to be kept beside the one to come."""
        manager, most = self._manager, self._config.keep_checkpoint_max
        minutes = self._config.keep_checkpoint_per_n_minutes
        manager.update_ckpoint_filelist(self._directory, self._prefix)
        if most and manager.ckpoint_num >= most:
            manager.remove_oldest_ckpoint_file()
        elif minutes and time.time() - self._last_time_for_keep < minutes * 60:
            manager.keep_one_ckpoint_per_minutes(minutes, time.time())

    def _write(self, network, path: str, epoch: int, step: int, **options) -> None:
        self._append_dict_content(epoch, step)
        whole, apart = self._config.integrated_save, self._config.async_save
        save_checkpoint(network, path, whole, apart, self._append_dict, **options)

    def _append_dict_content(self, epoch: int, step: int) -> None:
        """Count on from what the numbers in the file were before this training."""
        before = self._append_epoch_num, self._append_step_num
        for name, past, done in zip(_COUNTED, before, (epoch, step), strict=True):
            if name in self._append_dict:
                self._append_dict[name] = past + done

    def _save_on_exception(self, network, epoch: int, step: int) -> None:
        """Training failed: what there is goes into a file ``..._breakpoint.ckpt``, where that is wanted."""
        if self._config.exception_save:
            prefix = _chg_ckpt_file_name_if_same_exist(
                self._directory, self._exception_prefix, exception=True
            )
            self._write(
                network,
                os.path.join(self._directory, f"{prefix}-{epoch}_{step}_breakpoint.ckpt"),
                epoch,
                step,
            )


def _check_prefix(prefix, rule: str, returned: bool = False) -> None:
    if not isinstance(prefix, str) or "/" in prefix:
        verb = "" if returned else "is invalid, "
        raise ValueError(
            f"For 'ModelCheckpoint', the argument 'prefix' for checkpoint file name {verb}{rule}, but got "
            f"{prefix}."
        )


def make_directory(path: str) -> str:
    """The real path of a folder, made where it is missing; TypeError for a path that is no str."""
    if not isinstance(path, str):
        raise TypeError("The path is invalid, the type should be string.")
    if not path.strip():
        raise ValueError("The path is invalid, it should be non-blank.")
    real = os.path.realpath(path)
    if os.path.exists(real) and not os.path.isdir(real):
        raise NotADirectoryError(f"The path({real}) is a file path, it should be a directory path.")
    os.makedirs(real, mode=0o700, exist_ok=True)
    return real


def _chg_ckpt_file_name_if_same_exist(directory: str, prefix: str, exception: bool = False) -> str:
    """``prefix``, with ``_N`` behind it where files of that name are there already."""
    number = 0
    for name in os.listdir(directory):
        if name.endswith("_breakpoint.ckpt") is not exception or not name.endswith((".ckpt", ".safetensors")):
            continue
        rest = name[len(prefix) :]
        if name.startswith(prefix) and not rest[:1].isalpha():
            at = rest.find("-")
            if at == 0:
                number = max(number, 1)
            elif at > 0 and rest[1:at].isdigit():
                number = max(number, int(rest[1:at]) + 1)
    return f"{prefix}_{number}" if number else prefix


class CheckpointManager:
    """The files of one prefix in a folder, and which of them have to go."""

    def __init__(self, format: str = "ckpt") -> None:
        self._files: list[str] = []
        self._suffix = "." + format

    @property
    def ckpoint_filelist(self) -> list[str]:
        return self._files

    @property
    def ckpoint_num(self) -> int:
        return len(self._files)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Look the folder through again."""
        self._files = []
        for name in os.listdir(directory):
            if not name.startswith(prefix + "-") or not name.endswith(self._suffix):
                continue
            if not any(map(str.isalpha, name[len(prefix) : -len(self._suffix)])):
                self._files.append(os.path.join(directory, name))

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Delete a file; a warning where that fails."""
        try:
            os.chmod(file_name, 0o200)
            os.remove(file_name)
            self._files.remove(file_name)
        except (OSError, ValueError) as err:
            logger.warning("%s, failed to remove the older ckpt file %s.", type(err).__name__, file_name)

    def remove_oldest_ckpoint_file(self) -> None:
        self.remove_ckpoint_file(min(self._files, key=os.path.getmtime))

    def keep_one_ckpoint_per_minutes(self, minutes: int, cur_time: float) -> None:
        """Of the files of the last ``minutes`` keep the oldest."""
        recent = [f for f in self._files if cur_time - os.path.getmtime(f) < 60 * minutes]
        for file in sorted(recent, key=os.path.getmtime)[1:]:
            self.remove_ckpoint_file(file)
