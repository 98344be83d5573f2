"""MindSpore's libraries on ms2torch, unmodified: what imports, and what tiny models of theirs compute.

    python scripts/third_party get               # the libraries, each into a folder of its own
    python scripts/third_party imports           # every module of each (`importing`)
    python scripts/third_party models            # tiny models against Hugging Face's (`judge`, `building`)
    python scripts/third_party finetune          # trainings, killed and resumed (`finetuning`)
    python scripts/third_party table             # results.tsv and RESULTS*.md from what was found
    python scripts/third_party tests             # tests/third_party, with the libraries that it is about

Words after the verb choose libraries (``mindone mindnlp-0.4.1``). The folder is ``$LIBRARIES``, or
``~/.cache/ms2torch/libraries``; the Python that runs this has torch. ``imports`` and ``models`` go on where
they were left. A process that ends or takes ten minutes is started again, behind what it was at.
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import NamedTuple

import finetuning

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = Path(os.environ.get("LIBRARIES") or Path.home() / ".cache" / "ms2torch" / "libraries")
KINDS = ("ok", "third", "refused", "own", "ours")
# Whose models `building` knows.
BUILT = ("mindone", "mindnlp-0.4.1", "mindnlp-0.5.1", "mindformers-1.3.2", "mindformers-1.6",
         "mindformers-1.7", "mindformers-1.8", "mindformers-1.9", "mindformers-2.")
STEPS = ("load", "forward", "gradient", "step", "generate", "back")
TESTED = ("mindvision==0.1.0", "mindcv==0.3.0", "mindyolo==0.5.0", "mindaudio==0.3.0")


class Library(NamedTuple):
    """A row of libraries.tsv."""

    name: str
    version: str
    packages: str
    beside: str
    mindspore: str

    @property
    def folder(self) -> str:
        return f"{self.name}-{self.version}"

    @property
    def api(self) -> str:
        """The release that it was written for; the newest one here, where that is newer."""
        return min(self.mindspore, "2.10", key=lambda text: [int(part) for part in text.split(".")])

    def path(self) -> list[str]:
        """The folders that its programs see, its own first."""
        beside = [part.replace("==", "-") for part in self.beside.split()]
        return [str(FOLDER / part) for part in (self.folder, *beside, "@all")]


def libraries(wanted: list[str]) -> list[Library]:
    lines = (HERE / "libraries.tsv").read_text().splitlines()[1:]
    found = [Library(*line.split("\t")) for line in lines]
    return [one for one in found if not wanted or {one.name, one.folder} & set(wanted)]


def groups() -> dict[str, list[str]]:
    """Other packages by group."""
    lines = (HERE / "others.txt").read_text().splitlines()[1:]
    return {words[0]: words[1:] for words in map(str.split, lines)}


def install(folder: str, requirements: list[str]) -> None:
    """Put packages into a folder, without their dependencies; what cannot be had is named and left out."""
    place = FOLDER / folder
    done = place / ".installed"
    if done.exists():
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(place)]
    for requirement in requirements:
        if subprocess.run([*pip, requirement]).returncode:
            print(f"not to be had: {requirement}", file=sys.stderr)
    done.touch()


def get(chosen: list[Library]) -> None:
    install("@all", groups()["@all"])
    for library in chosen:
        install(library.folder, [f"{library.name}=={library.version}"])
        for part in library.beside.split():
            install(part.replace("==", "-"), groups().get(part, [part]))


def environment(library: Library) -> dict[str, str]:
    """In which a program of the library runs."""
    path = os.pathsep.join([str(ROOT), *library.path()])
    env = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
    env["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"  # their generated code is older than the package
    return env


def judge(*names: str) -> Path:
    """The folder of what Hugging Face's models give; made where it isn't there."""
    judged = FOLDER / "judged"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(str(FOLDER / part) for part in ("@hf4", "@all"))}
    if not names or not all((judged / f"{name}.npz").exists() for name in names):
        subprocess.run([sys.executable, str(HERE / "judge.py"), str(judged), *names], env=env, check=True)
    return judged


def launched(library: Library, script: str, *arguments: str) -> bool:
    """Run a script of this folder under ms2torch where ``library`` is; whether it came to its end."""
    command = [sys.executable, "-m", "ms2torch", "--api", library.api, str(HERE / script), *arguments]
    try:
        ended = subprocess.run(command, env=environment(library), cwd=FOLDER, timeout=600,
                               stdout=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0


def imports(chosen: list[Library]) -> None:
    for library in chosen:
        out = FOLDER / f"{library.folder}.imports.tsv"
        for _ in range(8):
            folder = str(FOLDER / library.folder)
            if launched(library, "importing.py", folder, str(out), *library.packages.split()):
                break


def models(chosen: list[Library]) -> None:
    judged = judge()
    for library in chosen:
        name = next((judged_as for judged_as in BUILT if library.folder.startswith(judged_as)), None)
        for _ in range(8 if name else 0):
            if launched(
                library, "building.py", name, str(judged), str(FOLDER / f"{library.folder}.models.tsv")
            ):
                break


def finetune(chosen: list[Library]) -> None:
    finetuning.main(chosen, FOLDER, judge("BertForSequenceClassification", "LlamaForCausalLM"), environment)


def _counts(library: Library) -> dict[str, str]:
    """The columns of a library in results.tsv."""
    found = {"library": library.name, "version": library.version, "date": date.today().isoformat()}
    place = FOLDER / f"{library.folder}.imports.tsv"
    rows = [line.split("\t") for line in place.read_text().splitlines()] if place.exists() else []
    found["modules"] = str(len(rows))
    found.update({kind: str(sum(row[1] == kind for row in rows)) for kind in KINDS})
    place = FOLDER / f"{library.folder}.models.tsv"
    rows = [line.split("\t") for line in place.read_text().splitlines()] if place.exists() else []
    rows = [[*row, *[""] * len(STEPS)][: len(STEPS) + 1] for row in rows]
    found["models"] = str(len(rows))
    for index, step in enumerate(STEPS, 1):
        asked = sum(row[index] != "-" for row in rows)
        found[step] = f"{sum(row[index] == 'ok' for row in rows)}/{asked}" if rows else ""
    return found


def table(chosen: list[Library]) -> None:
    """Write results.tsv and both pages; libraries that were not chosen keep their rows."""
    place = HERE / "results.tsv"
    lines = place.read_text().splitlines() if place.exists() else []
    known = {tuple(line.split("\t")[:2]): line.split("\t") for line in lines[1:]}
    head: list[str] = lines[0].split("\t") if lines else []
    for library in chosen:
        if (FOLDER / f"{library.folder}.imports.tsv").exists():
            counts = _counts(library)
            head, known[library.name, library.version] = list(counts), list(counts.values())
    rows = [known[one.name, one.version] for one in libraries([]) if (one.name, one.version) in known]
    place.write_text("\n".join("\t".join(row) for row in (head, *rows)) + "\n")
    tuned = finetuning.TABLE.read_text().splitlines()[1:] if finetuning.TABLE.exists() else []
    for about in HERE.glob("about*.md"):
        page = about.read_text().replace("{results}", _markdown(rows))
        page = page.replace("{finetuned}", _markdown(line.split("\t") for line in tuned))
        (HERE / about.name.replace("about", "RESULTS")).write_text(page.rstrip("\n") + "\n")


def _markdown(rows) -> str:
    """The lines of a table; zeros are left out."""
    return "".join(f"| {' | '.join(value if value != '0' else '' for value in row)} |\n" for row in rows)


def tests() -> None:
    """tests/third_party with its libraries; RECORD, a Python with the real MindSpore, records first."""
    install("@tests", [*TESTED, *groups()["@all"], "setuptools<80"])
    path = os.pathsep.join([str(FOLDER / "@tests"), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"PYTHONPATH": path}
    if record := os.environ.get("RECORD"):
        script = ROOT / "tests" / "third_party" / "record.py"
        subprocess.run([sys.executable, str(script), record], env=env, check=True)
    sys.exit(
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "tests/third_party"], cwd=ROOT, env=env
        ).returncode
    )


def main() -> None:
    verbs = {"get": get, "imports": imports, "models": models, "finetune": finetune, "table": table}
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb == "tests":
        tests()
    elif verb in verbs:
        FOLDER.mkdir(parents=True, exist_ok=True)
        verbs[verb](libraries(sys.argv[2:]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
