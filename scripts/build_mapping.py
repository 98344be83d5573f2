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


def page(language: str) -> str:
    """The page in one language."""
    title, other, about, head = WORDS[language]
    lines = [f"# {title}", "", other, "", about]
    rows: dict[str, list[str]] = {}
    for name, rule in sorted({**VALUES, **CALLS}.items()):
        short = name.removeprefix("mindspore.")
        home = short.rpartition(".")[0] or "mindspore"
        form = readable(rule.form).replace("|", "\\|")
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
