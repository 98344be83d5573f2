"""Write the page of the mapping: MindSpore name, PyTorch form, differences; English and Chinese.

python scripts/build_mapping.py    # migration_guide/mapping.md and mapping.zh-CN.md
"""

from __future__ import annotations

from pathlib import Path

from ms2torch.translate import rules
from ms2torch.translate.explain import readable
from ms2torch.translate.rules.table import CALLS, VALUES

GUIDE = Path(__file__).resolve().parents[1] / "migration_guide"
WORDS = {
    "": ("MindSpore names in PyTorch", "[中文](mapping.zh-CN.md)",
         "Made by `scripts/build_mapping.py` from the table of `ms2torch translate` and `ms2torch explain`. "
         "A Primitive or a Tensor method that is the same operation has the same form. What `mint`, "
         "`mint.nn`, `mint.optim` and `experimental.optim` have and this page has not is called alike in "
         "PyTorch: `mint.nn.Linear` is `nn.Linear`.",
         "| MindSpore | PyTorch | what differs |"),
    ".zh-CN": ("MindSpore 名字在 PyTorch 里的写法", "[English](mapping.md)",
               "由 `scripts/build_mapping.py` 从 `ms2torch translate` 与 `ms2torch explain` 的表生成。"
               "同一运算的 Primitive 和 Tensor 方法写法相同。`mint`、`mint.nn`、`mint.optim`、"
               "`experimental.optim` 里没有列出的名字在 PyTorch 里同名：`mint.nn.Linear` 就是 `nn.Linear`。",
               "| MindSpore | PyTorch | 不同之处 |"),
}
# Words of the forms, which are code otherwise.
PHRASES = {
    ", at the head whose call gives the rate of a step": "，写在文件头，调用它得到某一步的学习率",
    " at the head whose call gives the rate of a step": "，写在文件头，调用它得到某一步的学习率",
    ", at the head, where gradients are values": "，写在文件头，梯度作为值使用时",
    ", at the head, where the program reads names; else nothing": "，写在文件头，程序读取名字时；否则不写",
    ", at the head, without either": "，写在文件头，两者都没有时",
    ", at the head, or torchvision's": "，写在文件头，或用 torchvision 的",
    ", at the head; or ": "，写在文件头；或 ",
    " at the head; or ": "，写在文件头；或 ",
    " at the head; ": "，写在文件头；",
    ", at the head": "，写在文件头",
    " at the head": "，写在文件头",
    "the same method": "同名方法",
    "the Module itself: PyTorch needs no such call": "Module 本身：PyTorch 不需要这个调用",
    "nothing on one device": "单设备上什么也不写",
    "nothing: each loop begins anew": "什么也不写：每个循环重新开始",
    "the function itself; torch.compile(function) where speed asks for it":
        "函数本身；需要速度时用 torch.compile(function)",
    "num_workers= of a DataLoader": "DataLoader 的 num_workers=",
    "the DataLoader itself, or ": "DataLoader 本身，或 ",
    "the number itself": "数本身",
    "the names that the program gives": "程序给出的名字",
    "a list of functions": "函数的列表",
    "x itself for a share of 1": "比例为 1 时是 x 本身",
    "Callback(): nothing is measured": "Callback()：什么也不测量",
    " where nothing is measured": "，什么也不测量时",
    " where a module makes them for it": "，由模块建立时",
    " where they have more than three axes": "，超过三个轴时",
    " for a rate": "，学习率时",
    " for a number": "，一个数时",
    " for axis 1": "，axis 为 1 时",
    " with an axis, else ": "，给出轴时；否则 ",
    ", along the channels": "，沿通道",
    ", of tuples": "，取元组",
    ", and the sum of the weights that count": "，以及计入的权重之和",
    " of an axis by its place or dim=, ": "（按位置或 dim= 给出轴），",
    " of axis=": "（axis=）",
    " where transpose_b": "，transpose_b 时",
    " where reduction=": "，reduction=",
    " with half_pixel_centers": "，half_pixel_centers 时",
    " for MINDIR": "，MINDIR 时",
    "net.eval() for False": "net.eval()，False 时",
}


def _form(form: str, language: str) -> str:
    if language:
        for english, chinese in PHRASES.items():
            form = form.replace(english, chinese)
    return form.replace("|", "\\|")


def page(language: str) -> str:
    """The page in one language."""
    title, other, about, head = WORDS[language]
    lines = [f"# {title}", "", other, "", about]
    rows: dict[str, list[str]] = {}
    for name, rule in sorted({**VALUES, **CALLS}.items()):
        short = name.removeprefix("mindspore.")
        home = short.rpartition(".")[0] or "mindspore"
        form = _form(readable(rule.form), language)
        if form == "_gone_":
            form = "-"
        text = (rule.zh if language else rule.en).replace("|", "\\|")
        rows.setdefault(home, []).append(f"| `{short}` | `{form}` | {text} |")
    for home, made in rows.items():
        lines += ["", f"## {home}", "", head, "|---|---|---|", *made]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    rules.load()
    for language in WORDS:
        (GUIDE / f"mapping{language}.md").write_text(page(language), encoding="utf-8")
