"""Checkpoints: ``torch.save`` of a ``state_dict``."""

from __future__ import annotations

import ast

from ..rewriting.worth import is_a
from .optimizers import assigned
from .table import rule

_BN = "names are PyTorch's: gamma is weight, moving_mean running_mean; ms2torch convert-checkpoint converts old files"
_BN_ZH = (
    "名字是 PyTorch 的：gamma 变 weight，moving_mean 变 running_mean；旧文件用 ms2torch convert-checkpoint 转换"
)


@rule("save_checkpoint", "torch.save(net.state_dict(), path)", _BN, _BN_ZH)
def save_checkpoint(call):
    for name in ("enc_key", "append_dict", "choice_func"):
        if name in call and call.value(name) is not None:
            call.keep(f"its {name}= has no counterpart")
    node = call.nodes.get("save_obj")
    if isinstance(node, ast.Name):
        node = assigned(call.rewriter.tree, node.id) or node
    if isinstance(node, (ast.List, ast.ListComp)):
        return 'torch.save({entry["name"]: entry["data"] for entry in {save_obj}}, {ckpt_file_name})'
    if isinstance(node, (ast.Dict, ast.DictComp)):
        return "torch.save({save_obj}, {ckpt_file_name})"
    return "torch.save({save_obj}.state_dict(), {ckpt_file_name})"


@rule("load_checkpoint", "torch.load(path, weights_only=True)", _BN, _BN_ZH)
def load_checkpoint(call):
    for name in ("filter_prefix", "dec_key", "specify_prefix"):
        if name in call and call.value(name) is not None:
            call.keep(f"its {name}= has no counterpart")
    if "net" in call and call.value("net") is not None:
        return "{net}.load_state_dict(torch.load({ckpt_file_name}, weights_only=True), strict=False)"
    return "torch.load({ckpt_file_name}, weights_only=True)"


@rule("load_param_into_net", "net.load_state_dict(state)", _BN, _BN_ZH)
def load_param_into_net(call):
    worth = call.worth("net")
    optimizer = is_a(
        getattr(worth, "cls", "") if isinstance(getattr(worth, "cls", ""), str) else "",
        "mindspore.nn.Optimizer",
    )
    strict = "" if optimizer else ", strict=False"
    return f"{{net}}.load_state_dict({{parameter_dict}}{strict})"
