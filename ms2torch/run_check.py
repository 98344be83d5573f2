"""``mindspore.run_check``: says whether the installation computes."""

from __future__ import annotations


def run_check() -> None:
    """Multiply two matrices on the device in use and print whether that worked."""
    import torch

    from ms2torch._core.devices import device
    from ms2torch._naming import generation

    print("MindSpore version: ", generation.version())
    chosen = device.device()
    product = torch.ones(2, 3, device=chosen) @ torch.ones(3, 2, device=chosen)
    if product.tolist() == [[3.0, 3.0], [3.0, 3.0]]:
        print(
            "The result of multiplication calculation is correct, MindSpore has been installed on platform "
            f"[{device.describe(chosen)}] successfully!"
        )
    else:
        print("MindSpore running check failed.")
