"""mindspore.grad, value_and_grad, get_grad, jvp, vjp, jacfwd, jacrev (``mindspore.ops.function.grad``)."""

from __future__ import annotations

import functools
import types

from ms2torch._core import mode
from ms2torch._core.checks.calls import type_name
from ms2torch._core.gradient import autodiff, transforms
from ms2torch._core.gradient.passes import Valued, tensors_of
from ms2torch._core.gradient.rows import as_gradients
from ms2torch._core.tensor.tensor import Tensor, lift, wrap
from ms2torch._naming import generations
from ms2torch.common.mutable import is_mutable
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.language import entry

__all__ = ["get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp"]


def grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False, sens_param=False):
    """A function that computes the gradients of ``fn`` (``mindspore.grad``).

    ``grad_position`` (int, tuple of ints or None) chooses inputs, ``weights`` Parameters: one input gives one
    Tensor, several a tuple; one Parameter gives one Tensor, a list or tuple a tuple; both selectors a pair.
    What is no Tensor among the positions is passed over. All outputs are summed, unless ``has_aux``: then the
    first is differentiated and the rest returned as a tuple beside the gradient. Outputs of any shape take
    ones as sensitivity; with ``sens_param`` the last argument of the call is the sensitivity. ``return_ids``
    pairs each gradient with its position or parameter name. ValueError where neither selector is given.
    Unlike ``torch.autograd.grad``, unused inputs get zeros, and nothing needs ``requires_grad``.
    """
    if weights.__class__ is bool and not generations.has_new_meaning("mindspore.ops.grad"):
        weights, sens_param = None, weights             # its place before 2.0
    ask = _Asked(fn, grad_position, weights, has_aux, return_ids, sens_param)

    def gradient(*args, **kwargs):
        found, chosen = ask(args, kwargs)
        grads = ask.arrange(found, chosen)
        return (grads, tuple(found.output[1:])) if has_aux else grads

    return _named_after(fn)(entry.gradients(fn, gradient))


def value_and_grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False, sens_param=False):
    """A function that computes ``fn``'s output and its gradients; the arguments are ``grad``'s."""
    ask = _Asked(fn, grad_position, weights, has_aux, return_ids, sens_param)

    def value_and_gradient(*args, **kwargs):
        found, chosen = ask(args, kwargs)
        return found.output, ask.arrange(found, chosen)

    return _named_after(fn)(entry.gradients(fn, value_and_gradient))


def _named_after(fn):
    def name(function):
        function.__name__ = getattr(fn, "__name__", type(fn).__name__)
        function._differentiates = fn
        return function

    return name


class _Asked:
    """What one call of ``grad`` asked for."""

    def __init__(self, fn, grad_position, weights, has_aux, return_ids, sens_param) -> None:
        if grad_position is None and weights is None:
            raise ValueError("`grad_position` and `weight` can not be None at the same time.")
        _check_bool("has_aux", has_aux)
        _check_bool("return_ids", return_ids)
        _check_bool("sens_param", sens_param)
        refuse_without_gradients()
        self.fn, self.has_aux, self.return_ids, self.sens_param = fn, has_aux, return_ids, sens_param
        self.graph = None
        self.positions = _positions(grad_position)
        self.single_weight = isinstance(weights, Tensor)
        # What is no function and no weight is told of when the gradient is called.
        self.right = callable(fn) and is_weights(weights)
        self.weights = None if weights is None else _weights(weights) if self.right else weights

    def __call__(self, args: tuple, kwargs: dict):
        if not self.right:
            need_function(self.fn)
            _weights(self.weights)
        if kwargs and mode.graph and not entry.inside_a_call():
            raise TypeError(f"got an unexpected keyword argument '{next(iter(kwargs))}'")
        sens = None
        if self.sens_param:
            if "sens" in kwargs:
                kwargs = dict(kwargs)
                sens = kwargs.pop("sens")
            else:
                *args, sens = args
                args = tuple(args)
        chosen = chosen_inputs(self.positions, args, kwargs)
        fn = self.fn
        if mode.graph:
            fn = self.graph = self.graph or graph_of(fn)
        found = autodiff.differentiate(fn, args, kwargs, [place for _, place in chosen],
                                       self.weights or (), sens, self.has_aux)
        return found, chosen

    def arrange(self, found, chosen):
        inputs = tuple(lift(g) for g in found.inputs)
        weights = tuple(as_gradients(found.weights))
        if self.return_ids:
            inputs = tuple(zip([p for p, _ in chosen], inputs, strict=True))
            weights = tuple((w.name, g) for w, g in zip(self.weights or (), weights, strict=True))
        if len(inputs) == 1:
            inputs = inputs[0]
        if self.single_weight:
            weights = weights[0]
        if self.weights is None:
            return inputs
        if self.positions is None:
            return weights
        return inputs, weights


def need_function(fn) -> None:
    """TypeError for what cannot be called."""
    if not callable(fn):
        raise TypeError(f"The fn should be callable, but got {type(fn).__name__}")


def graph_of(fn):
    """``fn`` as graph mode differentiates it: a function's source is in the graph's language."""
    if fn.__class__ is not types.FunctionType or hasattr(fn, "_graph_source"):
        return fn
    return entry.compiled(fn)


def refuse_without_gradients() -> None:
    """RuntimeError within PyNative's ``no_grad``."""
    if mode.without_gradients and not mode.graph:
        raise RuntimeError("In no_grad context, you can not calculate gradient")


def chosen_inputs(positions, args: tuple, kwargs: dict) -> list[tuple]:
    """Of the positions those that are differentiated, each with its place: an index or a keyword.

    Keywords count on from the last argument, in the order of the call. IndexError (PyNative: RuntimeError)
    for a position beyond the inputs; in PyNative a function without inputs has no gradients and no error.
    """
    places = [*range(len(args)), *kwargs]
    if positions is None or not (places or mode.graph):
        return []
    if not positions:
        raise RuntimeError(
            f"grad_position should not be empty when grad by position{'.' if mode.graph else '!'}"
        )
    for p in positions:
        if p >= len(places):
            raise (IndexError if mode.graph else RuntimeError)(f"Position index {p} is exceed input size.")
    return [(p, places[p]) for p in positions if is_input(given(places[p], args, kwargs))]


def given(place, args: tuple, kwargs: dict):
    """The argument at a place."""
    return args[place] if place.__class__ is int else kwargs[place]


def is_input(value) -> bool:
    """Whether a gradient can be asked for: of Tensors, in a graph of what is made `mutable` too, but of no
    constant Tensor."""
    graph = mode.graph or mode.inside > 0
    if isinstance(value, Tensor):
        return not (graph and value.const_arg)
    if isinstance(value, Valued):
        return True
    return graph and is_mutable(value) and _holds_any(value)


def _holds_any(value) -> bool:
    """Whether this is a number or a Tensor, or holds some."""
    if isinstance(value, (tuple, list, dict)):
        return any(map(_holds_any, value.values() if isinstance(value, dict) else value))
    return isinstance(value, (int, float, Tensor, Valued))


def _positions(grad_position):
    if grad_position is None:
        return None
    if not isinstance(grad_position, (int, tuple)):
        raise TypeError("For 'F.grad', the 'grad_position' must be int or tuple.")
    if isinstance(grad_position, int):
        if grad_position < 0:
            raise ValueError("grad_position must be >= 0.")
        return (int(grad_position),)
    for p in grad_position:
        if not isinstance(p, int):
            raise TypeError("For 'F.grad', the element in 'grad_position' must be int.")
        if p < 0:
            raise ValueError("The element in grad_position must be >= 0.")
    if len(set(grad_position)) != len(grad_position):
        raise ValueError("There are duplicate positions in `grad_position`, please check it")
    return grad_position


def _is_weight(w) -> bool:
    """A Parameter, or a library's own one: a Tensor with the core's ``ParamInfo``."""
    return isinstance(w, Parameter) or (isinstance(w, Tensor) and hasattr(w, "param_info"))


def is_weights(weights) -> bool:
    """Whether this is a Parameter or several, or None."""
    return weights is None or _is_weight(weights) or (
        isinstance(weights, (tuple, list)) and all(map(_is_weight, weights))) or (
        not isinstance(weights, (tuple, list)) and _is_sequence(weights))


def _is_sequence(weights) -> bool:
    return not isinstance(weights, (str, dict)) and hasattr(weights, "__iter__")


def _weights(weights) -> tuple[Parameter, ...]:
    if weights.__class__ is ParameterTuple:
        return weights
    if _is_weight(weights):
        return (weights,)
    if not _is_sequence(weights):
        raise TypeError(
            f"The weights you provided is expected to be a tensor, or a list or tuple. but got {weights}"
        )
    weights = tuple(weights)
    for w in weights:
        if not _is_weight(w):
            raise TypeError(
                f"Every one of the weights you provided is expected to be a Parameter, but got {type(w)}."
            )
    return weights


def _check_bool(name: str, value) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"For '_Grad', the '{name}' should be bool, but got {type_name(value)}")


def get_grad(gradients, identifier):
    """The gradient of a position (int) or Parameter among what ``grad(..., return_ids=True)`` returned."""
    if not isinstance(identifier, (int, Parameter)):
        raise TypeError(f"For `get_grad`, the `x` should be an integer or a Parameter, but got {identifier}")
    found = _search(gradients, identifier.name if isinstance(identifier, Parameter) else identifier)
    if found is None:
        raise RuntimeError(f"Can not find the gradient for position or Parameter {identifier}")
    return found


def _search(gradients, identifier):
    if not isinstance(gradients, tuple):        # (what grad gives, and no other)
        return None
    if len(gradients) == 2 and isinstance(gradients[0], (int, str)) and isinstance(gradients[1], Tensor):
        return gradients[1] if gradients[0] == identifier else None
    for item in gradients:
        found = _search(item, identifier)
        if found is not None:
            return found
    return None


def _as_tuple(values) -> tuple:
    if isinstance(values, Tensor):
        return (values,)
    if not isinstance(values, (tuple, list)) or not all(isinstance(v, Tensor) for v in values):
        raise TypeError("The inputs type must be a Tensor, tuple or list of Tensors.")
    return tuple(values)


def _check_tensors(values) -> None:
    for value in values:
        if isinstance(value, (tuple, list)):
            _check_tensors(value)
        elif not isinstance(value, Tensor):
            raise TypeError("The inputs type must be Tensor.")


def _first_of_several(fn, has_aux):
    """``fn``, held with ``has_aux`` to what this asks: a tuple of two outputs or more."""
    if not isinstance(has_aux, bool):
        raise TypeError("The 'has_aux' must be bool type.")
    if not has_aux:
        return fn

    @functools.wraps(fn, assigned=("__name__", "__doc__"), updated=())
    def several(*args, **kwargs):
        output = fn(*args, **kwargs)
        if not isinstance(output, tuple) or len(output) < 2:
            raise ValueError("When 'has_aux' is True, origin 'fn' requires more than one outputs.")
        return output

    return several


def _like(structure, tensors):
    """``tensors`` in the shape of ``structure``: one Tensor or nested tuples."""
    it = iter(tensors)

    def build(obj):
        if isinstance(obj, Tensor):
            return next(it)
        return tuple(build(x) for x in obj)

    return build(structure)


def jvp(fn, inputs, v, has_aux=False):
    """Output of ``fn`` and the directional derivative along ``v`` (``mindspore.jvp``).

    Returns (output, jvp), with ``has_aux`` (output, jvp, aux). ValueError where ``v`` and ``inputs`` differ
    in length.
    """
    if not callable(fn):
        raise ValueError("The object is not callable. Please check code.")
    fn = _first_of_several(fn, has_aux)
    primals, tangents = _as_tuple(inputs), _as_tuple(v)
    if len(primals) != len(tangents):
        raise ValueError(f"v has invalid length: should be {len(primals)}, but got {len(tangents)}")
    primal, aux, pushed = transforms.jvp(fn, primals, tangents, has_aux)
    out = _like(primal, [wrap(g) for g in pushed])
    return (primal, out, _aux(aux)) if has_aux else (primal, out)


def _vjp_before_2_0(fn, inputs, v):
    """Output and gradients at once; one input's is a Tensor (not measured: no release with it can be had)."""
    output, pull_back = _vjp(fn, _as_tuple(inputs), None, False)
    grads = pull_back(*_as_tuple(v))
    return output, grads[0] if len(grads) == 1 else grads


def vjp(fn, *inputs, weights=None, has_aux=False):
    """Output of ``fn`` and a function from sensitivities to gradients (``mindspore.vjp``).

    Returns (output, vjp_fn), with ``has_aux`` (output, vjp_fn, aux). ``vjp_fn`` gives a tuple of the inputs'
    gradients, with ``weights`` a pair of the inputs' and the weights' gradients.
    """
    if not callable(fn):
        raise TypeError(f"The fn should be callable, but got {type(fn).__name__}.")
    if len(inputs) == 2 and weights is None and generations.has_old_meaning("mindspore.ops.vjp"):
        return _vjp_before_2_0(fn, *inputs)
    return _vjp(fn, inputs, weights, has_aux)


def _vjp(fn, inputs, weights, has_aux):
    fn = _first_of_several(fn, has_aux)
    _check_tensors(inputs)
    asked = None if weights is None else _weights(weights)
    primal, aux, pull = transforms.vjp(fn, inputs, asked or (), has_aux)
    count = len(tensors_of(primal))

    def pull_back(*sens):
        given = sens[0] if len(sens) == 1 else sens
        given = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        _check_tensors(given)
        if len(given) != count:
            raise RuntimeError(
                "Failure info [The given sens gradient's size should be same as out of network!]."
            )
        grads, found = pull(given)
        grads = tuple(wrap(g) for g in grads)
        if asked is None:
            return grads
        found = tuple(wrap(g) for g in found)
        return grads, found[0] if isinstance(weights, Tensor) else found

    return (primal, pull_back, _aux(aux)) if has_aux else (primal, pull_back)


def _aux(aux: tuple):
    return aux[0] if len(aux) == 1 else tuple(aux)


def jacrev(fn, grad_position=0, has_aux=False):
    """A function that computes the Jacobian of ``fn`` (``mindspore.jacrev``); shape output + input.

    One position gives one Tensor, a tuple of positions a tuple; several outputs a tuple of these. With
    ``has_aux`` a pair (Jacobian, aux).
    """
    fn = _first_of_several(fn, has_aux)

    def jacobian(*args):
        if not callable(fn):
            raise ValueError("The object is not callable. Please check code.")
        if grad_position is None:
            raise TypeError("For 'F.grad', the 'grad_position' must be int or tuple.")
        positions = _positions(grad_position)
        if any(p >= len(args) for p in positions):
            raise ValueError("The element in grad_position must belong to [0, args_num).")
        chosen = [p for p, _ in chosen_inputs(positions, args, {})]
        if len(chosen) < len(positions):
            raise TypeError("The inputs type must be Tensor.")
        primal, aux, rows = transforms.jacobian(fn, args, chosen, has_aux)
        rows = [lift(tuple(row)) for row in rows]
        rows = [row[0] if len(row) == 1 else row for row in rows]
        found = rows[0] if isinstance(primal, Tensor) else tuple(rows)
        return (found, _aux(aux)) if has_aux else found

    return jacobian


def jacfwd(fn, grad_position=0, has_aux=False):
    """A function that computes the Jacobian of ``fn`` (``mindspore.jacfwd``); see ``jacrev``.

    MindSpore computes it column by column in forward mode; here both run in reverse mode, with one result.
    """
    return jacrev(fn, grad_position, has_aux)


def custom_vjp(fn=None):
    """A decorator that makes ``fn`` a Cell whose gradient ``defbwd`` sets
    (``mindspore.ops.function.grad.grad_func.custom_vjp``).

    ``made.defbwd(bwd)``: ``bwd(*inputs, out, dout)`` gives the inputs' gradients, as a Cell's ``bprop``.
    """
    from ms2torch.nn.cell import Cell

    class CustomVjp(Cell):
        def __init__(self, fwd):
            super().__init__()
            self.fwd = fwd

        def construct(self, *args):
            return self.fwd(*args)

        def defbwd(self, bwd):
            # (The function itself, for graph mode counts what it takes.)
            self.__dict__.update(bprop=bwd, has_bprop=True, _slow=True)

    return CustomVjp if fn is None else CustomVjp(fn)
