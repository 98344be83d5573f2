"""Mixtures of experts: tokens sorted by expert and back, and products with one matrix for each group of rows.

MindSpore has these on Ascend alone; they follow its documentation.
"""

from __future__ import annotations

import torch

from ms2torch._core.errors import final, unsupported

from .pull import pull


def _plain(api: str, **given) -> None:
    """NotImplementedError where an argument for quantized weights or a form without a definition is given."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise unsupported(
                f"mindspore.ops.{api}({name})",
                "it computes in the integer formats of Ascend.",
                "dequantize first.",
            )


def _permute(tokens, indices, num_out_tokens=None, padded_mode=False):
    """Tokens in the order of their experts, and where each (token, choice) went."""
    _plain("moe_token_permute", padded_mode=padded_mode)
    if tokens.ndim != 2 or indices.ndim not in (1, 2):
        raise final(
            ValueError(
                "For 'MoeTokenPermute', 'tokens' must be 2-D and 'indices' 1-D or 2-D, but got "
                f"{tokens.ndim}-D and {indices.ndim}-D."
            )
        )
    choices = 1 if indices.ndim == 1 else indices.shape[1]
    order = torch.argsort(indices.flatten(), stable=True)
    kept = order if num_out_tokens is None else order[:num_out_tokens]
    return tokens.index_select(0, kept // choices), torch.argsort(order).to(torch.int32)


def _unpermute(permuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None):
    """Tokens back in their first order; those of one token are weighted by ``probs`` and added."""
    _plain("moe_token_unpermute", padded_mode=padded_mode)
    count, width = len(sorted_indices), permuted_tokens.shape[1]
    missing = count - len(permuted_tokens)
    if missing > 0:  # tokens that were dropped count as zeros
        permuted_tokens = torch.cat([permuted_tokens, permuted_tokens.new_zeros(missing, width)])
    choices = 1 if probs is None else probs.shape[1]
    found = permuted_tokens.index_select(0, sorted_indices.long()).reshape(-1, choices, width)
    if probs is not None:
        found = found * probs.unsqueeze(-1)
    return found.sum(1).to(permuted_tokens.dtype)


def _permute_grad(permuted_tokens_grad, sorted_indices, num_topk=1, padded_mode=False):
    places = sorted_indices.long()
    grads = permuted_tokens_grad
    missing = len(places) - len(grads)
    if missing > 0:
        grads = torch.cat([grads, grads.new_zeros(missing, grads.shape[1])])
    return grads.index_select(0, places).reshape(-1, num_topk, grads.shape[1]).sum(1)


def _unpermute_grad(
    permuted_tokens, unpermuted_tokens_grad, sorted_indices, probs=None, padded_mode=False, restore_shape=None
):
    if probs is None:
        return pull(unpermuted_tokens_grad, lambda t: _unpermute(t, sorted_indices), permuted_tokens), None
    return pull(unpermuted_tokens_grad, lambda t, p: _unpermute(t, sorted_indices, p), permuted_tokens, probs)


def _gate(x, finished=None, k=1):
    """The ``k`` largest of the softmax, their experts, a number for each (row, choice), column by column."""
    weights, experts = torch.softmax(x, -1).topk(k)
    rows = x.numel() // x.shape[-1]
    if finished is not None:
        experts = torch.where(finished.unsqueeze(-1), x.shape[-1], experts)
    numbers = torch.arange(rows * k, dtype=torch.int32, device=x.device).reshape(k, rows).T
    return weights, experts.to(torch.int32), numbers.reshape(experts.shape)


def _route(x, row_idx, expert_idx, active_num):
    """Rows of ``x`` sorted by expert, where each numbered row went, and the sorted experts."""
    experts, order = torch.sort(expert_idx.flatten(), stable=True)
    numbers = row_idx.flatten()[order].long()
    places = torch.empty_like(numbers).scatter(0, numbers, torch.arange(len(numbers), device=x.device))
    kept = min(x.shape[0], int(active_num)) * expert_idx.shape[1]
    return x.index_select(0, (numbers % x.shape[0])[:kept]), places.to(torch.int32), experts


def _finalize(
    expanded_x, x1, x2=None, bias=None, scales=None, expanded_row_idx=None, expanded_expert_idx=None
):
    rows, choices = expanded_expert_idx.shape
    taken = expanded_x.index_select(0, expanded_row_idx.long()).reshape(choices, rows, -1).transpose(0, 1)
    if bias is not None:
        taken = taken + bias[expanded_expert_idx.long()]
    total = x1 + (taken if scales is None else taken * scales.unsqueeze(-1)).sum(1)
    return total if x2 is None else total + x2


def _expert_tokens(sorted_experts, num_expert):
    wanted = torch.arange(int(num_expert), device=sorted_experts.device, dtype=sorted_experts.dtype)
    return torch.searchsorted(sorted_experts, wanted, right=True).to(sorted_experts.dtype)


def _ends(group_list, group_list_type: int) -> list[int]:
    """Where each group of rows ends; ``group_list`` holds that (type 0) or the groups' sizes (type 1)."""
    values = torch.as_tensor(group_list).cpu()
    return (values.cumsum(0) if group_list_type else values).tolist()


def _parts(t, ends, dim: int = 0):
    starts = [0, *ends[:-1]]
    return [t.narrow(dim, a, b - a) for a, b in zip(starts, ends, strict=True)]


def _grouped(
    x,
    weight,
    bias=None,
    group_list=None,
    split_item=0,
    group_type=-1,
    group_list_type=0,
    transpose_a=False,
    transpose_b=False,
):
    """One product for each pair of matrices, or for each group of rows of one matrix."""
    several = isinstance(weight, (list, tuple))
    x, weight = (list(t) if isinstance(t, (list, tuple)) else [t] for t in (x, weight))
    bias = [None] * len(weight) if bias is None else list(bias) if isinstance(bias, (list, tuple)) else [bias]
    if group_type == -1:
        pairs = zip(x, weight, bias, strict=True)
        return tuple(_product(a, b, c, transpose_a, transpose_b) for a, b, c in pairs)
    ends = _ends(group_list, group_list_type)
    if group_type == 2:  # groups along the axis that the product sums over: one matrix for each group
        left, right = (_parts(t[0], ends, dim) for t, dim in ((x, -1), (weight, 0)))
        return (torch.stack([a @ b for a, b in zip(left, right, strict=True)]),)
    matrices = weight if several and len(weight) > 1 else list(weight[0])
    shifts = [None] * len(matrices) if bias[0] is None else bias if len(bias) > 1 else list(bias[0])
    found = [
        _product(a, b, c, False, transpose_b)
        for a, b, c in zip(_parts(x[0], ends), matrices, shifts, strict=True)
    ]
    if ends[-1] < len(x[0]):  # rows of no group
        found.append(found[0].new_zeros(len(x[0]) - ends[-1], found[0].shape[1]))
    return (torch.cat(found),) if split_item in (2, 3) else tuple(found)


def _product(a, b, bias, transpose_a, transpose_b):
    y = (a.mT if transpose_a else a) @ (b.mT if transpose_b else b)
    return y if bias is None else (y + bias).to(y.dtype)


def _matmul(
    x,
    weight,
    bias=None,
    scale=None,
    offset=None,
    antiquant_scale=None,
    antiquant_offset=None,
    group_list=None,
    split_item=0,
    group_type=-1,
    transpose_a=False,
    transpose_b=False,
):
    _plain(
        "auto_generate.GroupedMatmul",
        scale=scale,
        offset=offset,
        antiquant_scale=antiquant_scale,
        antiquant_offset=antiquant_offset,
    )
    return _grouped(x, weight, bias, group_list, split_item, group_type, 0, transpose_a, transpose_b)


def _matmul_v4(
    x,
    weight,
    bias=None,
    scale=None,
    offset=None,
    antiquant_scale=None,
    antiquant_offset=None,
    pre_token_scale=None,
    group_list=None,
    activation_input=None,
    activation_quant_scale=None,
    activation_quant_offset=None,
    split_item=0,
    group_type=-1,
    group_list_type=0,
    act_type=0,
    output_dtype=None,
):
    _plain(
        "auto_generate.GroupedMatmulV4",
        scale=scale,
        offset=offset,
        antiquant_scale=antiquant_scale,
        antiquant_offset=antiquant_offset,
        pre_token_scale=pre_token_scale,
        activation_input=activation_input,
        act_type=act_type or None,
    )
    return _grouped(x, weight, bias, group_list, split_item, group_type, group_list_type)


def _gmm(x, weight, bias=None, group_list=None, group_type=0, group_list_type=0):
    return _grouped(x, weight, bias, group_list, 3, group_type, group_list_type)


def _add_products(x, weight, group_list, out):
    ends = _ends(group_list, 0)
    parts = zip(_parts(x, ends), _parts(weight, ends), strict=True)
    return out.add_(torch.stack([a.mT @ b for a, b in parts]).reshape(out.shape))


ROWS = {
    "MoeTokenPermute": _permute,
    "MoeTokenPermuteGrad": _permute_grad,
    "MoeTokenUnpermute": _unpermute,
    "InnerMoeTokenUnpermute": _unpermute,
    "MoeTokenUnpermuteGrad": _unpermute_grad,
    "MoeGatingTopKSoftmax": _gate,
    "MoeInitRouting": _route,
    "MoeFinalizeRouting": _finalize,
    "MoeComputeExpertTokens": _expert_tokens,
    "GroupedMatmul": _matmul,
    "GroupedMatmulV2": _matmul,
    "GroupedMatmulV4": _matmul_v4,
    "Gmm": _gmm,
    "GmmV2": _gmm,
    "InplaceGroupedMatmulAdd": _add_products,
}
