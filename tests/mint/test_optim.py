"""mint.optim against torch.optim, whose formulas MindSpore documents for it.

On a CPU MindSpore 2.10 cannot judge: AdamW has no kernel, and Adam and SGD leave the parameters as they were.
"""

import numpy as np
import pytest
import torch

from ms2torch import Parameter, Tensor, mint

OPTIMIZERS = [
    ("SGD", {"lr": 0.1}), ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("Adam", {"lr": 0.1}), ("Adam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-2, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.1}), ("AdamW", {"lr": 0.1, "betas": (0.9, 0.5), "amsgrad": True, "maximize": True}),
    ("FusedAdamW", {"lr": 0.1, "eps": 1e-2}),
    ("FusedAdamW", {"lr": 0.1, "betas": (0.9, 0.5), "amsgrad": True}),
]


def arrays(step):
    rng = np.random.default_rng(step)
    return [rng.normal(size=shape).astype("float32") for shape in ((4, 3), (3,), ())]


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=str)
def test_five_steps_are_torchs(name, options):
    ours = [Parameter(Tensor(a), name=f"p{i}") for i, a in enumerate(arrays(0))]
    theirs = [torch.nn.Parameter(torch.from_numpy(a)) for a in arrays(0)]
    optimizer = getattr(mint.optim, name)([{"params": ours[:1], "lr": 0.02}, {"params": ours[1:]}], **options)
    judge = getattr(torch.optim, name.removeprefix("Fused"))(
        [{"params": theirs[:1], "lr": 0.02}, {"params": theirs[1:]}], **options)
    for step in range(1, 6):
        assert optimizer(tuple(map(Tensor, arrays(step)))) is True
        for p, g in zip(theirs, arrays(step), strict=True):
            p.grad = torch.from_numpy(g)
        judge.step()
    for p, q in zip(ours, theirs, strict=True):
        torch.testing.assert_close(torch.from_numpy(p.asnumpy()), q.detach())


def test_state_has_mindspores_names():
    """As printed by MindSpore 2.10.0."""
    params = [Parameter(Tensor([1.0]), name="a.w"), Parameter(Tensor([1.0]), name="b")]
    moments = ["exp_avg.a.w", "exp_avg.b", "exp_avg_sq.a.w", "exp_avg_sq.b", "state_step"]
    assert [p.name for p in mint.optim.Adam(params).get_parameters()] == ["a.w", "b", *moments]
    assert [p.name for p in mint.optim.AdamW(params).get_parameters()] == ["a.w", "b", *moments]
    assert [p.name for p in mint.optim.SGD(params, lr=0.1).get_parameters()] == [
        "a.w", "b", "momentum_buf.a.w", "momentum_buf.b", "step_t"]


def test_a_group_more_in_the_fused_one():
    first, more = Parameter(Tensor([1.0, 2.0]), name="a"), Parameter(Tensor([3.0]), name="b")
    optimizer = mint.optim.FusedAdamW([first], lr=0.1, weight_decay=0.0)
    optimizer.add_param_group({"params": more, "lr": 0.2})
    optimizer((Tensor([1.0, -1.0]), Tensor([2.0])))
    # The first step of Adam is the rate times the gradient's sign.
    np.testing.assert_allclose(first.asnumpy(), [0.9, 2.1], rtol=1e-6)
    np.testing.assert_allclose(more.asnumpy(), [2.8], rtol=1e-6)


@pytest.mark.parametrize(("options", "error", "words"), [
    ({"lr": 1}, TypeError, "For 'Adam', the type of 'lr' should be 'float', but got type 'int'."),
    ({"lr": -0.1}, ValueError, "Invalid learning rate: -0.1"),
    ({"betas": (0.9, 1.0)}, ValueError, "Invalid beta parameter at index 1: 1.0"),
])
def test_refused(options, error, words):
    """In the words of MindSpore 2.10.0."""
    with pytest.raises(error) as raised:
        mint.optim.Adam([Parameter(Tensor([1.0]), name="a")], **options)
    assert str(raised.value).strip() == words
