"""One definition per operation: functional form, Primitive, Tensor method and mint form derive from it.

A definition is a function over **torch** tensors with MindSpore's argument names, order and defaults::

    @op(primitive="Concat", init=("axis",), method=None, mint="cat")
    def concat(tensors, axis=0):
        \"\"\"Joins tensors along ``axis`` ...\"\"\"
        return torch.cat(common_dtype(tensors), axis)

The decorator returns the functional form: Tensors are lowered on the way in (also inside lists and tuples)
and results lifted on the way out. ``primitive`` names the class; ``init`` the arguments of the definition
that the class takes when it is made (a tuple of names, or a dict of name -> default, or REQUIRED, where the
class's differs); the others are given when it is called, under the names ``call`` where MindSpore's class
has its own. ``method`` (True or names) attaches it to Tensor with the first argument as self; ``mint`` names
the form under ``mindspore.mint``; ``alias`` more functional names. Where such a form has arguments of other
names or defaults its signature is given instead: ``mint="bmm(input, mat2)"`` (see ``spelling``). ``valid``
is the form of its valid calls in MindSpore's words, for the error (see ``calls``); ``named`` is what errors
and rules call it where its Primitive is defined apart. With ``on_tensors=True``
the definition itself takes and gives Tensors: for the few that write to a Parameter or hand back the very
object that they got.

A form that computes something else has a definition of its own, by `method`, `mint_form`, `primitive` or,
for a class written by hand, `primitive_class`; the first definition then does not name it. No name is
defined twice: the tables refuse it. ``f.kernel`` is the definition behind any form ``f``, over torch tensors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ms2torch._core.checks.error_wrappers import wrap_class
from ms2torch._core.checks.guards import APART
from ms2torch._core.checks.single_forms import SINGLE_FORMS
from ms2torch._core.operators.attribute_forms import keeping
from ms2torch._core.operators.lowering import failing_as, lowered, named_form
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.operators.primitive_factory import REQUIRED, make_primitive
from ms2torch._core.operators.signatures import SIGNATURES
from ms2torch._core.operators.spelling import Arguments, arguments, declared
from ms2torch._core.operators.tables import NAMES, PRIMITIVES, Table, place_of
from ms2torch._core.tensor.tensor import Tensor

__all__ = ["METHODS", "MINT", "OPS", "PRIMITIVES", "REQUIRED", "Primitive", "method", "mint_form",
           "op", "primitive", "primitive_class"]


class Definition(NamedTuple):
    """What the registry keeps of one operation."""

    name: str
    kernel: Any
    functional: Any
    primitive: type | None
    methods: tuple[str, ...]
    mint: tuple[str, ...]
    aliases: tuple[str, ...]


OPS: dict[str, Definition] = Table("function")
METHODS: dict[str, Any] = Table("Tensor method")
MINT: dict[str, Any] = Table("mint function")



def _declared(spec, default: str) -> list[tuple[str, Arguments | None]]:
    """Names, and arguments where they differ, of the forms that ``spec`` declares."""
    if spec is None or spec is False:
        return []
    if spec is True:
        return [(default, None)]
    return [declared(text) for text in ((spec,) if isinstance(spec, str) else spec)]


def op(kernel=None, *, primitive=None, init=(), call=None, method=None, mint=None, alias=(), valid=None,
       on_tensors=False, named=None):
    """Register one operation; see the module's text. Returns the functional form."""
    if kernel is None:
        return lambda k: op(k, primitive=primitive, init=init, call=call, method=method, mint=mint,
                            alias=alias, valid=valid, on_tensors=on_tensors, named=named)
    name = kernel.__name__.rstrip("_") if kernel.__name__.endswith("__") else kernel.__name__
    kernel.__qualname__ = name
    told = primitive or named or name

    by_primitive = failing_as(kernel, told) if on_tensors and told in SIGNATURES else kernel

    def made(shown=None, qualname=None, public=()):
        return by_primitive if on_tensors else lowered(kernel, told, valid, shown, qualname, public)

    methods, mints, aliases = _declared(method, name), _declared(mint, name), _declared(alias, name)
    shared = [f"{kind}.{m}" for kind, forms in (("ops", aliases), ("mint", mints), ("Tensor", methods))
              for m, s in forms if s is None and f"{kind}.{m}" not in APART]
    functional = made(public=(f"ops.{name}", *shared))
    cls = make_primitive(primitive, kernel, init, call, valid, on_tensors) if primitive else None
    own = None if on_tensors else arguments(kernel)
    counts = own is not None and (bool(own.also) or f"ops.{name}" in APART)

    def form_of(public, shown, qualname):
        """The form that goes by its own signature, words or name in errors."""
        if shown is None and public.startswith("mint."):
            shown = _without_others(own)
        if shown is None and own is not None and public in APART:
            shown = own
        if public in SINGLE_FORMS and not on_tensors and shown is own:
            return made(own, qualname, (public, f"ops.{name}", *shared))
        if shown is None and counts and public in NAMES:
            return made(own, NAMES[public], (public, f"ops.{name}", *shared))
        return named_form(functional, public) if shown is None else made(shown, qualname, (public,))

    for m, shown in methods:
        _attach(m, form_of(f"Tensor.{m}", shown, f"Tensor.{m}"))
    for m, shown in mints:
        MINT[m] = form_of(f"mint.{m}", shown, m)
    definition = Definition(name, kernel, functional, cls, *(tuple(n for n, _ in forms)
                                                             for forms in (methods, mints, aliases)))
    OPS[name] = definition
    for m, shown in aliases:
        OPS[m] = definition._replace(functional=named_form(functional, f"ops.{m}") if shown is None
                                     else made(shown, m, (f"ops.{m}",)))
    return functional


def _without_others(own: Arguments | None) -> Arguments | None:
    """Arguments for a mint form, which no release called otherwise; None where they are the definition's."""
    return own._replace(also={}) if own is not None and own.also else None


def _attach(name: str, call) -> None:
    if name not in METHODS and any(name in vars(cls) for cls in Tensor.__mro__ if cls is not object):
        raise ValueError(f"The Tensor method '{name}' is defined twice: in the class and {place_of(call)}.")
    if "<lambda>" in getattr(call, "__qualname__", ""):
        call.__qualname__ = f"Tensor.{name}"            # what Python's errors call it
    call.__name__ = call.__qualname__.rpartition(".")[2]
    METHODS[name] = call
    setattr(Tensor, name, call)


def method(kernel=None, *, name=None, valid=None, on_tensors=False, named=None):
    """A Tensor method that differs from the functional form; self is the first argument.

    ``name`` may be a signature, as in `op`; ``named`` is what errors call it.
    """
    if kernel is None:
        return lambda k: method(k, name=name, valid=valid, on_tensors=on_tensors, named=named)
    name, shown = declared(name or kernel.__name__)
    kernel.__qualname__ = f"Tensor.{name}"
    call = kernel if on_tensors else lowered(kernel, named or name, valid, shown, f"Tensor.{name}",
                                             (f"Tensor.{name}",))
    _attach(name, call)
    return call


def mint_form(kernel=None, *, name=None, named=None):
    """A ``mindspore.mint`` function that differs from the ``ops`` form; ``name`` may be a signature,
    ``named`` is what errors call it."""
    if kernel is None:
        return lambda k: mint_form(k, name=name, named=named)
    name, shown = declared(name or kernel.__name__)
    kernel.__qualname__ = name
    shown = shown or _without_others(arguments(kernel))
    MINT[name] = call = lowered(kernel, named or name, shown=shown, public=(f"mint.{name}",))
    return call


def primitive(name: str, init=(), call=None, valid=None, on_tensors=False):
    """A Primitive whose arithmetic differs from the functional form's: a definition of its own."""
    def register(kernel):
        return make_primitive(name, kernel, init, call, valid, on_tensors)
    return register


def primitive_class(cls: type) -> type:
    """Register a Primitive's class that is written by hand."""
    PRIMITIVES[cls.__name__] = wrap_class(keeping(cls), "ops")
    return cls
