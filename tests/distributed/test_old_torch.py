"""A torch that is too old to split networks: what asks for it is refused at the start, by name."""

import pytest

import ms2torch as ms
from ms2torch import ops
from ms2torch._core import torch_private
from ms2torch.communication import init
from ms2torch.shim import plan

WANTS = "wants a torch newer than 2.4"


def asked() -> list[str]:
    """What strategies and stages are told."""
    torch_private.SPREADS = False
    init()
    found = []

    def told(call) -> None:
        try:
            call()
        except NotImplementedError as error:
            found.append(str(error))
        else:
            found.append("nothing")

    told(lambda: ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=2))
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    told(lambda: ops.MatMul().shard(((2, 1), (1, 1))))
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    told(lambda: ops.MatMul().shard(((2, 1), (1, 1))))
    return found


def test_strategies_and_stages_are_refused_at_the_start(together):
    for stages, strategy, alone in together(asked, 2):
        assert stages.startswith("pipeline_stages: ") and WANTS in stages
        assert strategy.startswith("A strategy") and WANTS in strategy
        assert "pip install --upgrade torch" in strategy
        assert alone == "nothing"


def test_a_plan_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(torch_private, "SPREADS", False)
    with pytest.raises(SystemExit):
        plan.main(["--ranks", "2", __file__])
    assert WANTS in capsys.readouterr().err
