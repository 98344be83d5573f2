"""Primitives that MindSpore has on Ascend alone, held against torch's recurrent layers and their own
definition."""

import numpy as np
import pytest
import torch

from ms2torch import Tensor, float32, grad, ops

T, N, SIZE, HIDDEN = 3, 2, 4, 5


def weights(*shapes):
    source = torch.Generator().manual_seed(0)
    return [torch.randn(*shape, generator=source) for shape in shapes]



@pytest.mark.parametrize("order", ["rzh", "zrh"])
def test_gru_is_torchs_with_its_gates(order):
    x, w_ih, w_hh, b_ih, b_hh, h = weights((T, N, SIZE), (15, SIZE), (15, HIDDEN), (15,), (15,), (N, HIDDEN))
    expected, _ = torch.gru(x, h[None], [w_ih, w_hh, b_ih, b_hh], True, 1, 0.0, False, False, False)
    if order == "zrh":
        w_ih, w_hh, b_ih, b_hh = (torch.cat([w[5:10], w[:5], w[10:]]) for w in (w_ih, w_hh, b_ih, b_hh))
    y, output, update, reset, new, _ = ops.DynamicGRUV2(gate_order=order)(
        *map(Tensor, (x, w_ih.T, w_hh.T, b_ih, b_hh)), None, Tensor(h))
    torch.testing.assert_close(y.torch(), expected)
    before = torch.cat((h[None], expected[:-1]))
    torch.testing.assert_close((1 - update.torch()) * new.torch() + update.torch() * before, output.torch())
    assert ((reset.torch() > 0) & (reset.torch() < 1)).all()


def test_gru_without_biases_has_the_dtype_of_its_state():
    x, w_ih, w_hh, h = weights((T, N, SIZE), (SIZE, 15), (HIDDEN, 15), (N, HIDDEN))
    y = ops.DynamicGRUV2()(Tensor(x.half()), Tensor(w_ih.half()), Tensor(w_hh.half()), None, None, None,
                           Tensor(h))[0]
    assert y.dtype == float32


def test_lstm_is_torchs_with_gates_in_another_order():
    x, w_ih, w_hh, b, h, c = weights((T, N, SIZE), (20, SIZE), (20, HIDDEN), (20,), (N, HIDDEN), (N, HIDDEN))
    expected, _, last = torch.lstm(x, (h[None], c[None]), [w_ih, w_hh, b, b * 0], True, 1, 0.0, False, False,
                                   False)
    i, f, g, o = (torch.cat((a, s, bb[:, None]), 1) for a, s, bb in zip(
        w_ih.chunk(4), w_hh.chunk(4), b.chunk(4), strict=True))
    packed = torch.cat((i, g, f, o))
    y, _, cells, *_ = ops.DynamicRNN()(Tensor(x), Tensor(packed[:, :-1].T), Tensor(packed[:, -1]), None,
                                       Tensor(h[None]), Tensor(c[None]))
    torch.testing.assert_close(y.torch(), expected)
    torch.testing.assert_close(cells.torch()[-1:], last)


def test_gradient_flows_through_the_lstm():
    x, w, b, h = weights((T, N, SIZE), (9, 20), (20,), (1, N, HIDDEN))

    def f(x):
        return ops.DynamicRNN()(x, Tensor(w), Tensor(b), None, Tensor(h), Tensor(h))[0].sum()

    assert (grad(f)(Tensor(x)).asnumpy() != 0).all()


def test_what_ascend_does_not_support_raises():
    x, w_ih, w_hh, h = weights((T, N, SIZE), (SIZE, 15), (HIDDEN, 15), (N, HIDDEN))
    with pytest.raises(NotImplementedError, match="direction='REDIRECTIONAL'"):
        ops.DynamicGRUV2(direction="REDIRECTIONAL")(Tensor(x), Tensor(w_ih), Tensor(w_hh), None, None, None,
                                                    Tensor(h))


def test_mask_of_bits_drops_what_it_says():
    x = Tensor(np.ones((4, 4), np.float32))
    mask = Tensor(np.array([255, 1] + [0] * 14, np.uint8))
    kept = ops.DropoutDoMask()(x, mask, Tensor(0.5, float32)).asnumpy().reshape(-1)
    assert kept.tolist() == [2.0] * 9 + [0.0] * 7
    with pytest.raises(ValueError, match="at least one bit"):
        ops.DropoutDoMask()(x, Tensor(np.zeros(1, np.uint8)), 0.5)


def test_drawn_mask_keeps_the_share_that_was_asked_for():
    mask = ops.DropoutGenMask(3, 4)((1000, 10), Tensor(0.9, float32)).asnumpy()
    assert mask.dtype == np.uint8 and mask.size == 79 * 16
    assert 0.88 < np.unpackbits(mask)[:10000].mean() < 0.92
    again = ops.DropoutGenMask(3, 4)((1000, 10), Tensor(0.9, float32)).asnumpy()
    np.testing.assert_array_equal(mask, again)
