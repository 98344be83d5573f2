"""What a rule sees of a call, and how it says that a call must stay."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import libcst as cst

from ms2torch._core.tensor.dtype import Type
from ms2torch.scan.answers import look_up

from ..translation import site_of
from .inferred import Const
from .templates import code

if TYPE_CHECKING:
    from .rewriter import Rewriter

UNTOLD = object()
# Why a site stays that was translated and taken back: the report has what the two did.
TAKEN_BACK = "PyTorch's form of it failed or differed when both sides ran"
_PLACE = re.compile(r"\{(\w+)[?*]?\}")


def without_rule(path: str) -> str:
    """Why a name has no rule: MindSpore itself may never have had it."""
    answer = look_up(path)
    return answer.text.rstrip(".") if answer.kind == "never" else "there is no rule for it yet"


class Kept(Exception):
    """Raised by a rule: the call stays ms2torch's, for this reason; ``form`` says how, ``told`` whether a
    comment says so."""

    def __init__(
        self, name: str, reason: str, form: cst.BaseExpression | None = None, told: bool = True
    ) -> None:
        super().__init__(reason)
        self.name, self.reason, self.form, self.told = name, reason, form, told


class _Noted(dict):
    """Arguments by name; ``read`` are those that were asked for."""

    def __init__(self, given: dict, read: set[str]) -> None:
        super().__init__(given)
        self.read = read

    def __getitem__(self, name: str):
        self.read.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: str) -> bool:
        self.read.add(name)
        return super().__contains__(name)

    def get(self, name: str, default=None):
        self.read.add(name)
        return super().get(name, default)

    def pop(self, name: str, *default):
        self.read.add(name)
        return super().pop(name, *default)


class Call:
    """One call, its arguments by the definition's names: ``args`` rewritten, ``nodes`` as they were."""

    def __init__(self, rewriter: Rewriter, name, node, original, updated, args, nodes, form) -> None:
        self.rewriter, self.name, self.node = rewriter, name, node
        self.original, self._updated = original, updated
        self.read: set[str] = set()
        self.args: dict[str, cst.BaseExpression] = _Noted(args, self.read)
        self.nodes: dict[str, ast.expr] = _Noted(nodes, self.read)
        self.form = form
        self.instance = None

    def __contains__(self, name: str) -> bool:
        """Whether the program gives an argument."""
        return name in self.args

    @property
    def updated(self) -> cst.Call:
        """The call with its parts rewritten; a rule that takes it up reads all of its arguments."""
        self.read |= set(self.args)
        return self._updated

    def inferred(self, name: str):
        """What is inferred of an argument; None where it is absent or nothing is told."""
        node = self.nodes.get(name)
        return self.rewriter.reading.inferred(node) if node is not None else None

    def value(self, name: str, default=UNTOLD):
        """An argument's value, or its default where it is absent; UNTOLD where it is not told."""
        if name not in self.args:
            return self.form.defaults.get(name, default) if self.form else default
        return literal_value(self.rewriter.reading, self.nodes.get(name))

    def value_of(self, arg: cst.Arg):
        """The value of one of several arguments, of its text as it is now."""
        try:
            return ast.literal_eval(code(arg.value))
        except (ValueError, SyntaxError):
            return UNTOLD

    def original_keyword(self, name: str) -> bool:
        """Whether the program gives an argument by its name."""
        return any(a.keyword is not None and a.keyword.value == name for a in self.original.args)

    def text(self, name: str) -> str:
        """An argument's rewritten text."""
        return code(self.args[name])

    def put(self, name: str, value: str | cst.BaseExpression) -> None:
        """Give an argument another text, or one that was absent."""
        self.args[name] = cst.parse_expression(value) if isinstance(value, str) else value

    def helper(self, name: str) -> str:
        """A function of `helpers` that the file needs at its head."""
        self.rewriter.helpers.add(name)
        return name

    def refuse(self, reason: str) -> None:
        """Leave the call as it is, one of ms2torch, for this reason."""
        raise Kept(self.name, reason)

    def refuse_unread(self, template: str) -> None:
        """Leave the call as it is if an argument says something that its rule neither read nor writes."""
        for name in self.args.keys() - self.read - set(_PLACE.findall(template)):
            default = self.form.defaults.get(name, UNTOLD) if self.form else UNTOLD
            is_dtype = isinstance(default, Type) and self.text(name) == f"torch.{default!s}".lower()
            if default is UNTOLD or (self.value(name) != default and not is_dtype):
                self.refuse(f"its {name}= has no rule")

    def remark(self, text: str) -> None:
        """A comment above the statement that the call is in."""
        at = site_of(self.node)
        self.rewriter.reasons.append((at, f"{self.name.removeprefix('mindspore.')}: {text}"))

    def afterwards(self, line: str) -> None:
        """A line after the statement that the call is in."""
        self.rewriter.after[-1].append(line)

    def beforehand(self, line: str) -> None:
        """A line before the statement that the call is in."""
        self.rewriter.before[-1].append(line)

    def target(self) -> str | None:
        """The one name or attribute that the call's value is assigned to."""
        return self.rewriter.target_of(self.node)

    def init(self) -> dict[str, ast.expr]:
        """The arguments, as they stood, of the call that made the instance."""
        made = self.instance.call if self.instance else None
        if made is None:
            return {}
        names = self.form.made
        given = dict(zip(names, made.args, strict=False))
        return given | {k.arg: k.value for k in made.keywords if k.arg}

    def init_value(self, name: str):
        """The inferred argument with which the instance was made; its default where it was absent."""
        if self.instance is None or self.instance.call is None:
            return UNTOLD
        given = self.init()
        if name in given:
            return literal_value(self.rewriter.reading, given[name])
        return self.form.defaults.get(name, UNTOLD)


def literal_value(reading, node):
    """The value of an expression that is told: a constant, or a tuple or list of them."""
    if node is None:
        return UNTOLD
    if isinstance(node, ast.Constant):
        return node.value
    inferred = reading.inferred(node)
    if isinstance(inferred, Const):
        return inferred.value
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return UNTOLD
