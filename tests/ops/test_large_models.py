"""Operators of large language models, which MindSpore computes on Ascend alone, against their formulas."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, ops

B, N, S, D = 2, 4, 5, 8
RNG = np.random.default_rng(0)
Q, K, V = (RNG.normal(size=(B, N, S, D)) for _ in range(3))
SHIFT, MASK = RNG.normal(size=(B, N, S, S)), np.triu(np.ones((S, S), bool), 1)


def attention(q, k, v, scale=1.0, shift=0.0, hidden=False):
    """The formula in float64."""
    scores = np.where(hidden, -np.inf, q @ np.swapaxes(k, -1, -2) * scale + shift)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v, scores


def of(*arrays):
    return [Tensor(a.astype(np.float32)) for a in arrays]


def laid(a, layout):
    if layout == "BNSD":
        return a
    b = a.transpose(0, 2, 1, 3)
    return {"BSND": b, "BSH": b.reshape(B, S, -1), "SBH": b.reshape(B, S, -1).swapaxes(0, 1)}[layout]


def close(result, expected):
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("layout", ["BNSD", "BSND", "BSH", "SBH"])
@pytest.mark.parametrize("masked", [False, True])
def test_flash_attention_in_every_layout(layout, masked):
    inputs = of(*(laid(a, layout) for a in (Q, K, V)))
    mask = Tensor(MASK.astype(np.uint8)) if masked else None
    result = ops.flash_attention_score(*inputs, N, attn_mask=mask, scalar_value=0.3, input_layout=layout)
    close(result, laid(attention(Q, K, V, 0.3, hidden=MASK & masked)[0], layout))


@pytest.mark.parametrize(("mode", "later"), [(2, 1), (3, 3)])
def test_flash_attention_that_sees_no_later_position(mode, later):
    q = Q[:, :, :3]
    hidden = np.triu(np.ones((3, S), bool), later)
    result = ops.flash_attention_score(*of(q, K, V), N, scalar_value=0.5, input_layout="BNSD",
                                       sparse_mode=mode)
    close(result, attention(q, K, V, 0.5, hidden=hidden)[0])


def test_flash_attention_within_a_band_that_ends_at_the_last_position():
    ahead = np.arange(S) - np.arange(3)[:, None] - 2
    result = ops.flash_attention_score(*of(Q[:, :, :3], K, V), N, scalar_value=0.5, input_layout="BNSD",
                                       sparse_mode=4, pre_tokens=1, next_tokens=1)
    close(result, attention(Q[:, :, :3], K, V, 0.5, hidden=(ahead > 1) | (ahead < -1))[0])


@pytest.mark.parametrize(("pse_type", "factor"), [(0, 1), (1, 0.5)])
def test_speed_fusion_attention_tells_what_a_gradient_needs(pse_type, factor):
    ms.manual_seed(7)
    shift = Tensor(SHIFT.astype(np.float32))
    for offset in (0, 12):
        out, largest, total, nothing, *told = ops.speed_fusion_attention(
            *of(Q, K, V), N, "BNSD", pse=shift, scale=0.5, pse_type=pse_type, sparse_mode=2)
        assert [int(t) for t in told] == [7, offset, 0] and nothing.size == 0
    expected, scores = attention(Q, K, V, 0.5, SHIFT * factor, MASK)
    close(out, expected)
    close(largest[..., 7], scores.max(-1))
    close(total[..., 0], np.exp(scores - scores.max(-1, keepdims=True)).sum(-1))
    q, k, v = (a[0].transpose(1, 0, 2) for a in (Q, K, V))
    joined, largest, *_ = ops.speed_fusion_attention(*of(q, k, v), N, "TND", actual_seq_qlen=[2, 5],
                                                     actual_seq_kvlen=[3, 5])
    assert largest.shape == (5, N, 8)
    close(largest[:2, :, 0], attention(*(t.transpose(1, 0, 2) for t in (q[:2], k[:3], v[:3])))[1].max(-1).T)
    close(joined, ops.flash_attention_score(*of(q, k, v), N, actual_seq_qlen=[2, 5], actual_seq_kvlen=[3, 5],
                                            input_layout="TND").asnumpy())
    for options in ({"keep_prob": 0.5}, {"pse_type": 2}):
        with pytest.raises(NotImplementedError, match="drop_mask"):
            ops.speed_fusion_attention(*of(Q, K, V), N, "BNSD", **options)
    with pytest.raises(ValueError, match="'pse_type' must be 0, 1, 2 or 3"):
        ops.speed_fusion_attention(*of(Q, K, V), N, "BNSD", pse_type=4)


def test_means_of_rwkv_fade_and_go_on():
    decay, bonus = -RNG.random(3) * 2, RNG.normal(size=3)
    key, value = RNG.normal(size=(2, 2, 6, 3))
    expected = np.stack([
        sum(np.exp(decay * (t - 1 - i) + key[:, i]) * value[:, i] for i in range(t))
        + np.exp(bonus + key[:, t]) * value[:, t] for t in range(6)], 1) / np.stack([
            sum(np.exp(decay * (t - 1 - i) + key[:, i]) for i in range(t)) + np.exp(bonus + key[:, t])
            for t in range(6)], 1)
    wkv = ops.operations.nn_ops.WKV()
    none = of(np.full((2, 3), -1e38), np.zeros((2, 3)), np.zeros((2, 3)))
    out, a, b, p = wkv(*of(decay, bonus, key, value), *none)
    close(out, expected)
    first, a1, b1, p1 = wkv(*of(decay, bonus, key[:, :4], value[:, :4]), *none)
    second, *state = wkv(*of(decay, bonus, key[:, 4:], value[:, 4:]), p1, a1, b1)
    close(ops.concat((first, second), 1), expected)
    for got, wanted in zip(state, (a, b, p), strict=True):
        close(got, wanted.asnumpy())
    slope = ms.grad(lambda v: wkv(*of(decay, bonus, key), v, *none)[0])(of(value)[0])
    moved = value.copy()
    moved[:, 1] += 1
    close((wkv(*of(decay, bonus, key, moved), *none)[0] - out).sum(1), slope[:, 1].asnumpy())


def test_flash_attention_with_a_shift_a_band_and_fewer_heads_of_keys():
    ahead = np.arange(S) - np.arange(S)[:, None]
    result = ops.flash_attention_score(
        *of(Q, K[:, :2], V[:, :2]), N, real_shift=Tensor(SHIFT.astype(np.float32)), scalar_value=0.5,
        attn_mask=Tensor(np.zeros((S, S), bool)), pre_tokens=2, next_tokens=1, input_layout="BNSD")
    expected = attention(Q, K[:, [0, 0, 1, 1]], V[:, [0, 0, 1, 1]], 0.5, SHIFT, (ahead > 1) | (ahead < -2))[0]
    close(result, expected)


def test_flash_attention_of_joined_sequences():
    q, k, v = (a[0].transpose(1, 0, 2) for a in (Q, K, V))
    result = ops.flash_attention_score(*of(q, k, v), N, actual_seq_qlen=[2, 5], actual_seq_kvlen=(3, 5),
                                       input_layout="TND")
    parts = [attention(*(t.transpose(1, 0, 2) for t in (q[a:b], k[c:d], v[c:d])))[0].transpose(1, 0, 2)
             for a, b, c, d in ((0, 2, 0, 3), (2, 5, 3, 5))]
    close(result, np.concatenate(parts))


def side_by_side(a):
    """(B, N, S, D) as joined rows whose heads stand side by side."""
    return a.transpose(0, 2, 1, 3).reshape(-1, a.shape[1] * a.shape[3])


@pytest.mark.parametrize("told", [[S, S], [S, 2 * S]])
def test_flash_attention_of_joined_rows_takes_lengths_and_ends(told):
    triangle = Tensor(np.triu(np.ones((128, 128), np.float16), 1))
    flash = ops.operations.nn_ops.FlashAttentionScore(N, scale_value=0.5, input_layout="TH")
    inputs = of(*(side_by_side(a) for a in (Q, K[:, :2], V[:, :2])))
    lengths = Tensor(told, ms.int32)
    out = flash(*inputs, None, None, None, triangle, None, lengths, lengths)[3]
    k, v = (a[:, [0, 0, 1, 1]] for a in (K, V))
    close(out, side_by_side(attention(Q, k, v, 0.5, hidden=MASK)[0]))
    close(flash(*inputs, None, None, None, None, None, lengths)[3], side_by_side(attention(Q, k, v, 0.5)[0]))


def test_flash_attention_of_joined_rows_takes_the_mask_of_one_sequence():
    flash = ops.operations.nn_ops.FlashAttentionScore(N, input_layout="TH")
    inputs, mask = of(*(side_by_side(a[:1]) for a in (Q, K, V))), np.eye(S, k=1) * -10000
    close(flash(*inputs, None, None, None, Tensor(mask, ms.float16))[3],
          side_by_side(attention(Q[:1], K[:1], V[:1], hidden=mask != 0)[0]))
    two = Tensor([2, S], ms.int32)
    with pytest.raises(NotImplementedError, match="2 joined sequences"):
        flash(*inputs, None, None, None, Tensor(mask, ms.float16), None, two, two)
    with pytest.raises(NotImplementedError, match="shifted, dropped and padded"):
        flash(*inputs, Tensor(mask, ms.float32))
    with pytest.raises(ValueError, match=f"sequences of {S} rows in all, but got"):
        flash(*inputs, None, None, None, None, None, Tensor([2, 4], ms.int32))


@pytest.mark.parametrize("rows", [1, 5])
def test_attention_to_blocks_adds_a_row_of_the_mask_for_each_query(rows):
    """Sequences of 7 and 5 positions in blocks of 4, of which the last 3 and 2 ask."""
    keys, values = RNG.normal(size=(4, 4, 2, D)), RNG.normal(size=(4, 4, 2, D))
    query, mask = RNG.normal(size=(5, 2 * D)), RNG.normal(size=(rows, 8))
    tables, lengths, asked = np.array([[2, 0], [3, 1]], np.int32), (7, 5), (3, 2)
    paged = ops.auto_generate.PagedAttention(2, 0.5, 2)
    lens = [Tensor(t, ms.int32) for t in (lengths, asked)]
    out = paged(*of(query, keys, values), Tensor(tables), lens[0], None, None, *of(mask), lens[1])
    at, parts = 0, []
    for table, length, count in zip(tables, lengths, asked, strict=True):
        k, v = (t[table].reshape(8, 2, D)[:length].transpose(1, 0, 2)[None] for t in (keys, values))
        q = query[at : at + count].reshape(count, 2, D).transpose(1, 0, 2)[None]
        shift = np.broadcast_to(mask, (5, 8))[at : at + count, :length]
        later = np.triu(np.ones((count, length), bool), 1 + length - count)
        parts.append(side_by_side(attention(q, k, v, 0.5, shift, later)[0]))
        at += count
    close(out, np.concatenate(parts))
    for packed in (mask[:1].repeat(3, 0), mask > 0):
        with pytest.raises(NotImplementedError, match="a row of attn_mask for each query"):
            paged(*of(query, keys, values), Tensor(tables), lens[0], None, None, Tensor(packed), lens[1])


def test_flash_attention_primitive_gives_its_statistics_too():
    largest, total, empty, out = ops.operations.nn_ops.FlashAttentionScore(
        N, scale_value=0.5, input_layout="BNSD")(*of(Q, K, V))
    expected, scores = attention(Q, K, V, 0.5)
    close(out, expected)
    assert largest.shape == total.shape == (B, N, S, 8) and empty.shape == (0,)
    close(largest[..., 7], scores.max(-1))
    close(total[..., 0], np.exp(scores - scores.max(-1, keepdims=True)).sum(-1))


def test_flash_attention_drops_what_the_bits_say():
    q, k, v = Q[..., :3, :], RNG.normal(size=(B, N, 8, D)), RNG.normal(size=(B, N, 8, D))
    bits = RNG.random((B, N, 3, 8)) < 0.5
    mask = Tensor(np.packbits(bits, axis=-1, bitorder="little"))
    result = ops.flash_attention_score(*of(q, k, v), N, drop_mask=mask, keep_prob=0.5, input_layout="BNSD")
    scores = attention(q, k, v)[1]
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    close(result, (weights / weights.sum(-1, keepdims=True) * bits / 0.5) @ v)


def test_flash_attention_has_the_gradients_of_its_formula():
    inputs = of(Q, K, V)

    def explicit(q, k, v):
        scores = ops.matmul(q, k.swapaxes(-1, -2)) * 0.5
        return ops.matmul(ops.softmax(scores.masked_fill(Tensor(MASK), -1e30), -1), v)

    def flash(q, k, v):
        return ops.flash_attention_score(q, k, v, N, attn_mask=Tensor(MASK), scalar_value=0.5,
                                         input_layout="BNSD")

    for found, expected in zip(ms.grad(flash, (0, 1, 2))(*inputs), ms.grad(explicit, (0, 1, 2))(*inputs),
                               strict=True):
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-5)


def test_flash_attention_refuses():
    q, k, v = of(Q, K, V)
    with pytest.raises(ValueError, match="'input_layout' must be one of"):
        ops.flash_attention_score(q, k, v, N, input_layout="XYZ")
    with pytest.raises(TypeError, match="must have one dtype"):
        ops.flash_attention_score(q, k.astype(ms.float16), v, N, input_layout="BNSD")
    with pytest.raises(NotImplementedError, match="sparse_mode"):
        ops.flash_attention_score(q, k, v, N, sparse_mode=5, input_layout="BNSD")
    with pytest.raises(RuntimeError, match="divisible by"):
        ops.flash_attention_score(*of(*(laid(a, "BSH") for a in (Q, K, V))), 5)


def test_rms_norms_and_gates():
    x, y, gamma = RNG.normal(size=(3, 6)), RNG.normal(size=(3, 6)), RNG.normal(size=6)
    root = np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)
    normed, scale = ops.rms_norm(*of(x, gamma))
    close(normed, x / root * gamma)
    close(scale, 1 / root)
    normed, scale, total = ops.add_rms_norm(*of(x, y, gamma))
    root = np.sqrt(((x + y) ** 2).mean(-1, keepdims=True) + 1e-6)
    close(normed, (x + y) / root * gamma)
    close(total, x + y)
    close(ops.swiglu(*of(x)), x[:, :3] / (1 + np.exp(-x[:, :3])) * x[:, 3:])
    with pytest.raises(ValueError, match="divisible by 2"):
        ops.swiglu(*of(x), dim=0)


def test_rotated_positions_keep_lengths_and_compose():
    x, angle = RNG.normal(size=(1, 2, 3, 4)), RNG.normal(size=(1, 1, 3, 2))
    pairs = x[..., :2] + 1j * x[..., 2:]
    turned = pairs * np.exp(1j * angle)
    double = np.concatenate([angle, angle], -1)
    close(ops.rotary_position_embedding(*of(x, np.cos(double), np.sin(double))),
          np.concatenate([turned.real, turned.imag], -1))
    pairs = x[..., ::2] + 1j * x[..., 1::2]
    turned = pairs * np.exp(1j * angle)
    double = np.repeat(angle, 2, -1)
    close(ops.rotary_position_embedding(*of(x, np.cos(double), np.sin(double)), mode=1),
          np.stack([turned.real, turned.imag], -1).reshape(x.shape))


def test_tokens_go_to_their_experts():
    x, chosen = np.arange(9.0).reshape(3, 3), np.array([[0, 1, 1], [2, 1, 1], [0, 0, 0]], np.int32)
    given = (*of(x), Tensor(chosen))
    order = sorted(range(9), key=lambda i: (chosen.flat[i], i))
    tokens, places, counts, _ = ops.moe_init_routing_v2(*given, 0, 0, 3, 0, 2, False)
    close(tokens, x[[i // 3 for i in order]])
    close(tokens[places], x.repeat(3, 0))
    assert counts.asnumpy().tolist() == [4, 4, 1]
    tokens, _, counts, _ = ops.moe_init_routing_v2(*given, 5, 0, 3, 0, 1, False)
    close(tokens, x[[i // 3 for i in order[:5]]])
    assert counts.asnumpy().tolist() == [4, 8, 9]
    tokens, places, _, before = ops.moe_init_routing_v2(*given, 3, 2, 3, 1, 0, True)
    close(tokens, np.stack([x[[0, 2]], x[[0, 0]], [x[1], 0 * x[1]]]))        # what MindSpore documents
    assert places.asnumpy().tolist() == [0, 2, 3, 4, -1, -1, 1, -1, -1]
    assert before.asnumpy().tolist() == [4, 4, 1]
    with pytest.raises(ValueError, match="'drop_pad_mode' must be one of"):
        ops.moe_init_routing_v2(*given, 0, 0, 3, 2, 0, False)
