"""What a body does beside computing, under the functions that push tangents forward.

The real one runs the body a second time for `jvp`, in both modes, and counts that; so runs are not compared.
"""
import mindspore as ms

from tests.reference.judge import case, data
from tests.reference.test_effects_everywhere import PURE, left


@case(each={"kind": PURE, "how": ["jvp", "jacfwd"]})
def test_values_and_what_is_left(kind, how):
    ms.set_seed(1)
    net, x = kind().set_train(), ms.Tensor(data((4, 3), seed=3))
    values = ms.jvp(net, x, ms.Tensor(data((4, 3), seed=4))) if how == "jvp" else ms.jacfwd(net)(x)
    return values, left(net)[1:]
