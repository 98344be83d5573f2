"""``ms2torch convert``: a MindIR file to torch.export's .pt2 or to ONNX."""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import os
import re
import sys
import warnings

from ms2torch._core.errors import BadInput as Bad
from ms2torch._core.errors import exit_code
from ms2torch.cli import Parser

_TEXT = """\
A MindIR file as a program that needs neither MindSpore nor ms2torch: torch.export's (OUT.pt2, for
torch.export.load) or ONNX (OUT.onnx). Both run on one input, and what comes out is compared.
In Python, mindspore.nn.GraphCell(mindspore.load("x.mindir")) runs it; ms2torch.to_torch makes it a Module."""
_EPILOG = """\
exit code: 0 written, 1 it cannot be written so (it branches on values) or the outputs differ, 2 bad input"""
_AGREE = 1e-4
_OPEN = 3  # the size of an open dimension in the example


def parser() -> argparse.ArgumentParser:
    """The options."""
    p = Parser(
        "ms2torch convert", usage="ms2torch convert IN.mindir -o OUT.{pt2,onnx} [options]", description=_TEXT,
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    p.add_argument("source", metavar="IN.mindir", help="the file to read")
    p.add_argument("-o", "--output", metavar="OUT", required=True, help="the file to write: .pt2 or .onnx")
    p.add_argument("--input", metavar="SHAPE", action="append", default=[], dest="inputs",
                   help="an input's shape, as 1,3,224,224, for each input; default: the file's")  # fmt: skip
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
    examples, opened = _examples(graph, options.inputs)
    part = os.path.join(
        os.path.dirname(os.path.abspath(out)), f".{os.path.basename(out)}.{os.getpid()}{ending}"
    )
    try:
        words, agree = (_pt2 if ending == ".pt2" else _onnx)(graph, examples, opened, part)
        if words is None:
            return 1
        os.replace(part, out)
    finally:
        with contextlib.suppress(OSError):
            os.remove(part)
    shapes = ", ".join(f"{i.name} {[n if n >= 0 else 'any' for n in i.shape]}" for i in graph.inputs)
    print(f"{options.source}: {graph.producer}, {len(graph.parameters)} parameters, inputs {shapes}")
    print(f"  {words}")
    print(f"wrote {out}")
    return 0 if agree else 1


def _loaded(path: str):
    from . import loading

    try:
        return loading.load(path)
    except (ValueError, RuntimeError, NotImplementedError) as err:
        raise Bad(str(err).splitlines()[0]) from None


def _examples(graph, given: list[str]):
    """An example of each input, and which of their dimensions are open."""
    import torch

    inputs = [i for i in graph.inputs if i.dtype is not None]
    if given and len(given) != len(inputs):
        raise Bad(f"the graph takes {len(inputs)} inputs, --input gives {len(given)}.")
    examples, opened = [], []
    generator = torch.Generator().manual_seed(0)
    for i, one in enumerate(inputs):
        shape = tuple(n if n >= 0 else _OPEN for n in one.shape)
        if given:
            if not re.fullmatch(r"\d+(,\d+)*", given[i].strip()):
                raise Bad(f"--input {given[i]}: a shape is 1,3,224,224.")
            shape = tuple(int(n) for n in given[i].split(","))
        if one.dtype.is_floating_point:
            examples.append(torch.randn(shape, generator=generator).to(one.dtype))
        else:
            examples.append(torch.randint(0, 2, shape, generator=generator).to(one.dtype))
        opened.append([axis for axis, n in enumerate(one.shape) if n < 0])
    return examples, opened


def _cell(graph):
    from ms2torch import nn

    return nn.GraphCell(graph).set_train(False)


def _pt2(graph, examples, opened, part: str):
    import torch

    from ms2torch.migrate.to_torch import to_torch

    module = to_torch(_cell(graph)).eval()
    expected = module(*examples)
    dims = tuple(dict.fromkeys(axes, torch.export.Dim.AUTO) for axes in opened)
    try:
        with _quiet():
            exported = torch.export.export(module, tuple(examples), dynamic_shapes={"args": dims})
            torch.export.save(exported, part)
    except Exception as err:
        return _cannot(err), False
    return _compared(_flat(expected), _flat(exported.module()(*examples)))


def _onnx(graph, examples, opened, part: str):
    from ms2torch._core.tensor.tensor import lift
    from ms2torch.onnx import export

    cell = _cell(graph)
    names = [re.sub(r"\W", "_", i.name) for i in graph.inputs if i.dtype is not None]
    axes = {
        name: {a: f"{name}_{a}" for a in open_} for name, open_ in zip(names, opened, strict=True) if open_
    }
    try:
        with _quiet():
            export(cell, *lift(list(examples)), file_name=part, input_names=names, dynamic_axes=axes or None)
    except NotImplementedError as err:
        raise Bad(str(err)) from None
    except Exception as err:
        return _cannot(err), False
    try:
        from onnx.reference import ReferenceEvaluator

        outputs = ReferenceEvaluator(part).run(
            None, {n: t.numpy() for n, t in zip(names, examples, strict=True)}
        )
    except Exception as err:
        return f"not compared: onnx's evaluator does not run it ({type(err).__name__})", True
    import torch

    return _compared(_flat(cell(*lift(list(examples)))), [torch.as_tensor(o) for o in outputs])


@contextlib.contextmanager
def _quiet():
    """Without what torch's exporter writes to the log and to stderr where it fails."""
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def _cannot(err: Exception) -> None:
    """Say why it cannot be written; None for the caller."""
    text = str(err)
    branches = any(
        word in text for word in ("data-dependent", "DataDependent", "GuardOn", "aten._local_scalar")
    )
    cause = err
    while cause.__cause__ is not None:  # torch's exporter begins with what to do about its own source
        cause = cause.__cause__
    first = (str(cause).strip().splitlines() or [""])[0][:160].rstrip(".")
    why = "it branches on values of its inputs" if branches else first
    if "SymInt" in text:
        why = "it computes with a size that is open in the file; exported with sizes it can be"
    print(
        f"ms2torch: the graph cannot be written so: {why}. mindspore.nn.GraphCell runs it.", file=sys.stderr
    )


def _flat(value) -> list:
    from ms2torch._core.tensor.tensor import Tensor

    if isinstance(value, (tuple, list)):
        return [t for one in value for t in _flat(one)]
    return [value._t if isinstance(value, Tensor) else value]


def _compared(one: list, two: list) -> tuple[str, bool]:
    if len(one) != len(two):
        return f"DIFFER: {len(one)} and {len(two)} outputs", False
    worst = 0.0
    for a, b in zip(one, two, strict=True):
        a, b = a.detach().double(), b.detach().double()
        if a.numel() != b.numel():
            return f"DIFFER: outputs of {list(a.shape)} and {list(b.shape)}", False
        worst = max(worst, float((a - b.reshape(a.shape)).norm() / (a.norm() or 1.0)))
    return f"both ran on one input: the outputs {'agree' if worst <= _AGREE else 'DIFFER'}, by {worst:.1e}", (
        worst <= _AGREE)  # fmt: skip
