"""``loss.backward()`` and ``optimizer.step()``: where gradients go straight to an optimizer."""

from __future__ import annotations

import ast
import re

import libcst as cst

from . import scaling
from .scaling import Scalers
from .templates import code


def with_idioms(module: cst.Module) -> cst.Module:
    """The module with the steps that PyTorch's users write."""
    tree = ast.parse(module.code)
    makers = _makers(tree)
    scalers = Scalers(tree)
    module = module.visit(_Steps(makers, _optimized(tree), scalers))
    module = module.visit(_Scaled(scalers)) if scalers.made else module
    used = [_path(n) for n in ast.walk(ast.parse(module.code))]
    spent = {name for name in makers if used.count(name) == 1}
    return module.visit(_Spent(spent)) if spent else module


def _makers(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """By the name of a gradient function, or ``self.name``, what it differentiates and by which weights."""
    found: dict[str, tuple[str, str]] = {}
    everywhere = {"self"} | {_path(t) for n in tree.body if isinstance(n, ast.Assign) for t in n.targets}
    everywhere |= {getattr(node, "name", "") for node in tree.body}
    twice = set()
    for node in ast.walk(tree):
        call = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "value_and_grad":
            continue
        name = _path(node.targets[0])
        if "." in name:  # another method calls it, which does not know this one's names
            twice |= {name} & found.keys()
            if {n.id for n in ast.walk(call.args[0]) if isinstance(n, ast.Name)} - everywhere:
                continue
        if name:
            found[name] = ast.unparse(call.args[0]), ast.unparse(call.args[1])
    return {name: maker for name, maker in found.items() if name not in twice}


def _path(node: ast.AST) -> str:
    """A name, or ``self.name``; empty for anything else."""
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
        return f"self.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


_OF_MODULE = re.compile(r"list\((\w+)\.parameters\(\)\)|decay_groups\((\w+),|named\((\w+)\)")


def _optimized(tree: ast.Module) -> dict[str, str]:
    """By optimizer, the parameters of the one module that it moves."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            modules = {next(filter(None, m)) for m in _OF_MODULE.findall(ast.unparse(node.value))}
            name = node.targets[0].id
            if len(modules) == 1 and isinstance(node.value, ast.Call) and name not in found:
                found[name] = f"{modules.pop()}.parameters()"
            else:
                found.pop(name, None)
    return found


_SHOWS = ("print", "float", "int", "bool", "str", "len")


def _held(tree: ast.Module) -> set[str]:
    """Names of which something other than an attribute is read: what is handed on, given back, kept."""
    plain = {
        id(part)
        for node in ast.walk(tree)
        for part in (
            [node.value]
            if isinstance(node, (ast.Attribute, ast.FormattedValue))
            else node.args
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _SHOWS
            else []
        )
    }
    names = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return {n.id for n in names if id(n) not in plain}


class _Steps(cst.CSTTransformer):
    def __init__(self, makers: dict, optimized: dict[str, str], scalers: Scalers) -> None:
        super().__init__()
        self.makers, self.optimized, self.scalers = makers, optimized, scalers
        self._around: list[set[str]] = []  # by block around: what is held there

    def visit_Module(self, node):
        self._around.append(_held(ast.parse(node.code)))

    def visit_FunctionDef(self, node):
        self._around.append(_held(ast.parse(code(node))))

    def leave_FunctionDef(self, original_node, updated_node):
        self._around.pop()
        return updated_node

    def leave_IndentedBlock(self, original_node, updated_node):
        return updated_node.with_changes(body=self._body(updated_node.body))

    def leave_Module(self, original_node, updated_node):
        return updated_node.with_changes(body=self._body(updated_node.body))

    def _body(self, body):
        made, i = [], 0
        while i < len(body):
            lines, taken = self._step(body, i)
            made += lines or [body[i]]
            i += taken if lines else 1
        return made

    def _step(self, body, i: int):
        """Gradients, a clipping, and what takes them as PyTorch's lines, and how many they were."""
        rest = [_parsed(statement) for statement in body[i : i + 3]]
        first, rest = rest[0], rest[1:]
        scaled = self._scaled(body, i) if self.scalers.made else None
        if scaled is not None:
            return scaled
        if not (isinstance(first, ast.Assign) and isinstance(first.value, ast.Call) and rest):
            return None, 0
        clip = _clipped(rest[0])
        applied = rest[1] if clip is not None and len(rest) > 1 else rest[0]
        optimizer = _applied(applied)
        if optimizer is None:
            return None, 0
        gradients, taken = applied.value.args[1].id, 3 if clip is not None else 2
        used_later = any(gradients in _names(_parsed(statement)) for statement in body[i + taken :])
        found = None if used_later else self._backward(first, body[i], gradients)
        if found is None or (clip is not None and clip[0] != gradients):
            return None, 0
        run, weights = found
        whole = re.fullmatch(r"\[p for group in (\w+)\.param_groups for p in group\['params'\]\]", weights)
        weights = self.optimized.get(whole[1], weights) if whole else weights
        clips = [f"nn.utils.clip_grad_norm_({weights}, {clip[1]})"] if clip is not None else []
        lines = [f"{optimizer}.zero_grad()", *run, *clips, f"{optimizer}.step()"]
        made = [cst.parse_statement(line) for line in lines]
        made[0] = made[0].with_changes(leading_lines=body[i].leading_lines)
        return made, taken

    def _scaled(self, body, i: int):
        """A step under a loss scale, and how many statements it was; None where it is none."""
        parts = scaling.step([_parsed(statement) for statement in body[i : i + 5]], 0)
        if parts is None or parts["scaler"] not in self.scalers.made:
            return None
        later = body[i + parts["count"] :]
        found = self._backward(_parsed(body[i]), body[i], parts["gradients"])
        if found is None or any(parts["gradients"] in _names(_parsed(statement)) for statement in later):
            return None
        run, weights = found
        optimizer, scaler, finite = parts["optimizer"], parts["scaler"], parts["finite"]
        asked = self.scalers.is_read(finite)
        lines = [f"{optimizer}.zero_grad()", *run]
        lines += [f"{parts['loss']} = {parts['loss']} / {scaler}.get_scale()"] if parts["loss"] else []
        lines += [f"scale = {scaler}.get_scale()"] if asked else []
        if parts["norm"]:
            whole = self.optimized.get(optimizer, weights)
            clip = f"nn.utils.clip_grad_norm_({whole}, {parts['norm']})"
            lines += [f"{scaler}.unscale_({optimizer})", clip]
        lines += [f"{scaler}.step({optimizer})", f"{scaler}.update()"]
        lines += [f"{finite} = torch.tensor({scaler}.get_scale() >= scale)"] if asked else []
        made = [cst.parse_statement(line) for line in lines]
        made[0] = made[0].with_changes(leading_lines=body[i].leading_lines)
        return made, parts["count"]

    def _backward(self, first: ast.Assign, statement, gradients: str) -> tuple[list[str], str] | None:
        """The lines that run a loss backward, and the weights; None where it is no such call."""
        target, call = first.targets[0], first.value
        function = _path(call.func)
        if (
            function in self.makers
            and isinstance(target, ast.Tuple)
            and len(target.elts) == 2
            and getattr(target.elts[1], "id", "") == gradients
        ):
            value, (of, weights) = target.elts[0], self.makers[function]
            loss = value.elts[0] if isinstance(value, ast.Tuple) else value
            run = _called(cst.parse_expression(of), statement.body[0].value)
            others = value.elts[1:] if isinstance(value, ast.Tuple) else []
            results = ", ".join(map(ast.unparse, [loss, *others]))
            lines = [f"{results} = {code(run)}", f"{ast.unparse(loss)}.backward()"]
            named = [n for other in others for n in ast.walk(other) if isinstance(n, ast.Name)]
            held = [n.id for n in named if n.id in self._around[-1]]
            if held:  # as values, for what goes on with them must not reach back into this step
                lines.append(f"{', '.join(held)} = {', '.join(f'{name}.detach()' for name in held)}")
        elif (
            ast.unparse(call.func) == "torch.autograd.grad"
            and isinstance(call.args[0], ast.Name)
            and getattr(target, "id", "") == gradients
        ):
            start = ast.unparse(call.args[2]) if len(call.args) > 2 else ""
            lines, weights = [f"{call.args[0].id}.backward({start})"], ast.unparse(call.args[1])
        else:
            return None
        plain = weights.startswith("list(") and weights.endswith(".parameters())")
        return lines, weights[5:-1] if plain else weights


def _called(function: cst.BaseExpression, call: cst.Call) -> cst.BaseExpression:
    """``call`` as one of ``function``; a lambda that is called with names is its body over them."""
    if not isinstance(function, cst.Lambda):
        return call.with_changes(func=function)
    taken = [p.name.value for p in function.params.params]
    names = [a.value for a in call.args if a.keyword is None and not a.star and isinstance(a.value, cst.Name)]
    inner = ast.walk(ast.parse(code(function.body)))
    binds = any(isinstance(n, (ast.Lambda, ast.comprehension)) for n in inner)
    if len(taken) == len(names) == len(call.args) and not (binds and taken != [n.value for n in names]):
        return function.body.visit(_Renamed(dict(zip(taken, names, strict=True))))
    return call.with_changes(func=function.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))


class _Renamed(cst.CSTTransformer):
    """Other names for names; attributes and keywords keep theirs."""

    def __init__(self, names: dict[str, cst.Name]) -> None:
        super().__init__()
        self.names = names

    def visit_Attribute_attr(self, node):
        self.kept = node.attr

    def leave_Name(self, original_node, updated_node):
        if original_node is getattr(self, "kept", None):
            return updated_node
        return self.names.get(original_node.value, updated_node)

    def visit_Arg_keyword(self, node):
        self.kept = node.keyword


def _clipped(statement: ast.stmt) -> tuple[str, str] | None:
    """Name and norm in ``gradients = clip_by_global_norm(gradients, norm)``."""
    call = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call) or len(call.args) != 2:
        return None
    names = getattr(call.func, "id", ""), ast.unparse(call.args[0]), ast.unparse(statement.targets[0])
    if names[0] not in ("clip_by_global_norm", "clip_by_total_norm") or names[1] != names[2]:
        return None
    return names[1], ast.unparse(call.args[1])


def _parsed(statement) -> ast.stmt:
    return ast.parse(code(statement.with_changes(leading_lines=[])).strip() or "pass").body[0]


def _names(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _applied(statement: ast.stmt) -> str | None:
    """The optimizer in ``apply_gradients(optimizer, gradients)``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "apply_gradients":
        return None
    return ast.unparse(call.args[0]) if isinstance(call.args[1], ast.Name) else None


class _Scaled(cst.CSTTransformer):
    """Makes GradScalers of loss scalers, once their steps are written."""

    def __init__(self, scalers: Scalers) -> None:
        super().__init__()
        self.scalers = scalers

    def leave_Assign(self, original_node, updated_node):
        name = code(updated_node.targets[0].target)
        if name in self.scalers.made and code(updated_node.value).startswith("LossScaler("):
            return updated_node.with_changes(value=cst.parse_expression(self.scalers.made[name]))
        return updated_node

    def leave_Call(self, original_node, updated_node):
        func = updated_node.func
        if isinstance(func, cst.Attribute) and func.attr.value in ("numpy", "item"):
            asked = code(func.value).removesuffix(".get_scale()")  # which is a number already
            return func.value if asked in self.scalers.made and asked != code(func.value) else updated_node
        return updated_node

    def leave_Attribute(self, original_node, updated_node):
        if updated_node.attr.value == "scale_value" and code(updated_node.value) in self.scalers.made:
            return cst.parse_expression(f"{code(updated_node.value)}.get_scale()")
        return updated_node


class _Spent(cst.CSTTransformer):
    """Takes away gradient functions that nothing calls any more."""

    def __init__(self, names: set[str]) -> None:
        super().__init__()
        self.names = names

    def leave_IndentedBlock(self, original_node, updated_node):
        return updated_node.with_changes(body=self._left(updated_node.body))

    def leave_Module(self, original_node, updated_node):
        return updated_node.with_changes(body=self._left(updated_node.body))

    def _left(self, body) -> list:
        """The statements that stay; blank lines above one that goes stand above the next."""
        left, above = [], []
        for statement in body:
            if self._is_spent(statement):
                above = max(above, list(statement.leading_lines), key=len)
                continue
            if len(above) > len(statement.leading_lines):
                statement = statement.with_changes(leading_lines=above)
            left.append(statement)
            above = []
        return left

    def _is_spent(self, statement) -> bool:
        part = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        return isinstance(part, cst.Assign) and code(part.targets[0].target) in self.names
