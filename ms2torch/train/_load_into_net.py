"""load_param_into_net: a dict of Parameters into a network's."""

from __future__ import annotations

from ms2torch import log as logger
from ms2torch._checkparam import check_bool, check_isinstance
from ms2torch._core.tensor.tensor import wrap
from ms2torch._naming import generations
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell

_FLOATS = frozenset(("Float16", "Float32", "Float64", "BFloat16"))
_INTS = frozenset(("Int8", "Int16", "Int32", "Int64"))
_CHECK = "May you need to check whether the checkpoint you loaded is correct"


def load_param_into_net(net, parameter_dict, strict_load=False, remove_redundancy=False) -> tuple[list, list]:
    """Copy the Parameters of a dict into the network's of the same names (``mindspore.load_param_into_net``).

    Unless ``strict_load``, floats go into floats and ints into ints of another width, and names that differ
    by a common prefix are matched too. Gives the names of the network that were not loaded, and those of
    the dict that were not used; before 2.0 the first of both alone. A Parameter that processes hold in parts
    takes the whole or this process's part. RuntimeError for another shape (further dimensions of 1 at the end
    are dropped) or kind of dtype, TypeError for anything but a Cell and a dict of Parameters.
    """
    _check(net, parameter_dict)
    check_bool(strict_load)
    check_isinstance("remove_redundancy", remove_redundancy, bool)
    if remove_redundancy:
        raise TypeError(
            "The deduplication feature for loading checkpoint can only be used in parallel scenarios, "
            "but got stand_alone."
        )
    params = [param for _, param in net.parameters_and_names()]
    missing, unused = [], list(parameter_dict)
    for param in params:
        new = parameter_dict.get(param.name)
        if isinstance(new, Parameter):
            update_parameter(param, new, strict_load)
            unused.remove(param.name)
        elif new is None and not param.name.startswith("accu_grads"):
            missing.append(param.name)
    if missing and not strict_load:
        _load_by_prefix(params, parameter_dict, missing)
    if missing:
        logger.warning(
            f"For 'load_param_into_net', {len(missing)} parameters in the 'net' are not loaded, because they "
            "are not in the 'parameter_dict', please check whether the network structure is consistent when "
            "training and loading checkpoint."
        )
        logger.warning(f"{missing} are not loaded.")
    if generations.has_old_meaning("mindspore.load_param_into_net"):
        return missing
    return missing, unused


def _check(net, parameter_dict) -> None:
    if not isinstance(net, Cell):
        raise TypeError(
            f"For 'load_param_into_net', the argument 'net' should be a Cell, but got {type(net)}."
        )
    if not isinstance(parameter_dict, dict):
        raise TypeError(
            "For 'load_param_into_net', the argument 'parameter_dict' should be a dict, "
            f"but got {type(parameter_dict)}."
        )
    for key, value in parameter_dict.items():
        if not isinstance(key, str) or not isinstance(value, (Parameter, str, list)):
            raise TypeError(
                "For 'parameter_dict', the element in the argument 'parameter_dict' should be a "
                f"'str' and 'Parameter' , but got {type(key)} and {type(value)}."
            )


def update_parameter(param: Parameter, new: Parameter, strict: bool) -> None:
    data, shape = new._t, param.shape
    where = f"For 'load_param_into_net', {param.name} in the argument 'net' should have the same"
    if data.shape != shape and not (param._share and param._share.is_own_part(data.shape)):
        if tuple(data.shape) != shape + (1,) * (data.ndim - len(shape)) or data.ndim < len(shape):
            raise RuntimeError(
                f"{where} shape as {param.name} in the argument 'parameter_dict'. But got its shape "
                f"{shape} in the argument 'net' and shape {new.shape} in the argument 'parameter_dict'."
                f"{_CHECK} or the batch size and so on in the 'net' and 'parameter_dict' are same."
            )
        data = data.reshape(shape)
    ours, theirs = str(param.dtype), str(new.dtype)
    if ours != theirs:
        if strict or not any({ours, theirs} <= kind for kind in (_FLOATS, _INTS)):
            raise RuntimeError(
                f"{where} type as {param.name} in the argument 'parameter_dict'. but got its type {ours} in "
                f"the argument 'net' and type {theirs} in the argument 'parameter_dict'.{_CHECK}."
            )
        logger.warning(
            f"The type of {new.name}:{theirs} in 'parameter_dict' is different from the type of it in "
            f"'net':{ours}, then the type convert from {theirs} to {ours} in the network. May consume "
            "additional memory and time"
        )
        data = data.to(param._t.dtype)
    param.set_data(wrap(data))


def _load_by_prefix(params: list, found: dict, missing: list) -> None:
    """Match what is missing to names of the dict that carry a prefix, one prefix after the other."""
    tried = missing[0]
    prefix = None
    while missing and prefix != tried:
        prefix = tried
        for name in missing:
            longer = next((key for key in found if key.endswith(name)), None)
            if longer is not None:
                prefix = longer.removesuffix(name)
                if prefix != tried:
                    break
        if prefix == tried:
            break
        logger.warning(
            f"For 'load_param_into_net', remove parameter prefix name: {prefix}, continue to load."
        )
        before = len(missing)
        for param in params:
            new = found.get(prefix + param.name)
            if param.name in missing and isinstance(new, Parameter):
                update_parameter(param, new, False)
                missing.remove(param.name)
        if len(missing) == before:
            break
