"""Build the documentation site in English and Chinese: python scripts/build_site.py [--out site]

It needs ``pip install ms2torch[docs]`` and no network, neither to build nor to read: fonts are the reader's
own, scripts lie beside the pages, and the search runs from files. Links are checked: where one leads nowhere
the exit code is 1. ``--only mindspore.mint`` builds the reference of that module, ``--url`` names the address
that the site will have, where it will have one.
"""

from __future__ import annotations

import argparse
import logging
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.pages import notebooks, reference, staging  # noqa: E402

LANGUAGES = {"en": "English", "zh": "中文"}
TITLES = {
    "en": {
        "readers": "Who are you?",
        "guide": "Guide",
        "api": "API reference",
        "more": "Facts",
        "home": "Home",
    },
    "zh": {"readers": "你是哪种读者", "guide": "迁移指南", "api": "API 参考", "more": "事实", "home": "首页"},
}
READERS = ("old_script", "library", "leave", "doubt", "many_gpus", "teach")
FACTS = (
    "migration_guide/mapping.md",
    "migration_guide/departures.md",
    "SUPPORT.md",
    "migration_guide/graph_language/README.md",
    "scripts/benchmarks/RESULTS.md",
    "scripts/mutants/RESULTS.md",
    "scripts/mutants/TRIALS.md",
    "scripts/fuzz/RESULTS.md",
    "scripts/sweep/RESULTS.md",
    "scripts/third_party/RESULTS.md",
    "scripts/public_cells/RESULTS.md",
    "scripts/versions.md",
    "ms2torch/difftest/FORMAT.md",
    "tests/reference/README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
)


def main(argv: list[str] | None = None) -> int:
    """Build both languages; 1 where a link leads nowhere."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="the folder to write (default: site)")
    parser.add_argument("--only", metavar="MODULE", help="the reference of this module alone")
    parser.add_argument("--language", choices=LANGUAGES, action="append", help="one language alone")
    parser.add_argument(
        "--notebooks", action="store_true", help="only write lesson.ipynb into each lesson's folder here"
    )
    parser.add_argument("--url", default="", help="the address that the site will have")
    given = parser.parse_args(argv)
    given.out = given.out.resolve()     # MkDocs takes a relative one for a folder beside its configuration
    if given.notebooks:
        notebooks.write(ROOT, (given.language or ["en"])[0])
        return 0
    try:
        import mkdocs  # noqa: F401
    except ModuleNotFoundError:
        print("build_site.py needs MkDocs: pip install 'ms2torch[docs]'", file=sys.stderr)
        return 2
    modules = reference.entries(given.only)
    warned = 0
    for language in given.language or LANGUAGES:
        with tempfile.TemporaryDirectory() as place:
            stage(Path(place), language, modules)
            warned += build(Path(place), given.out / language, language, given.url, list(modules))
    shutil.copyfile(Path(__file__).parent / "pages" / "front.html", given.out / "index.html")
    return min(warned, 1)


def stage(folder: Path, language: str, modules: dict) -> None:
    """Lay out one language's pages under ``folder``."""
    staging.stage(folder, language)
    notebooks.write(folder, language)
    api = folder / "api"
    api.mkdir()
    (api / "index.md").write_text(reference.index(modules, language), encoding="utf-8")
    for module, names in modules.items():
        home = api / module
        home.mkdir()
        (home / "index.md").write_text(reference.listing(module, names, language), encoding="utf-8")
        for entry in names:
            (home / reference.address(entry)).write_text(reference.page(entry, language), encoding="utf-8")


def build(folder: Path, out: Path, language: str, url: str, modules: list[str]) -> int:
    """Run the generator; the number of its warnings, each shown."""
    from mkdocs.commands.build import build as generate
    from mkdocs.config import load_config

    counter = Counting()
    logger = logging.getLogger("mkdocs")
    logger.addHandler(counter)
    logger.setLevel(logging.INFO)
    try:
        config = load_config(
            str(Path(__file__).parent / "pages" / "mkdocs.yml"), docs_dir=str(folder), site_dir=str(out)
        )
        config["theme"]["language"] = config["extra"]["language"] = language
        config["site_url"] = url and f"{url.rstrip('/')}/{language}/"
        config["nav"] = navigation(folder, language, modules)
        config.plugins.run_event("startup", command="build", dirty=False)
        generate(config)
    finally:
        logger.removeHandler(counter)
    return counter.count


class Counting(logging.Handler):
    """Shows and counts the generator's warnings, links that lead nowhere among them."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        lost = "contains a link" in text or "contains an absolute link" in text
        if record.levelno >= logging.WARNING or lost:
            self.count += 1
            print(text, file=sys.stderr)


def navigation(folder: Path, language: str, modules: list[str]) -> list:
    """What stands in the menu: the readers, the guide, the reference by module, the facts."""
    words = TITLES[language]
    lessons = sorted(p.parent.name for p in folder.glob("migration_guide/[0-9]*/README.md"))
    guide = ["migration_guide/README.md", *(f"migration_guide/{name}/README.md" for name in lessons)]
    readers = [f"migration_guide/readers/{name}.md" for name in READERS]
    return [
        {words["home"]: "README.md"},
        {words["readers"]: [titled(folder, path) for path in readers]},
        {words["guide"]: [titled(folder, path) for path in guide]},
        {words["api"]: ["api/index.md", *({module: f"api/{module}/index.md"} for module in modules)]},
        {words["more"]: [titled(folder, path) for path in FACTS]},
    ]


def titled(folder: Path, path: str) -> dict[str, str]:
    """A page under its own first heading."""
    found = re.search(r"^# (.+)$", (folder / path).read_text(encoding="utf-8"), re.M)
    return {found.group(1).replace("`", "") if found else path: path}


if __name__ == "__main__":
    sys.exit(main())
