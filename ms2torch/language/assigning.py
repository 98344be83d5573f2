"""The part of the rewriting that is about what is written: names, parts, attributes, lists that change."""

from __future__ import annotations

import ast

from ms2torch._naming import generations
from ms2torch.common.parameter import Parameter
from ms2torch.language import containers, jit_classes, shifting, strictness, unpacking
from ms2torch.language.trees import PREFIX, base_of, is_of_a_slice, is_pop, loaded, placed, root_of

SHIFTS = {ast.LShift: shifting.left, ast.RShift: shifting.right}
# Of which `x <<= y` is `x = x << y`.
_ANEW = (*SHIFTS, ast.BitAnd, ast.BitOr, ast.BitXor)


class Moving:
    """Which expressions hang on attributes of ``self`` that a function sets, and that are no Parameters."""

    def __init__(self, function, self_name: str | None, is_parameter) -> None:
        self.self_name, self.names = self_name, set()
        self.attributes = {n.attr for n in ast.walk(function) if self._is_own(n)
                           and isinstance(n.ctx, ast.Store) and not is_parameter(n)}
        for _ in range(3):              # what follows from one, over a few assignments
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and self.holds(node.value):
                    self.names |= {n.id for target in node.targets for n in ast.walk(target)
                                   if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}

    def holds(self, node) -> bool:
        """Whether a value or an index hangs on one; a slice alone is `local_writes`' own."""
        return bool(self.attributes) and not isinstance(node, ast.Slice) and any(
            (isinstance(n, ast.Name) and n.id in self.names)
            or (self._is_own(n) and n.attr in self.attributes) for n in ast.walk(node))

    def _is_own(self, node) -> bool:
        return (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                and node.value.id == self.self_name)


class Assigning:
    """Assignments, and calls as statements that change a list."""

    def _member_part(self, node, assigned: bool):
        """What looks at an own attribute before a part of it is written; None where no attribute is."""
        base = base_of(node) if isinstance(node, ast.Subscript) else None
        if not isinstance(base, ast.Attribute) or not self._is_own(base):
            return None
        told = [loaded(base.value), *(placed(ast.Constant(part), node) for part in (base.attr, assigned))]
        return placed(ast.Expr(self.call("member_part", strictness.member_part, told, node)), node)

    def _guarded(self, target, made, assigned: bool = True):
        """A statement that writes to ``target``, with what looks at it before."""
        look = self._member_part(target, assigned)
        return made if look is None else [look, *(made if isinstance(made, list) else [made])]

    def visit_Expr(self, node):
        """``a.append(x)`` as a statement: the name means another list from here on."""
        value = node.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and (
                value.func.attr in containers.CHANGING):
            return self._guarded(value.func.value, self._changed_list(node), assigned=False)
        return self.generic_visit(node)

    def _changed_list(self, node):
        value = node.value
        if self._changes(value):
            return self._rebound(value, node)
        return self.generic_visit(node)

    def _changes(self, node, in_place: bool = True) -> bool:
        """Whether this calls a method that makes another list; ``in_place``: Python's meaning would do."""
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in containers.CHANGING
        ):
            return False
        root = root_of(node.func.value)
        if root is None:
            return self._own_list(node.func.value, node.func.attr)
        same = node.func.attr in ("append", "clear", "update")
        alone = self.aliases.alone(root.id) and root.id not in self.aliases.rearranged and not (
            isinstance(node.func.value, ast.Subscript)
            and (self.aliases.lists(root.id) or self.aliases.copies(root.id)))
        return root.id in self.hidden and not (same and in_place and alone)

    def _own_list(self, node, method: str) -> bool:
        """Whether this is an attribute of ``self`` that is a list or a dict, which a graph leaves alone."""
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == self.self_name
            and method not in containers.IN_PLACE
            and isinstance(getattr(self.owner, node.attr, None), dict if method == "update" else (list, dict))
        )

    def _rebound(self, call, statement):
        target = call.func.value
        keywords = [self.visit(k) for k in call.keywords]
        written = root_of(target) is not None and self.aliases.is_written(root_of(target).id)
        made = self.call(
            "changed",
            containers.changed,
            [placed(ast.Constant(call.func.attr), call), placed(ast.Constant(written), call),
             self.visit(target), *map(self.visit, call.args)],
            call,
            keywords,
        )
        made = placed(ast.Subscript(made, placed(ast.Constant(0), call), ast.Load()), call)
        if root_of(target) is None:
            return placed(ast.Expr(made), statement)
        return self._store(target, made, statement)

    def _store(self, target, value, statement):
        """``target = value``, where a subscript makes a new object under its root's name."""
        own = self.aliases.own_dict(root_of(target).id)
        place, store = ("set_own_item", containers.set_own_item) if own else ("set_item", containers.set_item)
        changed = not own and not generations.has_old_meaning("mindspore.jit") and self.aliases.is_changed(
            root_of(target).id, statement.lineno)
        while isinstance(target, ast.Subscript):
            if changed and isinstance(target.value, ast.Name):
                place, store = "set_changed", containers.set_changed
            value = self.call(
                place,
                store,
                [loaded(target.value), self.visit(loaded(target.slice)), value],
                statement,
            )
            if not own and self.branches.reads_after(root_of(target).id, statement):
                place, store = "set_part", containers.set_part
            elif not own:
                place, store = "set_unread_part", containers.set_unread_part
            target = target.value
        return placed(ast.Assign([placed(ast.Name(target.id, ast.Store()), target)], value), statement)

    def visit_Assign(self, node):
        if len(node.targets) != 1:
            return self.generic_visit(node)
        return self._guarded(node.targets[0], self._assigned(node))

    def _assigned(self, node):
        target, value = node.targets[0], node.value
        spec = unpacking.spec_of(target)
        if spec is not None and unpacking.writes_parts(target):
            return self._one_by_one(target, node)
        if is_of_a_slice(target):
            return self._unseen(self.visit(value), node)
        if spec is not None and not unpacking.is_display(value, len(spec)):
            node = self.generic_visit(node)
            told = [placed(ast.Constant(spec), value), node.value]
            node.value = self.call("taken", unpacking.taken, told, value)
            return node
        if isinstance(target, ast.Subscript) and self._of_the_graph(target, value):
            return self._locally(target, self.visit(value), node)
        if isinstance(target, ast.Subscript) and (self._copied(target) or self._may_be_variable(target)):
            return self._store(target, self.visit(value), node)
        if isinstance(target, ast.Subscript) and isinstance(base_of(target), ast.Call):
            return self._unnamed(target, self.visit(value), node)
        if isinstance(target, ast.Attribute) and self._is_parameter(target):
            args = [loaded(target.value), placed(ast.Constant(target.attr), target), self.visit(value)]
            return placed(ast.Expr(self.call("assign", containers.assign, args, node)), node)
        if isinstance(target, ast.Attribute) and self._of_jit_class(target):
            return self._written(target, self.visit(value), node)
        if isinstance(target, ast.Attribute) and self._is_own(target):
            node.value = self._kept_member(target, self.visit(value))
            return node
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Attribute):
            node = self.generic_visit(node)
            node.value = self.call("given", jit_classes.given, [loaded(target.value), node.value], node)
            return node
        if isinstance(target, ast.Name) and self._changes(value, is_pop(value)):
            return self._bound_and_changed(target, value, node)
        return self.generic_visit(node)

    def _unseen(self, value, statement):
        """``x[1:][0] = v``: a slice is a Tensor or a list of its own, which has no name."""
        self.differs = True
        return placed(ast.Assign([ast.Name(f"{PREFIX}unseen", ast.Store())], value), statement)

    def _one_by_one(self, target, node):
        """``x[0], x[1] = x[1], x[0]``: the values first, then each place as if it was written alone."""
        names = [f"{PREFIX}value_{self.count + k}" for k in range(1, len(target.elts) + 1)]
        self.count += len(names)
        take = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        made = [placed(ast.Assign([take], node.value), node)]
        made += [placed(ast.Assign([place], ast.Name(name, ast.Load())), node)
                 for name, place in zip(names, target.elts, strict=True)]
        visited = [self.visit_Assign(statement) for statement in made]
        return [s for v in visited for s in (v if isinstance(v, list) else [v])]

    def _kept_member(self, target, value):
        told = [loaded(target.value), placed(ast.Constant(target.attr), target)]
        member = self.call("member", strictness.member, told, target)
        return self.call("kept", containers.kept, [value, member], target)

    def _of_jit_class(self, target) -> bool:
        """Whether an attribute that is written may be one of a ``jit_class``'s instance."""
        if not isinstance(target.value, ast.Name):
            return False
        return not self._is_own(target) or jit_classes.is_instance(self.owner)

    def _written(self, target, value, statement):
        args = [loaded(target.value), placed(ast.Constant(target.attr), target), value]
        return placed(ast.Expr(self.call("write", jit_classes.write, args, statement)), statement)

    def _of_the_graph(self, target, value) -> bool:
        """Whether a part of a Parameter is written by, or with, what the function itself sets in ``self``."""
        return (isinstance(target.value, ast.Attribute) and self._is_parameter(target.value)
                and (self.moving.holds(target.slice) or self.moving.holds(value)))

    def _locally(self, target, value, statement):
        args = [loaded(target.value), self.visit(loaded(target.slice)), value]
        return placed(ast.Expr(self.call("set_locally", containers.set_locally, args, statement)), statement)

    def _unnamed(self, target, value, statement):
        """``x.view(-1)[0] = v``: no name means the Tensor that is made."""
        args = [self.visit(loaded(target.value)), self.visit(loaded(target.slice)), value]
        return placed(ast.Expr(self.call("set_item", containers.set_item, args, statement)), statement)

    def _bound_and_changed(self, target, call, node):
        """``b = a.pop()`` changes a; ``b = a.append(x)`` does not."""
        made = self._rebound(call, node)
        pair = made.value
        while not isinstance(pair, ast.Subscript) or not isinstance(pair.slice, ast.Constant):
            pair = pair.args[-1]
        both = ast.Name(f"{PREFIX}both", ast.Store())
        take = placed(ast.Assign([both], pair.value), node)
        pair.value = placed(ast.Name(both.id, ast.Load()), node)
        result = placed(
            ast.Assign(
                [target],
                placed(
                    ast.Subscript(
                        placed(ast.Name(both.id, ast.Load()), node), placed(ast.Constant(1), node), ast.Load()
                    ),
                    node,
                ),
            ),
            node,
        )
        return [take, made, result] if call.func.attr == "pop" else [take, result]

    def visit_AugAssign(self, node):
        return self._guarded(node.target, self._augmented(node))

    def _augmented(self, node):
        operation = type(node.op).__name__
        if is_of_a_slice(node.target):
            made = ast.BinOp(self.visit(loaded(node.target)), node.op, self.visit(node.value))
            return self._unseen(placed(made, node), node)
        if isinstance(node.target, ast.Name):
            plain = placed(ast.BinOp(loaded(node.target), node.op, node.value), node)
            if isinstance(node.op, _ANEW) or self.numbers.holds(plain):
                return placed(ast.Assign([node.target], self.visit(plain)), node)
        in_place = operation in containers.AUGMENTED and not generations.has_old_meaning("mindspore.jit")
        if isinstance(node.target, ast.Subscript):
            unnamed, part = isinstance(base_of(node.target), ast.Call), loaded(node.target)
            if self._of_the_graph(node.target, node.value):
                value = placed(ast.BinOp(self.visit(part), node.op, self.visit(node.value)), node)
                return self._locally(node.target, value, node)
            if in_place and not unnamed and self._copied(node.target, self._holds(node.target)):
                args = [placed(ast.Constant(operation), node), self.visit(part.value), self.visit(part.slice),
                        self.visit(node.value)]
                value = self.call("augmented_part", containers.augmented_part, args, node)
                return self._store(node.target, value, node)
            if unnamed or self._copied(node.target):
                value = placed(ast.BinOp(self.visit(part), node.op, self.visit(node.value)), node)
                return (self._unnamed if unnamed else self._store)(node.target, value, node)
        if (
            isinstance(node.op, ast.Add)
            and isinstance(node.target, ast.Name)
            and self.aliases.lists(node.target.id)
        ):
            self.differs = True
            value = placed(ast.BinOp(loaded(node.target), node.op, self.visit(node.value)), node)
            return placed(ast.Assign([node.target], value), node)
        if isinstance(node.target, ast.Attribute) and self._of_jit_class(node.target):
            value = placed(ast.BinOp(loaded(node.target), node.op, node.value), node)
            return self._written(node.target, self.visit(value), node)
        if isinstance(node.target, ast.Attribute) and self._is_own(node.target) and not self._is_parameter(
                node.target):
            value = self.visit(placed(ast.BinOp(loaded(node.target), node.op, node.value), node))
            return placed(ast.Assign([node.target], self._kept_member(node.target, value)), node)
        if isinstance(node.target, ast.Attribute) and in_place and self.writes_parts and self._is_parameter(
                node.target):
            args = [placed(ast.Constant(operation), node), node.target.value,
                    placed(ast.Constant(node.target.attr), node), self.visit(node.value)]
            call = self.call("augmented_parameter", containers.augmented_parameter, args, node)
            return placed(ast.Expr(call), node)
        if isinstance(node.target, ast.Name) and in_place:
            args = [placed(ast.Constant(operation), node), loaded(node.target), self.visit(node.value)]
            value = self.call("augmented", containers.augmented, args, node)
            return placed(ast.Assign([node.target], value), node)
        return self.generic_visit(node)

    def _copied(self, target, held: bool | None = None) -> bool:
        """Whether a subscript is written to a new object. ``held``: it is of what others may hold, as
        they may a part of a list."""
        root = root_of(target)
        if held is None:
            held = isinstance(target.value, ast.Subscript) and self._holds(target)
        return root is not None and root.id in self.hidden and (held or not self.aliases.alone(root.id))

    def _may_be_variable(self, target) -> bool:
        """Whether a local name is written by an index, or with a list, that `mutable` may have made."""
        root = root_of(target)
        return self.makes_mutable and isinstance(target.value, ast.Name) and root.id in self.hidden

    def _holds(self, target) -> bool:
        """Whether the root of a subscript is a list or a dict, whose parts may have other names."""
        root = root_of(target)
        return root is not None and self.aliases.holds(root.id)

    def _is_own(self, target) -> bool:
        return isinstance(target.value, ast.Name) and target.value.id == self.self_name

    def _is_parameter(self, target) -> bool:
        return self._is_own(target) and isinstance(getattr(self.owner, target.attr, None), Parameter)
