"""A Model in half precision, and its translation: the same digits where the same numbers are rounded."""

import contextlib
import io

import pytest

from ms2torch.translate import translate_source

PROGRAM = """
import numpy as np
import mindspore as ms
from mindspore import Model, Parameter, Tensor, nn, ops
import mindspore.dataset as ds
from mindspore.train import Callback, DynamicLossScaleManager, FixedLossScaleManager, LossMonitor

rng = np.random.RandomState(0)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(4, 8); self.relu = ops.ReLU(); self.norm = nn.{norm}; self.b = nn.Dense(8, 3)

    def construct(self, x):
        return self.b(self.norm(self.relu(self.a(x))))


class Told(Callback):
    def on_train_step_end(self, run_context):
        outputs = run_context.original_args().net_outputs
        print(*[value.asnumpy() for value in (outputs if isinstance(outputs, tuple) else [outputs])])


net = Net()
for p in net.trainable_params():
    p.set_data(Tensor(rng.randn(*p.shape).astype(np.float32)))
rows = {size} * rng.randn(24, 4).astype(np.float32), rng.randint(0, 3, 24).astype(np.int32)
data = ds.NumpySlicesDataset(rows, ["x", "label"], shuffle=False).batch(8)
optimizer, loss_fn = nn.{optimizer}, nn.CrossEntropyLoss()
model = Model(net, loss_fn, optimizer{options})
model.train(3, data, callbacks=[{callbacks}], dataset_sink_mode=False)
"""
NORMS = {"batch": "BatchNorm1d(8)", "layer": "LayerNorm((8,))"}
MOMENTUM = "Momentum(net.trainable_params(), 0.05, 0.9, weight_decay=1e-3, loss_scale={})"
# A norm, an optimizer, how large inputs are, the Model's options; what the translation says.
MODELS = {
    "moved scale": ("batch", MOMENTUM.format(1.0), 1, 'amp_level="O2"', "ScaledTrainer("),
    "scale of one's own": (
        "batch",
        MOMENTUM.format(1.0),
        1,
        'amp_level="O2", loss_scale_manager=DynamicLossScaleManager(2**20, 2, 2)',
        "window=2",
    ),
    "an optimizer that divides too": (
        "layer",
        MOMENTUM.format(100.0),
        1,
        'amp_level="O2", loss_scale_manager=DynamicLossScaleManager(2**8, 2, 2)',
        "loss_scale = 100.0",
    ),
    "fixed scale": (
        "layer",
        MOMENTUM.format(1.0),
        1,
        'amp_level="O2", keep_batchnorm_fp32=False, loss_scale_manager=FixedLossScaleManager(256.0)',
        "fixed=True",
    ),
    "a scale that the optimizer takes off": (
        "batch",
        MOMENTUM.format(100.0),
        1,
        'amp_level="O3", loss_scale_manager=FixedLossScaleManager(100.0, drop_overflow_update=False)',
        "FixedScaleTrainer(",
    ),
    "weights that overflow where no step is dropped": (
        "layer",
        MOMENTUM.format(128.0),
        3e4,
        'amp_level="O2", loss_scale_manager=FixedLossScaleManager(128.0, False)',
        "FixedScaleTrainer(",
    ),
    "no scale": ("batch", MOMENTUM.format(1.0), 1, 'amp_level="O3"', " Trainer("),
    "AdamWeightDecay": (
        "layer",
        "AdamWeightDecay(net.trainable_params(), 1e-2, weight_decay=0.05)",
        1,
        'amp_level="O2"',
        "ScaledTrainer(",
    ),
    "outputs in float32": (
        "layer",
        MOMENTUM.format(1.0),
        1,
        "loss_scale_manager=DynamicLossScaleManager(2**8, 2, 2)",
        "ScaledTrainer(",
    ),
}


def printed(code: str) -> list[str]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {"__name__": "__main__"})
    return out.getvalue().splitlines()


@pytest.mark.parametrize("name", MODELS)
def test_its_translation_prints_the_same_digits(name):
    norm, optimizer, size, options, says = MODELS[name]
    callbacks = "Told()" if size > 1 else "Told(), LossMonitor(3)"  # which ends at a loss that is nan
    given = {"norm": NORMS[norm], "optimizer": optimizer, "size": size, "options": f", {options}"}
    program = PROGRAM.format(callbacks=callbacks, **given)
    made = translate_source(program).text
    assert says in made and "ms2torch" not in made, made
    expected = printed(program.replace("mindspore", "ms2torch"))
    assert len(expected) in (9, 12) and printed(made) == expected


def test_a_loop_prints_the_digits_of_a_step_that_tells_its_scale_too():
    options = ", loss_scale_manager=DynamicLossScaleManager(2**8, 2, 2)"
    program = PROGRAM.format(
        norm=NORMS["layer"],
        optimizer=MOMENTUM.format(1.0),
        size=1,
        options=options,
        callbacks="LossMonitor(2)",
    )
    made = translate_source(program).text
    assert "loss is {loss.numpy(force=True)!s}" in made and "Trainer" not in made, made
    assert printed(made) == printed(program.replace("mindspore", "ms2torch"))
