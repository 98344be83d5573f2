"""Random numbers: PyTorch's own, from another generator than MindSpore's."""

from __future__ import annotations

from .table import table

_OTHERS = "the numbers are PyTorch's own, from another generator | 随机数出自 PyTorch 自己的发生器"

table(
    "ops",
    "\n".join(
        f"{names} | {form} | {_OTHERS}"
        for names, form in {
            "rand_like": "torch.rand_like({input})",
            "randn_like": "torch.randn_like({input}, dtype=torch.float32)",
            "randint": "torch.randint({low}, {high}, {size})",
            "randint_like": "torch.randint_like({input}, {low}, {high})",
            "randperm": "torch.randperm({n})",
            "uniform": "torch.rand({shape}) * ({maxval} - {minval}) + {minval}",
            "normal": "torch.randn({shape}) * {stddev} + {mean}",
            "StandardNormal": "torch.randn({shape})",
            "UniformReal": "torch.rand({shape})",
            "multinomial": "torch.multinomial({input}, {num_samples}, {replacement})",
        }.items()
    ),
)
