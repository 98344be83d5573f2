"""Generated operators, most without a CPU kernel in MindSpore: autograd's mathematics, documented figures."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import ms2torch as ms
from ms2torch import Tensor, ops
from ms2torch._naming import primitives, surface
from ms2torch.ops import _derived, auto_generate
from ms2torch.ops.operations import _grad_ops

torch.manual_seed(0)
X, DY = torch.randn(3, 4, dtype=torch.float64), torch.randn(3, 4, dtype=torch.float64)
IMAGE = torch.randn(1, 2, 3, 3, dtype=torch.float64)
_SIX = torch.randn(1, 2, 6, 6, dtype=torch.float64)

# Name: what it is called with after (dy, x), and the forward function; then the order of the result and dy.
OF_INPUT = {
    "MishGradExt": ((), F.mish),
    "GeluGradExt": (("none",), F.gelu),
    "SoftplusGradExt": ((2, 1), lambda x: F.softplus(x, 2, 1)),
    "HardtanhGrad": ((-0.5, 0.5), lambda x: F.hardtanh(x, -0.5, 0.5)),
    "LeakyReLUGradExt": ((0.1,), lambda x: F.leaky_relu(x, 0.1)),
    "EluGradExt": ((0.7,), lambda x: F.elu(x, 0.7)),
    "ThresholdGrad": ((0.3,), lambda x: F.threshold(x, 0.3, 0.0)),
    "SiLUGrad": ((), F.silu),
    "HSwishGrad": ((), F.hardswish),
    "LogSigmoidGrad": ((None,), F.logsigmoid),
}
OF_RESULT = {
    "TanhGrad": ("y, dy", torch.tanh),
    "SigmoidGrad": ("y, dy", torch.sigmoid),
    "SoftmaxBackward": ("dy, y", lambda x: torch.softmax(x, -1)),
    "LogSoftmaxGrad": ("y, dy", lambda x: torch.log_softmax(x, -1)),
    "SeluGrad": ("dy, y", torch.selu),
}
LINEAR = {
    "UpsampleBilinear2DGrad": lambda x: F.interpolate(x, (6, 6), mode="bilinear", align_corners=False),
    "UpsampleBicubic2DGrad": lambda x: F.interpolate(x, (6, 6), mode="bicubic", align_corners=False),
    "UpsampleNearest2DGrad": lambda x: F.interpolate(x, (6, 6)),
}


def _of(function, x, dy):
    x = x.clone().requires_grad_()
    return torch.autograd.grad(function(x), x, dy)[0]


def _tensors(*values):
    return [Tensor(v) if isinstance(v, torch.Tensor) else v for v in values]


@pytest.mark.parametrize("name", OF_INPUT)
def test_gradients_of_an_input_their_own_gradients_and_vmap(name):
    rest, function = OF_INPUT[name]
    grad = getattr(auto_generate, name)()
    call = lambda dy, x: grad(dy, x, *rest)  # noqa: E731
    dy, x = _tensors(DY, X)
    expected = _of(function, X, DY)
    torch.testing.assert_close(call(dy, x).torch(), expected)
    torch.testing.assert_close(ms.vmap(call)(dy, x).torch(), expected)
    second = ms.grad(call, 1)(dy, x).torch()
    wide = X.clone().requires_grad_()
    first = torch.autograd.grad(function(wide), wide, DY, create_graph=True)[0]
    again = torch.autograd.grad(first.sum(), wide, allow_unused=True)[0] if first.requires_grad else None
    torch.testing.assert_close(second, torch.zeros_like(X) if again is None else again)


@pytest.mark.parametrize("name", OF_RESULT)
def test_gradients_of_a_result(name):
    order, function = OF_RESULT[name]
    y, dy = _tensors(function(X), DY)
    grad = getattr(auto_generate, name)()
    call = (lambda y, dy: grad(y, dy)) if order == "y, dy" else (lambda y, dy: grad(dy, y))
    expected = _of(function, X, DY)
    torch.testing.assert_close(call(y, dy).torch(), expected)
    torch.testing.assert_close(ms.vmap(call)(y, dy).torch(), expected)
    assert ms.grad(call, 1)(y, dy).shape == (3, 4)


@pytest.mark.parametrize("name", LINEAR)
def test_gradients_of_resizing(name):
    given = [(1, 2, 3, 3), (6, 6), None, *([False] if "Nearest" not in name else [])]
    found = getattr(auto_generate, name)()(Tensor(_SIX), *given)
    torch.testing.assert_close(found.torch(), _of(LINEAR[name], IMAGE, _SIX))


def test_gradients_of_norms_and_convolutions():
    x, dy = torch.randn(2, 4, 3, dtype=torch.float64), torch.randn(2, 4, 3, dtype=torch.float64)
    gamma, beta = torch.randn(3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    leaves = [t.clone().requires_grad_() for t in (x, gamma, beta)]
    y, mean, rstd = torch.native_layer_norm(leaves[0], (3,), *leaves[1:], 1e-5)
    expected = torch.autograd.grad(y, leaves, dy)
    found = auto_generate.LayerNormGradExt()(*_tensors(dy, x, (3,), mean.data, rstd.data, gamma, beta))
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a.torch(), b)
    image, weight = (torch.randn(s, dtype=torch.float64) for s in ((1, 2, 5, 5), (3, 2, 3, 3)))
    leaves = [t.clone().requires_grad_() for t in (image, weight)]
    y = F.conv2d(*leaves, stride=2, padding=1)
    expected = torch.autograd.grad(y, leaves, torch.ones_like(y))
    found = auto_generate.ConvolutionGrad()(*_tensors(torch.ones_like(y), image, weight), None, 2, 1, 1)
    for a, b in zip(found, expected, strict=False):
        torch.testing.assert_close(a.torch(), b)


def test_every_row_takes_the_arguments_of_its_class():
    for name in _derived.computations():
        row = primitives.row("", name)
        assert isinstance(_derived.derive(f"mindspore.ops.{row.module}", name), type), name


def test_what_has_no_computation_can_be_made_and_refuses_its_call():
    made = _grad_ops.GruGradData(1, 1, 1, True, False, 0.0).set_device("Ascend")
    with pytest.raises(NotImplementedError, match="GruGradData"):
        made(Tensor([1.0]))
    assert surface.status("mindspore.ops.auto_generate.AddExt")


def test_tokens_go_to_their_experts_and_back_as_documented():
    tokens = Tensor([[1, 1, 1], [7, 7, 7], [2, 2, 2], [1, 1, 1], [2, 2, 2], [3, 3, 3]], ms.bfloat16)
    out, places = ops.moe_token_permute(tokens, Tensor([5, 0, 3, 1, 2, 4], ms.int32))
    assert out.asnumpy()[:, 0].tolist() == [7, 1, 2, 2, 3, 1]
    assert places.asnumpy().tolist() == [5, 0, 3, 1, 2, 4] and places.dtype == ms.int32
    assert (ops.moe_token_unpermute(out, places) == tokens).all()
    out = auto_generate.moe_finalize_routing(
        Tensor(np.repeat([[0.1], [0.2], [0.3], [0.1], [0.2], [0.3]], 4, 1), ms.float16),
        Tensor(np.repeat([[1], [0.2], [0.3]], 4, 1), ms.float16), None,
        Tensor(np.repeat([[0.1], [0.2], [0.3], [0.4]], 4, 1), ms.float16),
        Tensor([[0.7, 0.3], [0.8, 0.2], [0.8, 0.2]], ms.float16), Tensor([2, 3, 1, 0, 5, 4], ms.int32),
        Tensor([[0, 1], [0, 2], [1, 3]], ms.int32))
    np.testing.assert_allclose(out.asnumpy()[:, 0], [1.37, 0.48, 0.74], rtol=2e-3)


def test_products_of_groups():
    x, weight = torch.randn(5, 3), torch.randn(2, 3, 4)
    product = auto_generate.GroupedMatmulV4()
    out, = product([Tensor(x)], [Tensor(weight)], group_list=Tensor([2, 5]), split_item=3, group_type=0)
    torch.testing.assert_close(out.torch(), torch.cat([x[:2] @ weight[0], x[2:] @ weight[1]]))


def test_attention_over_paged_caches_is_attention():
    keys, values, query = torch.randn(2, 6, 2, 4), torch.randn(2, 6, 2, 4), torch.randn(2, 1, 16)
    caches = [ms.Parameter(Tensor(np.zeros((8, 4, 2, 4), np.float32)), name=n) for n in "kv"]
    tables = Tensor([[3, 5], [0, 7]], ms.int32)
    lengths = [6, 5]
    for row, blocks in enumerate(tables.asnumpy()):
        slots = [int(b) * 4 + i for b in blocks for i in range(4)][:6]
        rows = _tensors(keys[row].reshape(6, 8), values[row].reshape(6, 8))
        auto_generate.ReshapeAndCache()(*rows, *caches, Tensor(slots, ms.int32))
    out = auto_generate.PagedAttention(4, 0.5, 2)(Tensor(query), *caches, tables, Tensor(lengths, ms.int32))
    for row, n in enumerate(lengths):
        q = query[row].reshape(1, 4, 4).transpose(0, 1)
        k, v = (t[row, :n].transpose(0, 1).repeat_interleave(2, 0) for t in (keys, values))
        expected = F.scaled_dot_product_attention(q, k, v, scale=0.5).transpose(0, 1).reshape(1, 16)
        torch.testing.assert_close(out.torch()[row], expected)


def test_rotated_positions():
    angle = torch.arange(4.0)[:, None] * torch.tensor([1.0, 0.1]).repeat(2)
    query, key = torch.randn(1, 4, 8), torch.randn(1, 4, 4)
    q, k = ops.ApplyRotaryPosEmb(2)(*_tensors(query, key, angle.cos(), angle.sin(), torch.tensor([4])))
    heads = torch.view_as_complex(torch.stack(key.reshape(1, 4, 2, 2).unbind(-2), -1))
    turned = torch.view_as_real(heads * torch.polar(torch.ones(4, 2), angle[:, :2])).unbind(-1)
    torch.testing.assert_close(k.torch(), torch.cat(turned, -1))
    assert q.shape == (1, 4, 8)
