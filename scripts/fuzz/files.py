"""Files that lines of the tables read: made once a process, the same on both sides."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

LETTERS = "南京市长江大桥我们在天安门看雨山水人小"
WORDS = {"南京": 90, "南京市": 60, "市长": 80, "长江": 70, "长江大桥": 50, "大桥": 40, "江": 30, "我们": 100,
         "天安门": 20, "天": 55, "看": 66, "大人": 12, "山水": 9, "小": 3, "abc": 5}
SENTENCES = ("hello world", "low lower lowest deep", "new newer newest", "hello new deep world of words",
             "a word is a word", "these words are low", "wide wider widest", "你好 世界")


@cache
def _folder() -> Path:
    """The worker's own folder, which goes with it, or one that goes with this process."""
    if Path.cwd().name.startswith("fuzz_"):
        return Path.cwd()
    made = tempfile.mkdtemp(prefix="fuzz_")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def _written(name: str, lines) -> str:
    path = _folder() / name
    if not path.exists():
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def dictionary() -> tuple[str, str]:
    """A model and a dictionary of Chinese words, of cppjieba's form; the model's logarithms are drawn."""
    random = np.random.RandomState(0)
    steps = [" ".join(f"{np.log(random.rand()):.6f}" if to in follow else "-3.14e+100" for to in range(4))
             for follow in ((1, 2), (0, 3), (1, 2), (0, 3))]
    states = [",".join(f"{letter}:{np.log(random.rand()):.5f}" for letter in LETTERS) for _ in "BEMS"]
    parts = [part for state, row in zip("BEMS", states, strict=True) for part in (f"#{state}", row)]
    model = ["#start", "-0.3 -3.14e+100 -3.14e+100 -1.4", "#steps", *steps, *parts]
    return _written("hmm.utf8", model), _written("dict.utf8", (f"{word} {n} n" for word, n in WORDS.items()))


def vectors(name: str, size: int) -> str:
    """Vectors of ten words, ``size`` numbers each, under the file name ``name``."""
    random = np.random.RandomState(size)
    words = ("ok", "my", "Hello", "hello", "<unk>", "你好", "a", "b.c", "hel", "lo")
    rows = [f"{word} {' '.join(f'{n:.4f}' for n in random.uniform(-1, 1, size))}" for word in words]
    return _written(name, [f"{len(rows)} {size}", *rows] if name.endswith("vec") else rows)


def sentences() -> str:
    """Text to learn the pieces of words from."""
    return _written("sentences.txt", SENTENCES * 4)
