"""Settings of parameter-server training, which ms2torch does not have."""

from __future__ import annotations

from ms2torch._core.errors import unsupported
from ms2torch._naming.surface import install_lazy

_DEFAULTS = {
    "server_mode": "",
    "ms_role": "",
    "enable_ps": False,
    "worker_num": 0,
    "server_num": 0,
    "scheduler_ip": "",
    "scheduler_port": 6667,
    "enable_ssl": False,
    "client_password": "",
    "server_password": "",
    "config_file_path": "",
}
_values = dict(_DEFAULTS)


def _set_ps_context(**kwargs) -> None:
    for key, value in kwargs.items():
        if key not in _values:
            raise ValueError(f"Set PS context keyword {key} is not recognized!")
        if key == "enable_ps" and value:
            raise unsupported(
                "set_ps_context(enable_ps=True)",
                "parameter servers are not supported by ms2torch.",
                "train in data-parallel mode.",
            )
        _values[key] = value


def _get_ps_context(attr_key):
    if attr_key not in _values or attr_key.endswith("_password"):
        raise ValueError(f"Get PS context keyword {attr_key} is not recognized!")
    return _values[attr_key]


def _reset_ps_context() -> None:
    _values.update(_DEFAULTS)


def _need_reset_device_target_for_ps(target) -> bool:
    return False


def _is_role_sched() -> bool:
    return False


def _is_role_pserver() -> bool:
    return False


def _is_role_worker() -> bool:
    return False


def _is_ps_mode() -> bool:
    return False


install_lazy(__name__, globals())
