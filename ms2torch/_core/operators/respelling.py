"""Calls that give some of their arguments by other names than their form shows: those of an overload, or of
another release."""

from __future__ import annotations

from ms2torch._core.checks import refused
from ms2torch._core.checks.overloads import names_in_forms
from ms2torch._core.operators import callsite
from ms2torch._core.operators.dispatch import ABSENT
from ms2torch._core.operators.failed_calls import no_form_error, nullable_of
from ms2torch._core.operators.primitive_factory import REQUIRED
from ms2torch._core.operators.spelling import Arguments
from ms2torch._core.operators.tables import NAMES
from ms2torch._core.tensor.tensor import Tensor, lower

# The classes that say all that a form asks of a value, or of the elements of a tuple or list.
_DECIDED = frozenset((int, bool, float, str, type(None)))
_MOST = 256                                     # calls that a form remembers


class Respelling:
    """Answers the calls of a form with the arguments ``shown`` that gave arguments by other names, or of a
    wrong number; ``call`` is the form.

    What a call like an earlier one means is remembered, since programs repeat them.
    """

    __slots__ = ("call", "called", "places", "shown")

    def __init__(self, shown: Arguments, called: str) -> None:
        self.shown, self.called = shown, called
        self.places: dict[tuple, tuple] = {}    # kinds of a call -> (place, what stands there if left out)

    def __call__(self, values, more, others):
        shown, kinds = self.shown, ()
        if not more:
            kinds = (*map(_kind, values), *others, *map(_kind, others.values()))
            if (places := self.places.get(kinds)) is not None:
                ordered = list(values)
                for (place, left_out), v in zip(places, others.values(), strict=True):
                    if values[place] is not left_out:           # (given twice)
                        break
                    ordered[place] = v
                else:
                    return self._passed(ordered)
        given = {n: shown.default(k) if v is ABSENT else v
                 for k, (n, v) in enumerate(zip(shown.names, values, strict=True))}
        named = {shown.also.get(n, n): v for n, v in others.items()}
        lasts = self._checked(given, named, more, others)
        if kinds and lasts and len(self.places) < _MOST:
            order = {n: k for k, n in enumerate(shown.names)}
            self.places[kinds] = tuple((order[n], values[order[n]]) for n in named)
        return self._passed([*{**given, **named}.values()])

    def _passed(self, ordered):
        count = len(self.shown.positional)
        return self.call(*ordered[:count], **dict(zip(self.shown.named, ordered[count:], strict=True)))

    def _checked(self, given: dict, named: dict, more, others) -> bool:
        """Whether the classes of a call say that it fits its form; MindSpore's error where it does not, or
        where its arguments are too many, too few or unknown."""
        shown, called = self.shown, self.called
        unset = {n for k, n in enumerate(shown.names) if given[n] is shown.default(k)
                 and (not more or n in shown.named)}            # (those before more arguments were given)
        method = called.startswith("Tensor.")
        own = shown.names[0] if method else None                # (no name that a program could use)
        taken = {**given, **named}
        lacks = any(v is REQUIRED for v in taken.values())
        fits = not more and unset >= named.keys() and not lacks and own not in named
        if fits and not others.keys() <= names_in_forms(called):
            return True
        names = callsite.keyword_names()
        told = [(n, v) for n, v in given.items() if n not in unset]         # (some are given twice)
        keywords = {n: v for n, v in told if n != own and (n in shown.named or n in names)}
        keywords = {n: lower({**keywords, **others}[n]) for n in names or (*keywords, *others)
                    if n in keywords or n in others}
        takes = list(shown.signature().parameters.values())
        places = [lower(v) for v in (*(v for n, v in told if n == own or n not in keywords), *more)]
        pairs = [*enumerate(places), *map(refused.Named, keywords.items())]
        if fits and not no_form_error((called,), pairs, nullable=nullable_of(shown)):
            return all(map(_decided, (v for n, v in taken.items()
                                      if n != own and (n in named or n not in unset))))
        raise (no_form_error((called,), pairs, True, nullable_of(shown)) or refused.signature_error(
            f"{called} make", NAMES.get(called, called if method else called.rpartition(".")[2]),
            takes[method:], places[method:], keywords, int(method))) from None


def _kind(value):
    kind = value.__class__
    if issubclass(kind, Tensor):
        return kind, value._t.dtype, value._t.ndim == 0
    return (kind, *[n.__class__ for n in value]) if kind is tuple or kind is list else kind


def _decided(value) -> bool:
    """Whether `_kind` says all that a form asks of it."""
    kind = value.__class__
    if kind is tuple or kind is list:
        return all(n.__class__ in _DECIDED for n in value)
    return kind in _DECIDED or issubclass(kind, Tensor)
