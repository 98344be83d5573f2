"""torch's errors told as MindSpore's: by their class and the operands, whatever their text says."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ms2torch import Tensor, mint, nn, ops
from ms2torch import numpy as mnp
from ms2torch._core.checks.refusals import translate
from ms2torch._core.torch_private import out_of_memory


def test_lack_of_memory_stays_what_it_is():
    """Its text speaks of sizes, as those of wrong shapes do."""
    told = OUT_OF_MEMORY("CUDA out of memory. Tried to allocate 2.00 GiB; total size 8 GiB")
    assert translate(told, "Add", (torch.ones(2),), torch.add) is told
    with pytest.raises(RuntimeError) as err:
        ops.tile(Tensor([1.0]), (1 << 47,))
    assert out_of_memory(err.value) and err.type is RuntimeError


OUT_OF_MEMORY = getattr(torch, "OutOfMemoryError", torch.cuda.OutOfMemoryError)


class Full(TorchDispatchMode):
    """A device without a byte left."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise OUT_OF_MEMORY("CUDA out of memory. Tried to allocate 2.00 GiB; total size 8 GiB")


_A, _IMAGE, _LABELS = Tensor([[1.0, 2.0], [3.0, 4.0]]), ops.ones((1, 2, 4, 4)), Tensor([0, 1])


@pytest.mark.parametrize("call", [
    lambda: _A + _A, lambda: _A @ _A, lambda: _A[_LABELS], lambda: _A.reshape(4), lambda: _A.view(4),
    lambda: _A.sum_to_size((1, 2)), lambda: _A.transpose(1, 0), lambda: ops.permute(_A, (1, 0)),
    lambda: ops.cat((_A, _A)), lambda: ops.stack((_A, _A)), lambda: ops.reshape(_A, (4,)),
    lambda: ops.broadcast_to(_A, (2, 2, 2)), lambda: ops.tile(_A, (2, 1)), lambda: ops.gather(_A, _LABELS, 0),
    lambda: ops.gather_elements(_A, 1, _LABELS.reshape(2, 1)), lambda: ops.masked_fill(_A, _A > 1, 0.0),
    lambda: ops.where(_A > 1, _A, _A), lambda: ops.gelu(_A), lambda: ops.softmax(_A), lambda: ops.mean(_A),
    lambda: ops.max_pool2d(_IMAGE, 2, 2), lambda: ops.avg_pool2d(_IMAGE, 2), lambda: ops.dropout(_A),
    lambda: ops.cross_entropy(_A, _LABELS), lambda: ops.binary_cross_entropy(_A / 9, _A / 9),
    lambda: mint.nn.functional.gelu(_A), lambda: mnp.divmod(_A, _A), lambda: mnp.transpose(_A),
    lambda: nn.Conv2d(2, 3, 3)(_IMAGE), lambda: nn.Dense(2, 3)(_A), lambda: nn.BatchNorm2d(2)(_IMAGE),
    lambda: nn.SoftmaxCrossEntropyWithLogits(sparse=True)(_A, _LABELS),
])
def test_no_refusal_is_made_of_a_lack_of_memory(call):
    with pytest.raises(OUT_OF_MEMORY), Full():
        call()


def test_what_a_program_does_about_a_lack_of_memory_has_errors_of_its_own():
    try:
        raise OUT_OF_MEMORY("CUDA out of memory")
    except RuntimeError:
        with pytest.raises(ValueError):
            ops.reshape(_A, (3,))


def test_keyboard_interrupts_stay_what_they_are(monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "cov", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ops.cov(Tensor([[1.0, 2.0]]))
    # nor does one go under that comes while a kernel is asked again
    with pytest.raises(KeyboardInterrupt):
        translate(RuntimeError("shape"), "Add", (torch.ones(2),), interrupted)


def _of_two(a, b):
    return torch.add(a, b)


@pytest.mark.parametrize("text", ["", "size shape dimension dtype", "not implemented for 'Half'"])
@pytest.mark.parametrize(("kernel", "args", "kind"), [
    (_of_two, (torch.ones(2, 3), torch.ones(4, 5)), ValueError),
    (torch.mv, (torch.ones(2, 3), torch.ones(4)), ValueError),
    (torch.det, (torch.ones(2, 2, dtype=torch.int32),), TypeError),
    (torch.masked_select, (torch.ones(2), torch.ones(2)), TypeError),
    (torch.linalg.inv, (torch.zeros(2, 2),), RuntimeError),
    (torch.embedding, (torch.ones(3, 2), torch.tensor([7])), RuntimeError),
])
def test_the_operands_tell_what_is_wrong_and_not_the_text(kernel, args, kind, text):
    with pytest.raises((RuntimeError, IndexError)):
        kernel(*args)
    assert type(translate(RuntimeError(text), "Op", args, kernel)) is kind


def test_asking_again_draws_nothing_and_runs_no_function_of_the_program():
    runs, state = [], torch.random.get_rng_state()

    def kernel(x, function):
        function(x)
        raise RuntimeError("no")

    def draws(x):
        torch.rand(2)
        raise RuntimeError("no")

    assert type(translate(RuntimeError("no"), "Op", (torch.ones(2), runs.append), kernel)) is RuntimeError
    translate(RuntimeError("no"), "Op", (torch.ones(2),), draws)
    assert runs == [] and torch.equal(torch.random.get_rng_state(), state)
