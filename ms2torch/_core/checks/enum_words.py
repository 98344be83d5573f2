"""The words of MindSpore's enums. It keeps them in one list: a word of another enum stands for its number, so
that ``norm="mean"`` is "forward" to a Fourier transform."""

from __future__ import annotations

from ms2torch._core.errors import final

_WORDS = (
    "backward bilinear bsh constant gelu ij linear nchw ncdhw pad right round sum tanh update asymmetric "
    "zeros",
    "add align_corners bnsd border forward left mean nearest nhwc reflect relu same trunc xy",
    "floor half_pixel none ortho reflection sigmoid symmetric valid",
    "full",
)
_NUMBERS = {word: number for number, words in enumerate(_WORDS) for word in words.split()}


def listed(word: str) -> bool:
    """Whether a word, in any case, is one of some enum."""
    return word.lower() in _NUMBERS


def meant(word: str, *names: str) -> str | None:
    """The one of ``names``, an enum's in the order of their numbers, that a word stands for; None where it
    stands for none."""
    number = _NUMBERS.get(word.lower(), len(names)) if isinstance(word, str) else len(names)
    return names[number] if number < len(names) else None


def reduction(word: str, operator: str) -> str:
    """How the loss ``operator`` reduces, by a word of MindSpore's for it, in any case."""
    known = ("sum", "mean", "none")
    return word if word in known else chosen(word, "reduction", operator, *known)


def chosen(word: str, argument: str, operator: str, *names: str) -> str:
    """`meant`, with MindSpore's error for a word that stands for none of ``names``."""
    if not isinstance(word, str):
        wrong = TypeError(f"For '{operator}', the input '{argument}' should be a str, but got {type(word)}.")
        raise wrong if word is None else final(wrong)           # (None is the parser's to refuse)
    if (name := meant(word, *names)) is None:
        raise final(ValueError(f'Failed to convert the value "{word}" of input \'{argument}\' of '
                               f"'{operator}' to enum."))
    return name
