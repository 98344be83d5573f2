"""OnRequestExit (``mindspore.train.OnRequestExit``)."""

from __future__ import annotations

import json
import os
import signal

from ms2torch import context
from ms2torch import log as logger
from ms2torch._checkparam import check_isinstance
from ms2torch._core.errors import notice
from ms2torch.train.serialization import load_checkpoint, save_checkpoint

from ._callback import Callback
from ._checkpoint import make_directory


class OnRequestExit(Callback):
    """Ends training or evaluation at the signal ``sig``, and saves a checkpoint to resume from.

    Also when the JSON file ``config_file`` says ``{"GracefulExit": 1}``. The checkpoint,
    ``directory/rank_<device>/<file_name>_train.ckpt``, is loaded when training begins. ``save_mindir`` has
    no effect: there are no graph files. ValueError for SIGKILL and for arguments of the wrong type.
    """

    def __init__(
        self,
        save_ckpt=True,
        save_mindir=True,
        file_name="Net",
        directory="./",
        config_file=None,
        sig=signal.SIGTERM,
    ) -> None:
        super().__init__()
        self.save_ckpt = check_isinstance("save_ckpt", save_ckpt, bool)
        self.save_mindir = check_isinstance("save_mindir", save_mindir, bool)
        self.sig = check_isinstance("sig", sig, int)
        if self.sig == getattr(signal, "SIGKILL", None):
            raise ValueError("Not support send exit request by signal SIGKILL.")
        self.exit = self.stop_train = False
        self.save_path = directory
        self.remote_config_file = config_file
        if save_ckpt or save_mindir:
            folder = f"rank_{context.get_context('device_id')}"
            folder = make_directory(os.path.join(os.getcwd() if directory is None else directory, folder))
            self.train_name = os.path.join(folder, f"{file_name}_train")
            self.eval_name = os.path.join(folder, f"{file_name}_eval")

    def on_train_begin(self, run_context) -> None:
        signal.signal(self.sig, self._handle_signal)
        self._load(run_context.original_args().train_network, self.train_name)

    def on_eval_begin(self, run_context) -> None:
        signal.signal(self.sig, self._handle_signal)
        self._load(run_context.original_args().eval_network, self.eval_name, self.train_name)

    def on_train_step_end(self, run_context) -> None:
        self._stop_if_asked(run_context)

    def on_train_epoch_end(self, run_context) -> None:
        self._stop_if_asked(run_context)

    def on_eval_step_end(self, run_context) -> None:
        if self.exit:
            run_context.request_stop()

    def on_train_end(self, run_context) -> None:
        if self.exit:
            self._save(run_context.original_args(), "train_network", self.train_name)

    def on_eval_end(self, run_context) -> None:
        if self.exit:
            self._save(run_context.original_args(), "eval_network", self.eval_name)

    def _handle_signal(self, signum, frame) -> None:
        self.exit = True

    def _stop_if_asked(self, run_context) -> None:
        if not self.exit and self._asked_by_file():
            self.exit = True
        if self.exit and not self.stop_train:
            self.stop_train = True
            run_context.request_stop()

    def _asked_by_file(self) -> bool:
        if self.remote_config_file is None or not os.path.exists(self.remote_config_file):
            return False
        try:
            with open(self.remote_config_file, encoding="utf-8") as file:
                found = json.load(file)
        except json.JSONDecodeError as err:
            logger.warning(
                f"Parse json file failed: {err}, please check json file: {self.remote_config_file}"
            )
            return False
        return isinstance(found, dict) and found.get("GracefulExit") == 1

    def _load(self, network, *names: str) -> None:
        path = next((f"{name}.ckpt" for name in names if os.path.isfile(f"{name}.ckpt")), None)
        if self.save_ckpt and path is not None:
            load_checkpoint(path, net=network)

    def _save(self, params, which: str, name: str) -> None:
        if self.save_mindir:
            notice("OnRequestExit", "OnRequestExit(save_mindir=True): there are no graph files here.")
        if not self.save_ckpt:
            return
        more = {}
        if which == "train_network":
            more = {"epoch_num": params.cur_epoch_num, "step_num": params.cur_step_num}
            more["batch_num"] = params.batch_num
            if params.get("loss_scale_mananger") is not None:
                more["loss_scale"] = params.loss_scale_mananger.get_loss_scale()
        save_checkpoint(params[which], name, append_dict=more)
