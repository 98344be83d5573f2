"""``ms2torch convert``: a MindIR file to torch.export's .pt2 or to ONNX."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys

from ms2torch._core.errors import BadInput as Bad
from ms2torch._core.errors import exit_code
from ms2torch.cli import Parser

_TEXT = """\
A MindIR file as a program that needs neither MindSpore nor ms2torch: torch.export's (OUT.pt2, for
torch.export.load) or ONNX (OUT.onnx). Sizes that the file leaves open stay open, branches and loops on values
become torch.cond and torch.while_loop. Both run on the same inputs, and what comes out is compared.
In Python, mindspore.nn.GraphCell(mindspore.load("x.mindir")) runs it; ms2torch.to_torch makes it a Module."""
_EPILOG = """\
exit code: 0 written, 1 it cannot be written so (the line says why) or the outputs differ, 2 bad input"""
_AGREE = 1e-4
_OPEN = 16


def parser() -> argparse.ArgumentParser:
    """The options."""
    p = Parser(
        "ms2torch convert", usage="ms2torch convert IN.mindir -o OUT.{pt2,onnx} [options]", description=_TEXT,
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    p.add_argument("source", metavar="IN.mindir", help="the file to read")
    p.add_argument("-o", "--output", metavar="OUT", required=True, help="the file to write: .pt2 or .onnx")
    p.add_argument("--input", metavar="SHAPE", action="append", default=[], dest="inputs",
                   help="an input's shape, as 1,3,224,224, for each input; default: the file's, "
                        "its open sizes left open")  # fmt: skip
    p.add_argument("--force", action="store_true", help="write over what is there")
    return p


def main(argv: list[str]) -> int:
    """Carry out ``ms2torch convert``; the exit code."""
    return exit_code(_convert, parser().parse_args(argv))


def _convert(options: argparse.Namespace) -> int:
    from torch import __version__ as version

    from ms2torch._core.torch_private import EXPORTS

    out, ending = options.output, os.path.splitext(options.output)[1]
    if ending not in (".pt2", ".onnx"):
        raise Bad(f"-o {out}: the ending says nothing; .pt2 or .onnx is needed.")
    if os.path.exists(out) and not options.force:
        raise Bad(f"{out} exists; --force writes over it.")
    if not os.path.isdir(os.path.dirname(os.path.abspath(out))):
        raise Bad(f"no such folder: {os.path.dirname(os.path.abspath(out))}")
    graph = _loaded(options.source)
    if not EXPORTS:
        raise Bad(f"torch {version} is too old to export graphs; 2.6 or newer does.")
    given = _given(graph, options.inputs)
    part = os.path.join(
        os.path.dirname(os.path.abspath(out)), f".{os.path.basename(out)}.{os.getpid()}{ending}"
    )
    try:
        words, agree = _written(graph, given, part)
        if words is None:
            return 1
        os.replace(part, out)
    finally:
        with contextlib.suppress(OSError):
            os.remove(part)
    print(f"{options.source}: {graph.producer}, {len(graph.parameters)} parameters")
    print(f"  {words}")
    print(f"wrote {out}")
    return 0 if agree else 1


def _loaded(path: str):
    from . import loading

    try:
        return loading.load(path)
    except (ValueError, RuntimeError, NotImplementedError) as err:
        raise Bad(str(err).splitlines()[0]) from None


def _given(graph, given: list[str]) -> list[tuple[int, ...]] | None:
    """The shapes of --input."""
    from .exporting import inputs_of

    inputs = inputs_of(graph)
    if given and len(given) != len(inputs):
        raise Bad(f"the graph takes {len(inputs)} inputs, --input gives {len(given)}.")
    for one in given:
        if not re.fullmatch(r"0*[1-9]\d*(,0*[1-9]\d*)*", one.strip()):
            raise Bad(f"--input {one}: a shape is 1,3,224,224.")
    shapes = [tuple(int(n) for n in one.split(",")) for one in given]
    for shape, one in zip(shapes, inputs, strict=bool(shapes)):
        if len(shape) != len(one.shape):
            raise Bad(f"--input gives {one.name} {len(shape)} dimensions, the file has {len(one.shape)}.")
    return shapes or None


def _written(graph, given, part: str):
    """Write the program; what is to be said of it and whether outputs agree; None where it cannot be."""
    from .exporting import exported, quiet

    try:
        found = exported(graph, given)
        if found.fixed and not given:
            return _fixed(graph, found), False
        with quiet():
            if part.endswith(".pt2"):
                import torch

                torch.export.save(found.program, part)
                run = found.program.module()
            else:
                run = _onnx(graph, found, part)
    except NotImplementedError as err:
        raise Bad(str(err)) from None
    except Exception as err:
        return _cannot(err), False
    words, agree = _compared(graph, found, run)
    return f"{_takes(graph, found)}\n  {words}", agree


def _onnx(graph, found, part: str):
    """Write an ONNX file; a function that runs it, or None where nothing here does."""
    from ms2torch.onnx.onnx_export import write_program

    from .exporting import inputs_of

    names = [re.sub(r"\W", "_", i.name) for i in inputs_of(graph)]
    write_program(found.program, part, names)
    try:
        from onnx.reference import ReferenceEvaluator

        evaluator = ReferenceEvaluator(part)
    except Exception:                   # no such package here, or it lacks an operator: "not compared"
        return None
    import torch

    def run(*inputs):
        fed = {n: t.numpy() for n, t in zip(evaluator.input_names, inputs, strict=True)}
        return [torch.as_tensor(out) for out in evaluator.run(None, fed)]

    return run


def _shown(shape, at: int, found) -> str:
    """A shape with its open dimensions in words; others are as the program was written with."""
    words = []
    for axis, n in enumerate(shape):
        place = at, axis
        if n >= 0:
            words.append(str(found.examples[at].shape[axis]))
        elif place in found.fixed:
            words.append(f"{found.fixed[place]} (fixed)")
        elif place in found.multiples:
            words.append(f"any multiple of {found.multiples[place]}")
        else:
            words.append("any")
    return f"[{', '.join(words)}]"


def _takes(graph, found) -> str:
    """The inputs of what was written."""
    from .exporting import inputs_of

    shown = (f"{i.name} {_shown(i.shape, at, found)}" for at, i in enumerate(inputs_of(graph)))
    return f"it takes {', '.join(shown)}"


def _fixed(graph, found) -> None:
    """Say which sizes torch's exporter does not leave open; None for the caller."""
    from .exporting import inputs_of

    inputs = inputs_of(graph)
    which = " and ".join(f"dimension {axis} of {inputs[at].name}" for at, axis in found.fixed)
    print(
        f"ms2torch: the graph cannot be written with all its sizes open: torch's exporter fixes {which} "
        "(what it meets has that size, or a branch asks for it). --input gives the sizes to fix; "
        "mindspore.nn.GraphCell takes any.",
        file=sys.stderr,
    )


def _cannot(err: Exception) -> None:
    """Say why it cannot be written; None for the caller."""
    from .branching import Untold

    cause, untold = err, None
    while cause is not None:  # torch's exporter begins with what to do about its own source
        untold = cause if isinstance(cause, Untold) else untold
        last, cause = cause, cause.__cause__ or cause.__context__
    text = f"{err}{last}"
    branches = any(
        word in text for word in ("data-dependent", "DataDependent", "GuardOn", "aten._local_scalar")
    )
    first = (str(err if not err.__cause__ else last).strip().splitlines() or [""])[0][:160].rstrip(".")
    why = str(untold) if untold else "it branches on values of its inputs" if branches else first
    if "SymInt" in text and not untold:
        why = "it computes with a size that is open in the file; exported with sizes it can be"
    print(
        f"ms2torch: the graph cannot be written so: {why}. mindspore.nn.GraphCell runs it.", file=sys.stderr
    )


def _flat(value) -> list:
    if isinstance(value, (tuple, list)):
        return [t for one in value for t in _flat(one)]
    import torch

    return [torch.as_tensor(value)]


def _allowed(program) -> float:
    """How far outputs may be apart: where half precision is computed, a unit in its last place."""
    import torch

    made = (node.meta.get("val") for node in program.graph.nodes)
    halves = {t.dtype for t in made if isinstance(t, torch.Tensor)} & {torch.float16, torch.bfloat16}
    return max([_AGREE, *(torch.finfo(dtype).eps for dtype in halves)])


def _compared(graph, found, run) -> tuple[str, bool]:
    """Both on the examples, on two other sizes where sizes are open, on other values where it branches."""
    import torch

    from .exporting import branches, example, quiet, resized

    trials = [found.examples] + [x for turn in (0, 1) if (x := resized(found, graph, turn)) is not None]
    sizes, worst = len(trials), 0.0
    if branches(graph):
        shapes = [tuple(t.shape) for t in found.examples]
        trials += [example(graph, shapes, turn) for turn in range(1, 5)]
    for inputs in trials:
        with torch.no_grad(), quiet():
            one = _flat(found.module(*inputs))
            try:
                two = None if run is None else _flat(run(*inputs))
            except Exception as err:
                if inputs is not found.examples:
                    given = ", ".join(str(list(t.shape)) for t in inputs)
                    first = (str(err).strip().splitlines() or [""])[0][:120]
                    return f"DIFFER: on inputs of {given} the program fails ({first})", False
                two = None
        if two is None:
            return "not compared: onnx's evaluator does not run it", True
        if len(one) != len(two):
            return f"DIFFER: {len(one)} and {len(two)} outputs", False
        for a, b in zip(one, two, strict=True):
            wide = torch.complex128 if a.is_complex() else torch.float64
            a, b = a.detach().to(wide), b.detach().to(wide)
            if a.numel() != b.numel():
                return f"DIFFER: outputs of {list(a.shape)} and {list(b.shape)}", False
            worst = max(worst, float((a - b.reshape(a.shape)).norm() / (a.norm() or 1.0)))
    count = "one input" if len(trials) == 1 else f"{len(trials)} inputs"
    count += f" of {sizes} sizes" if sizes > 1 else ""
    agree = worst <= _allowed(found.program)
    return f"both ran on {count}: the outputs {'agree' if agree else 'DIFFER'}, by {worst:.1e}", agree
