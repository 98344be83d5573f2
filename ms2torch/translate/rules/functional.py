"""Functions of functions: Jacobians, maps over an axis, directional derivatives."""

from __future__ import annotations

from .table import rule


@rule("jacrev jacfwd", "torch.func.jacrev(function, argnums)")
def jacobian(call):
    name = call.name.rpartition(".")[2]
    return f"torch.func.{name}({{fn}}, argnums={{grad_position?}}, has_aux={{has_aux?}})"


@rule("vmap ops.vmap", "torch.vmap(function, in_dims, out_dims)")
def vmap(call):
    if type(call.worth("fn")).__name__ in ("Seq", "Many"):
        call.keep("it maps a list of networks")
    return "torch.vmap({fn}, in_dims={in_axes?}, out_dims={out_axes?})"
