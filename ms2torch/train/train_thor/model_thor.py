"""``mindspore.train.train_thor.model_thor``."""

from __future__ import annotations

from ms2torch import nn
from ms2torch.train.callback import RunContext
from ms2torch.train.model import Model

from .dataset_helper import DatasetHelper

__all__ = ["ModelThor"]


class ModelThor(Model):
    """A Model for ``nn.thor``: covariances are gathered and inverted in the first step and every
    ``frequency``-th after it; steps between use those inverses.

    In sink mode callbacks see the end of those steps and of each run of the others, as MindSpore's on a GPU;
    it has no other mode. ValueError for a dataset to evaluate on while training.
    """

    def __init__(self, network, loss_fn=None, optimizer=None, metrics=None, eval_network=None,
                 eval_indexes=None, amp_level="O0", **kwargs) -> None:
        super().__init__(network, loss_fn, optimizer, metrics, eval_network, eval_indexes, amp_level,
                         **kwargs)
        learner = network.optimizer if isinstance(network, nn.TrainOneStepCell) else optimizer
        self._frequency = learner.get_frequency()
        self._steps_done = 0

    def _train(self, epoch, dataset, callbacks, sink, sink_size, initial_epoch, valid=(None, 1, False)):
        if valid[0]:
            raise ValueError("Evaluation in training is currently not supported in the second-order scenario "
                             "of thor.")
        super()._train(epoch, dataset, callbacks, sink, sink_size, initial_epoch, valid)

    def _run_step(self, network, batch, manager, params, context) -> None:
        self._choose_branch()
        super()._run_step(network, batch, manager, params, context)

    def _choose_branch(self) -> None:
        """Set ``thor`` on the network and its optimizer where this step gathers curvature and that before
        did not, and take it off after it."""
        place = self._steps_done % self._frequency
        if place < 2:
            self._train_network.add_flags_recursive(thor=place == 0)
        self._steps_done += 1

    def _sink_epochs(self, epoch, dataset, manager, params, sink_size, initial_epoch, valid) -> None:
        params.update(sink_size=sink_size, dataset_sink_mode=True)
        context = RunContext(params)
        network = self._train_network
        helper = DatasetHelper(dataset, True, sink_size, epoch, self._frequency - 1)
        manager.on_train_begin(context)
        for i in range(initial_epoch, epoch):
            params.cur_epoch_num = self._current_epoch_num = i + 1
            self._current_step_num = 0
            manager.on_train_epoch_begin(context)
            self._enter_mode(network, True)
            for batch in helper:
                manager.on_train_step_begin(context)
                params.cur_step_num += 1
                self._current_step_num += 1
                self._choose_branch()
                params.net_outputs = network(*batch)
                if self._steps_done % self._frequency < 2:
                    manager.on_train_step_end(context)
            if self._epoch_ended(manager, params, context):
                break
        helper.release()
        manager.on_train_end(context)
