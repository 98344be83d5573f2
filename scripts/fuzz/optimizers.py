"""Cases of optimizers: parameters in groups, changing rates, clipped and scaled gradients, several steps."""

from __future__ import annotations

from scripts.fuzz.case import Case
from scripts.fuzz.inputs import Draws

_CLIPPED = ("ops.clip_by_global_norm({}, 1.0)", "ops.clip_by_global_norm({}, 0.1)",
            "tuple(ops.clip_by_value(g, -0.1, 0.1) for g in {})",
            "tuple(ops.clip_by_norm(g, 0.5) for g in {})")


def case(draws: Draws, made: str, before: list[str]) -> Case:
    """The steps of an optimizer ``made`` over PARAMS: what it keeps after them, by name."""
    dtype = draws.one("float32", "float32", "float32", "float16", "float64", "bfloat16")
    a, b = (draws.array(dtype, low=1, high=3, size=3, special=False, view=False, empty=False) for _ in "ab")
    other = "float32" if draws.rare(4) else dtype        # gradients of another dtype
    g, h = (draws.array(other, shape=p.shape, special=False, view=False) for p in (a, b))
    for operand, name in zip((a, b, g, h), "abgh", strict=True):
        operand.name = name
    setup = (*(f'{p} = ms.Parameter({p.text}, name="{draws.one(*names)}")' for p, names in (
        (a, ("conv.weight", "fc.weight")), (b, ("bn.beta", "bn.gamma", "fc.bias")))),
        *(f"{p} = {p.text}" for p in (g, h)))
    params, turned = _groups(draws)
    gradients = "(h - k * h, g * (k + 1))" if turned else "(g * (k + 1), h - k * h)"
    if draws.rare(3):
        gradients = draws.one(*_CLIPPED).format(gradients)
    steps = (*before, f"optimizer = {made.replace('PARAMS', params)}",
             f"for k in range({draws.number(1, 4)}): optimizer({gradients})")
    facts = {"dtypes": (a.dtype, g.dtype), "shapes": (a.shape, b.shape), "special": False, "empty": False,
             "view": False, "scalar": False}
    kept = "[(p.name, Tensor(p.value())) for p in optimizer.get_parameters()]"
    return Case(setup, kept, (), steps, "", facts)


def _groups(draws: Draws) -> tuple[str, bool]:
    """The parameters as text, and whether their order is turned around."""
    if not draws.rare(3):
        return "[a, b]", False
    settings = draws.one('', ', "weight_decay": 0.1', ', "lr": 0.02', ', "weight_decay": 0.0, "lr": 0.3',
                         ', "grad_centralization": True', ', "lr": nn.ExponentialDecayLR(0.1, 0.9, 2)',
                         ', "lr": [0.1, 0.2, 0.3, 0.4]')
    order = draws.one("", ', {"order_params": [a, b]}', ', {"order_params": [b, a]}')
    return f'[{{"params": [a]{settings}}}, {{"params": [b]}}{order}]', "[b, a]" in order
