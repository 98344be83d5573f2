"""Checkpoints: ``torch.save`` of a ``state_dict``."""

from __future__ import annotations

import ast
import re

import libcst as cst

from ..rewriting.inferred import is_a
from ..rewriting.project import Project
from ..rewriting.templates import code
from .optimizers import assigned
from .table import rule

_BN = (
    "names are PyTorch's: gamma is weight, moving_mean running_mean; ms2torch convert-checkpoint converts old files; "
    "BatchNorm's num_batches_tracked is one more"
)
_BN_ZH = (
    "名字是 PyTorch 的：gamma 变 weight，moving_mean 变 running_mean；旧文件用 ms2torch convert-checkpoint 转换；多一个 BatchNorm 的 num_batches_tracked"
)


@rule("save_checkpoint", "torch.save(net.state_dict(), path)", _BN, _BN_ZH)
def save_checkpoint(call):
    for name in ("enc_key", "choice_func"):
        if name in call and call.value(name) is not None:
            call.refuse(f"its {name}= has no counterpart")
    more = _appended(call)
    if _is_step(call.inferred("save_obj")):
        if any(map(_hides_its_name, _networks(call.rewriter))):
            call.refuse("its network's parameters have other names in PyTorch, where no part hides its own")
        call.helper("state_of_step")
        return f"torch.save(state_of_step({{save_obj}}){more}, {{ckpt_file_name}})"
    node = call.nodes.get("save_obj")
    if isinstance(node, ast.Name):
        node = assigned(call.rewriter.tree, node.id) or node
    if isinstance(node, (ast.List, ast.ListComp)):
        entries = '{entry["name"]: entry["data"] for entry in {save_obj}}'
        return f"torch.save({entries}{more}, {{ckpt_file_name}})"
    if isinstance(node, (ast.Dict, ast.DictComp)):
        return f"torch.save({{save_obj}}{more}, {{ckpt_file_name}})"
    return f"torch.save({{save_obj}}.state_dict(){more}, {{ckpt_file_name}})"


def _is_step(inferred) -> bool:
    """Whether something is a training step, or a class of the program's that is one."""
    cls = getattr(inferred, "cls", "")
    return is_a(cls if isinstance(cls, str) else cls.root(), "mindspore.nn.TrainOneStepCell")


def _networks(rewriter) -> list:
    """The program's classes of Cells that are no training steps."""
    known = [*rewriter.reading.classes.values(), *(rewriter.reading.project or Project()).classes.values()]
    return [cls for cls in known if cls.is_cell and not is_a(cls.root(), "mindspore.nn.TrainOneStepCell")]


def _hides_its_name(cls) -> bool:
    """Whether a class's children's names do not begin with the attribute's: ``auto_prefix=False``."""
    given = (k for n in ast.walk(cls.node) if isinstance(n, ast.Call) for k in n.keywords)
    return any(k.arg == "auto_prefix" and getattr(k.value, "value", True) is False for k in given)


def _saves_steps(rewriter) -> bool:
    """Whether a file saves the checkpoint of a training step."""
    calls = (n for n in ast.walk(rewriter.tree) if isinstance(n, ast.Call) and n.args)
    named = (n for n in calls if ast.unparse(n.func).rpartition(".")[2] == "save_checkpoint")
    return any(_is_step(rewriter.reading.inferred(n.args[0])) for n in named)


def _appended(call) -> str:
    """What ``append_dict=`` adds to a checkpoint: its numbers are tensors there, as in MindSpore's."""
    if "append_dict" not in call or call.value("append_dict") is None:
        return ""
    written = call.args["append_dict"]
    pairs = getattr(written, "elements", ())
    if not isinstance(written, cst.Dict) or not all(isinstance(pair, cst.DictElement) for pair in pairs):
        call.refuse("its append_dict= is not written out")
    shown = []
    for pair in pairs:
        is_text = isinstance(pair.value, (cst.SimpleString, cst.FormattedString))
        value = code(pair.value) if is_text else f"torch.as_tensor({code(pair.value)})"
        shown.append(f"{code(pair.key)}: {value}")
    call.put("append_dict", "{" + ", ".join(shown) + "}")
    return " | {append_dict}"


@rule("load_checkpoint", "torch.load(path, weights_only=True)", _BN, _BN_ZH)
def load_checkpoint(call):
    for name in ("filter_prefix", "dec_key", "specify_prefix"):
        if name in call and call.value(name) is not None:
            call.refuse(f"its {name}= has no counterpart")
    if "net" in call and call.value("net") is not None:
        return "{net}.load_state_dict(torch.load({ckpt_file_name}, weights_only=True), strict=False)"
    return "torch.load({ckpt_file_name}, weights_only=True)"


@rule(
    "load_param_into_net",
    "net.load_state_dict(state)",
    f"{_BN}; of another network's parameters_dict() it shares the memory from then on, as with assign=True",
    f"{_BN_ZH}；载入另一网络的 parameters_dict() 后两者共用内存，等于 assign=True",
)
def load_param_into_net(call):
    if other := _network_behind(call, "parameter_dict"):
        return f"{{net}}.load_state_dict({other}.state_dict(), strict=False, assign=True)"
    inferred = call.inferred("net")
    optimizer = is_a(
        getattr(inferred, "cls", "") if isinstance(getattr(inferred, "cls", ""), str) else "",
        "mindspore.nn.Optimizer",
    )
    if _is_step(inferred) or (optimizer and _saves_steps(call.rewriter)):
        call.helper("load_state_of_step")
        return "load_state_of_step({net}, {parameter_dict})"
    strict = "" if optimizer else ", strict=False"
    return f"{{net}}.load_state_dict({{parameter_dict}}{strict})"


def _network_behind(call, name: str) -> str:
    """The network whose own parameters an argument is; nothing for what was read or made otherwise."""
    found = re.fullmatch(r"dict\((.+)\.named_parameters\(\)\)", call.text(name)) if name in call else None
    return found[1] if found else ""


@rule(
    "export train.export train.serialization.export",
    'torch.onnx.export(net, inputs, "x.onnx"); torch.export.save(...) for MINDIR',
    "MINDIR is MindSpore's own format; torch.export's takes its place",
    "MINDIR 是 MindSpore 自己的格式，由 torch.export 的文件代替",
)
def export(call):
    form = call.value("file_format", "MINDIR")
    if form not in ("MINDIR", "ONNX") or call.updated.args[0].star:
        call.refuse("only MINDIR and ONNX have a rule")
    rest = {"net", "file_name", "file_format"}
    if given := sorted(n for n in call.args if n not in {*rest, "inputs"} and call.value(n) is not None):
        call.refuse(f"its {given[0]}= has no counterpart")
    inputs = ", ".join(code(a.value) for a in call.updated.args[1:] if not a.keyword)
    file = _with_ending(call, ".onnx" if form == "ONNX" else ".pt2", f".{form.lower()}")
    if form == "ONNX":
        return f"torch.onnx.export({{net}}.eval(), ({inputs},), {file})"
    return f"torch.export.save(torch.export.export({{net}}.eval(), ({inputs},)), {file})"


def _with_ending(call, ending: str, old: str) -> str:
    """The file's name with its format's ending, which MindSpore adds where it is absent."""
    name = call.value("file_name")
    return repr(name.removesuffix(old) + ending).replace("'", '"') if isinstance(name, str) else f'f"{{{call.text("file_name")}}}{ending}"'
