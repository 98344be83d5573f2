"""Weights of a plain network for a quantised one (``mindspore.compression.quant.quant_utils``)."""

from __future__ import annotations

__all__ = ["load_nonquant_param_into_quant_net", "query_quant_layers"]

_KINDS = ("weight", "bias", "gamma", "beta", "moving_mean", "moving_variance", "minq", "maxq", "quant_max")


def load_nonquant_param_into_quant_net(quant_model, params_dict, quant_new_params=None) -> None:
    """Give each parameter of ``quant_model`` the next value of its kind in ``params_dict``.

    Kinds are the last parts of names (weight, bias, gamma, beta, moving_mean, moving_variance), taken in
    order: layers are matched by their order, not by their names. ValueError for a parameter of another kind
    that ``quant_new_params`` does not list, and for a value of another shape.
    """
    found = {kind: iter([p for name, p in params_dict.items() if name.endswith(kind)]) for kind in _KINDS}
    for name, parameter in quant_model.parameters_and_names():
        kind = name.split(".")[-1]
        if kind not in found:
            if kind not in (quant_new_params or ()):
                raise ValueError(f"Can't find match parameter in ckpt, param name = {name}")
            continue
        value = next(found[kind], None)
        if value is not None:
            if value.shape != parameter.shape:
                raise ValueError(f"{name} has the shape {parameter.shape}, its value {value.shape}.")
            parameter.set_data(value)


def query_quant_layers(network) -> None:
    """Print which layers are quantised, and with which kind of numbers."""
    from ms2torch.nn.layer.quant import FakeQuantWithMinMaxObserver

    line = "{:<60}{:<30}"
    print(line.format("Name", "Quantized dtype"))
    for name, cell in network.cells_and_names():
        if isinstance(cell, FakeQuantWithMinMaxObserver):
            print(line.format(name, cell.quant_dtype.name))
