"""The tests that changed files can touch, and a fixed core: python scripts/share.py [--since COMMIT] [--why]

It prints paths for pytest, or ``tests`` for the whole suite. What has changed is what git tells since COMMIT;
without one, since the commit in ``.ci/passed``, at which the whole suite last passed. Where that is not known
(a shallow clone), or a change reaches too much of the package, the answer is the whole suite.

A test file can be touched

- where it, its record or its table has changed, or it stands in the folder of the changed one's name;
- where it imports a changed file, or one that imports it, and so on;
- where it mentions a name of MindSpore's that one of these files defines. Spelling is ignored
  (``SoftmaxCrossEntropy`` is ``softmax_cross_entropy``), and a mention in a comment counts: too many rather
  than too few. A file that only hands names on (``__init__``, ``nn_func``) is not gone through: whoever uses
  a name says it.

A table (``odd.tsv``) stands for the modules that say its name or have it; what helps the tests of a folder
touches all of them. The core looks at the whole package: layout, surface, signatures, pages, gradients.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PASSED = ROOT / ".ci" / "passed"
_ROOT_TESTS = ("architecture", "example", "guide", "judge", "package", "private_names", "share", "signatures",
               "site", "support_table", "torch_private", "verify_document")
_RECORDED = ("gradients", "graph_calls", "optimizers", "primitive_attributes", "tensor_methods",
             "wrong_calls")
CORE = ("tests/_core", "tests/common", "tests/scan", "tests/difftest/test_departures.py",
        "tests/difftest/test_mutants.py", *(f"tests/test_{name}.py" for name in _ROOT_TESTS),
        *(f"tests/reference/test_{name}.py" for name in _RECORDED))
# Whoever changes these changes everything.
EVERYTHING = re.compile(r"setup\.(cfg|py)|\.ci/run|scripts/(test\.sh|share\.py|reference_env\.sh)|"
                        r"tests/(conftest|__init__)\.py")
# What MindSpore does not have: programs do not call these by name.
OURS = frozenset(("__main__", "_core", "_early", "_naming", "cli", "convert", "difftest", "doctor",
                  "language", "migrate", "mindir", "scan", "shim", "translate"))
MOST = 200              # modules that a change may reach; beyond, the whole suite runs
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")


def spelled(word: str) -> str:
    """The word without what MindSpore's forms of one operation spell differently."""
    return word.replace("_", "").lower()


@cache
def words(path: Path) -> frozenset[str]:
    """All words of a file."""
    return frozenset(map(spelled, WORD.findall(path.read_text(encoding="utf-8", errors="replace"))))


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@cache
def public_words() -> frozenset[str]:
    """The words of MindSpore's public names, of 2.10 and of earlier releases, and of their methods."""
    data = ROOT / "ms2torch" / "_naming" / "data"
    modules = json.loads((data / "names_2_10.json").read_text(encoding="utf-8"))["modules"].values()
    told = [text for names in modules for pair in names.items() for text in pair]
    told += [line.split("\t")[0].rpartition(".")[2] for line in _lines(data / "removed.tsv")]
    told += [line.split("\t")[2] for line in _lines(data / "aliases.tsv")]
    return frozenset(spelled(w) for text in told for w in WORD.findall(str(text)))


def name_of(path: Path) -> str:
    """``ms2torch/nn/cell.py`` -> ``ms2torch.nn.cell``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Package:
    """The modules of the package and of its tests and scripts: what each defines and who imports it."""

    def __init__(self):
        folders = (ROOT / "ms2torch", ROOT / "tests", ROOT / "scripts")
        files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
        self.paths = {name_of(p): p for p in files}
        self.trees = {m: ast.parse(p.read_text(encoding="utf-8")) for m, p in self.paths.items()}
        self.importers: dict[str, set[str]] = {m: set() for m in self.paths}
        for module, tree in self.trees.items():
            for imported in self._imports(module, tree):
                self.importers[imported].add(module)

    def _imports(self, module: str, tree: ast.Module) -> set[str]:
        found = set()
        package = module if self.paths[module].name == "__init__.py" else module.rpartition(".")[0]
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                parts = package.split(".")
                base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
                origin = ".".join(filter(None, (base, node.module)))
                found |= {origin, *(f"{origin}.{a.name}" for a in node.names)}
            elif isinstance(node, ast.Import):
                found |= {a.name for a in node.names}
        return {m for m in found if m in self.paths and m != module}

    def defined(self, module: str) -> set[str]:
        """The names of MindSpore's that a module of the package gives."""
        names = set()
        home = module.split(".")
        named = home[0] == "ms2torch" and not OURS.intersection(home[1:2])
        for node in self.trees[module].body if named else ():
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                names.add(node.name)
            elif isinstance(node, ast.Assign):
                names |= {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        return {spelled(n) for n in names if len(n) > 2} & public_words()

    def hands_on(self, module: str) -> bool:
        """Whether a module defines nothing and is there for its imports."""
        return self.paths[module].name == "__init__.py" or not any(
            isinstance(n, (ast.FunctionDef, ast.ClassDef)) for n in self.trees[module].body)

    def reached(self, module: str) -> set[str]:
        """The module and those that import it, and so on, but through those that only hand on."""
        seen, new = {module}, [module]
        while new:
            for importer in self.importers[new.pop()] - seen:
                seen.add(importer)
                if not self.hands_on(importer):
                    new.append(importer)
        return seen

    def behind(self, table: Path) -> set[str]:
        """The modules that read a table: the one of its name, or those that say it."""
        beside = name_of(table.with_suffix(".py"))
        ours = table.is_relative_to(ROOT / "ms2torch")
        return {beside} & self.paths.keys() or {
            m for m, path in self.paths.items()
            if (not ours or m.startswith("ms2torch.")) and table.stem in path.read_text(encoding="utf-8")}


@cache
def whole_package() -> Package:
    """The package as it stands."""
    return Package()


def changed_since(commit: str) -> list[str] | None:
    """The files that differ from ``commit``, uncommitted ones too; None where git does not know it."""
    asked = ["git", "diff", "--name-only", "--no-renames", commit]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    return None if done.returncode else done.stdout.split()


def tests() -> list[Path]:
    """All test files."""
    return sorted((ROOT / "tests").rglob("test_*.py"))


def touched(changed: list[str]) -> dict[Path, str] | str:
    """Each test file that the changed files can touch, and why; or why all of them."""
    package, wanted, why = whole_package(), {}, {}
    for name in changed:
        path = ROOT / name
        if EVERYTHING.fullmatch(name):
            return f"{name} has changed"
        if name.startswith("ms2torch/") and not path.exists():
            return f"{name} is gone"                # (whom it reached cannot be read any more)
        if path.stem.startswith("test_"):
            why |= {t: name for t in tests() if t.stem == path.stem}
        elif path == PASSED or path.suffix in (".md", ".po"):
            continue
        elif path.suffix == ".py" and path.exists():
            reached = package.reached(name_of(path))
            ours = [m for m in reached if m.startswith("ms2torch.")]
            if len(ours) > MOST:
                return f"{name} reaches {len(ours)} modules"
            wanted |= {w: name for m in ours for w in package.defined(m)}
            why |= {package.paths[m]: name for m in reached if m.rpartition(".")[2].startswith("test_")}
        elif path.exists():
            found = touched(sorted(str(package.paths[m].relative_to(ROOT)) for m in package.behind(path)))
            if isinstance(found, str):
                return f"{name}: {found}"
            why |= found
        if name.startswith("tests/") and not path.stem.startswith("test_"):
            homes = (t for t in tests() if path.is_relative_to(t.parent))
            nearest = max((t.parent for t in homes), key=lambda folder: len(folder.parts))
            why |= {t: name for t in tests() if t.parent == nearest}
        beside = ROOT / "tests" / name.partition("/")[2].partition("/")[0]
        why |= {t: name for t in tests() if name.startswith("ms2torch/") and t.is_relative_to(beside)}
    for test in tests():
        if test not in why and (found := words(test) & wanted.keys()):
            word = min(found)
            why[test] = f"{wanted[word]} ({word})"
    return why


def share(commit: str | None) -> tuple[list[str], dict[Path, str] | str]:
    """The paths for pytest, and why."""
    commit = commit or (PASSED.read_text().split()[0] if PASSED.exists() else None)
    changed = changed_since(commit) if commit else None
    found = "it is not known since when" if changed is None else touched(changed)
    if isinstance(found, str):
        return ["tests"], found
    rest = [str(t.relative_to(ROOT)) for t in found if not any(t.is_relative_to(ROOT / c) for c in CORE)]
    return sorted((*CORE, *rest)), found


def main() -> None:
    """Print the share; with ``--why`` each test's reason."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--since", metavar="COMMIT")
    parser.add_argument("--why", action="store_true", help="say for each what touches it")
    options = parser.parse_args()
    paths, why = share(options.since)
    if options.why:
        reasons = {"all": why} if isinstance(why, str) else {t.relative_to(ROOT): w for t, w in why.items()}
        paths = [f"{test}: {reason}" for test, reason in reasons.items()]
    print("\n".join(paths))


if __name__ == "__main__":
    main()
