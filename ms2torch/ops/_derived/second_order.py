"""What the second-order optimizer THOR computes by on a GPU: factors of covariances, patches of images."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def diagonal_blocks(matrix: torch.Tensor, size: int) -> torch.Tensor:
    """The (n, size, size) blocks on the diagonal of a square matrix, the last filled up with the identity;
    the whole as one block where it is no larger."""
    width = matrix.shape[0]
    if width <= size:
        return matrix[None]
    count = -(-width // size)
    blocks = torch.eye(size, dtype=matrix.dtype, device=matrix.device).repeat(count, 1, 1)
    for i in range(count):
        block = matrix[i * size : (i + 1) * size, i * size : (i + 1) * size]
        blocks[i, : block.shape[0], : block.shape[1]] = block
    return blocks


def _cholesky_trsm(x1, lower=False, clean=True, split_dim=0):
    """The inverse of the lower Cholesky factor: y with ``y.T @ y`` the inverse of ``x1``, by blocks of
    ``split_dim``; NaN for what is not positive definite."""
    factor, failed = torch.linalg.cholesky_ex(diagonal_blocks(x1, split_dim) if split_dim else x1)
    inverse = torch.linalg.solve_triangular(factor, torch.eye(factor.shape[-1]).to(factor), upper=False)
    return inverse.masked_fill((failed != 0)[..., None, None], torch.nan)


def _update_thor_gradient(x1, x2, x3, split_dim=1):
    """``x1[h] @ g[h, w] @ x3[h, w]`` for each block g of the gradient ``x2``."""
    rows, columns = x2.shape
    high, wide = x1.shape[-1], x3.shape[-1]
    down, across = x1.shape[0], x3.shape[1]
    g = F.pad(x2, (0, across * wide - columns, 0, down * high - rows))
    blocks = g.reshape(down, high, across, wide).transpose(1, 2)
    blocks = x1[:, None] @ blocks @ x3
    return blocks.transpose(1, 2).reshape(down * high, across * wide)[:rows, :columns].contiguous()


def _pair(sizes) -> tuple[int, int]:
    return (sizes, sizes) if isinstance(sizes, int) else tuple(sizes)[-2:]


def _thor_im2col(x, kernel_size, pad_mode="valid", pad=0, stride=1, dilation=1):
    """The patches that a convolution reads, (channels, height, width of the kernel, batch, places down,
    places across)."""
    kernel, step, apart = _pair(kernel_size), _pair(stride), _pair(dilation)
    sides = (pad,) * 4 if pad_mode == "pad" else (0,) * 4
    if pad_mode == "same":
        sides = []
        for size, k, s, d in zip(x.shape[2:], kernel, step, apart, strict=True):
            missing = max((-(-size // s) - 1) * s + d * (k - 1) + 1 - size, 0)
            sides = [missing // 2, missing - missing // 2, *sides]
    padded = F.pad(x, sides)
    places = [(n - d * (k - 1) - 1) // s + 1
              for n, k, s, d in zip(padded.shape[2:], kernel, step, apart, strict=True)]
    patches = F.unfold(padded, kernel, apart, stride=step)
    return patches.reshape(x.shape[0], x.shape[1], *kernel, *places).permute(1, 2, 3, 0, 4, 5)


ROWS = {
    "CholeskyTrsm": _cholesky_trsm,
    "UpdateThorGradient": _update_thor_gradient,
    "ThorIm2Col": _thor_im2col,
}
