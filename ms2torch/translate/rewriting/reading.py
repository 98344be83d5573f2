"""Says what each expression of a file is worth, without running it; what a run told comes first.

The file is read three times: what a function is called with, what it gives and what ``self.x`` holds is
known a little better each time. An argument of ``construct`` of which nothing is told is taken for a Tensor.
"""

from __future__ import annotations

import ast

from ms2torch._naming import surface

from ..facts import Facts
from ..translation import site_of
from . import results
from .worth import (
    ARRAY,
    BUFFER,
    PARAMETER,
    PLAIN,
    SHAPE,
    TENSOR,
    Bound,
    Class,
    Const,
    File,
    Function,
    Gradient,
    Many,
    Of,
    OwnOf,
    Plain,
    Ref,
    Seq,
    found,
    is_a,
    is_cell,
    is_tensor,
    shortest,
)

_PASSES = 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PYTHON_NAMES = """
int float str bool len range abs sum min max round print open input sorted format repr isinstance
type divmod pow
"""
_PYTHON = frozenset(_PYTHON_NAMES.split())
_ARRAYS = ("numpy", "cv2", "scipy")
_GRADIENTS = {
    "mindspore.value_and_grad": True,
    "mindspore.ops.value_and_grad": True,
    "mindspore.grad": False,
    "mindspore.ops.grad": False,
    "mindspore.ops.GradOperation": False,
}
# What an argument of which nothing else is told is called where it is an optimizer.
_OPTIMIZERS = ("optimizer", "opt", "optim")
_CELL_LISTS = ("mindspore.nn.CellList", "mindspore.nn.SequentialCell")


class Reading:
    """What is known of one file: ``worth(node)`` by place, its classes, and the stars that it imports."""

    def __init__(self, tree: ast.Module, facts: Facts | None = None, project=None) -> None:
        self.facts, self.project = facts or Facts(), project
        self.classes: dict[ast.AST, Class] = {}
        self.functions: dict[ast.AST, Function] = {}
        self._worth: dict[tuple, object] = {}
        self._stars: list[str] = []
        self.imported: set[str] = set()
        self._top: dict[str, object] = {}
        self._shuffled: dict[tuple, ast.Call] = {}
        for _ in range(_PASSES):
            self._scopes, self._self, self._running = [{}], None, None
            self._later: list[Function] = []
            self._block(tree.body)
            self._top = self._scopes[0]
            while self._later:
                self._body(self._later.pop(0))

    def worth(self, node: ast.AST):
        """What an expression is worth; None where nothing is told."""
        return self._worth.get(place(node))

    # ---- names and joining ------------------------------------------------------------------------------

    def _look(self, name: str):
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        if name in self._top:
            return self._top[name]
        star = next((m for m in self._stars if name in surface.names(m)), None)
        if star:
            self.imported.add(name)
            return shortest(f"{star}.{name}")
        return PLAIN if name in _PYTHON else None

    def _bind(self, target: ast.AST, worth) -> None:
        if isinstance(target, ast.Name):
            self._scopes[-1][target.id] = worth
            self._worth[place(target)] = worth
        elif isinstance(target, ast.Starred):
            self._bind(target.value, Seq(item(worth)))
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = any(isinstance(t, ast.Starred) for t in target.elts)
            many = isinstance(worth, Many) and len(worth.items) == len(target.elts) and not starred
            for i, part in enumerate(target.elts):
                self._bind(part, worth.items[i] if many else item(worth))
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner, OwnOf):
                held = owner.cls.attributes
                held[target.attr] = join(held.get(target.attr), worth)
            self._worth[place(target)] = worth
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
            worth = Ref(name) if root == "mindspore" else Plain(name) if root in _ARRAYS else None
            if self.project is not None and name.rpartition(".")[2] in self.project.files:
                worth = File(name.rpartition(".")[2])
            if root == "mindspore":
                self.imported.add(part.asname or root)
            self._scopes[-1][part.asname or root] = worth

    def _importfrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        for part in node.names:
            worth = None
            if not node.level and module.partition(".")[0] == "mindspore":
                if part.name == "*":
                    self._stars.append(module)
                    continue
                worth = shortest(f"{module}.{part.name}")
                self.imported.add(part.asname or part.name)
            elif module.partition(".")[0] in _ARRAYS:
                worth = Plain(f"{module}.{part.name}")
            elif self.project is not None:
                worth = self.project.thing(module.rpartition(".")[2], part.name)
                if worth is None and part.name in self.project.files:
                    worth = File(part.name)
            self._scopes[-1][part.asname or part.name] = worth

    def _try(self, node: ast.Try) -> None:
        before = dict(self._scopes[-1])
        self._block([*node.body, *node.orelse])
        after = dict(self._scopes[-1])
        for handler in node.handlers:
            self._block(handler.body)
        self._scopes[-1].update({k: v for k, v in after.items() if v is not None or k not in before})
        self._block(node.finalbody)

    def _assign(self, node: ast.Assign) -> None:
        worth = self.value(node.value)
        for target in node.targets:
            self._bind(target, worth)

    def _annassign(self, node: ast.AnnAssign) -> None:
        self.value(node.annotation)
        self._bind(node.target, self.value(node.value) if node.value else None)

    def _augassign(self, node: ast.AugAssign) -> None:
        worth = operated(self.value(node.target), self.value(node.value))
        self._worth[place(node.target)] = worth
        if isinstance(node.target, ast.Name):
            self._bind(node.target, worth)

    def _for(self, node) -> None:
        self._bind(node.target, self._item(self.value(node.iter)))
        self._block([*node.body, *node.orelse])

    _asyncfor = _for

    def _with(self, node) -> None:
        for part in node.items:
            worth = self.value(part.context_expr)
            if part.optional_vars is not None:
                self._bind(part.optional_vars, worth)
        self._block(node.body)

    def _if(self, node: ast.If) -> None:
        self.value(node.test)
        before = dict(self._scopes[-1])
        asked = self._asked(node.test)
        self._scopes[-1].update(asked)
        self._block(node.body)
        after = self._scopes[-1] | {name: before.get(name) for name in asked}
        self._scopes[-1].update(before)
        self._block(node.orelse)
        scope = self._scopes[-1]
        for name, worth in after.items():
            scope[name] = join(worth, scope.get(name)) if name in before or node.orelse else worth

    def _asked(self, test: ast.expr) -> dict[str, object]:
        """What a name is worth where ``isinstance`` has said of which layer it is."""
        test = test.values[0] if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else test
        called = test.func if isinstance(test, ast.Call) and len(test.args) == 2 else None
        if getattr(called, "id", "") != "isinstance":
            return {}
        name, classes = test.args
        classes = classes.elts if isinstance(classes, ast.Tuple) else [classes]
        worth = self.worth(classes[0]) if classes else None
        if not isinstance(name, ast.Name) or not isinstance(worth, Ref) or not is_cell(worth):
            return {}
        return {name.id: Of(worth)}

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            worth = self.value(node.value)
            if self._running is not None:
                self._running.returns = join(self._running.returns, worth)

    def _functiondef(self, node) -> None:
        for decorator in node.decorator_list:
            self.value(decorator)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.value(default)
        for hint in annotations(node):
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
        for name, worth in self._class_scope.items():
            cls.attributes.setdefault(name, worth)
        self._scopes.pop()
        self._self, self._class_scope = outer
        self._scopes[-1][node.name] = cls

    def _body(self, function: Function) -> None:
        node, scope = function.node, {}
        outer = self._self, self._running, self._scopes
        self._self, self._running = function.owner, function
        names = parameters(node)
        is_method = function.owner is not None and node in function.owner.node.body
        if is_method and names and not _is_static(node):
            scope[names[0]] = OwnOf(function.owner)
            names = names[1:]
        tensors = is_method and function.owner.is_cell and node.name in ("construct", "bprop")
        defaults = dict(zip(reversed(parameters(node)), reversed(node.args.defaults), strict=False))
        for name in names:
            guess = Of("mindspore.nn.Optimizer") if name in _OPTIMIZERS else TENSOR if tensors else None
            scope[name] = function.arguments.get(name) or guess
            default = defaults.get(name)
            if (
                name not in function.arguments
                and isinstance(default, ast.Constant)
                and default.value is not None
            ):
                scope[name] = PLAIN
        for part, worth in ((node.args.vararg, Seq(TENSOR if tensors else None)), (node.args.kwarg, None)):
            if part is not None:
                scope[part.arg] = function.arguments.get(part.arg, worth)
        self._scopes = [*function.scopes, scope]
        self._class_scope = None
        if isinstance(node, ast.Lambda):
            function.returns = self.value(node.body)
        else:
            self._block(node.body)
        self._self, self._running, self._scopes = outer

    # ---- expressions ------------------------------------------------------------------------------------

    def value(self, node: ast.expr):
        """What an expression is worth; what is in it is read too."""
        method = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        if method is not None:
            worth = method(node)
        else:
            worth = None
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child)
        self._worth[place(node)] = worth
        return worth

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
            path = shortest(f"{owner}.{node.attr}")
            return results.constant(path) or path
        if isinstance(owner, File):
            other = self.project.thing(owner, node.attr)
            return File(node.attr) if other is None and node.attr in self.project.files else other
        if isinstance(owner, Plain):
            return Plain(f"{owner.kind}.{node.attr}") if owner.kind.partition(".")[0] in _ARRAYS else PLAIN
        if isinstance(owner, OwnOf):
            found_one = owner.cls.attribute(node.attr)
            if found_one is not None:
                return found_one
            function = owner.cls.function(node.attr)
            if function is not None:
                return Bound(function, owner)
            return inherited(owner.cls, node.attr)
        if node.attr == "net_outputs":
            return TENSOR
        return results.part(owner, node.attr) if isinstance(owner, Of) else None

    def _of_tuple(self, node):
        return Many(tuple(self.value(part) for part in node.elts))

    def _of_list(self, node):
        worths = [self.value(part) for part in node.elts]
        found_one = None
        for worth in worths:
            found_one = join(found_one, worth)
        return Seq(found_one)

    def _of_starred(self, node):
        return item(self.value(node.value))

    def _of_binop(self, node: ast.BinOp):
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, Const) and isinstance(right, Const):
            return PLAIN
        return operated(left, right)

    def _of_unaryop(self, node: ast.UnaryOp):
        worth = self.value(node.operand)
        if isinstance(worth, Const):
            return Const(-worth.value) if isinstance(node.op, ast.USub) and _number(worth.value) else PLAIN
        return PLAIN if isinstance(node.op, ast.Not) else TENSOR if worth == PARAMETER else worth

    def _of_boolop(self, node: ast.BoolOp):
        worths = [self.value(part) for part in node.values]
        return next((w for w in worths if w is not None and not isinstance(w, Const)), None)

    def _of_compare(self, node: ast.Compare):
        worths = [self.value(part) for part in (node.left, *node.comparators)]
        same = isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn))
        if not same and any(map(is_tensor, worths)):
            return TENSOR
        return ARRAY if not same and ARRAY in worths else PLAIN

    def _of_ifexp(self, node: ast.IfExp):
        self.value(node.test)
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
            return owner if isinstance(node.slice, ast.Slice) else item(owner)
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
        worths = [self.worth(part) for part in parts]
        if len(worths) == 1 and isinstance(worths[0], Seq):
            return worths[0].item
        if any(isinstance(part, ast.Starred) for part in parts) or at is None:
            return join(*(item(w) if isinstance(w, (Seq, Many)) else w for w in worths))
        return worths[at] if -len(worths) <= at < len(worths) else join(*map(item, worths))

    def _item(self, worth):
        """What is in a sequence, layers of lists of layers among them."""
        return self._layer(worth, None) if isinstance(worth, Of) and worth.cls in _CELL_LISTS else item(worth)

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
        worths = [self.value(part) for part in parts]
        self._scopes = self._scopes[:-1]
        return Seq(worths[-1])

    def _of_listcomp(self, node):
        return self._comprehension(node, node.elt)

    _of_setcomp = _of_generatorexp = _of_listcomp

    def _of_dictcomp(self, node):
        return self._comprehension(node, node.key, node.value)

    def _of_yield(self, node: ast.Yield):
        worth = self.value(node.value) if node.value is not None else None
        if self._running is not None:
            self._running.returns = join(self._running.returns, Seq(worth))
        return None

    def _of_dict(self, node: ast.Dict):
        worth = None
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.value(key)
            worth = join(worth, self.value(value))
        return Seq(worth)

    def _of_lambda(self, node: ast.Lambda):
        function = self.functions.get(node) or self.functions.setdefault(node, Function(node, []))
        function.scopes, function.owner = list(self._scopes), self._self
        self._later.append(function)
        return function

    def _of_namedexpr(self, node):
        worth = self.value(node.value)
        self._bind(node.target, worth)
        return worth

    # ---- calls ------------------------------------------------------------------------------------------

    def _of_call(self, node: ast.Call):
        callee = self.value(node.func)
        arguments = [self.value(a) for a in node.args]
        keywords = {k.arg: self.value(k.value) for k in node.keywords}
        fact = self.facts.at(*site_of(node))
        worth = self._called(node, callee, arguments, keywords)
        if fact is not None and fact.result is not None:
            worth = of_kind(fact.result) or worth
        return worth

    def _called(self, node: ast.Call, callee, arguments, keywords):
        if isinstance(callee, Ref):
            return self._of_ref(callee, node, arguments, keywords)
        if isinstance(callee, Class):
            self._give(callee.function("__init__"), node, arguments, keywords, True)
            return OwnOf(callee)
        if isinstance(callee, Function):
            self._give(callee, node, arguments, keywords, False)
            return callee.returns
        if isinstance(callee, Bound):
            self._give(callee.function, node, arguments, keywords, True)
            return callee.function.returns
        if isinstance(callee, OwnOf):
            name = "construct" if callee.cls.is_cell else "__call__"
            self._give(callee.cls.function(name), node, arguments, keywords, True)
            function = callee.cls.function(name)
            return function.returns if function else TENSOR if callee.cls.is_cell else None
        if isinstance(callee, Gradient):
            return self._differentiated(callee, node, arguments)
        if isinstance(callee, Of):
            if callee.cls == "mindspore.ops.GradOperation":
                return Gradient(
                    arguments[0] if arguments else None, False, callee.call, False, len(arguments) > 1
                )
            if callee.cls in ("mindspore.ops.HyperMap", "mindspore.ops.Map"):
                return Seq(TENSOR)
            return results.of_instance(callee, node)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, self.worth(node.func.value), node.func.attr)
        if isinstance(callee, Plain) and isinstance(node.func, ast.Name):
            return self._python(node, arguments)
        if isinstance(node.func, ast.Name):
            return self._python(node, arguments)
        return None

    def _of_ref(self, path: Ref, node, arguments, keywords):
        thing = found(path)
        if path in (
            "mindspore.value_and_grad",
            "mindspore.ops.value_and_grad",
            "mindspore.grad",
            "mindspore.ops.grad",
        ):
            aux = keywords.get("has_aux", arguments[3] if len(arguments) > 3 else Const(False))
            weights = "weights" in keywords or len(arguments) > 2
            return Gradient(
                arguments[0] if arguments else None,
                path.endswith("value_and_grad"),
                node,
                aux == Const(True),
                weights,
            )
        if path in ("mindspore.jit", "mindspore.ms_function", "mindspore.ops.depend"):
            return arguments[0] if arguments else None
        if path == "mindspore.ParameterTuple":
            return Seq(PARAMETER)
        if path == "mindspore.ops.partial" and arguments:
            return arguments[0]
        if isinstance(thing, type):
            name = thing.__name__
            if name == "Tensor" and path.rpartition(".")[2] == "Tensor":
                return TENSOR
            return PARAMETER if path == "mindspore.Parameter" else Of(path, node)
        return results.of_function(path)

    def _method(self, node, owner, name):
        if isinstance(owner, Plain):
            if owner.kind in ("plain", "shape", "dtype"):
                return PLAIN
            return PLAIN if name in ("item", "tolist") else ARRAY
        if is_tensor(owner):
            return results.of_method(name, node)
        cell = (isinstance(owner, OwnOf) and owner.cls.is_cell) or (
            isinstance(owner, Of) and is_cell(owner.cls)
        )
        if name == "set_train" or name == "set_grad" or name == "to_float":
            return owner if cell else None
        if cell and name in ("trainable_params", "get_parameters", "untrainable_params"):
            return Seq(PARAMETER)
        if cell and name == "parameters_and_names":
            return Seq(Many((PLAIN, PARAMETER)))
        if name == "asnumpy":
            return ARRAY
        if name in ("create_tuple_iterator", "create_dict_iterator"):
            asked = any(k.arg == "output_numpy" and getattr(k.value, "value", False) for k in node.keywords)
            return Seq(Seq(ARRAY if asked else TENSOR))
        if isinstance(owner, Seq) and name in ("items",):
            return Seq(Many((PLAIN, owner.item)))
        if isinstance(owner, Seq) and name in ("values", "copy", "clone"):
            return owner
        if isinstance(owner, Seq) and name in ("get", "pop"):
            return owner.item
        if isinstance(owner, Of) and is_a(owner.cls, "mindspore.dataset.Dataset"):
            return self._of_pipeline(node, owner, name)
        return None

    def _of_pipeline(self, node: ast.Call, owner: Of, name: str):
        """What a method of a dataset gives; the call that began a pipeline goes with it."""
        if name in ("get_dataset_size", "get_batch_size"):
            return PLAIN
        if name == "batch":
            return Of("mindspore.dataset.BatchDataset", owner.call)
        if name == "shuffle" and owner.call is not None and (node.args or node.keywords):
            size = node.args[0] if node.args else node.keywords[0].value
            made = self._shuffled.get(place(node))
            if made is None:
                again = ast.keyword(BUFFER, size)
                made = ast.Call(owner.call.func, owner.call.args, [*owner.call.keywords, again])
                ast.copy_location(made, owner.call)
                self._shuffled[place(node)] = made
            return Of(owner.cls, made)
        return owner

    def _python(self, node, arguments):
        first = arguments[0] if arguments else None
        if node.func.id in ("filter", "map") and isinstance(first, Function) and len(arguments) == 2:
            for name in parameters(first.node)[:1]:
                first.arguments[name] = join(first.arguments.get(name), self._item(arguments[1]))
        match node.func.id:
            case "zip":
                return Seq(Many(tuple(map(self._item, arguments))))
            case "enumerate":
                return Seq(Many((PLAIN, self._item(first))))
            case "reversed" | "list" | "tuple" | "sorted" | "iter" | "filter" | "set" | "deque":
                return Seq(self._item(arguments[-1] if arguments else None))
            case "next":
                return item(first)
            case "super":
                return None
            case "sum" | "max" | "min" | "abs" if is_tensor(first) or is_tensor(item(first)):
                return TENSOR
            case "map":
                callee = first.returns if isinstance(first, Function) else None
                return Seq(OwnOf(first) if isinstance(first, Class) else callee)
        return PLAIN if node.func.id in _PYTHON else None

    def _differentiated(self, gradient: Gradient, node: ast.Call, arguments):
        of = gradient.of
        function = of if isinstance(of, Function) else of.function if isinstance(of, Bound) else None
        if isinstance(of, OwnOf):
            function = of.cls.function("construct")
        if function is not None:
            self._give(function, node, arguments, {}, not isinstance(of, Function))
        returns = function.returns if function is not None else TENSOR
        grads = Seq(TENSOR) if gradient.weights else TENSOR
        return Many((returns, grads)) if gradient.value else grads

    def _give(self, function: Function | None, node: ast.Call, arguments, keywords, bound: bool) -> None:
        """Note what a function is called with."""
        if function is None:
            return
        names = parameters(function.node)[bound and not _is_static(function.node) :]
        spread = next((i for i, a in enumerate(node.args) if isinstance(a, ast.Starred)), len(node.args))
        given = dict(zip(names, arguments[:spread], strict=False))
        if spread < len(node.args):
            given |= dict.fromkeys(names[spread:], arguments[spread])
        given |= {k: v for k, v in keywords.items() if k in names}
        rest = function.node.args.vararg
        if rest is not None and len(arguments) > len(names):
            given[rest.arg] = Seq(join(*arguments[len(names) :][:2], *(None,) * 2))
        for name, worth in given.items():
            if isinstance(worth, Const):
                worth = PLAIN if worth.value is not None else None
            function.arguments[name] = join(function.arguments.get(name), worth)


def annotations(node: ast.FunctionDef) -> list[ast.expr]:
    """What a function says of its arguments and of what it gives."""
    hints = [a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg)]
    return [hint for hint in (*hints, node.returns) if hint is not None]


def place(node: ast.AST) -> tuple:
    """Where an expression stands: line and column of its two ends."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def parameters(node) -> list[str]:
    """The names of a function's arguments but for ``*args`` and ``**kwargs``."""
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def _is_static(node) -> bool:
    return any(getattr(d, "id", "") == "staticmethod" for d in getattr(node, "decorator_list", []))


def _number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def item(worth):
    """What is in a sequence."""
    if isinstance(worth, Seq):
        return worth.item
    if isinstance(worth, Many):
        found_one = None
        for part in worth.items:
            found_one = join(found_one, part)
        return found_one
    if is_tensor(worth):
        return TENSOR
    if isinstance(worth, Of) and is_a(worth.cls, "mindspore.dataset.Dataset"):
        return Seq(TENSOR)
    return worth if isinstance(worth, Plain) else None


def join(*worths):
    """What is told of a value that is one or another; what is not told does not count."""
    found_one = None
    for worth in worths:
        if worth is None or worth == found_one or (isinstance(worth, Const) and worth.value is None):
            continue
        if found_one is None:
            found_one = worth
        elif is_tensor(found_one) and is_tensor(worth):
            found_one = TENSOR
        elif TENSOR in (found_one, worth) or PARAMETER in (found_one, worth):
            other = worth if is_tensor(found_one) else found_one
            found_one = TENSOR if isinstance(other, (Plain, Const)) else found_one
        elif isinstance(found_one, Of) and isinstance(worth, Of) and found_one.cls == worth.cls:
            found_one = Of(worth.cls)
        elif isinstance(found_one, Seq) and isinstance(worth, Seq):
            found_one = Seq(join(found_one.item, worth.item))
        elif (
            isinstance(found_one, Many)
            and isinstance(worth, Many)
            and len(found_one.items) == len(worth.items)
        ):
            found_one = Many(tuple(map(join, found_one.items, worth.items)))
        elif isinstance(found_one, (Plain, Const)) and isinstance(worth, (Plain, Const)):
            found_one = PLAIN
    return found_one


def operated(left, right):
    """What Python's operators give."""
    if is_tensor(left) or is_tensor(right):
        return TENSOR
    for worth in (left, right):
        if isinstance(worth, (Seq, Many)):
            return Seq(item(worth))
    kinds = {w.kind for w in (left, right) if isinstance(w, Plain)}
    if kinds - {"plain", "shape", "dtype"}:
        return ARRAY
    plain = all(isinstance(w, (Plain, Const)) for w in (left, right))
    return (SHAPE if "shape" in kinds else PLAIN) if plain else None


def inherited(cls: Class, name: str):
    """What a class of the file has from a MindSpore class."""
    root = cls.root()
    if is_a(root, "mindspore.nn.TrainOneStepCell"):
        node = cls.node
        made = ast.parse("GradOperation(get_by_list=True, sens_param=True)").body[0].value
        known = {
            "weights": Seq(PARAMETER),
            "grad": Of("mindspore.ops.GradOperation", made),
            "optimizer": Of("mindspore.nn.Optimizer"),
            "sens": PLAIN,
            "scale_sense": TENSOR,
            "hyper_map": Of("mindspore.ops.HyperMap", ast.parse("HyperMap()").body[0].value),
        }
        if name in ("network", "optimizer"):
            function = cls.function("__init__")
            given = function.arguments.get(name) if function is not None else None
            return given or known.get(name)
        return known.get(name) if node else None
    return PARAMETER if is_cell(root) and name in results._WEIGHTS else None


def of_kind(kind):
    """What a run told of a value, as a worth."""
    if kind.type in ("Tensor", "Parameter"):
        return PARAMETER if kind.type == "Parameter" else TENSOR
    if kind.type in ("ndarray",):
        return ARRAY
    return PLAIN if kind.type in ("int", "float", "str", "bool") else None
