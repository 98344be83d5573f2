"""Programs and defects by a seed: a fresh seed is a fresh trial of ``ms2torch diff``.

A program is a network of random layers, blocks of its own, a loss, an optimizer, a schedule and data. A
defect is a mistake of a grammar (axis, epsilon, momentum, dtype, order, off by one, missing term, scale,
reduction, initialisation, gradient) made in a class or function of ms2torch that the program uses, while it
runs: the package's files stay as they are, and nobody has looked at the pair before.
"""

from __future__ import annotations

import random
from typing import NamedTuple

STEPS = 3
_ACTIVATIONS = ("nn.ReLU()", "nn.Tanh()", "nn.Sigmoid()", "nn.GELU()", "nn.LeakyReLU(0.3)", "nn.ELU()",
                "nn.SiLU()", "nn.HSwish()", "nn.LogSigmoid()", "nn.Softmax()", "nn.Mish()", "nn.SeLU()")
_OPTIMIZERS = ("nn.SGD(p, {rate}, momentum=0.9)", "nn.SGD(p, {rate}, momentum=0.8, nesterov=True)",
               "nn.Momentum(p, {rate}, 0.9, weight_decay=0.01)", "nn.Adam(p, {rate}, weight_decay=0.01)",
               "nn.Adam(p, {rate}, beta1=0.8, eps=1e-6)", "nn.AdamWeightDecay(p, {rate}, weight_decay=0.02)",
               "nn.RMSProp(p, {rate}, momentum=0.5)", "nn.Adagrad(p, learning_rate={rate})",
               "nn.AdaMax(p, {rate})", "nn.Adadelta(p, {rate})", "nn.FTRL(p, learning_rate={rate})",
               "nn.ASGD(p, {rate})")
_RATES = ("0.02", "[0.03, 0.02, 0.01, 0.005]", "nn.ExponentialDecayLR(0.03, 0.7, 2)",
          "nn.CosineDecayLR(0.001, 0.03, 5)", "nn.PolynomialDecayLR(0.03, 0.001, 5, 2.0)",
          "nn.piecewise_constant_lr([1, 2, 4], [0.03, 0.02, 0.01])", "nn.warmup_lr(0.03, 6, 1, 4)")
# Losses of classes (rows of logits, whole numbers as labels) and of reals; Cells and functions.
_LOSSES = {
    "class": ("nn.CrossEntropyLoss()", "nn.CrossEntropyLoss(label_smoothing=0.1)",
              "nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')", "ops.cross_entropy",
              "ops.nll_loss"),
    "real": ("nn.MSELoss()", "nn.L1Loss()", "nn.SmoothL1Loss(beta=0.7)", "nn.HuberLoss(delta=0.6)",
             "ops.mse_loss", "ops.smooth_l1_loss"),
}
_HEAD = '''import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed({seed})


class Residual(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.one = nn.Dense(width, width)
        self.two = nn.Dense(width, width)

    def construct(self, x):
        return x + self.two(ops.relu(self.one(x)))


class Gated(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Dense(width, width)

    def construct(self, x):
        return x * ops.sigmoid(self.gate(x)) + ops.tanh(x) / 2


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
{made}

    def construct(self, x):
{called}
        return x


net = Network()
net.set_train()
p = net.trainable_params()
optimizer = {optimizer}
loss_fn = {loss}
'''
_FUNCTIONAL = '''

def forward(x, y):
    return loss_fn(net(x), y)


step = ms.value_and_grad(forward, None, optimizer.parameters)
'''
_UPDATE = '''    value, gradients = step({x}, {y})
{clip}    optimizer(gradients)
    print(value)
'''
_CELLS = '''step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
step.set_train()
'''


class Part(NamedTuple):
    """Something of ms2torch's that a program uses: its kind ("layer", "loss", "optimizer", "schedule",
    "function", "data"), its name in ``nn`` or ``ops``, and the names that its Cells have there."""

    kind: str
    name: str
    places: tuple[str, ...]


class Program(NamedTuple):
    """A program's text, and what a defect can be in."""

    text: str
    parts: tuple[Part, ...]


class Defect(NamedTuple):
    """A mistake in a part; ``stages`` and ``places`` are where the tool may name it."""

    part: Part
    mistake: str
    amount: float
    stages: tuple[str, ...]
    places: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.part.name}: {self.mistake} {self.amount:g}"


def program(seed: int) -> Program:
    """The program of a seed."""
    draw = random.Random(f"program {seed}")
    kind = draw.choice(("row", "image"))
    layers = (_image if kind == "image" else _row)(draw)
    target = draw.choice(("class", "real"))
    loss = draw.choice(_LOSSES[target])
    if loss == "ops.nll_loss":
        layers.append(("last", "nn.LogSoftmax()"))
    rate = draw.choice(_RATES)
    optimizer = draw.choice(_OPTIMIZERS)
    rate = _RATES[0] if "FTRL" in optimizer else rate  # which takes no schedule
    optimizer = optimizer.format(rate=rate)
    functional = draw.random() < 0.6
    clip = draw.choice(("", "", "    gradients = ops.clip_by_global_norm(gradients, 0.3)\n"))
    clip = clip if functional else ""
    text = _HEAD.format(seed=draw.randrange(1000), optimizer=optimizer, loss=loss,
                        made="\n".join(f"        self.{name} = {code}" for name, code in layers),
                        called="\n".join(f"        x = self.{name}(x)" for name, _ in layers))
    shape = "6, 3, 8, 8" if kind == "image" else "6, 10"
    labels = "rng.randint(0, 4, {rows}).astype(np.int32)" if target == "class" else \
        "rng.randn({rows}, 4).astype(np.float32)"
    text += _FUNCTIONAL if functional else _CELLS
    update = _UPDATE if functional else "    print(step({x}, {y}))\n"
    piped = draw.random() < 0.4
    if piped:
        text += "import mindspore.dataset as ds  # noqa: E402\n\n"
        text += (f"rng = np.random.RandomState({draw.randrange(100)})\n"
                 f"rows = [rng.randn(18, {shape[3:]}).astype(np.float32), {labels.format(rows=18)}]\n"
                 "data = ds.NumpySlicesDataset(tuple(rows), ['x', 'y'], shuffle=False)\n"
                 f"data = data.shuffle({draw.choice((4, 9, 18))}).batch(6)\n"
                 "for x, y in data.create_tuple_iterator(num_epochs=1):\n"
                 + update.format(x="x", y="y", clip=clip))
    else:
        text += (f"rng = np.random.RandomState({draw.randrange(100)})\n"
                 f"for _ in range({STEPS}):\n"
                 f"    x, y = rng.randn({shape}).astype(np.float32), {labels.format(rows=6)}\n"
                 + update.format(x="Tensor(x)", y="Tensor(y)", clip=clip))
    return Program(text, tuple(_parts(layers, loss, optimizer, rate, functional, bool(clip), piped)))


def _row(draw: random.Random) -> list[tuple[str, str]]:
    width, layers = 10, []
    for i in range(draw.randint(2, 4)):
        wide = draw.choice((8, 12, 16))
        activation = draw.choice(("", "", ", activation='tanh'", ", has_bias=False"))
        layers.append((f"dense{i}", f"nn.Dense({width}, {wide}{activation})"))
        width = wide
        layers += [(f"{what}{i}", code) for what, code in draw.sample((
            ("norm", f"nn.LayerNorm(({width},), epsilon=1e-5)"), ("batch", f"nn.BatchNorm1d({width})"),
            ("act", draw.choice(_ACTIVATIONS)), ("residual", f"Residual({width})"),
            ("gated", f"Gated({width})"), ("prelu", "nn.PReLU()")), draw.randint(1, 2))]
    return [*layers, ("head", f"nn.Dense({width}, 4)")]


def _image(draw: random.Random) -> list[tuple[str, str]]:
    channels, side, layers = 3, 8, []
    for i in range(draw.randint(1, 3)):
        out = draw.choice((4, 6))
        mode = draw.choice(("", ", has_bias=True", ", pad_mode='pad', padding=1", ", dilation=2"))
        layers.append((f"conv{i}", f"nn.Conv2d({channels}, {out}, 3{mode})"))
        channels = out
        layers += [(f"{what}{i}", code) for what, code in draw.sample((
            ("batch", f"nn.BatchNorm2d({channels})"), ("group", f"nn.GroupNorm(2, {channels})"),
            ("act", draw.choice(_ACTIVATIONS)), ("up", f"nn.Conv2dTranspose({channels}, {channels}, 3)")),
            draw.randint(1, 2))]
        if side > 2 and draw.random() < 0.6:
            layers.append((f"pool{i}", draw.choice(("nn.MaxPool2d(2, 2)", "nn.AvgPool2d(2, 2)"))))
            side //= 2
    return [*layers, ("flatten", "nn.Flatten()"), ("head", f"nn.Dense({channels * side * side}, 4)")]


def _parts(layers, loss, optimizer, rate, functional, clipped, piped):
    root = "" if functional else "network._backbone."
    places: dict[str, list[str]] = {}
    for name, code in layers:
        kind = code.partition("(")[0]
        if kind.startswith("nn."):
            places.setdefault(kind[3:], []).append(root + name)
        for child in {"Residual": ("one", "two"), "Gated": ("gate",)}.get(kind, ()):
            places.setdefault("Dense", []).append(f"{root}{name}.{child}")
    if "Tanh" in places:  # a Dense's own activation is that layer, too
        places["Tanh"] += [root + name for name, code in layers if "activation='tanh'" in code]
    for kind, names in places.items():
        if kind != "Flatten":
            yield Part("layer", kind, tuple(names))
    for kind, functions in {"Residual": ("relu",), "Gated": ("sigmoid", "tanh")}.items():
        cells = [root + name for name, code in layers if code.startswith(kind)]
        for function in functions if cells else ():
            yield Part("function", function, tuple(x for c in cells for x in (c, f"{c}/{function}")))
    if loss.startswith("nn."):
        kind = loss[3:].partition("(")[0]
        yield Part("loss", kind, (kind, "network._loss_fn"))
    else:
        name = loss[4:].replace("_", "")
        # Within a train cell the function is called by the library's own lines.
        yield Part("function", loss[4:], (f"program/{name}", "program") if functional else
                   ("network", "network._loss_fn", "network._backbone"))
    yield Part("optimizer", optimizer[3:].partition("(")[0], ())
    if rate.startswith("nn.") and rate[3].isupper():
        yield Part("schedule", rate[3:].partition("(")[0], ())
    if clipped:
        yield Part("function", "clip_by_global_norm", ("program/clipbyglobalnorm",))
    if piped:
        yield Part("data", "shuffle", ())


# Arguments of constructors: the mistake, by how much, the stages at which it shows.
_ARGUMENTS = {"epsilon": "epsilon", "eps": "epsilon", "momentum": "momentum", "beta1": "momentum",
              "beta2": "momentum", "alpha": "scale", "beta": "scale", "delta": "scale",
              "weight_decay": "missing term", "label_smoothing": "missing term", "decay_rate": "scale",
              "decay_steps": "off by one", "max_learning_rate": "scale", "axis": "axis",
              "reduction": "reduction", "power": "scale"}
_BACKWARD, _BOTH = ("backward",), ("forward", "backward")


def defects(seed: int, parts: tuple[Part, ...], count: int) -> list[Defect]:
    """``count`` mistakes in the parts of a program, no two alike."""
    draw, found = random.Random(f"defects {seed}"), {}
    for _ in range(50 * count):
        if len(found) == count:
            break
        defect = _defect(draw, draw.choice(parts))
        found.setdefault(defect.name, defect)
    return list(found.values())


def _defect(draw: random.Random, part: Part) -> Defect:
    small = draw.choice((0.3, 0.03, 3e-3, 3e-4))
    match part.kind:
        case "layer":
            choices = ["argument", "scale", "dtype", "gradient", "off by one", "missing term", "order"]
            if part.name in ("Dense", "Conv2d", "Conv2dTranspose", "PReLU"):
                choices.append("initialisation")
            mistake = draw.choice(choices)
            stages = {"gradient": ("backward",), "initialisation": ("random",),
                      "argument": ("forward", "backward", "optimizer")}.get(mistake, _BOTH)
            places = part.places
            if mistake in ("initialisation", "argument"):
                places = tuple(f"{place}(\\..*)?" for place in places)
            return Defect(part, mistake, small, stages, places)
        case "loss":
            mistake = draw.choice(("argument", "scale", "dtype", "gradient", "reduction"))
            return Defect(part, mistake, small, _BACKWARD if mistake == "gradient" else _BOTH, part.places)
        case "function":
            mistake = draw.choice(("scale", "dtype", "gradient") if part.name != "clip_by_global_norm" else
                                  ("scale", "dtype"))
            return Defect(part, mistake, small, _BACKWARD if mistake == "gradient" else _BOTH, part.places)
        case "optimizer":
            mistake = draw.choice(("argument", "argument", "scale", "dtype", "order", "off by one"))
            return Defect(part, mistake, small, ("optimizer",), (".*",))
        case "schedule":
            return Defect(part, draw.choice(("scale", "off by one")), small, ("optimizer",), (".*",))
    return Defect(part, draw.choice(("off by one", "order")), small, ("data",), (".*",))


# ---- planting: in the process of ms2torch ------------------------------------------------------------------


def plant(defect: Defect) -> None:
    """Make the mistake in the ms2torch that this process has imported."""
    from ms2torch import nn, ops

    part = defect.part
    if part.kind == "function":
        setattr(ops, part.name, _wrong_function(getattr(ops, part.name), defect))
    elif part.kind == "data":
        _wrong_data(defect)
    elif defect.mistake == "argument":
        _wrong_argument(getattr(nn, part.name), defect)
    elif defect.mistake == "initialisation":
        _wrong_start(getattr(nn, part.name), defect)
    elif part.kind == "optimizer":
        _wrong_update(getattr(nn, part.name), defect)
    else:
        kind = getattr(nn, part.name)
        kind.construct = _wrong_construct(kind.construct, defect)


def _mapped(value, change):
    from ms2torch import Tensor

    if isinstance(value, (tuple, list)):
        return type(value)(_mapped(v, change) for v in value)
    return change(value) if isinstance(value, Tensor) and value._t.is_floating_point() else value


def _changed(defect: Defect, cell=None):
    """What the mistake makes of one of its outputs."""
    import torch

    from ms2torch._core.tensor.tensor import wrap

    def change(value):
        t, amount = value._t, defect.amount
        match defect.mistake:
            case "scale":
                t = t * (1 + amount)
            case "dtype":
                t = t.to(torch.float16 if amount < 0.1 else torch.bfloat16).to(t.dtype)
            case "gradient":
                t = t + amount * (t - t.detach())
            case "off by one" if t.ndim:
                t = torch.roll(t, 1, -1)
            case "order" if t.ndim:
                t = torch.flip(t, (0,))
            case "reduction":
                t = t * 6 if t.ndim == 0 else t.mean()
            case "missing term":
                bias = getattr(cell, "bias", None)
                if bias is None or not hasattr(bias, "_t"):
                    t = t * (1 - amount)
                else:
                    t = t - bias._t.reshape(-1, *[1] * (t.ndim - 2)) if t.ndim > 2 else t - bias._t
        return wrap(t)

    return change


def _wrong_construct(construct, defect):
    def wrong(cell, *args, **kwargs):
        return _mapped(construct(cell, *args, **kwargs), _changed(defect, cell))

    return wrong


def _wrong_function(function, defect):
    def wrong(*args, **kwargs):
        return _mapped(function(*args, **kwargs), _changed(defect))

    wrong.__name__ = function.__name__
    return wrong


def _wrong_argument(kind, defect):
    """One number among the constructor's arguments is another."""
    import inspect

    make, signature = kind.__init__, inspect.signature(kind.__init__)
    known = [name for name in signature.parameters if name in _ARGUMENTS]
    name = known[int(defect.amount * 1e4) % len(known)] if known else None

    def wrong(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        value = bound.arguments.get(name)
        if isinstance(value, str) and _ARGUMENTS[name] == "reduction":
            bound.arguments[name] = "sum" if value == "mean" else "mean"
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            bound.arguments[name] = _other(_ARGUMENTS[name], value)
        make(*bound.args, **bound.kwargs)

    kind.__init__ = wrong


def _other(what: str, value):
    match what:
        case "epsilon":
            return value * 10
        case "momentum":
            return 1 - value if 0 < value < 1 else value + 0.1
        case "missing term":
            return 0.0 if value else 0.05
        case "off by one":
            return value + 1
        case "axis":
            return 0
    return value * 1.1


def _wrong_start(kind, defect):
    make = kind.__init__

    def wrong(self, *args, **kwargs):
        make(self, *args, **kwargs)
        weight = getattr(self, "weight", getattr(self, "w", None))
        weight.set_data(weight * (1 + defect.amount))

    kind.__init__ = wrong


def _wrong_update(kind, defect):
    construct = kind.construct
    counts: dict[int, int] = {}

    def wrong(self, gradients, *more):
        counts[id(self)] = counts.get(id(self), 0) + 1
        if defect.mistake == "off by one":  # the second update is forgotten
            gradients = tuple(g * 0 for g in gradients) if counts[id(self)] == 2 else gradients
        elif defect.mistake == "order":
            gradients = tuple(g.flip((0,)) if g.ndim else g for g in gradients)
        else:
            gradients = _mapped(tuple(gradients), _changed(defect))
        return construct(self, gradients, *more)

    kind.construct = wrong


def _wrong_data(defect):
    from ms2torch.dataset.engine.datasets import Dataset

    shuffle = Dataset.shuffle

    def wrong(self, buffer_size):
        return shuffle(self, max(2, buffer_size - 1)) if defect.mistake == "off by one" else self

    Dataset.shuffle = wrong
