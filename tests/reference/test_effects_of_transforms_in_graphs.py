"""What a body does beside computing, under vjp, jvp, jacrev and jacfwd in a graph.

The real one runs the body a second time there, effects included; so bodies are compared whose second run
changes nothing, and the count of runs is not.
"""
import mindspore as ms

from tests.reference.judge import case, data
from tests.reference.networks import t
from tests.reference.test_effects_everywhere import PURE, left


@case(each={"kind": PURE, "how": ["vjp", "jvp", "jacrev", "jacfwd"]}, mode="GRAPH")
def test_values_and_what_is_left(kind, how):
    ms.set_seed(1)
    net, x = kind().set_train(), ms.Tensor(data((4, 3), seed=3))
    if how == "vjp":
        output, pull = ms.vjp(net, x)
        values = output, pull(t(2.0))
    elif how == "jvp":
        values = ms.jvp(net, x, ms.Tensor(data((4, 3), seed=4)))
    else:
        values = getattr(ms, how)(net)(x)
    return values, left(net)[1:]
