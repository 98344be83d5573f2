"""Runs the cases of one module on the real MindSpore: python -m tests.reference.worker MODULE ANSWER_FILE

Each case has a process of its own, forked after the import: an exception in MindSpore leaves its process
unsound, and so mode, seeds and parameter counters start afresh. MindSpore starts no threads before its first
operator, so the fork is safe.
"""
import importlib
import json
import os
import signal
import sys
import tempfile

SECONDS = 120                            # for one case


def alone(one, folder: str) -> dict:
    """A case's outcome from a forked process, which leaves its files in ``folder``."""
    from tests.reference.judge import failure, outcome

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.chdir(folder)
        quiet = os.open(os.devnull, os.O_RDWR)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            answer = outcome(one, one.judge)
        except Exception as error:
            answer = failure(error)
        with os.fdopen(writer, "w") as out:
            json.dump(answer, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as come:
        text = come.read()
    _, status = os.waitpid(child, 0)
    if not text:
        return {"error": ["Crash", f"the process died with status {status}"]}
    return json.loads(text)


def main(module, answer_file):
    import mindspore

    from tests.reference.judge import CASES, as_declared

    importlib.import_module(module)
    cases = {}
    with tempfile.TemporaryDirectory() as folder:
        for one in CASES.get(module, []):
            cases[one.name] = {"source": one.digest, **alone(one, folder)}
            if problem := as_declared(one, cases[one.name]):
                cases[one.name]["problem"] = problem
    with open(answer_file, "w") as out:
        json.dump({"mindspore": mindspore.__version__, "cases": cases}, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
