"""BackupAndRestore (``mindspore.train.BackupAndRestore``)."""

from __future__ import annotations

import os

from ms2torch._checkparam import check_bool, check_positive_int
from ms2torch.train.serialization import load_checkpoint, save_checkpoint

from ._callback import Callback
from ._checkpoint import make_directory


class BackupAndRestore(Callback):
    """Loads ``backup_dir/backup.ckpt`` when training begins, and writes it every ``save_freq`` epochs.

    ``save_freq``: "epoch" or an int. ``delete_checkpoint``: take it away when training ends as planned.
    """

    def __init__(self, backup_dir, save_freq="epoch", delete_checkpoint=True) -> None:
        super().__init__()
        self.backup_file = os.path.join(make_directory(backup_dir), "backup.ckpt")
        self.save_freq = 1 if save_freq == "epoch" else check_positive_int(save_freq)
        self.delete_checkpoint = check_bool(delete_checkpoint)

    def on_train_begin(self, run_context) -> None:
        if os.path.exists(self.backup_file):
            load_checkpoint(self.backup_file, net=run_context.original_args().train_network)

    def on_train_epoch_end(self, run_context) -> None:
        params = run_context.original_args()
        if params.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(params.train_network, self.backup_file)

    def on_train_end(self, run_context) -> None:
        if self.delete_checkpoint and os.path.exists(self.backup_file):
            os.remove(self.backup_file)
