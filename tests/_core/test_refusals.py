"""torch's errors told as MindSpore's: by their class and the operands, whatever their text says."""

import pytest
import torch

from ms2torch import Tensor, ops
from ms2torch._core.operators.refusals import translate
from ms2torch._core.torch_private import out_of_memory


def test_lack_of_memory_stays_what_it_is():
    """Its text speaks of sizes, as those of wrong shapes do."""
    told = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB; total size 8 GiB") \
        if hasattr(torch, "OutOfMemoryError") else torch.cuda.OutOfMemoryError("CUDA out of memory")
    assert translate(told, "Add", (torch.ones(2),), torch.add) is told
    with pytest.raises(RuntimeError) as err:
        ops.tile(Tensor([1.0]), (1 << 47,))
    assert out_of_memory(err.value) and err.type is RuntimeError


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
