"""What the calls of a file give, and what its functions are called with."""

from __future__ import annotations

import ast

from ..translation import site_of
from . import results
from .inferred import (
    ARRAY,
    BUFFER,
    PARAMETER,
    PLAIN,
    RENAMED,
    TENSOR,
    Bound,
    Class,
    Const,
    Dict,
    Function,
    Gradient,
    Many,
    Of,
    OwnOf,
    Plain,
    Ref,
    Seq,
    is_a,
    is_layer,
    is_tensor,
    resolve,
)
from .joining import is_static, item_of, join, of_kind, parameters, path_got, span_of

_LISTED = """
int float str bool len range abs sum min max round print open input sorted format repr isinstance
type divmod pow
"""
PYTHON_NAMES = frozenset(_LISTED.split())


class Calls:
    """The part of `Reading` that reads calls."""

    def _of_call(self, node: ast.Call):
        callee = self.value(node.func)
        arguments = [self.value(a) for a in node.args]
        keywords = {k.arg: self.value(k.value) for k in node.keywords}
        fact = self.facts.at(*site_of(node))
        if callee is None and fact is not None and fact.name.endswith("()"):
            callee = self._inferred[span_of(node.func)] = Of(fact.name.removesuffix("()"))
        inferred = self._called(node, callee, arguments, keywords)
        if fact is not None and fact.result is not None:
            inferred = of_kind(fact.result) or inferred
        return inferred

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
            if function is None and is_a(callee.cls.root(), results.SCALED_STEP):
                return results.LOSS_OVERFLOW_SCALE
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
            return self._method(node, self.inferred(node.func.value), node.func.attr)
        if isinstance(callee, Plain) and isinstance(node.func, ast.Name):
            return self._python(node, arguments)
        if isinstance(node.func, ast.Name):
            return self._python(node, arguments)
        return None

    def _of_ref(self, path: Ref, node, arguments, keywords):
        thing = resolve(path)
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
        if path in ("mindspore.jit", "mindspore.ms_function", "mindspore.ops.depend") or path.endswith(
            ".auto_mixed_precision"
        ):
            return arguments[0] if arguments else None
        if path == "mindspore.ParameterTuple":
            return Seq(PARAMETER)
        if path == "mindspore.ops.partial" and arguments:
            return arguments[0]
        if path == "mindspore.nn.LARS":
            asked = keywords.get("lars_filter", arguments[4] if len(arguments) > 4 else None)
            if isinstance(asked, Function):
                asked.arguments.update(dict.fromkeys(parameters(asked.node)[:1], PARAMETER))
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
        cell = is_layer(owner)
        if name == "set_train" or name == "set_grad" or name == "to_float":
            return owner if cell else None
        cell |= owner is None  # of another file, say: only Cells have these
        if cell and name in ("trainable_params", "get_parameters", "untrainable_params"):
            return Seq(PARAMETER)
        if cell and name == "parameters_and_names":
            return Seq(Many((PLAIN, PARAMETER)))
        if name == "asnumpy":
            return ARRAY
        if name == "predict" and isinstance(owner, Of) and owner.cls == "mindspore.Model":
            return TENSOR
        if name in ("create_tuple_iterator", "create_dict_iterator"):
            asked = any(k.arg == "output_numpy" and getattr(k.value, "value", False) for k in node.keywords)
            kind = Dict if name == "create_dict_iterator" else Seq
            return Seq(kind(ARRAY if asked else TENSOR))
        if isinstance(owner, Seq) and name in ("items",):
            return Seq(Many((PLAIN, owner.item)))
        if isinstance(owner, Dict) and name in ("keys", "values"):
            return Seq(owner.item if name == "values" else PLAIN)
        if isinstance(owner, Seq) and name in ("copy", "clone"):
            return owner
        if isinstance(owner, Seq) and name in ("get", "pop"):
            return owner.item
        if isinstance(owner, Of) and is_a(owner.cls, results.LOSS_SCALER) and name in ("scale", "unscale"):
            return self.value(node.args[0]) if node.args else None
        if isinstance(owner, Of) and is_a(owner.cls, "mindspore.dataset.Dataset"):
            return self._of_pipeline(node, owner, name)
        return None

    def _of_pipeline(self, node: ast.Call, owner: Of, name: str):
        """What a method of a dataset gives; the call that began a pipeline goes with it."""
        if name in ("get_dataset_size", "get_batch_size", "output_shapes", "output_types"):
            return PLAIN
        if name == "batch":
            return Of("mindspore.dataset.BatchDataset", owner.call)
        if owner.call is None:
            return Seq(owner) if name == "split" else owner
        if name == "shuffle" and (node.args or node.keywords):
            return self._noted(owner, node, BUFFER, node.args[0] if node.args else node.keywords[0].value)
        if name == "map" and (len(node.args) > 2 or any(k.arg == "output_columns" for k in node.keywords)):
            before = next((k.value.elts for k in owner.call.keywords if k.arg == RENAMED), [])
            return self._noted(owner, node, RENAMED, ast.List([*before, node], ast.Load()))
        if name == "split":  # which settles the order of the rows
            return Seq(self._noted(owner, node, "shuffle", ast.Constant(False)))
        return owner

    def _noted(self, owner: Of, node: ast.Call, name: str, value: ast.expr) -> Of:
        """A pipeline whose call says what a method of it did."""
        made = self._changed.get(span_of(node))
        if made is None:
            rest = [k for k in owner.call.keywords if k.arg != name]
            made = ast.Call(owner.call.func, owner.call.args, [*rest, ast.keyword(name, value)])
            self._changed[span_of(node)] = ast.copy_location(made, owner.call)
        return Of(owner.cls, made)

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
                return item_of(first)
            case "super":
                return None
            case "getattr" if (path := path_got(node, self.inferred)) is not None:
                return results.constant_type(path) or path
            case "sum" | "max" | "min" | "abs" if is_tensor(first) or is_tensor(item_of(first)):
                return TENSOR
            case "map":
                callee = first.returns if isinstance(first, Function) else None
                return Seq(OwnOf(first) if isinstance(first, Class) else callee)
        return PLAIN if node.func.id in PYTHON_NAMES else None

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

    def _left_out(self, function: Function, given: dict) -> dict:
        """What a call leaves to a function's defaults; plain ones say nothing."""
        if self.functions.get(function.node) is not function:
            return {}
        args = function.node.args
        names, last = [a.arg for a in (*args.posonlyargs, *args.args)], len(args.defaults)
        pairs = [*zip(names[-last:] if last else [], args.defaults, strict=True)]
        pairs += [(a.arg, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None]
        return {n: self.inferred(d) for n, d in pairs if n not in given and not isinstance(d, ast.Constant)}

    def _give(self, function: Function | None, node: ast.Call, arguments, keywords, bound: bool) -> None:
        """Note what a function is called with."""
        if function is None:
            return
        names = parameters(function.node)[bound and not is_static(function.node) :]
        spread = next((i for i, a in enumerate(node.args) if isinstance(a, ast.Starred)), len(node.args))
        given = dict(zip(names, arguments[:spread], strict=False))
        if spread < len(node.args):
            given |= dict.fromkeys(names[spread:], arguments[spread])
        given |= {k: v for k, v in keywords.items() if k in names}
        function.omitted |= self._left_out(function, given)
        rest = function.node.args.vararg
        if rest is not None and len(arguments) > len(names):
            given[rest.arg] = Seq(join(*arguments[len(names) :][:2], *(None,) * 2))
        for name, inferred in given.items():
            if isinstance(inferred, Const):
                inferred = PLAIN if inferred.value is not None else None
            function.arguments[name] = join(function.arguments.get(name), inferred)
