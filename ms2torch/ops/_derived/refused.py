"""Generated operators without a computation here: why, and what to do instead, by what their names match."""

from __future__ import annotations

import re

_ASCEND = "MindSpore has it on Ascend only."
_WRITE = "write it in the program (x.torch() is a torch tensor, Tensor(t) wraps one)."
# (pattern of the name, why, what to do instead); the first that matches counts.
_FAMILIES = (
    (
        r"Quant(?!ile)|Antiquant|AntiQuant|Dequant",
        "it computes in the integer formats of Ascend.",
        "compute with the dequantized weights.",
    ),
    (
        r"^(Nsa|Lightning|SparseFlash|Mla)",
        "its attention is defined by Ascend's kernel alone.",
        "ops.flash_attention_score.",
    ),
    (r"^(DistComm|InnerComm)", "it is the compiled core of a collective.", "mindspore.mint.distributed."),
    (
        r"AllGatherMatmul|MatmulReduceScatter|MatmulAllReduce|NeighborExchange|^(Signal|PutMem|GetMem)",
        "it joins a product with a collective of Ascend.",
        "the product and the collective, one after the other.",
    ),
    (
        r"^MoeDistribute",
        "its rows and counts are laid out as each of Ascend's devices wants them.",
        "ops.moe_token_permute, mint.distributed.all_to_all_single and ops.moe_token_unpermute.",
    ),
    (
        r"^Cus|^(LoadIm2Col|NewIm2Col|DetTriangle|MatrixCombine)",
        "it belongs to Ascend's second-order kernels.",
        _WRITE,
    ),
    (
        r"^(SilentCheck|InsertGem|GenerateEod|NPU)",
        "it watches Ascend hardware.",
        "remove the call.",
    ),
    (
        r"^(Map|CacheSwap|EmbeddingTable|SearchCache)",
        "it belongs to parameter servers.",
        "nn.EmbeddingLookup.",
    ),
    (r"^ApplyCame", _ASCEND, "an optimizer of mindspore.nn or mindspore.mint.optim."),
)


def refusal(name: str) -> tuple[str, str]:
    """Why the operator ``name`` is refused, and what to do instead."""
    for pattern, why, instead in _FAMILIES:
        if re.search(pattern, name):
            return f"not supported by ms2torch, because {why}", instead
    return "no computation of it is known to ms2torch; MindSpore calls it from its compiled core.", _WRITE
