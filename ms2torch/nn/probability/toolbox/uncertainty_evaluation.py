"""How sure a network is of what it says (``mindspore.nn.probability.toolbox``)."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from ms2torch import ops
from ms2torch._checkparam import check_bool, check_positive_int
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer import Conv2d, Dense, Dropout, Flatten, SequentialCell
from ms2torch.nn.loss import MSELoss, SoftmaxCrossEntropyWithLogits
from ms2torch.nn.optim import Adam

from .._replacing import put

__all__ = ["UncertaintyEvaluation"]


class UncertaintyEvaluation:
    """Uncertainty of a model and of its data, of MindSpore 1.0 to 1.10
    (``mindspore.nn.probability.toolbox.UncertaintyEvaluation``).

    ``task_type``: "regression" or "classification" (with ``num_classes``). Each kind of uncertainty is found
    by a copy of ``model``, trained for ``epochs`` over ``train_dataset`` with Adam when first asked for;
    ``save_model`` writes its checkpoints to the folder ``..._model_path``, else the checkpoint there is read
    in the training's place.
    """

    def __init__(self, model, train_dataset, task_type, num_classes=None, epochs=1, epi_uncer_model_path=None,
                 ale_uncer_model_path=None, save_model=False) -> None:
        if not isinstance(model, Cell):
            raise TypeError("The model should be Cell type.")
        if task_type not in ("regression", "classification"):
            raise ValueError("The task should be regression or classification.")
        self.epi_model, self.ale_model = deepcopy(model), deepcopy(model)
        self.epi_train_dataset, self.ale_train_dataset = train_dataset, deepcopy(train_dataset)
        self.task_type = task_type
        self.num_classes = check_positive_int(num_classes) if task_type == "classification" else num_classes
        self.epochs = check_positive_int(epochs)
        self.epi_uncer_model_path, self.ale_uncer_model_path = epi_uncer_model_path, ale_uncer_model_path
        self.save_model = check_bool(save_model)
        self.epi_uncer_model = self.ale_uncer_model = None
        if save_model and (epi_uncer_model_path is None or ale_uncer_model_path is None):
            raise ValueError("If save_model is True, the epi_uncer_model_path and ale_uncer_model_path "
                             "should not be None.")

    def eval_epistemic_uncertainty(self, eval_data):
        """The model's own uncertainty: the variance of ten predictions with dropout, shaped as one.

        A network whose first dense, convolutional or dropout layer is no dropout gets one of 0.5 behind that
        layer, and is trained with it.
        """
        if self.epi_uncer_model is None:
            self.epi_uncer_model = _WithDropout(self.epi_model)
            if self.epi_uncer_model.drop_count == 0 and self.epi_train_dataset is not None:
                classes = self.task_type == "classification"
                loss = SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean") if classes else MSELoss()
                path = self.epi_uncer_model_path
                self._fit(self.epi_uncer_model, loss, self.epi_train_dataset, path, "epi")
        self.epi_uncer_model.set_train(True)
        return np.stack([self.epi_uncer_model(eval_data).asnumpy() for _ in range(10)]).var(axis=0)

    def eval_aleatoric_uncertainty(self, eval_data):
        """The data's uncertainty, (N,): the squares of the learned deviation, summed over axis 1."""
        if self.ale_train_dataset is None:
            raise ValueError("The train dataset should not be None when evaluating aleatoric uncertainty.")
        if self.ale_uncer_model is None:
            self.ale_uncer_model = _WithDeviation(self.ale_model, self.num_classes, self.task_type)
            self._fit(self.ale_uncer_model, _DeviationLoss(self.task_type), self.ale_train_dataset,
                      self.ale_uncer_model_path, "ale")
        _, deviation = self.ale_uncer_model(eval_data)
        return ops.square(deviation).sum(1).asnumpy()

    def _fit(self, network, loss, dataset, path, kind: str) -> None:
        from ms2torch.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint
        from ms2torch.train.serialization import load_checkpoint, load_param_into_net

        if path is not None and not self.save_model:
            load_param_into_net(network, load_checkpoint(path))
            return
        callbacks = [LossMonitor()]
        if self.save_model:
            kept = CheckpointConfig(keep_checkpoint_max=self.epochs)
            callbacks.insert(0, ModelCheckpoint(f"checkpoint_{kind}_uncer_model", path, kept))
        model = Model(network, loss, Adam(network.trainable_params()))
        model.train(self.epochs, dataset, callbacks=callbacks, dataset_sink_mode=False)


class _WithDropout(Cell):
    """A network with at least one dropout, which tells how sure its weights are."""

    def __init__(self, epi_model) -> None:
        super().__init__()
        self.drop_count = 0
        if not self._dropped(epi_model):
            raise ValueError("The model has not Dense Layer or Convolution Layer, "
                             "it can not evaluate epistemic uncertainty so far.")
        self.epi_model = epi_model

    def construct(self, x):
        return self.epi_model(x)

    def _dropped(self, network) -> bool:
        for name, layer in network.name_cells().items():
            if isinstance(layer, Dropout):
                self.drop_count += 1
                return True
            if isinstance(layer, (Conv2d, Dense)):
                put(network, name, SequentialCell([layer, Dropout(p=0.5)]))
                return True
            if self._dropped(layer):
                return True
        return False


class _WithDeviation(Cell):
    """A network that gives a deviation beside its prediction."""

    def __init__(self, ale_model, num_classes, task) -> None:
        super().__init__()
        self.task = task
        self.ale_model = ale_model
        if task == "classification":
            self.var_layer = Dense(num_classes, num_classes)
            return
        last = [name for name, layer in ale_model.name_cells().items() if isinstance(layer, Dense)][-1:]
        if not last:
            raise ValueError("The model has not Dense Layer, "
                             "it can not evaluate aleatoric uncertainty so far.")
        self.pred_layer = ale_model.name_cells()[last[0]]
        put(ale_model, last[0], Flatten())
        self.var_layer = Dense(self.pred_layer.in_channels, self.pred_layer.out_channels)

    def construct(self, x):
        x = self.ale_model(x)
        if self.task == "classification":
            return x, self.var_layer(x)
        return self.pred_layer(x), self.var_layer(x)


class _DeviationLoss(Cell):
    """The loss of predictions with a deviation: of classes the mean over ten draws around the prediction, of
    numbers ``(exp(-v) (y - prediction)^2 + v) / 2`` with v for the logarithm of the variance."""

    def __init__(self, task) -> None:
        super().__init__()
        self.task = task
        self.entropy = SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, data_pred, y):
        prediction, deviation = data_pred
        if self.task == "classification":
            draws = ops.normal((10,), 0.0, 1.0)
            return sum(self.entropy(prediction + draws[i] * deviation, y) for i in range(10)) / 10
        return (0.5 * ops.exp(-deviation) * ops.square(y - prediction) + 0.5 * deviation).mean()
