"""How Ascend chips are watched (``mindspore.device_context.ascend.op_debug``): accepted, without effect."""

from ms2torch._checkparam import args_type_check

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]

_CHOICES = {
    "max_opqueue_num": (str,),
    "err_msg_mode": ["0", "1"],
    "dump": [{"dump_scene": "lite_exception"}, {"dump_scene": "lite_exception:disable"}],
}


@args_type_check(op_timeout=int)
def execute_timeout(op_timeout) -> None:
    """Accepted: for how many seconds an operator may run."""


def debug_option(option_value) -> None:
    """Accepted: what an Ascend chip checks while it computes."""


def aclinit_config(config) -> None:
    """Accepted: how Ascend's library starts. ValueError and TypeError for settings that it does not have."""
    told = "For 'ms.device_context.ascend.op_debug.aclinit_config', the "
    for key, value in config.items():
        allowed = _CHOICES.get(key)
        if allowed is None:
            raise ValueError(f"{told}key must be one of {tuple(_CHOICES)}, but got {key}.")
        if isinstance(allowed, list) and value not in allowed:
            raise ValueError(f"{told}value of argument {key} must be one of {allowed}, but got {value}.")
        if isinstance(allowed, tuple) and not isinstance(value, allowed):
            raise TypeError(f"{told}type of argument {key} must be one of {allowed}, but got {type(value)}.")
