"""Write scikit-learn's handwritten digits as MNIST files: python scripts/make_digits.py OUT_DIR

1,797 real 8x8 digits, enlarged to 28x28 uint8, in MNIST's idx format under OUT_DIR/train and OUT_DIR/test,
where ``MnistDataset`` reads them. Every fifth digit is held out for the test; the split is the same each
time. Each of the others is there five times: as it is, and moved by two pixels in each direction, because
1,438 are few (``--shift 0``: once).
"""
from __future__ import annotations

import argparse
import struct
import sys
from pathlib import Path

import numpy as np

FILES = {"train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
         "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")}


def write_idx(path: Path, array: np.ndarray) -> None:
    """Write a uint8 array as an idx file: magic number, sizes (big-endian), bytes."""
    head = struct.pack(f">{1 + array.ndim}I", 0x800 + array.ndim, *array.shape)
    path.write_bytes(head + array.astype(np.uint8).tobytes())


def enlarge(images: np.ndarray, size: int = 28, border: int = 2) -> np.ndarray:
    """(N, 8, 8) values 0..16 as (N, size, size) uint8, bilinearly, with a black border as MNIST's digits
    have.
    """
    inner, old = size - 2 * border, images.shape[1]
    place = np.clip((np.arange(inner) + 0.5) * old / inner - 0.5, 0, old - 1)
    low = np.minimum(place.astype(int), old - 2)
    part = place - low
    rows = images[:, low] * (1 - part)[None, :, None] + images[:, low + 1] * part[None, :, None]
    both = rows[:, :, low] * (1 - part) + rows[:, :, low + 1] * part
    return np.pad(np.rint(both * (255 / 16)), ((0, 0), (border, border), (border, border))).astype(np.uint8)


def shifted(images: np.ndarray, pixels: int) -> np.ndarray:
    """The images, and the same moved up, down, left and right; their borders are wide enough to be black."""
    moves = ((0, 0), (pixels, 0), (-pixels, 0), (0, pixels), (0, -pixels))
    return np.concatenate([np.roll(images, move, (1, 2)) for move in moves[: 5 if pixels else 1]])


def main() -> int:
    """Write both folders; 1 when scikit-learn is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out_dir", type=Path, help="folder to write train/ and test/ into")
    parser.add_argument("--shift", type=int, default=2, metavar="PIXELS",
                        help="how far the four copies of a training digit are moved; 0 to 2, default 2")
    given = parser.parse_args()
    out_dir = given.out_dir
    try:
        from sklearn.datasets import load_digits
    except ModuleNotFoundError:
        print("The digits come with scikit-learn: pip install scikit-learn", file=sys.stderr)
        return 1
    digits = load_digits()
    images, held_out = enlarge(digits.images), np.arange(len(digits.target)) % 5 == 4
    for part, chosen in (("train", ~held_out), ("test", held_out)):
        folder = out_dir / part
        folder.mkdir(parents=True, exist_ok=True)
        chosen_images = shifted(images[chosen], given.shift if part == "train" else 0)
        labels = np.tile(digits.target[chosen], len(chosen_images) // chosen.sum())
        write_idx(folder / FILES[part][0], chosen_images)
        write_idx(folder / FILES[part][1], labels)
        print(f"{folder}: {len(labels)} digits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
