"""Attention to a part of the keys, which MindSpore has on Ascend alone, against its formulas in float64."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, ops

RNG = np.random.default_rng(0)
N, KV, D = 4, 2, 16


def of(*arrays):
    return [Tensor(a.astype(np.float32)) for a in arrays]


def close(result, expected, rtol=2e-5):
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=rtol, atol=2e-6)


def attention(q, keys, values, scale=1.0):
    """Of one query to some keys: the result, the largest score, and the sum of exp(score - largest)."""
    scores = scale * keys @ q
    weights = np.exp(scores - scores.max())
    return weights @ values / weights.sum(), scores.max(), weights.sum(), weights / weights.sum()


def sequences(ends):
    return list(zip([0, *ends], ends, strict=False))


def test_keys_are_compressed_window_by_window():
    x, w = RNG.normal(size=(100, 2, D)), RNG.normal(size=(32, 2))
    expected = [(x[i:i + 32] * w[..., None]).sum(0)
                for begin, end in sequences([30, 100]) for i in range(begin, end - 31, 16)]
    close(ops.nsa_compress(*of(x, w), 32, 16, actual_seq_len=[30, 100]), np.stack(expected), 1e-4)
    assert ops.nsa_compress(*of(x[:9], w), 32, 16, actual_seq_len=(9,)).shape == (0, 2, D)
    slope = ms.grad(lambda x, w: ops.nsa_compress(x, w, 32, 16, actual_seq_len=[30, 100]), (0, 1))(*of(x, w))
    close(slope[1], sum(x[i:i + 32].sum(-1) for begin, end in sequences([30, 100])
                        for i in range(begin, end - 31, 16)), 1e-4)


QUERY, KEY, VALUE = (RNG.normal(size=shape) for shape in ((9, N, D), (13, KV, D), (13, KV, 8)))
ROWS, COLUMNS = (4, 9), (6, 13)


def test_attention_to_compressed_keys_tells_the_blocks_that_matter():
    hidden, wanted = RNG.random((5, 7)) < 0.3, RNG.random((5, 4)) < 0.1
    hidden[:, 0] = False
    out, blocks, largest, total = ops.nsa_compress_attention(
        *of(QUERY, KEY, VALUE), 0.5, N, 32, 16, 64, 2, topk_mask=Tensor(wanted), atten_mask=Tensor(hidden),
        actual_seq_qlen=ROWS, actual_cmp_seq_kvlen=COLUMNS, actual_sel_seq_kvlen=[3, 7])
    assert largest.shape == total.shape == (9, N, 8) and blocks.dtype == ms.int32
    for (a, b), (c, d), selectable in zip(sequences(ROWS), sequences(COLUMNS), (3, 4), strict=True):
        for i in range(b - a):
            seen = [j for j in range(d - c) if not hidden[i, j]]
            for head in range(KV):
                weights = np.zeros(d - c)
                for n in (2 * head, 2 * head + 1):
                    found = attention(QUERY[a + i, n], KEY[c:d, head][seen], VALUE[c:d, head][seen], 0.5)
                    close(out[a + i, n], found[0])
                    close(largest[a + i, n], np.full(8, found[1]))
                    close(total[a + i, n], np.full(8, found[2]))
                    weights[seen] += found[3]
                # 64 // 16 windows begin in a block, 32 // 16 overlap each of its steps.
                matters = [sum(weights[p] for m in range(4) for n in range(2)
                               if 0 <= (p := 4 * (j + 1) - m - n) < d - c) for j in range(selectable)]
                order = sorted(range(selectable),
                               key=lambda j: (not wanted[i, j], wanted[i, j] or -matters[j], j))
                assert blocks[a + i, head].asnumpy().tolist() == order[:2]


def test_selected_blocks_of_keys_are_attended_to():
    chosen = np.stack([RNG.integers(0, 2, (4, KV, 3)), RNG.integers(0, 2, (4, KV, 3))]).reshape(8, KV, 3)
    chosen = np.concatenate([chosen, chosen[:1] * 0 + 1])
    given = of(QUERY, KEY, VALUE)
    rest = (Tensor(chosen.astype(np.int32)), 0.5, N, 4, 3)
    ends = {"actual_seq_qlen": list(ROWS), "actual_seq_kvlen": list(COLUMNS)}
    out, largest, total = ops.nsa_select_attention(*given, *rest, **ends)
    slopes = np.zeros_like(VALUE)
    for (a, b), (c, d) in zip(sequences(ROWS), sequences(COLUMNS), strict=True):
        for i, n in np.ndindex(b - a, N):
            named = [j for block in chosen[a + i, n // 2] for j in range(4 * block, 4 * block + 4)
                     if j < d - c]
            found = attention(QUERY[a + i, n], KEY[c:d, n // 2][named], VALUE[c:d, n // 2][named], 0.5)
            close(out[a + i, n], found[0])
            close(largest[a + i, n], np.full(8, found[1]))
            close(total[a + i, n], np.full(8, found[2]))
            np.add.at(slopes, (c + np.array(named), n // 2), found[3][:, None])
    close(ms.grad(lambda v: ops.nsa_select_attention(*given[:2], v, *rest, **ends)[0])(given[2]), slopes)
    with pytest.raises(RuntimeError, match="indices must be from 0 to 1"):
        ops.nsa_select_attention(*given, Tensor(chosen.astype(np.int32) + 1), *rest[1:], **ends)
    with pytest.raises(NotImplementedError, match="atten_mask"):
        ops.nsa_select_attention(*given, *rest, atten_mask=Tensor(True), **ends)


def laid(joined, layout, ends, room=8, table=None):
    """Joined sequences as they are, or in rows of ``room``, or in blocks of 4 in the order of ``table``."""
    if layout == "TND":
        return joined
    rows = np.zeros((len(ends), room, *joined.shape[1:]))
    for row, (a, b) in zip(rows, sequences(ends), strict=True):
        row[: b - a] = joined[a:b]
    if layout == "BSND":
        return rows
    blocks = np.zeros((5, 4, *joined.shape[1:]))
    for row, places in zip(rows, table, strict=True):
        blocks[places] = row.reshape(2, 4, *joined.shape[1:])
    return blocks


TABLE = np.array([[3, 1], [0, 4]], np.int32)
LAYOUTS = [("TND", "TND"), ("BSND", "BSND"), ("TND", "PA_BSND"), ("BSND", "PA_BSND")]


def told(layout, key_layout, keys="kv"):
    counts, key_counts = np.diff((0, *ROWS)), np.diff((0, *COLUMNS))
    return {"actual_seq_lengths_query": Tensor(ROWS if layout == "TND" else counts, ms.int32),
            f"actual_seq_lengths_{keys}": Tensor(COLUMNS if key_layout == "TND" else key_counts, ms.int32),
            **({"block_table": Tensor(TABLE)} if key_layout == "PA_BSND" else {}),
            "layout_query": layout, f"layout_{keys}": key_layout}


def joined(result, layout):
    """The queries' rows of a result in either layout, one after the other."""
    a = result.asnumpy()
    return a if layout == "TND" else np.concatenate([row[:b - a] for row, (a, b) in zip(a, sequences(ROWS),
                                                                                        strict=True)])


@pytest.mark.parametrize(("layout", "key_layout"), LAYOUTS)
@pytest.mark.parametrize("mode", [0, 3])
def test_the_indexer_finds_the_keys_that_matter(layout, key_layout, mode):
    key, weights = KEY[:, :1], RNG.normal(size=(9, N))
    given = of(laid(QUERY, layout, ROWS), laid(key, key_layout, COLUMNS, table=TABLE),
               laid(weights[..., None], layout, ROWS)[..., 0])
    values_too = key_layout != "PA_BSND"
    found, values = ops.lightning_indexer(*given, sparse_count=5, sparse_mode=mode, return_value=values_too,
                                          **told(layout, key_layout, "key"))
    indices = joined(found, layout)
    for (a, b), (c, d) in zip(sequences(ROWS), sequences(COLUMNS), strict=True):
        for i in range(b - a):
            seen = d - c if mode == 0 else d - c - (b - a) + i + 1
            scores = weights[a + i] @ np.maximum(QUERY[a + i] @ key[c:c + seen, 0].T, 0)
            order = np.argsort(-scores, kind="stable")[:5]
            assert indices[a + i, 0].tolist() == [*order, *[-1] * (5 - len(order))]
            if values_too:
                expected = [*scores[order], *[-np.inf] * (5 - len(order))]
                np.testing.assert_allclose(joined(values, layout)[a + i, 0], expected, rtol=1e-4)
    if layout == "BSND":
        assert (found.asnumpy()[0, 4:] == -1).all()                       # beyond the sequence's queries
    if not values_too:
        with pytest.raises(NotImplementedError, match="return_value"):
            ops.lightning_indexer(*given, return_value=True, **told(layout, key_layout, "key"))


@pytest.mark.parametrize(("layout", "key_layout"), LAYOUTS)
@pytest.mark.parametrize("mode", [0, 3])
@pytest.mark.parametrize("size", [1, 2])
def test_chosen_keys_are_attended_to(layout, key_layout, mode, size):
    key, value = KEY[:, :1], VALUE[:, :1]
    rope, key_rope = RNG.normal(size=(9, N, 4)), RNG.normal(size=(13, 1, 4))
    chosen = RNG.integers(0, 6 // size, (9, 1, 6))
    chosen[..., 0] = 0
    chosen[2, 0, 4:] = -1, 1                                              # -1 ends it
    keys = [laid(t, key_layout, COLUMNS, table=TABLE) for t in (key, value, key_rope)]
    given = of(laid(QUERY, layout, ROWS), *keys[:2])
    ropes = of(laid(rope, layout, ROWS), keys[2])
    out, largest, total = ops.sparse_flash_attention(
        *given, Tensor(laid(chosen, layout, ROWS).astype(np.int32)), 0.5, query_rope=ropes[0],
        key_rope=ropes[1], sparse_block_size=size, sparse_mode=mode, attention_mode=2,
        return_softmax_lse=True,
        **told(layout, key_layout))
    seen_of = [joined(t.transpose(1, 0, 2) if layout == "TND" else t.transpose(0, 2, 1, 3), layout)[:, 0]
               for t in (largest, total)]
    for (a, b), (c, d) in zip(sequences(ROWS), sequences(COLUMNS), strict=True):
        for i, n in np.ndindex(b - a, N):
            blocks = chosen[a + i, 0].tolist()
            blocks = blocks[:blocks.index(-1)] if -1 in blocks else blocks
            last = d - c if mode == 0 else d - c - (b - a) + i + 1
            named = [j for block in blocks for j in range(size * block, size * block + size) if j < last]
            q = np.concatenate([QUERY[a + i, n], rope[a + i, n]])
            k = np.concatenate([key[c:d, 0], key_rope[c:d, 0]], -1)[named]
            found = attention(q, k, value[c:d, 0][named], 0.5)
            np.testing.assert_allclose(joined(out, layout)[a + i, n], found[0], rtol=2e-5, atol=2e-6)
            np.testing.assert_allclose([t[a + i, n] for t in seen_of], found[1:3], rtol=2e-5)


def test_two_attentions_become_one():
    heads = [attention(QUERY[i, n], KEY[p, 0], VALUE[p, 0]) for p in (slice(0, 5), slice(5, 13))
             for i in range(8) for n in range(N)]
    outs, largest, total = (np.stack([h[j] for h in heads]).reshape(2, 8, N, -1) for j in range(3))
    whole = [attention(QUERY[i, n], KEY[:, 0], VALUE[:, 0])[:3] for i in range(8) for n in range(N)]
    expected = [np.stack([w[j] for w in whole]).reshape(8, N, -1) for j in range(3)]
    # 8 rows: 4 positions of 2 sequences, or joined.
    for layout in ("SBH", "TND"):
        def out_of(a, layout=layout):
            return a.reshape(4, 2, -1) if layout == "SBH" else a.repeat(8, -1)

        def seen_of(a, layout=layout):
            a = np.broadcast_to(a, (8, N, 8))
            return a.reshape(4, 2, N, 8).transpose(1, 2, 0, 3) if layout == "SBH" else a

        parts = [x for p in range(2) for x in (out_of(outs[p]), seen_of(largest[p]), seen_of(total[p]))]
        ends = Tensor([0, 3, 8]) if layout == "TND" else None
        for got, wanted in zip(ops.ring_attention_update(*of(*parts), ends, layout),
                               (out_of(expected[0]), *map(seen_of, expected[1:])), strict=True):
            close(got, wanted)
    with pytest.raises(RuntimeError, match="actual_seq_qlen must rise from 0 to 8"):
        ops.ring_attention_update(*of(*parts), Tensor([3, 8]), "TND")
    with pytest.raises(RuntimeError, match="actual_seq_qlen must be given"):
        ops.ring_attention_update(*of(*parts), layout="TND")


def test_parts_of_attention_refuse():
    q, k, v = of(QUERY, KEY, VALUE)
    with pytest.raises(RuntimeError, match="a multiple of 16, at most 128"):
        ops.nsa_compress(q, Tensor(np.ones((8, N), np.float32)), 8, 16, actual_seq_len=[9])
    with pytest.raises(RuntimeError, match="must rise to 9, but got"):
        ops.nsa_compress(q, Tensor(np.ones((16, N), np.float32)), 16, 16, actual_seq_len=[8])
    with pytest.raises(TypeError, match="must have one dtype"):
        ops.nsa_compress(q, Tensor(np.ones((16, N), np.float16)), 16, 16, actual_seq_len=[9])
    with pytest.raises(NotImplementedError, match="attention_mode=2"):
        ops.sparse_flash_attention(q[None], k[None, :, :1], v[None, :, :1], Tensor([[[[0]]]]), 1.0)
    w = Tensor(np.ones((1, 9, N), np.float32))
    for options, text in (({"layout_key": "TND"}, "layouts of query and key"), ({"sparse_mode": 1}, "0 or 3"),
                          ({"layout_key": "PA_BSND"}, "lengths of the keys must be given")):
        with pytest.raises(RuntimeError, match=text):
            ops.lightning_indexer(q[None], k[None, :, :1], w, **options)
    with pytest.raises(NotImplementedError, match="pre_tokens, next_tokens"):
        ops.lightning_indexer(q[None], k[None, :, :1], w, pre_tokens=3)
