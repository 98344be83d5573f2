"""Follows MindSpore's names through one file.

`Reader` walks a syntax tree in the order in which Python would run it: a module's body, then the bodies of
its functions. An expression is inferred to be a `Ref` (a dotted MindSpore name), an `Of` (an instance of a
MindSpore class), a `Const` (a value that is told), or None. What stands under a test that is settled (of a
version, of a name, of ``__name__``), behind a ``return``, or in an ``except ImportError`` whose imports work
is dead; what stands in a ``try`` that expects failures is guarded.
"""

from __future__ import annotations

import ast
import sys

from ms2torch._naming import generation, surface

from . import members
from .answers import Names, is_available, look_up
from .evaluate import CALLED, UNKNOWN, evaluate
from .expressions import Expressions, all_arguments
from .nodes import children, walk
from .uses import DEAD, GUARDED, LIVE, Call, Const, Lent, Member, Module, Of, Presumed, Ref, Use

_CATCHES = frozenset(
    (
        "ImportError",
        "ModuleNotFoundError",
        "AttributeError",
        "NotImplementedError",
        "Exception",
        "BaseException",
        "TypeError",
        "ValueError",
        "RuntimeError",
        "KeyError",
    )
)
_IMPORT_ERRORS = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))
_NAME_ERRORS = frozenset(("AttributeError", "Exception", "BaseException"))
_ENDS = frozenset(("exit", "quit", "_exit", "abort"))
_WRITABLE = frozenset((members.TENSOR, "mindspore.Parameter"))
_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))


def _is_of_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


class Reader(Expressions):
    """Reads one file; ``main`` says whether it is the program (None: not told)."""

    def __init__(self, main: bool | None = None, installed=None) -> None:
        self.scopes: list[dict[str, object]] = [{}]
        self.selves: dict[str, object] | None = None
        self.base: object = None
        self.state = LIVE
        self.main = main
        self.installed = installed or (lambda name: None)
        self.uses: list[Use] = []
        self.calls: list[Call] = []
        self.members: list[Member] = []
        self.modules: list[Module] = []
        self.lent: list[tuple[int, str]] = []   # lines, and their states, of `x += y` where x is `self.a` too
        self.written: set[str] = set()  # what the program gives MindSpore's modules and objects itself
        self._unread_annotations = sys.version_info >= (3, 14)
        self._stars: list[str] = []
        self._later: list[tuple] = []
        self._known: dict[ast.AST, object] = {}  # inferred, of the expressions of the statement at hand

    def read(self, tree: ast.Module) -> None:
        """Read a whole file."""
        self.block(tree.body)
        while self._later:
            node, self.scopes, self.selves, self.base, self.state = self._later.pop(0)
            self.block(node.body if isinstance(node.body, list) else [ast.Expr(node.body)])

    # ---- names ------------------------------------------------------------------------------------------

    def look(self, name: str):
        """What a name is bound to."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return next((Ref(f"{m}.{name}") for m in self._stars if name in surface.names(m)), None)

    def told(self, node: ast.AST):
        """The value of a name, an attribute or a call, for `evaluate`."""
        if isinstance(node, ast.Call):
            return self._probe(node)
        value = self.value(node)
        if isinstance(value, Const):
            return value.value
        if value in ("mindspore.__version__", "mindspore.version.__version__") and isinstance(value, Ref):
            return generation.version()
        if isinstance(node, ast.Name):
            known = {"TYPE_CHECKING": False, "__debug__": True}
            if node.id == "__name__" and self.main is not None:
                return "__main__" if self.main else "a.module"
            return known.get(node.id, UNKNOWN) if value is None else UNKNOWN
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            place = (node.value.id, node.attr)
            if place == ("sys", "version_info"):
                return tuple(sys.version_info)
            if place == ("typing", "TYPE_CHECKING"):
                return False
        return UNKNOWN

    def _probe(self, node: ast.Call):
        """``hasattr(ms, "name")``: whether the name is here; ``dir(ms)``: what tells that."""
        asked = node.func.id if isinstance(node.func, ast.Name) else ""
        if asked == "dir" and len(node.args) == 1:
            base = self.value(node.args[0])
            return Names(base) if isinstance(base, Ref) else UNKNOWN
        if asked != "hasattr" or len(node.args) != 2:
            return UNKNOWN
        name, base = evaluate(node.args[1], self.told), self.value(node.args[0])
        if not isinstance(name, str):
            return UNKNOWN
        if isinstance(base, Ref):
            answer = look_up(f"{base}.{name}")
            return (
                not answer.kind
                if answer.name == f"{base}.{name}" or answer.kind
                else hasattr(answer.found, name)
            )
        if isinstance(base, Of):
            return hasattr(look_up(base).found, name) or UNKNOWN
        return UNKNOWN

    def value(self, node: ast.AST):
        """What is inferred of an expression, without reading what is in it."""
        if isinstance(node, ast.Name):
            return self.look(node.id)
        if isinstance(node, ast.Constant):
            return Const(node.value) if isinstance(node.value, (str, int, float, bool)) else None
        known = self._known.get(node, UNKNOWN)
        if known is UNKNOWN:
            known = self._known[node] = self._infer(node)
        return known

    def _infer(self, node: ast.AST):
        if isinstance(node, ast.Attribute):
            base = self.value(node.value)
            if isinstance(base, Ref):
                return Ref(f"{base}.{node.attr}")
            if _is_of_self(node) and self.selves is not None:
                return self.selves.get(node.attr)
            if isinstance(base, Of):
                return members.attribute(base, node.attr, Of)
            return None
        if isinstance(node, ast.Call):
            return self._result(node)
        if isinstance(node, _TESTS):
            told = evaluate(node, self.told)
            if isinstance(told, bool):
                return Const(told)
        if isinstance(node, (ast.BinOp, ast.UnaryOp)):
            sides = (node.operand,) if isinstance(node, ast.UnaryOp) else (node.left, node.right)
            if any(isinstance(self.value(side), Of) for side in sides):
                found = {self.value(side) for side in sides} & {members.TENSOR}
                return Of(members.TENSOR) if found else None
        return None

    def _result(self, node: ast.Call):
        """What a call gives, as far as it is told."""
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) >= 2:
            return self._got(node)
        if getattr(node.func, "attr", getattr(node.func, "id", "")) in (*CALLED, "hasattr"):
            value = evaluate(node, self.told)
            if value is not UNKNOWN:
                return Const(value)
        function = self.value(node.func)
        if isinstance(function, Ref):
            return members.result(function, Of)
        if isinstance(function, Of):
            return members.called(function, Of)
        if isinstance(node.func, ast.Attribute):
            base = self.value(node.func.value)
            if isinstance(base, Of):
                return members.returned(base, node.func.attr, Of)
        return None

    def _got(self, node: ast.Call):
        """``getattr(ms, "name", default)``: the name where it is here, else what the default is."""
        name, base = evaluate(node.args[1], self.told), self.value(node.args[0])
        if isinstance(name, str) and isinstance(base, Ref):
            found = Ref(f"{base}.{name}")
            return found if is_available(found) or len(node.args) < 3 else self.value(node.args[2])
        return None

    # ---- binding ----------------------------------------------------------------------------------------

    def bind(self, target: ast.AST, value) -> None:
        """Bind what stands left of ``=``."""
        self._known.clear()
        if isinstance(target, ast.Name):
            self.scopes[-1][target.id] = value
        elif isinstance(target, ast.Starred):
            self.bind(target.value, None)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts:
                self.bind(item, None)
        else:
            if _is_of_self(target) and self.selves is not None:
                name = target.attr
                same = name not in self.selves or self.selves[name] == value
                self.selves[name] = value if same else None
                return
            self.expression(target)

    def _branches(self, *branches) -> bool:
        """Run each (state, statements); what they bind differently is not told afterwards. True if what
        follows is never reached."""
        before, outer = dict(self.scopes[-1]), self.state
        results = []
        for state, statements in branches:
            self.scopes[-1].clear()
            self.scopes[-1].update(before)
            self.state = outer if state is LIVE else outer or state
            ended = self.block(statements)
            if state is not DEAD and not ended:
                results.append(dict(self.scopes[-1]))
        self.state = outer
        merged = results[0] if results else before
        for other in results[1:]:
            for name in merged.keys() | other.keys():
                if merged.get(name, UNKNOWN) != other.get(name, UNKNOWN):
                    one_sided = name not in merged or name not in other
                    merged[name] = merged.get(name, other.get(name)) if one_sided else None
        self.scopes[-1].clear()
        self.scopes[-1].update(merged)
        return not results

    # ---- statements -------------------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt]) -> bool:
        """Read statements in order; True if what follows them is never reached."""
        outer, ended = self.state, False
        for statement in statements:
            over = self.statement(statement)
            if not ended and (over or self._ends(statement)):
                ended, self.state = True, self.state or DEAD
        self.state = outer
        return ended

    def _ends(self, node: ast.stmt) -> bool:
        if isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            f = node.value.func
            if isinstance(f, ast.Attribute):
                return f.attr in _ENDS and isinstance(f.value, ast.Name) and f.value.id in ("sys", "os")
            return isinstance(f, ast.Name) and f.id in ("exit", "quit")
        return False

    def statement(self, node: ast.stmt) -> bool:
        """Read one statement; True if what follows it is never reached."""
        self._known.clear()
        handler = _STATEMENTS.get(type(node))
        if handler is not None:
            return bool(handler(self, node))
        for child in children(node):
            self.expression(child)
        return False

    def _import(self, node: ast.Import) -> None:
        for item in node.names:
            first = item.name.partition(".")[0]
            if first != "mindspore":
                self.modules.append(Module(item.name, 0, node.lineno, self.state))
                self.scopes[-1][item.asname or first] = None
                continue
            self.uses.append(Use(item.name, node.lineno, self.state, True))
            self.scopes[-1][item.asname or "mindspore"] = Ref(item.name if item.asname else "mindspore")

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level or module.partition(".")[0] != "mindspore":
            parts = tuple(item.name for item in node.names)
            self._unread_annotations |= module == "__future__" and "annotations" in parts
            self.modules.append(Module(module, node.level, node.lineno, self.state, parts))
            for item in node.names:
                self.scopes[-1][item.asname or item.name] = None
            return
        self.uses.append(Use(module, node.lineno, self.state, True))
        for item in node.names:
            if item.name == "*":
                self._stars.append(module)
            else:
                self.uses.append(Use(f"{module}.{item.name}", node.lineno, self.state, True))
                self.scopes[-1][item.asname or item.name] = Ref(f"{module}.{item.name}")

    def _assign(self, node) -> None:
        if node.value is None:
            return
        self.expression(node.value)
        value = self.value(node.value)
        if isinstance(value, Of) and value in _WRITABLE and _is_of_self(node.value):
            value = Lent(value)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self.bind(target, value)

    def _aug_assign(self, node: ast.AugAssign) -> None:
        self.expression(node.value)
        value = self.value(node.target)
        if isinstance(value, Lent):
            self.lent.append((node.lineno, self.state))
        self.bind(node.target, value if value == members.TENSOR and isinstance(value, Of) else None)

    def _if(self, node: ast.If) -> bool:
        self.expression(node.test)
        test = evaluate(node.test, self.told)
        if test is not UNKNOWN:
            return self._branches((LIVE if test else DEAD, node.body), (DEAD if test else LIVE, node.orelse))
        state = GUARDED if self._asks(node.test) else LIVE
        return self._branches((state, node.body), (state, node.orelse))

    def _asks(self, test: ast.expr) -> bool:
        """Whether a test that is not settled asks about MindSpore's version or names."""
        for node in walk(test):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hasattr":
                return isinstance(self.value(node.args[0]) if node.args else None, (Ref, Of))
            if (
                isinstance(node, ast.Attribute)
                and node.attr == "__version__"
                and isinstance(self.value(node), Ref)
            ):
                return True
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", "")).lower()
                if "version" in name or name == "find_spec":
                    return True
        return False

    def _loop(self, node) -> None:
        if isinstance(node, ast.While):
            self.expression(node.test)
        else:
            self.expression(node.iter)
            self.bind(node.target, None)
        self._branches((LIVE, []), (LIVE, node.body))
        self.block(node.orelse)

    def _with(self, node) -> None:
        caught = False
        for item in node.items:
            self.expression(item.context_expr)
            call = item.context_expr
            if isinstance(call, ast.Call):
                name = getattr(call.func, "attr", getattr(call.func, "id", ""))
                caught |= name in ("suppress", "raises", "assertRaises")
            if item.optional_vars is not None:
                self.bind(item.optional_vars, None)
        outer, self.state = self.state, self.state or (GUARDED if caught else LIVE)
        self.block(node.body)
        self.state = outer

    def _try(self, node) -> None:
        caught = [self._caught(handler) for handler in node.handlers]
        every = frozenset().union(*caught) if caught else frozenset()
        probes = bool(every & _IMPORT_ERRORS) and self._imports_work(node.body)
        outer = self.state
        if probes:
            handlers = [
                (DEAD if names & _IMPORT_ERRORS else LIVE, h.body)
                for names, h in zip(caught, node.handlers, strict=True)
            ]
            self._branches((LIVE, [*node.body, *node.orelse]), *handlers)
        else:
            self.state = outer or (GUARDED if every & _CATCHES else LIVE)
            before, uses = dict(self.scopes[-1]), len(self.uses)
            self.block(node.body)
            after = dict(self.scopes[-1])
            self.state = outer
            lost = bool(every & _IMPORT_ERRORS) and self._imports_fail(node.body)
            lost |= bool(every & _NAME_ERRORS) and self._lacks_one(self.uses[uses:])
            self.scopes[-1].update(before if lost else {})
            self._branches((DEAD if lost else LIVE, node.orelse), *((LIVE, h.body) for h in node.handlers))
            if not lost:
                for name, value in after.items():
                    if self.scopes[-1].get(name) is None:
                        self.scopes[-1][name] = value
        self.block(node.finalbody)

    def _caught(self, handler: ast.ExceptHandler) -> frozenset[str]:
        if handler.type is None:
            return frozenset(("BaseException",))
        found = {n.id for n in walk(handler.type) if isinstance(n, ast.Name)}
        return frozenset(found | {n.attr for n in walk(handler.type) if isinstance(n, ast.Attribute)})

    def _asked(self, body: list[ast.stmt]):
        """For each import of a block, whether it works here: True, False, or None where it is not told."""
        for node in body:
            if isinstance(node, ast.Import):
                for item in node.names:
                    ours = item.name.partition(".")[0] == "mindspore"
                    yield is_available(item.name) if ours else self.installed(item.name)
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                if node.level:
                    yield None
                elif module.partition(".")[0] == "mindspore":
                    yield from (
                        is_available(f"{module}.{item.name}") if item.name != "*" else is_available(module)
                        for item in node.names
                    )
                else:
                    yield self.installed(module)

    def _imports_work(self, body: list[ast.stmt]) -> bool:
        """Whether a ``try`` is there for its imports, and they all work."""
        answers = list(self._asked(body))
        return bool(answers) and all(a is True for a in answers)

    def _lacks_one(self, uses: list[Use]) -> bool:
        return any(look_up(use.name).kind == "never" for use in uses)

    def _imports_fail(self, body: list[ast.stmt]) -> bool:
        return any(answer is False for answer in self._asked(body))

    def _function(self, node) -> None:
        for decorator in node.decorator_list:
            self.expression(decorator)
        self._arguments(node.args)
        for annotation in (node.returns, *(a.annotation for a in all_arguments(node.args))):
            if annotation is not None and not self._unread_annotations:
                self.expression(annotation)
        self.scopes[-1][node.name] = None
        self._put_off(node)

    def _arguments(self, arguments: ast.arguments) -> None:
        for default in (*arguments.defaults, *(d for d in arguments.kw_defaults if d)):
            self.expression(default)

    def _put_off(self, node) -> None:
        """A function's body is read after all that stands around it."""
        usual = None
        if isinstance(self.base, Ref) and getattr(node, "name", "") == "construct":
            usual = Presumed(members.TENSOR)
        scope = {a.arg: self._declared(a.annotation) or usual for a in all_arguments(node.args)
                 if a.arg != "self" and a not in (node.args.vararg, node.args.kwarg)}
        scope |= {a.arg: None for a in (node.args.vararg, node.args.kwarg) if a}
        self._later.append((node, [*self.scopes, scope], self.selves, self.base, self.state))

    def _declared(self, annotation: ast.expr | None):
        """A Tensor where the annotation says so; nothing of other classes: a subclass may be given."""
        value = self.value(annotation) if isinstance(annotation, (ast.Name, ast.Attribute)) else None
        given = members.result(value, Of) if isinstance(value, Ref) else None
        return given if given == members.TENSOR else None

    def _class(self, node: ast.ClassDef) -> None:
        for outer in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.expression(outer)
        outer_selves, outer_base = self.selves, self.base
        self.selves = {}
        self.base = self.value(node.bases[0]) if len(node.bases) == 1 else None
        scopes = self.scopes
        self.scopes = [*scopes, {}]
        body = sorted(node.body, key=lambda n: isinstance(n, _FUNCTIONS) and n.name != "__init__")
        self.block(body)
        self.scopes = scopes  # a method does not see the names of its class's body
        for i, put_off in enumerate(self._later):
            if put_off[0] in node.body:
                self._later[i] = (put_off[0], [*scopes, put_off[1][-1]], *put_off[2:])
        self.selves, self.base = outer_selves, outer_base
        self.scopes[-1][node.name] = None

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.expression(target)

    def _global(self, node) -> None:
        for name in node.names:
            self.scopes[0 if isinstance(node, ast.Global) else -1][name] = None



_STATEMENTS = {
    ast.Import: Reader._import,
    ast.ImportFrom: Reader._import_from,
    ast.Assign: Reader._assign,
    ast.AnnAssign: Reader._assign,
    ast.AugAssign: Reader._aug_assign,
    ast.If: Reader._if,
    ast.For: Reader._loop,
    ast.AsyncFor: Reader._loop,
    ast.While: Reader._loop,
    ast.With: Reader._with,
    ast.AsyncWith: Reader._with,
    ast.FunctionDef: Reader._function,
    ast.AsyncFunctionDef: Reader._function,
    ast.ClassDef: Reader._class,
    ast.Delete: Reader._delete,
    ast.Global: Reader._global,
    ast.Nonlocal: Reader._global,
    **dict.fromkeys(_TRIES, Reader._try),
}
