"""Infers what each expression of a file is, without running it; what a run told comes first.

The file is read three times: what a function is called with, what it gives and what ``self.x`` holds is
known a little better each time. An argument of ``construct`` of which nothing is told is taken for a Tensor.
"""

from __future__ import annotations

import ast

from ms2torch._naming import surface

from ..facts import Facts
from . import results
from .asked import told
from .calls import PYTHON_NAMES, Calls
from .inferred import (
    ARRAY,
    MIXED,
    PARAMETER,
    PLAIN,
    SHAPE,
    TENSOR,
    Bound,
    Class,
    Const,
    Dict,
    File,
    Function,
    Many,
    Of,
    OwnOf,
    Plain,
    Ref,
    Seq,
    is_a,
    is_cell,
    is_tensor,
    shortest_name,
)
from .joining import (
    annotations_of,
    inherited,
    is_number,
    is_static,
    item_of,
    join,
    operator_type,
    parameters,
    span_of,
)

_PASSES = 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ARRAYS = ("numpy", "cv2", "scipy")
# What an argument of which nothing else is told is called where it is an optimizer.
_OPTIMIZERS = ("optimizer", "opt", "optim")
_CALLBACK = "mindspore.train.Callback"
_CELL_LISTS = ("mindspore.nn.CellList", "mindspore.nn.SequentialCell")


class Reading(Calls):
    """What is known of one file: ``inferred(node)`` by place, its classes, and the stars that it imports."""

    def __init__(self, tree: ast.Module, facts: Facts | None = None, project=None) -> None:
        self.facts, self.project = facts or Facts(), project
        self.classes: dict[ast.AST, Class] = {}
        self.functions: dict[ast.AST, Function] = {}
        self._inferred: dict[tuple, object] = {}
        self._stars: list[str] = []
        self.imported: set[str] = set()
        self._top: dict[str, object] = {}
        self._changed: dict[tuple, ast.Call] = {}
        for _ in range(_PASSES):
            self._scopes, self._self, self._running = [{}], None, None
            self._later: list[Function] = []
            self._block(tree.body)
            self._top = self._scopes[0]
            while self._later:
                self._body(self._later.pop(0))

    def inferred(self, node: ast.AST):
        """What is inferred of an expression; None where that is nothing."""
        return self._inferred.get(span_of(node))

    # ---- names and joining ------------------------------------------------------------------------------

    def _look(self, name: str):
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        if name in self._top:
            return self._top[name]
        star = next((m for m in reversed(self._stars) if name in surface.names(m)), None)
        if star:
            self.imported.add(name)
            return shortest_name(f"{star}.{name}")
        return PLAIN if name in PYTHON_NAMES else None

    def _bind(self, target: ast.AST, inferred) -> None:
        if isinstance(target, ast.Name):
            self._scopes[-1][target.id] = inferred
            self._inferred[span_of(target)] = inferred
        elif isinstance(target, ast.Starred):
            self._bind(target.value, Seq(item_of(inferred)))
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = any(isinstance(t, ast.Starred) for t in target.elts)
            many = isinstance(inferred, Many) and len(inferred.items) == len(target.elts) and not starred
            for i, part in enumerate(target.elts):
                self._bind(part, inferred.items[i] if many else item_of(inferred))
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner, OwnOf):
                held = owner.cls.attributes
                held[target.attr] = join(held.get(target.attr), inferred)
                owner.cls.weights |= {target.attr} if inferred == PARAMETER else set()
            self._inferred[span_of(target)] = inferred
        else:
            self.value(target)

    # ---- statements -------------------------------------------------------------------------------------

    def _block(self, statements) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is not None:
            method(node)
            return
        for name in ("test", "value", "exc", "msg", "cause"):
            if isinstance(getattr(node, name, None), ast.expr):
                self.value(getattr(node, name))
        for name in ("body", "orelse", "finalbody"):
            self._block(getattr(node, name, []))

    def _import(self, node: ast.Import) -> None:
        for part in node.names:
            root = part.name.partition(".")[0]
            name = part.name if part.asname else root
            inferred = Ref(name) if root == "mindspore" else Plain(name) if root in _ARRAYS else None
            own = name.rpartition(".")[2]  # ``mindspore.dataset`` is not the program's own dataset.py
            if inferred is None and self.project is not None and own in self.project.files:
                inferred = File(own)
            if root == "mindspore":
                self.imported.add(part.asname or root)
            self._scopes[-1][part.asname or root] = inferred

    def _importfrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        for part in node.names:
            inferred = None
            if not node.level and module.partition(".")[0] == "mindspore":
                if part.name == "*":
                    self._stars.append(module)
                    continue
                inferred = shortest_name(f"{module}.{part.name}")
                self.imported.add(part.asname or part.name)
            elif module.partition(".")[0] in _ARRAYS:
                inferred = Plain(f"{module}.{part.name}")
            elif self.project is not None:
                inferred = self.project.named(module.rpartition(".")[2], part.name)
                if inferred is None and part.name in self.project.files:
                    inferred = File(part.name)
            self._scopes[-1][part.asname or part.name] = inferred

    def _try(self, node: ast.Try) -> None:
        before = dict(self._scopes[-1])
        self._block([*node.body, *node.orelse])
        after = dict(self._scopes[-1])
        for handler in node.handlers:
            self._block(handler.body)
        self._scopes[-1].update({k: v for k, v in after.items() if v is not None or k not in before})
        self._block(node.finalbody)

    _trystar = _try

    def _match(self, node: ast.Match) -> None:
        subject = self.value(node.subject)
        before, after = dict(self._scopes[-1]), {}
        for case in node.cases:
            self._scopes[-1].update(before)
            for part in ast.walk(case.pattern):
                if isinstance(part, (ast.MatchValue, ast.MatchClass)):
                    self.value(part.value if isinstance(part, ast.MatchValue) else part.cls)
                elif isinstance(part, ast.MatchAs) and part.name:
                    self._scopes[-1][part.name] = subject if part is case.pattern else None
            if case.guard is not None:
                self.value(case.guard)
            self._block(case.body)
            after = {name: join(inferred, after.get(name)) for name, inferred in self._scopes[-1].items()}
        self._scopes[-1].update(after)

    def _assign(self, node: ast.Assign) -> None:
        inferred = self.value(node.value)
        for target in node.targets:
            self._bind(target, inferred)

    def _annassign(self, node: ast.AnnAssign) -> None:
        self.value(node.annotation)
        self._bind(node.target, self.value(node.value) if node.value else None)

    def _augassign(self, node: ast.AugAssign) -> None:
        inferred = operator_type(self.value(node.target), self.value(node.value))
        self._inferred[span_of(node.target)] = inferred
        if isinstance(node.target, ast.Name):
            self._bind(node.target, inferred)

    def _for(self, node) -> None:
        self._bind(node.target, self._item(self.value(node.iter)))
        self._block([*node.body, *node.orelse])

    _asyncfor = _for

    def _with(self, node) -> None:
        for part in node.items:
            inferred = self.value(part.context_expr)
            if part.optional_vars is not None:
                self._bind(part.optional_vars, inferred)
        self._block(node.body)

    def _if(self, node: ast.If) -> None:
        self.value(node.test)
        taken = told(node.test, self.inferred)
        if taken is not None:
            self._block(node.body if taken else node.orelse)
            return
        before = dict(self._scopes[-1])
        asked = self._asked(node.test)
        self._scopes[-1].update(asked)
        self._block(node.body)
        after = self._scopes[-1] | {name: before.get(name) for name in asked}
        self._scopes[-1].update(before)
        self._block(node.orelse)
        scope = self._scopes[-1]
        for name, inferred in after.items():
            scope[name] = join(inferred, scope.get(name)) if name in before or node.orelse else inferred

    def _asked(self, test: ast.expr) -> dict[str, object]:
        """What is inferred of a name where ``isinstance`` has said of which layer it is."""
        test = test.values[0] if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else test
        called = test.func if isinstance(test, ast.Call) and len(test.args) == 2 else None
        if getattr(called, "id", "") != "isinstance":
            return {}
        name, classes = test.args
        classes = classes.elts if isinstance(classes, ast.Tuple) else [classes]
        inferred = self.inferred(classes[0]) if classes else None
        if not isinstance(name, ast.Name) or not isinstance(inferred, Ref) or not is_cell(inferred):
            return {}
        return {name.id: Of(inferred)}

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            inferred = self.value(node.value)
            if self._running is not None:
                self._running.returns = join(self._running.returns, inferred)

    def _functiondef(self, node) -> None:
        for decorator in node.decorator_list:
            self.value(decorator)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.value(default)
        for hint in annotations_of(node):
            self.value(hint)
        function = self.functions.get(node) or self.functions.setdefault(node, Function(node, []))
        function.scopes, function.owner = list(self._scopes), self._self
        if self._self is not None and self._scopes[-1] is self._class_scope:
            self._self.functions[node.name] = function
            function.scopes = function.scopes[:-1]
        else:
            self._scopes[-1][node.name] = function
        self._later.append(function)

    _asyncfunctiondef = _functiondef

    def _classdef(self, node: ast.ClassDef) -> None:
        bases = [self.value(base) for base in node.bases]
        for decorator in node.decorator_list:
            self.value(decorator)
        cls = self.classes.get(node) or self.classes.setdefault(node, Class(node))
        cls.base = next((base for base in bases if isinstance(base, (Ref, Class))), None)
        outer = self._self, getattr(self, "_class_scope", None)
        self._self, self._class_scope = cls, {}
        self._scopes.append(self._class_scope)
        self._block(node.body)
        for name, inferred in self._class_scope.items():
            cls.attributes.setdefault(name, inferred)
        self._scopes.pop()
        self._self, self._class_scope = outer
        self._scopes[-1][node.name] = cls

    def _body(self, function: Function) -> None:
        node, scope = function.node, {}
        outer = self._self, self._running, self._scopes
        self._self, self._running = function.owner, function
        names = parameters(node)
        is_method = function.owner is not None and node in function.owner.node.body
        if is_method and names and not is_static(node):
            scope[names[0]] = OwnOf(function.owner)
            names = names[1:]
        tensors = is_method and function.owner.is_cell and node.name in ("construct", "bprop")
        defaults = dict(zip(reversed(parameters(node)), reversed(node.args.defaults), strict=False))
        for name in names:
            guess = Of("mindspore.nn.Optimizer") if name in _OPTIMIZERS else TENSOR if tensors else None
            if is_method and name == "model" and is_a(function.owner.root(), _CALLBACK):
                guess = Of("mindspore.Model")
            given = function.arguments.get(name)
            scope[name] = join(given, function.omitted.get(name)) if given else guess
            default = defaults.get(name)
            if (
                name not in function.arguments
                and isinstance(default, ast.Constant)
                and default.value is not None
            ):
                scope[name] = PLAIN
        for part, inferred in ((node.args.vararg, Seq(TENSOR if tensors else None)), (node.args.kwarg, None)):
            if part is not None:
                scope[part.arg] = function.arguments.get(part.arg, inferred)
        self._scopes = [*function.scopes, scope]
        self._class_scope = None
        if isinstance(node, ast.Lambda):
            function.returns = self.value(node.body)
        else:
            self._block(node.body)
        self._self, self._running, self._scopes = outer

    # ---- expressions ------------------------------------------------------------------------------------

    def value(self, node: ast.expr):
        """Infers what an expression is; what is in it is read too."""
        method = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        if method is not None:
            inferred = method(node)
        else:
            inferred = None
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child)
        self._inferred[span_of(node)] = inferred
        return inferred

    def _of_name(self, node: ast.Name):
        return self._look(node.id)

    def _of_constant(self, node: ast.Constant):
        return Const(node.value)

    def _of_joinedstr(self, node: ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.value(part.value)
        return PLAIN

    def _of_attribute(self, node: ast.Attribute):
        owner = self.value(node.value)
        if isinstance(owner, Ref):
            path = shortest_name(f"{owner}.{node.attr}")
            return results.constant_type(path) or path
        if isinstance(owner, File):
            other = self.project.named(owner, node.attr)
            return File(node.attr) if other is None and node.attr in self.project.files else other
        if isinstance(owner, Plain):
            return Plain(f"{owner.kind}.{node.attr}") if owner.kind.partition(".")[0] in _ARRAYS else PLAIN
        if isinstance(owner, OwnOf):
            found_one = owner.cls.attribute(node.attr)
            if found_one is not None:
                if not self._is_another_below(owner.cls, node.attr, found_one):
                    return found_one
                return MIXED if _is_operator(found_one) else None
            function = owner.cls.function(node.attr)
            if function is not None:
                return Bound(function, owner)
            return inherited(owner.cls, node.attr)
        if node.attr == "net_outputs":
            return TENSOR
        if node.attr == "optimizer" and owner is None:
            return Of("mindspore.nn.Optimizer")
        return results.attribute_type(owner, node.attr) if isinstance(owner, Of) else None

    def _is_another_below(self, cls: Class, name: str, inferred) -> bool:
        """Whether a class that descends from this one has another class or operator under a name."""
        others = (self.project.classes.values() if self.project is not None else ()), self.classes.values()
        for other in (other for group in others for other in group):
            own = other.attributes.get(name)
            if own is None or other.node is cls.node or _kind_of(own) == _kind_of(inferred):
                continue
            base = other.base
            while isinstance(base, Class):
                if base.node is cls.node:
                    return True
                base = base.base
        return False

    def _of_tuple(self, node):
        return Many(tuple(self.value(part) for part in node.elts))

    def _of_list(self, node):
        inferences = [self.value(part) for part in node.elts]
        found_one = None
        for inferred in inferences:
            found_one = join(found_one, inferred)
        return Seq(found_one)

    def _of_starred(self, node):
        return item_of(self.value(node.value))

    def _of_binop(self, node: ast.BinOp):
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, Const) and isinstance(right, Const):
            return PLAIN
        if any(isinstance(w, Const) and isinstance(w.value, str) for w in (left, right)):
            return PLAIN  # "%s" % x, and texts joined
        return operator_type(left, right)

    def _of_unaryop(self, node: ast.UnaryOp):
        inferred = self.value(node.operand)
        if isinstance(inferred, Const):
            negated = isinstance(node.op, ast.USub) and is_number(inferred.value)
            return Const(-inferred.value) if negated else PLAIN
        return PLAIN if isinstance(node.op, ast.Not) else TENSOR if inferred == PARAMETER else inferred

    def _of_boolop(self, node: ast.BoolOp):
        inferences = [self.value(part) for part in node.values]
        return next((w for w in inferences if w is not None and not isinstance(w, Const)), None)

    def _of_compare(self, node: ast.Compare):
        inferences = [self.value(part) for part in (node.left, *node.comparators)]
        same = isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn))
        if not same and any(map(is_tensor, inferences)):
            return TENSOR
        return ARRAY if not same and ARRAY in inferences else PLAIN

    def _of_ifexp(self, node: ast.IfExp):
        self.value(node.test)
        taken = told(node.test, self.inferred)
        if taken is not None:
            return self.value(node.body if taken else node.orelse)
        return join(self.value(node.body), self.value(node.orelse))

    def _of_subscript(self, node: ast.Subscript):
        owner = self.value(node.value)
        index = self.value(node.slice)
        if is_tensor(owner):
            return TENSOR
        if isinstance(owner, Many):
            place_ = index.value if isinstance(index, Const) else None
            if isinstance(place_, int) and -len(owner.items) <= place_ < len(owner.items):
                return owner.items[place_]
            return owner if isinstance(node.slice, ast.Slice) else item_of(owner)
        if isinstance(owner, Seq):
            return owner if isinstance(node.slice, ast.Slice) else owner.item
        if owner == SHAPE:
            return SHAPE if isinstance(node.slice, ast.Slice) else PLAIN
        if isinstance(owner, Plain):
            return owner
        if isinstance(owner, Of) and owner.cls in _CELL_LISTS and not isinstance(node.slice, ast.Slice):
            return self._layer(owner, index.value if isinstance(index, Const) else None)
        return None

    def _layer(self, owner: Of, at: int | None):
        """A layer of a ``CellList`` or ``SequentialCell``."""
        parts = owner.call.args if owner.call is not None else []
        if len(parts) == 1 and isinstance(parts[0], (ast.List, ast.Tuple)):
            parts = parts[0].elts
        inferences = [self.inferred(part) for part in parts]
        if len(inferences) == 1 and isinstance(inferences[0], Seq):
            return inferences[0].item
        if any(isinstance(part, ast.Starred) for part in parts) or at is None:
            return join(*(item_of(w) if isinstance(w, (Seq, Many)) else w for w in inferences))
        return inferences[at] if -len(inferences) <= at < len(inferences) else join(*map(item_of, inferences))

    def _item(self, inferred):
        """What is in a sequence, layers of lists of layers among them."""
        if isinstance(inferred, Of) and inferred.cls in _CELL_LISTS:
            return self._layer(inferred, None)
        return item_of(inferred)

    def _of_slice(self, node: ast.Slice):
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.value(part)
        return PLAIN

    def _comprehension(self, node, *parts):
        self._scopes = [*self._scopes, {}]
        for loop in node.generators:
            self._bind(loop.target, self._item(self.value(loop.iter)))
            for test in loop.ifs:
                self.value(test)
        inferences = [self.value(part) for part in parts]
        self._scopes = self._scopes[:-1]
        return Seq(inferences[-1])

    def _of_listcomp(self, node):
        return self._comprehension(node, node.elt)

    _of_setcomp = _of_generatorexp = _of_listcomp

    def _of_dictcomp(self, node):
        return Dict(self._comprehension(node, node.key, node.value).item)

    def _of_yield(self, node: ast.Yield):
        inferred = self.value(node.value) if node.value is not None else None
        if self._running is not None:
            self._running.returns = join(self._running.returns, Seq(inferred))
        return None

    def _of_dict(self, node: ast.Dict):
        inferred = None
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.value(key)
            inferred = join(inferred, self.value(value))
        return Dict(inferred)

    def _of_lambda(self, node: ast.Lambda):
        function = self.functions.get(node) or self.functions.setdefault(node, Function(node, []))
        function.scopes, function.owner = list(self._scopes), self._self
        self._later.append(function)
        return function

    def _of_namedexpr(self, node):
        inferred = self.value(node.value)
        self._bind(node.target, inferred)
        return inferred


def _is_operator(inferred) -> bool:
    return isinstance(inferred, Of) and is_a(inferred.cls, "mindspore.ops.Primitive")


def _kind_of(inferred):
    """What a name stands for, whichever call made it."""
    return inferred.cls if isinstance(inferred, Of) else inferred
