"""A function's syntax tree with graph mode's meaning put in where it differs from Python's.

Each change replaces a piece of the tree by a call of something from this package, which the copy finds in its
closure under a name that no program has. New nodes take the place (line and column) of the old ones.
"""

from __future__ import annotations

import ast
import builtins
import types

from ms2torch._naming import generations
from ms2torch.language import (
    absent,
    arithmetic,
    builtin_functions,
    calling,
    closures,
    comparing,
    containers,
    forbidden,
    identity,
    jit_classes,
    knowing,
    operand_kinds,
    outer_lists,
    parameter_parts,
    raising,
    searching,
    shifting,
    texts,
    turns,
    unpacking,
    withholding,
)
from ms2torch.language.aliases import Aliases
from ms2torch.language.assigning import SHIFTS, Assigning, Moving
from ms2torch.language.branches import Branches, Choosing
from ms2torch.language.calls import Calls
from ms2torch.language.knowing import Knowing
from ms2torch.language.known_numbers import Computing, KnownNumbers
from ms2torch.language.returning import Returns
from ms2torch.language.trees import PREFIX, copied, is_truth, placed


def _local_names(function) -> set:
    names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    names |= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
    return names | {n.name for n in ast.walk(function) if isinstance(n, ast.FunctionDef)} - {
        getattr(function, "name", None)}


class _NoParts:
    any = False


class Rewriting(Calls, Choosing, Computing, Assigning, Knowing, ast.NodeTransformer):
    """Changes one function's tree; ``differs`` and ``needs`` (cells by name) tell what became of it."""

    def __init__(self, function: types.FunctionType, owner, forward) -> None:
        self.function, self.owner, self.forward = function, owner, forward
        self.differs, self.needs = False, {}
        code = function.__code__
        self.closure = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        self.self_name = code.co_varnames[0] if owner is not None and code.co_argcount else None
        self.conditions: list = []
        self.count = 0
        self.before: list = []          # the statements before the one that is visited
        self.inner = 0                  # comprehensions and lambdas around
        self.walked = 0                 # what comprehensions go over, where nothing gets a name
        self.returned: set = set()      # what is returned as it is
        self.tests: dict = {}           # the names of conditions that choose between two `return`s,
        self.unmet: list = []           # and those of them that not every way to a `return` meets
        self.parts, self.written_into = _NoParts, set()
        self.scopes: list = []          # the functions around, and what is constant there
        self.withholding: dict = {}     # the arguments that statements withhold from the caller

    def visit_function(self, node):
        """The tree of the whole function."""
        self.hidden = _local_names(node)
        values = parameter_parts.Values(self.owner, self.self_name, self._value_of)
        self.moving = Moving(node, self.self_name, self._is_parameter)
        if isinstance(node, ast.FunctionDef) and outer_lists.taken_in(
                node, self.self_name, values.of, self.moving.holds):
            self.differs, self.hidden = True, _local_names(node)
        self.scopes = [[copied(node), None]] if self._asks_for_constants(node) else []
        own = self.self_name if jit_classes.is_instance(self.owner) else None
        self.written = {        # attributes that are read late elsewhere, see `jit_classes`
            (n.value.id, n.attr) for n in ast.walk(node)
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name)
            and (n.value.id == own or n.value.id not in self.hidden)}
        self.aliases, self.late = Aliases(node), closures.Late(node)
        self.branches = Branches(node)
        self.returns = Returns(node, self.branches)
        if not isinstance(node, ast.Lambda):
            self._look_for_withheld(node)
        self.numbers = KnownNumbers(node, self._value_of)
        self.parts = parameter_parts.Parts(node, self.owner, values, self.forward.definition)
        self.makes_mutable = any(isinstance(n, ast.Call) and "mutable" in (
            getattr(n.func, "id", None), getattr(n.func, "attr", None)) for n in ast.walk(node))
        self.raises = any(isinstance(n, ast.Raise) for n in ast.walk(node))
        self.writes_parts = any(isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
                                and isinstance(n.value, ast.Attribute) for n in ast.walk(node))
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        else:
            node.body = self._met(self._block(node.body))
        return node

    def visit(self, node):
        if not self.parts.any:
            return super().visit(node)
        if isinstance(node, ast.Subscript) and (isinstance(node.ctx, ast.Store) or node in self.written_into):
            self.written_into.add(node.value)   # (`self.w[0][1] = v` writes into what it reads)
            return super().visit(node)
        base = parameter_parts.source_of(node)
        if base is None or not self.parts.may_be(base):
            return super().visit(node)
        base = copied(base)
        return self.call("apart", parameter_parts.apart, [super().visit(node), super().visit(base)], node)

    # ---- pieces

    def need(self, name: str, value):
        """A name under which the copy finds ``value``."""
        self.differs = True
        name = PREFIX + name
        if name not in self.needs:
            self.needs[name] = value if isinstance(value, types.CellType) else types.CellType(value)
        return name

    def call(self, name: str, value, args: list, at, keywords=()):
        """A call of ``value``, in the place of ``at``."""
        made = ast.Call(ast.Name(self.need(name, value), ast.Load()), args, list(keywords))
        return placed(made, at)

    def builtin(self, node):
        """The name of the builtin that a Name means here, or None."""
        if not isinstance(node, ast.Name) or node.id in self.hidden or node.id in self.closure:
            return None
        if node.id in self.function.__globals__ or not hasattr(builtins, node.id):
            return None
        return node.id

    def api(self, node):
        """What a Name or an attribute of a module means, MindSpore's own too; None if unknown."""
        if isinstance(node, ast.Attribute):
            base = self.api(node.value)
            return getattr(base, node.attr, None) if isinstance(base, types.ModuleType) else None
        return self.meaning(node)

    def meaning(self, node):
        """What a Name or an attribute of a module means when the graph is made; None if unknown."""
        if isinstance(node, ast.Name) and node.id not in self.hidden:
            if node.id in self.closure:
                try:
                    return self.closure[node.id].cell_contents
                except ValueError:
                    return None
            return self.function.__globals__.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            base = self.meaning(node.value)
            if isinstance(base, types.ModuleType) and not base.__name__.startswith(
                ("ms2torch", "numpy", "torch")
            ):
                return vars(base).get(node.attr)
        return None

    # ---- names

    def visit_Name(self, node):
        """A function that the graph takes in is itself in the language."""
        if not isinstance(node.ctx, ast.Load):
            return node
        name = self.builtin(node)
        if name is not None and name in builtin_functions.FUNCTIONS and name not in builtin_functions.CLASSES:
            return placed(ast.Name(self.need(name, builtin_functions.FUNCTIONS[name]), ast.Load()), node)
        return self._taken_in(node, node.id)

    def _taken_in(self, node, name: str):
        value = self.meaning(node)
        if isinstance(value, types.FunctionType):
            differs, cell = self.forward(value)
            if differs:
                return placed(ast.Name(self.need(f"function_{name}", cell), ast.Load()), node)
        return node

    def visit_Attribute(self, node):
        if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            if (node.value.id, node.attr) in self.written:
                told = [node.value, placed(ast.Constant(node.attr), node)]
                return self.call("read", jit_classes.read, told, node)
            changed = self._taken_in(node, f"{node.value.id}_{node.attr}")
            if changed is not node:
                return changed
        if isinstance(node.ctx, ast.Load) and node.attr in forbidden.ATTRIBUTES and self._may_be_parameter(
                node.value):
            told = [self.visit(node.value), placed(ast.Constant(node.attr), node)]
            return self.call("attribute", forbidden.attribute, told, node)
        return self.generic_visit(node)

    def _may_be_parameter(self, node) -> bool:
        """Whether an expression may be worth a Parameter: not ``self``, no module."""
        own = isinstance(node, ast.Name) and node.id == self.self_name
        return not own and not isinstance(self.api(node), types.ModuleType)

    def visit_Dict(self, node):
        for number, key in enumerate(node.keys):
            if key is not None and not isinstance(key, ast.Constant):
                told = [self.visit(key), ast.Constant(self.branches.varies(key))]
                node.keys[number] = self.call("key", containers.key, told, key)
            elif key is not None:
                node.keys[number] = self.visit(key)
        node.values = list(map(self.visit, node.values))
        return node

    # ---- expressions

    def visit_Compare(self, node):
        operator, holder = node.ops[0], node.comparators[0]
        if len(node.ops) > 1 or not isinstance(operator, (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
            sides = [node.left, holder]
            node = self.compared(node)
            if len(node.ops) > 1 or not isinstance(operator, (ast.Eq, ast.NotEq)) or \
                    any(isinstance(side, ast.Constant) for side in sides):
                return node
            name = "equal" if isinstance(operator, ast.Eq) else "unequal"
            return self.call(name, getattr(comparing, name), [node.left, *node.comparators], node)
        if isinstance(operator, (ast.Is, ast.IsNot)):
            if isinstance(holder, ast.Constant) and isinstance(holder.value, (bool, type(None))):
                return self.generic_visit(node)
            varies = [ast.Constant(self.branches.varies(side)) for side in (node.left, holder)]
            told = [self.visit(node.left), self.visit(holder), *varies]
            name = "identical" if isinstance(operator, ast.Is) else "different"
            return self.call(name, getattr(identity, name), told, node)
        if isinstance(node.left, ast.Constant) and isinstance(holder, (ast.Constant, ast.Dict)):
            return self.generic_visit(node)
        varies, moved = map(self.branches.varies, [node.left, holder]), self._rearranged(holder, node)
        told = [self.visit(node.left), self.visit(holder), ast.Constant(any(varies)), ast.Constant(moved)]
        name = "contained" if isinstance(operator, ast.In) else "missing"
        return self.call(name, getattr(searching, name), told, node)

    def visit_GeneratorExp(self, node):
        made = self._comprehension(placed(ast.ListComp(node.elt, node.generators), node))
        self.differs = True
        return made

    def visit_ListComp(self, node):
        return self._comprehension(node)

    visit_DictComp = visit_ListComp

    def _comprehension(self, node):
        self.inner += 1
        for generator in node.generators:
            self.walked += 1
            generator.iter = self._walked(generator.iter)
            self.walked -= 1
            spec = unpacking.spec_of(generator.target)
            if spec is not None and not unpacking.gives(generator.iter, len(spec)):
                told = [placed(ast.Constant(spec), generator.target), generator.iter]
                generator.iter = self.call("each_taken", unpacking.each_taken, told, generator.iter)
            generator.ifs = [self._passing(test) for test in generator.ifs]
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                setattr(node, part, self.visit(getattr(node, part)))
        self.inner -= 1
        return node

    def visit_JoinedStr(self, node):
        """MindSpore writes what stands in an f-string itself, and looks at no format and no conversion."""
        parts = [part.value for part in node.values if not isinstance(part, ast.Constant)]
        varying, spelled = map(self.branches.varies, parts), list(map(texts.is_spelled_out, parts))
        node = self.generic_visit(node)
        literals, values = [], []
        for part in node.values:
            literals.append(part.value if isinstance(part, ast.Constant) else None)
            if not isinstance(part, ast.Constant):
                values.append(part.value)
        if not values:
            return node
        told = [placed(ast.Constant(tuple(x)), node) for x in (literals, spelled, varying)]
        return self.call("text", texts.text, [*told, *values], node)

    # ---- statements

    def _block(self, body: list) -> list:
        made, outer, conditions = [], self.before, len(self.conditions)
        for number, statement in enumerate(body):
            self.before = [*outer, *body[:number]]
            if number and self.scopes:
                self.conditions += map(copied, knowing.left_under(body[number - 1]))
            changed = self.visit(statement)
            made += changed if isinstance(changed, list) else [changed]
        self.before = outer
        del self.conditions[conditions:]
        return made

    def visit_FunctionDef(self, node):
        """A function inside: its statements are the graph's, its conditions its own; a graph looks at no
        decorators."""
        self.differs |= bool(node.decorator_list)
        node.decorator_list = []
        outer = self.conditions, self.before, self.branches, self.returns, self.unmet
        self.conditions, self.before, self.branches = [], [], Branches(node, self.branches)
        self.returns, self.unmet = Returns(node, self.branches), []
        self.scopes += [[copied(node), None]] if self.scopes else []
        self._look_for_withheld(node)
        late = self.late.of(node)
        bound = _local_names(node)
        node.body = self._met(self._block(node.body))
        node.args = self.visit(node.args)
        closures.take_in(node, _local_names(node) - bound)
        self.conditions, self.before, self.branches, self.returns, self.unmet = outer
        del self.scopes[-1:]
        if not late:
            return node
        made = self.call("frozen", closures.frozen, [ast.Name(node.name, ast.Load())], node)
        return [node, placed(ast.Assign([ast.Name(node.name, ast.Store())], made), node)]

    def visit_With(self, node):
        """Only instances of a jit_class are contexts."""
        for item in node.items:
            item.context_expr = self.call(
                "context", calling.context, [self.visit(item.context_expr)], item.context_expr
            )
        node.body = self._block(node.body)
        return node

    def visit_For(self, node):
        taken = self._taken_apart(node)
        node.iter = self._walked(node.iter)
        node.body = [*taken, *self._block(node.body)]
        return node

    def _taken_apart(self, node) -> list:
        """The statement that takes apart the items of a loop, where they may be longer than its targets."""
        spec = unpacking.spec_of(node.target)
        if spec is None or unpacking.gives(node.iter, len(spec)):
            return []
        self.count += 1
        item = f"{PREFIX}item_{self.count}"
        value = self.call("taken", unpacking.taken, [placed(ast.Constant(spec), node.target),
                                                     ast.Name(item, ast.Load())], node.target)
        target, node.target = node.target, placed(ast.Name(item, ast.Store()), node.target)
        return [placed(ast.Assign([target], value), target)]

    def _absent_under(self, node, branches: list) -> list:
        """What the condition of ``node`` asks of what ``branches`` read: (owner, name) as expressions."""
        if not self.branches.varies(node.test):
            return []
        return [placed(ast.Tuple([copied(of), ast.Constant(name)], ast.Load()), node.test)
                for of, name in absent.reads_in(branches, self.branches.function, self._owner_of)]

    def _owner_of(self, node):
        """``self`` or the module that an expression means; None for anything else."""
        if self.self_name and isinstance(node, ast.Name) and node.id == self.self_name:
            return self.owner
        found = self.api(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        return found if isinstance(found, types.ModuleType) else None

    def _asked(self, test, reads: list):
        """A condition that asks whether what the branches read is there."""
        return self.call("asked", absent.asked, [test, *reads], test) if reads else test

    def _under(self, node):
        """A condition, kept for what is raised under it and for the types after it."""
        reads = self._absent_under(node, [node.body, node.orelse])
        after, looped = self.branches.after(node, self.before), isinstance(node, ast.While)
        test = copied(node.test) if self.scopes else None
        self._chosen_between(node)
        if not isinstance(node.test, ast.NamedExpr):
            node.test = self._condition(node.test)
        node.test = self._withheld(node)
        node.test = self._asked(node.test, reads)
        name = self._named(node) if after else None
        begin, end = self._counted(node) if looped else ([], [])
        self.conditions.append(test)
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        self.conditions.pop()
        if not after:
            return [*begin, node, *end] if begin else node
        told = [ast.Tuple(self._samples(of), ast.Load()) for of in after]
        call = self._joins("looped" if looped else "joined", [ast.Name(name, ast.Load()), *told], node)
        return [*begin, node, *end, placed(ast.Expr(call), node)]

    def _counted(self, node) -> tuple[list, list]:
        """What stands before and after a `while` whose turns are told apart; its condition tells them."""
        if isinstance(node.test, ast.Constant):
            return [], []
        self.count += 1
        name = f"{PREFIX}turns_{self.count}"
        before = {n.id for s in self.before if isinstance(s, ast.Assign) for n in ast.walk(s)
                  if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        given = {a.arg for a in ast.walk(self.branches.function.args) if isinstance(a, ast.arg)}
        values = [ast.Name(n, ast.Load()) for n in self._in_place(node, before | given)]
        begin = ast.Assign([ast.Name(name, ast.Store())], self.call(
            "turns", turns.Turns, [ast.Constant(self.count), *values], node))

        def of(method, *args):
            return ast.Call(ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load()), list(args), [])

        node.test = placed(of("go_on", node.test), node.test)
        return [placed(begin, node)], [placed(ast.Expr(of("end")), node)]

    @staticmethod
    def _in_place(node, before: set) -> list[str]:
        """The names of ``before`` that a loop writes in place; in an older meaning it makes new Tensors."""
        return [] if generations.has_old_meaning("mindspore.jit") else turns.written(node, before)

    visit_If = visit_While = _under

    def _look_for_withheld(self, function) -> None:
        if not generations.has_old_meaning("mindspore.jit"):        # (there `x += y` makes another Tensor)
            self.withholding |= withholding.places(function)

    def _withheld(self, node):
        """The condition of ``node``, which may withhold arguments from the caller."""
        names = self.withholding.get(id(node))
        if names is None:
            return node.test
        told = [node.test, *(ast.Name(name, ast.Load()) for name in names)]
        return self.call("withheld", withholding.withheld, told, node.test)

    def _condition(self, node):
        """An expression of which only the truth counts: `not` is Python's."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand = self._condition(node.operand)
            return node
        return self.visit(node)

    def _passing(self, test):
        """The condition of a comprehension, of which a graph takes more than the truth."""
        known = is_truth(test)
        test = self._condition(test)
        return test if known else self.call("passes", builtin_functions.passes, [test], test)

    def _named(self, node) -> str:
        """The name that keeps the condition of ``node``."""
        if not isinstance(node.test, ast.NamedExpr):
            self.count += 1
            name = f"{PREFIX}condition_{self.count}_{node.lineno}"
            node.test = placed(ast.NamedExpr(ast.Name(name, ast.Store()), node.test), node.test)
        return node.test.target.id

    def visit_Lambda(self, node):
        late = self.late.of(node)
        self.inner += 1
        self.generic_visit(node)
        self.inner -= 1
        return self.call("frozen", closures.frozen, [node], node) if late else node

    def visit_BinOp(self, node):
        """Shifts of numbers are of 64 bits; what is computed of numbers alone is a graph's."""
        made = self._computed(node)
        if made is not None:
            return made
        merges = isinstance(node.op, ast.Add) and self.aliases.is_dict(node.left)
        node = self.generic_visit(node)
        if merges:
            return self.call("merged", operand_kinds.merged, [node.left, node.right], node)
        if isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
            name = type(node.op).__name__
            return self.call(name, getattr(shifting, name), [node.left, node.right], node)
        shift = SHIFTS.get(type(node.op))
        return node if shift is None else self.call(shift.__name__, shift, [node.left, node.right], node)

    def visit_UnaryOp(self, node):
        """``not`` of a Tensor is a Tensor."""
        of = node.operand
        if isinstance(node.op, ast.UAdd) and isinstance(of, ast.Constant):
            return of                               # (of True it is True)
        if isinstance(node.op, ast.USub) and (
                is_truth(of) or (isinstance(of, ast.BinOp) and isinstance(of.op, ast.Pow))):
            return self.call("negative", arithmetic.negated, [self.visit(of)], node)
        if not isinstance(node.op, ast.Not):
            return self.generic_visit(node)
        return self.call("negated", builtin_functions.not_, [self.visit(node.operand)], node)

    def visit_Raise(self, node):
        if node.exc is None:
            node.exc = self.call("nothing", raising.nothing, [], node)
            return node
        exc, told = node.exc, []
        if isinstance(exc, ast.Call) and not exc.keywords:
            told = [exc.func, placed(ast.Tuple(list(map(copied, exc.args)), ast.Load()), node)]
            told = [self._running(*exc.args), *map(self.visit, told)]
        elif isinstance(exc, ast.Name) and exc.id in self.hidden:
            told = [placed(ast.Constant(exc.id), exc)]
        else:
            told = [self._running(), self.visit(exc)]
        name = "unnamed" if len(told) == 1 else "raised"
        node.exc, node.cause = self.call(name, getattr(raising, name), told, node), None
        return node

    def visit_Assert(self, node):
        message = [node.msg] if node.msg is not None else []
        running = self._running(node.test, *message)
        test = self._condition(node.test)
        made = self.call("failed", raising.failed, [running, *map(self.visit, message)], node)
        test = placed(ast.UnaryOp(ast.Not(), test), node)
        return placed(ast.If(test, [placed(ast.Raise(made), node)], []), node)
