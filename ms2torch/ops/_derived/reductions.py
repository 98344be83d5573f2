"""Gradients of norms, distances, reductions and of linear algebra."""

from __future__ import annotations

import torch

from ms2torch._core.torch_private import standard_gamma_grad
from ms2torch.ops.function._gamma import by_shape

from .pull import forward, like_shape, pull, shape


def _median(y_grad, x, y, indices, global_median=False, axis=0, keep_dims=False):
    if global_median:
        equal = (x == y).to(x.dtype)
        return y_grad * equal / equal.sum()
    if not keep_dims:
        y_grad, indices = y_grad.unsqueeze(axis), indices.unsqueeze(axis)
    return torch.zeros_like(x).scatter(axis, indices.long(), y_grad)


def _cholesky(x, grad):
    """The gradient of A where x is its lower factor: symmetric, as MindSpore's."""
    inner = (x.mT @ grad).tril()
    inner = inner - 0.5 * torch.diag_embed(torch.diagonal(inner, dim1=-2, dim2=-1))
    left = torch.linalg.solve_triangular(x.mT, inner, upper=True)
    whole = torch.linalg.solve_triangular(x.mT, left.mT, upper=True).mT
    return (whole + whole.mT) / 2


def _trace(dout, sizes, offset=0, axis1=1, axis2=0):
    return like_shape(sizes, dout, lambda t: torch.diagonal(t, offset, axis1, axis2).sum(-1))


def _bias(dout, data_format="NCHW"):
    kept = dout.ndim - 1 if data_format == "NHWC" else 1
    return dout.sum([i for i in range(dout.ndim) if i != kept])


def _segments(reduction: str):
    """The gradient of rows that ``indices`` picked and that were summed (or averaged) by segment."""

    def compute(x, indices, segment_ids, output_dim0):
        count = torch.bincount(segment_ids.long(), minlength=x.shape[0]).clamp_min(1).to(x.dtype)
        weight = {"sum": torch.ones_like(count), "mean": 1 / count, "sqrtn": count.rsqrt()}[reduction]
        rows = (x * weight.reshape(-1, *[1] * (x.ndim - 1)))[segment_ids.long()]
        return x.new_zeros(int(output_dim0), *x.shape[1:]).index_add(0, indices.long(), rows)

    return compute


def _distances(grad, input_x, input_y, cdist, p=2.0):
    """Of the distances as they are given; 0 where ``p`` is below 1."""
    apart, far = input_x.unsqueeze(-2) - input_y.unsqueeze(-3), cdist.unsqueeze(-1)
    if p < 1:
        slope = torch.zeros_like(apart)
    elif p == 1:
        slope = torch.sgn(apart)
    elif p == float("inf"):
        slope = torch.sgn(apart) * (apart.abs() == far)
    else:
        slope = torch.sgn(apart) * apart.abs() ** (p - 1) / far ** (p - 1)
        slope = torch.where(far == 0, 0, slope)
    return (grad.unsqueeze(-1) * slope).sum(-2)


ROWS = {
    "CdistGrad": _distances,
    "PdistGrad": lambda y_grad, x, y, p=2.0: pull(y_grad, torch.pdist, x, p=p),
    "CholeskyGrad": _cholesky,
    "LstsqV2Grad": lambda gX, A, B: pull(gX, lambda a, b: torch.linalg.pinv(a) @ b, A, B),
    "MedianGrad": _median,
    "TraceGrad": lambda y_grad, x_shape: like_shape(x_shape, y_grad, torch.trace),
    "TraceV2Grad": _trace,
    "L2NormalizeGrad": lambda x, out, dout, axis=0, epsilon=1e-4: pull(
        dout, "L2Normalize", x, axis=axis, epsilon=epsilon
    ),
    "BiasAddGrad": _bias,
    "IgammaGradA": by_shape,
    "RandomGammaGrad": lambda alpha, sample: standard_gamma_grad(alpha, sample),
    "SparseSegmentSumGrad": _segments("sum"),
    "SparseSegmentMeanGrad": _segments("mean"),
    "SparseSegmentSqrtNGrad": _segments("sqrtn"),
    "TraceV2": lambda input, offset=0, axis1=1, axis2=0, dtype=None: torch.diagonal(
        input, offset, axis1, axis2
    ).sum(-1),
    "LinalgVectorNorm": lambda x, ord=2, dim=None, keepdim=False, dtype=None: forward("vector_norm")(
        x, ord, dim, keepdim, dtype=dtype
    ),
    "LpNormV2": lambda input, p=2, dim=None, keepdim=False, epsilon=1e-12: torch.linalg.vector_norm(
        input, p, dim if dim is None else shape((dim,) if isinstance(dim, int) else dim), keepdim
    ),
    "SolveTriangular": lambda a, b, trans=0, lower=False, unit_diagonal=False: torch.linalg.solve_triangular(
        a.mT if trans else a,
        b if b.ndim > 1 else b[:, None],
        upper=lower == bool(trans),
        unitriangular=unit_diagonal,
    ).reshape(b.shape),
    "MaxDim": lambda input, dim, keepdim=False: torch.max(input, dim, keepdim),
    "MinDim": lambda input, dim, keepdim=False: torch.min(input, dim, keepdim),
}
