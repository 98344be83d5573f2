"""One side: builds, calls and differentiates every Cell of the files of a list (`__main__`).

    side.py LIST FOLDER MODE        # FOLDER/NUMBER.pkl has what came of each file

A file is imported in a child of its own. Arguments without a default are guessed by their names; a class with
one that no guess fits is left out. A Cell is called with one kind of input after another until one fits, at
rest; then its gradients are taken in training, towards the inputs and the weights.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pickle
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

OURS = ms.__name__ == "ms2torch"
ONE_CLASS, ONE_FILE = 45, 150           # seconds
VALUES = 2000                           # of an output that are kept
WORDS = 160                             # of an error

_BY_NAME = (
    (8, "in_channels out_channels in_channel out_channel channels channel inplanes planes"),
    (8, "inp oup ch_in ch_out dim in_dim out_dim input_dim output_dim in_features out_features"),
    (8, "input_size output_size"),
    (8, "num_features c1 c2 ngf ndf nz nc seq_length width height"),
    (16, "hidden_size hidden_dim embedding_size embedding_dim d_model"),
    (20, "vocab_size num_embeddings"),
    (10, "num_classes num_class class_num total_steps decay_steps"),
    (3, "kernel_size input_nc output_nc"),
    (2, "num_heads num_attention_heads n_heads heads expand_ratio ratio scale batch_size warmup_steps"),
    (1, "stride num_layers padding groups dilation axis n"),
    (0.0, "dropout dropout_prob dropout_rate"),
    (1.0, "keep_prob weights sens"),
    (0.1, "learning_rate lr base_lr smoothing label_smooth smooth_factor"),
    (0.5, "temperature margin"),
    (2.0, "gamma"),
    (0.25, "alpha"),
    (0.02, "initializer_range"),
    (1e-5, "eps epsilon"),
    (True, "is_training training bias has_bias"),
    ([1, 1, 1, 1], "layers"),
    (nn.BatchNorm2d, "norm_layer norm"),
    (nn.ReLU, "act_layer"),
    ("relu", "activation"),
    ("same", "pad_mode"),
    ("mean", "reduction"),
)
GUESSES = {name: value for value, names in _BY_NAME for name in names.split()}

_IMAGES = (2, 3, 32, 32), (2, 8, 16, 16), (2, 3, 64, 64), (2, 1, 28, 28), (2, 3, 224, 224)
_ROWS = (2, 8), (2, 16), (2, 8, 16), (2, 16, 8), (2, 10), (2,), (4, 3), (2, 3)


class TooLong(BaseException):
    """The seconds of a class are over."""


def _too_long(*_):
    raise TooLong


def inputs(count: int) -> Iterator[tuple[str, list[Tensor]]]:
    """One kind of ``count`` inputs after another, with its name; the same on both sides."""
    drawn = np.random.RandomState(0)

    def real(*shape):
        return Tensor(drawn.randn(*shape).astype(np.float32))

    def whole(*shape, most=5):
        return Tensor(drawn.randint(0, most, shape).astype(np.int32))

    if not count:
        yield "nothing", []
        return
    for shape in (*_IMAGES[:2], *_ROWS, *_IMAGES[2:], (2, 3, 8, 16, 16)):
        yield f"{shape}", [real(*shape) for _ in range(count)]
    yield "tokens", [whole(2, 8) for _ in range(count)]
    if count == 1:
        return
    for shape in ((2, 10), (2, 8), *_IMAGES[:2]):
        yield f"{shape} and classes", [real(*shape), *(whole(2) for _ in range(count - 1))]
    for channels in (2, 8, 10):
        rest = [whole(2, 16, 16, most=2) for _ in range(count - 1)]
        yield f"{channels} channels and maps", [real(2, channels, 16, 16), *rest]
    yield "tokens and masks", [whole(2, 8), *(real(2, 8) for _ in range(count - 1))]
    yield "rows and masks", [real(2, 8, 16), *(real(2, 8) for _ in range(count - 1))]


def error(err: BaseException) -> tuple[str, str]:
    """Its class, and the beginning of its first line."""
    return type(err).__name__, str(err).strip().split("\n")[0][:WORDS]


def leaves(value, found: list) -> list:
    """The arrays in nested results."""
    if isinstance(value, Tensor):
        found.append(value.asnumpy())
    elif isinstance(value, dict):
        leaves(list(value.values()), found)
    elif isinstance(value, (list, tuple)):
        for one in value:
            leaves(one, found)
    elif isinstance(value, (int, float)):
        found.append(np.asarray(value))
    return found


def kept(array: np.ndarray) -> tuple:
    wide = np.complex128 if array.dtype.kind == "c" else np.float64
    return array.shape, str(array.dtype), array.ravel()[:VALUES].astype(wide)


def arguments(function) -> tuple[dict, str | None]:
    """Guesses for the arguments without a default; the name of one that has none."""
    found = {}
    for name, asked in list(inspect.signature(function).parameters.items())[1:]:
        if asked.default is asked.empty and asked.kind not in (asked.VAR_POSITIONAL, asked.VAR_KEYWORD):
            if name not in GUESSES:
                return found, name
            found[name] = GUESSES[name]
    return found, None


class Outputs(nn.Cell):
    """What a graph is differentiated by: the network inside a Cell of its own."""

    def __init__(self, network) -> None:
        super().__init__(auto_prefix=False)
        self.network = network

    def construct(self, *given):
        return self.network(*given)


def gradients(network, given, graph: bool) -> list[tuple]:
    """Towards inputs and weights, of the sum of the outputs' mean squares; of the outputs, for a graph."""
    weights = list(network.trainable_params())

    def squares(*values):
        found = []
        leaves_of = [network(*values)]
        while leaves_of:
            value = leaves_of.pop()
            if isinstance(value, Tensor) and value.dtype in (ms.float32, ms.float16):
                found.append((value.astype(ms.float32) ** 2).mean())
            elif isinstance(value, (list, tuple)):
                leaves_of += value
        return sum(found)

    network.set_train(True)
    ms.set_seed(3)
    if graph:
        asked = ops.GradOperation(get_all=True, get_by_list=True)
        whole = asked(Outputs(network), ms.ParameterTuple(weights))
    else:
        whole = ms.value_and_grad(squares, 0, weights)
    return [kept(array) for array in leaves(whole(*given), [])]


def moved(x):
    """Inputs next to the given ones, by about a float32's last digit."""
    if x.dtype != ms.float32:
        return x
    noise = np.random.RandomState(5).randn(*x.shape)
    return Tensor((x.asnumpy() * (1 + 1e-7 * noise)).astype(np.float32))


def tried(kind, graph: bool, found: dict) -> None:
    """What comes of a class, into ``found`` step by step."""
    given, missing = arguments(kind.__init__)
    if missing:
        found["unguessed"] = missing
        return
    ms.set_seed(1)
    np.random.seed(1)
    random.seed(1)
    try:
        network = kind(**given)
    except Exception as err:
        found["built"] = error(err)
        return
    found["parameters"] = [(p.name, p.requires_grad, *kept(p.asnumpy())) for p in network.get_parameters()]
    if isinstance(network, nn.Optimizer):
        return
    asked = list(inspect.signature(kind.construct).parameters.values())[1:]
    positional = [p for p in asked if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    count = sum(p.default is p.empty for p in positional) or any(p.kind == p.VAR_POSITIONAL for p in asked)
    found["calls"] = []
    for name, tensors in inputs(int(count)):
        network.set_train(False)
        try:
            output = leaves(network(*tensors), [])
        except Exception as err:
            found["calls"].append((name, error(err)))
            continue
        found["calls"].append((name, "fits"))
        found["output"] = [kept(array) for array in output]
        try:
            found["gradients"] = gradients(network, tensors, graph)
            if OURS:                            # what rounding alone may move
                found["moved"] = gradients(network, [moved(x) for x in tensors], graph)
        except Exception as err:
            found["no gradients"] = error(err)
        return


def package_of(path: Path, root: Path) -> str:
    """A file's name as a module, with the folders that it may be imported from on the path."""
    folder, names = path.parent, [path.stem]
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    sys.path[:0] = [str(p) for p in (folder, *folder.parents) if p.is_relative_to(root) and p != root]
    return ".".join(names)


def examine(path: Path, root: Path, mode: int, answer: Path) -> None:
    found: dict = {"file": str(path.relative_to(root)), "classes": {}}

    def save():
        answer.with_suffix(".part").write_bytes(pickle.dumps(found))
        answer.with_suffix(".part").replace(answer)

    os.chdir(path.parent)
    sys.argv = [str(path)]
    signal.signal(signal.SIGALRM, _too_long)
    try:
        signal.alarm(ONE_CLASS)
        module = importlib.import_module(package_of(path, root))
        ms.set_context(mode=mode)
    except BaseException as err:                # a script may end the process when it is imported
        found["import"] = error(err)
        return save()
    finally:
        signal.alarm(0)
    begun = time.monotonic()
    for name, kind in list(vars(module).items()):
        mine = inspect.isclass(kind) and issubclass(kind, nn.Cell) and kind.__module__ == module.__name__
        if not mine or time.monotonic() - begun > ONE_FILE:
            continue
        of_class: dict = {}
        found["classes"][name] = of_class
        try:
            signal.alarm(ONE_CLASS)
            tried(kind, mode == ms.GRAPH_MODE, of_class)
        except TooLong:
            of_class["too long"] = True
        except BaseException as err:
            of_class["ended"] = error(err)
        finally:
            signal.alarm(0)
        save()
    save()


def main(listed: str, folder: str, mode: int) -> None:
    root, *files = Path(listed).read_text().split("\n")
    for number, file in enumerate(files):
        answer = Path(folder).resolve() / f"{number}.pkl"
        if not file or answer.exists():
            continue
        child = os.fork()
        if not child:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            try:
                examine(Path(root, file), Path(root), mode, answer)
            finally:
                os._exit(0)
        last = time.monotonic() + ONE_FILE + 2 * ONE_CLASS
        while not os.waitpid(child, os.WNOHANG)[0]:
            if time.monotonic() > last:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
            time.sleep(0.05)
        if not answer.exists():
            answer.write_bytes(pickle.dumps({"file": file, "import": ("died", "")}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
