"""Attention for inference, which MindSpore computes on Ascend alone, against its formula in float64."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, ops

B, N, KV, S, T, D = 2, 4, 2, 5, 6, 8
RNG = np.random.default_rng(0)
Q, K, V = (RNG.normal(size=(B, n, s, D)) for n, s in ((N, S), (KV, T), (KV, T)))
SHIFT = RNG.normal(size=(1, N, S + 1, T + 2))
MASK = RNG.random((B, 1, S, T)) < 0.3
PACKED = Tensor(np.triu(np.ones((2048, 2048), bool), 1))


def formula(seen, q=Q, k=K, v=V, scale=0.5, shift=None):
    """Row by row: ``seen(b, i, j)`` says whether query i of sequence b sees key j; None: it is not asked."""
    out = np.zeros((*q.shape[:3], v.shape[-1]))
    logs = np.full((*q.shape[:3], 1), -np.inf)
    for b, n, i in np.ndindex(*q.shape[:3]):
        head = n * k.shape[1] // q.shape[1]
        visible = [j for j in range(k.shape[2]) if seen(b, i, j)]
        if visible:
            scores = np.array([scale * q[b, n, i] @ k[b, head, j] for j in visible])
            scores += 0 if shift is None else shift[0, n, i, visible]
            weights = np.exp(scores - scores.max())
            out[b, n, i] = weights / weights.sum() @ v[b, head, visible]
            logs[b, n, i] = np.log(np.exp(scores).sum())
    return out, logs


def of(*arrays):
    return [Tensor(np.ascontiguousarray(a).astype(np.float32)) for a in arrays]


def laid(a, layout):
    b = a.transpose(0, 2, 1, 3)
    return {"BNSD": a, "BNSD_BSND": a, "BSND": b, "BSH": b.reshape(*b.shape[:2], -1)}[layout]


def close(result, expected):
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=2e-5, atol=2e-6)


def prompt(layout="BNSD", **options):
    return ops.prompt_flash_attention(*of(*(laid(a, layout) for a in (Q, K, V))), num_heads=N,
                                      scale_value=0.5, num_key_value_heads=KV, input_layout=layout, **options)


@pytest.mark.parametrize("layout", ["BNSD", "BSH"])
def test_prompts_see_everything_without_a_mask(layout):
    close(prompt(layout), laid(formula(lambda b, i, j: True)[0], layout))
    shift, = of(SHIFT)
    close(prompt(layout, pse_shift=shift),
          laid(formula(lambda b, i, j: True, shift=SHIFT)[0], layout))


@pytest.mark.parametrize(("mode", "seen"), [
    (0, lambda b, i, j: not MASK[b, 0, i, j] and -2 <= j - i <= 1),
    (1, lambda b, i, j: not MASK[b, 0, i, j]),
    (2, lambda b, i, j: j <= i),
    (3, lambda b, i, j: j <= i + T - S),
    (4, lambda b, i, j: -2 <= j - i - (T - S) <= 1)])
def test_prompts_see_what_their_sparse_mode_says(mode, seen):
    options = {"sparse_mode": mode, "pre_tokens": 2, "next_tokens": 1,
               "attn_mask": PACKED if mode > 1 else Tensor(MASK)}
    shift, = of(SHIFT)
    close(prompt(**options), formula(seen)[0])
    close(prompt(pse_shift=shift, **options), formula(seen, shift=SHIFT)[0])


def test_prompts_with_a_mask_see_nothing_ahead_by_default():
    close(prompt(attn_mask=Tensor(np.zeros((S, T), np.uint8))), formula(lambda b, i, j: j <= i)[0])


@pytest.mark.parametrize("mode", [1, 2, 3, 4])
def test_prompts_have_lengths_of_their_own(mode):
    asked, counted = (3, 5), (4, 6)
    told = {"actual_seq_lengths": list(asked), "actual_seq_lengths_kv": Tensor(counted, ms.int64)}

    def seen(b, i, j):
        more = {1: 99, 2: 0, 3: counted[b] - asked[b], 4: counted[b] - asked[b] + 1}[mode]
        least = counted[b] - asked[b] - 2 if mode == 4 else -99
        return i < asked[b] and j < counted[b] and least <= j - i <= more

    mask = PACKED if mode > 1 else None
    close(prompt(sparse_mode=mode, attn_mask=mask, pre_tokens=2, next_tokens=1, **told), formula(seen)[0])
    one = prompt(actual_seq_lengths_kv=[4])
    close(one, formula(lambda b, i, j: j < 4)[0])


@pytest.mark.parametrize("layout", ["BNSD", "BSH"])
def test_one_more_token_sees_what_counts_and_is_not_hidden(layout):
    q, mask = Q[:, :, :1], RNG.random((B, T)) < 0.3
    mask[:, 0] = False
    shift = SHIFT[:, :, :1, :T]
    inputs = [of(laid(q, layout))[0], *([t] for t in of(*(laid(a, layout) for a in (K, V))))]
    options = {"num_heads": N, "num_key_value_heads": KV, "input_layout": layout, "scale_value": 0.5}
    close(ops.incre_flash_attention(*inputs, **options), laid(formula(lambda b, i, j: True, q)[0], layout))
    found = ops.incre_flash_attention(*inputs, Tensor(mask), [3, 6], of(shift)[0], **options)
    close(found, laid(formula(lambda b, i, j: j < (3, 6)[b] and not mask[b, j], q, shift=shift)[0], layout))
    late = ops.incre_flash_attention(*inputs, actual_seq_lengths=[3, 6], kv_padding_size=Tensor([1]),
                                     **options)
    close(late, laid(formula(lambda b, i, j: (2 <= j < 5) and b == 0, q)[0], layout))
    primitive = ops.auto_generate.IncreFlashAttention(N, layout, 0.5, KV)
    close(primitive(*inputs, Tensor(mask)), laid(formula(lambda b, i, j: not mask[b, j], q)[0], layout))


@pytest.mark.parametrize("heads_first", [False, True])
def test_one_more_token_reads_keys_from_blocks(heads_first):
    keys, values = RNG.normal(size=(2, 5, 4, KV, D))
    table, lengths = np.array([[3, 1], [0, 9]], np.int32), (7, 4)
    q = Q[:, :, :1]
    k, v = (np.stack([t[[3, 1]], t[[0, 0]]]).reshape(B, 8, KV, D).transpose(0, 2, 1, 3)
            for t in (keys, values))
    laid_blocks = [t.transpose(0, 2, 1, 3) if heads_first else t.reshape(5, 4, -1) for t in (keys, values)]
    found = ops.incre_flash_attention(
        of(q)[0], *([t] for t in of(*laid_blocks)), actual_seq_lengths=lengths, block_table=Tensor(table),
        num_heads=N, num_key_value_heads=KV, input_layout="BNSD", scale_value=0.5, block_size=4)
    close(found, formula(lambda b, i, j: j < lengths[b], q, k, v)[0])


@pytest.mark.parametrize("layout", ["BNSD", "BSH", "BSND", "BNSD_BSND"])
def test_both_in_one(layout):
    options = {"num_heads": N, "num_key_value_heads": KV, "input_layout": layout, "scale": 0.5}
    inputs = of(*(laid(a, layout) for a in (Q, K, V)))
    out, logs = ops.fused_infer_attention_score(*inputs, atten_mask=PACKED, sparse_mode=3,
                                                softmax_lse_flag=True, **options)
    expected, all_logs = formula(lambda b, i, j: j <= i + 1)
    close(out, laid(expected, "BSND" if layout == "BNSD_BSND" else layout))
    close(logs, all_logs)
    out, none = ops.fused_infer_attention_score(*inputs, **options)
    close(out, laid(formula(lambda b, i, j: True)[0], "BSND" if layout == "BNSD_BSND" else layout))
    assert none.shape == (1,) and none.asnumpy() == 0
    one = of(laid(Q[:, :, :1], layout))[0]
    out, logs = ops.fused_infer_attention_score(one, *inputs[1:], actual_seq_lengths=[0], pre_tokens=0,
                                                actual_seq_lengths_kv=[4], softmax_lse_flag=True, **options)
    expected, all_logs = formula(lambda b, i, j: j < 4, Q[:, :, :1])
    close(out, laid(expected, "BSND" if layout == "BNSD_BSND" else layout))
    close(logs, all_logs)


def test_sequences_may_stand_at_the_end():
    asked, counted = (3, 4), (4, 5)
    out, _ = ops.fused_infer_attention_score(
        *of(Q, K, V), num_heads=N, num_key_value_heads=KV, input_layout="BNSD", scale=0.5, sparse_mode=3,
        atten_mask=PACKED, actual_seq_lengths=asked, actual_seq_lengths_kv=counted,
        query_padding_size=Tensor([1]), kv_padding_size=Tensor(0))

    def seen(b, i, j):
        row, column = i - (S - 1 - asked[b]), j - (T - counted[b])
        return 0 <= row < asked[b] and 0 <= column < counted[b] and column <= row + counted[b] - asked[b]

    close(out, formula(seen)[0])


def test_attention_for_inference_refuses():
    q, k, v = of(Q, K, V)
    options = {"num_heads": N, "num_key_value_heads": KV, "input_layout": "BNSD"}
    with pytest.raises(ValueError, match="'input_layout' must be one of"):
        ops.prompt_flash_attention(q, k, v, num_heads=N, input_layout="TND")
    with pytest.raises(RuntimeError, match="divisible by num_key_value_heads"):
        ops.prompt_flash_attention(q, k, v, num_heads=4, num_key_value_heads=3)
    with pytest.raises(RuntimeError, match="must have 8, 8 and 8 heads"):
        ops.prompt_flash_attention(q, k, v, num_heads=8, input_layout="BNSD")
    with pytest.raises(RuntimeError, match="sparse_mode must be 0, 1, 2, 3 or 4"):
        ops.prompt_flash_attention(q, k, v, sparse_mode=5, **options)
    for mask in (None, Tensor(np.zeros((S, T), bool))):
        with pytest.raises(RuntimeError, match=r"attn_mask must end in the shape \(2048, 2048\)"):
            ops.prompt_flash_attention(q, k, v, mask, sparse_mode=2, **options)
    with pytest.raises(TypeError, match="must have one dtype"):
        ops.prompt_flash_attention(q, k.astype(ms.float16), v, **options)
    with pytest.raises(TypeError, match="pse_shift must be"):
        ops.prompt_flash_attention(q, k, v, pse_shift=Tensor(SHIFT, ms.float16), **options)
    with pytest.raises(ValueError, match="must be 1 or 3 numbers"):
        ops.prompt_flash_attention(*(ops.concat((t, t[:1])) for t in (q, k, v)), actual_seq_lengths=[1, 2],
                                   **options)
    with pytest.raises(NotImplementedError, match=r"deq_scale1.*dequantize first"):
        ops.prompt_flash_attention(q, k, v, deq_scale1=Tensor([1.0]), **options)
    with pytest.raises(NotImplementedError, match=r"IncreFlashAttention.antiquant_scale, key"):
        ops.incre_flash_attention(q, [k.astype(ms.int8)], [v], antiquant_scale=q, **options)
    with pytest.raises(NotImplementedError, match="a list of several"):
        ops.incre_flash_attention(q, [k, k], [v, v], **options)
    with pytest.raises(RuntimeError, match="block_table needs"):
        ops.incre_flash_attention(q[:, :, :1], [k], [v], block_table=Tensor([[0]]), **options)
    for name in ("key_shared_prefix", "block_table"):
        with pytest.raises(NotImplementedError, match=name):
            ops.fused_infer_attention_score(q, k, v, actual_seq_lengths_kv=[2], block_size=T,
                                            **{name: Tensor([[0], [1]], ms.int32)}, **options)
