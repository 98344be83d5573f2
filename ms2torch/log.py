"""``mindspore.log``: messages through Python's logging, at the level of ``GLOG_v`` (0 debug to 4)."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time

from ms2torch._naming.surface import install_lazy

__all__ = ["get_level", "get_log_config"]

_LEVELS = dict(
    zip("01234", (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL), strict=True)
)
# Who of several processes this is, by MindSpore's name for it and the launchers'.
_RANKS = ("RANK_ID", "OMPI_COMM_WORLD_RANK", "RANK")
_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_SIZES = {"maxBytes": 50 << 20, "backupCount": 30}
_VARIABLES = {"level": "GLOG_v", "console": "GLOG_logtostderr", "filepath": "GLOG_log_dir",
              "maxBytes": "logger_maxBytes", "backupCount": "logger_backupCount",
              "stderr_level": "GLOG_stderrthreshold"}


class _Formatter(logging.Formatter):
    """``[WARNING] ME(pid:thread,MainProcess):2026-11-21-04:19:50.460.000 [file:line] message``."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime(record.created))
        micro = str(int(record.msecs) * 1000)  # without leading zeros, as MindSpore writes it
        inside = record.pathname.startswith(_PACKAGE)
        place = os.path.relpath(record.pathname, os.path.dirname(_PACKAGE)) if inside else record.pathname
        return (
            f"[{record.levelname}] ME({record.process}:{record.thread},{record.processName}):{moment}."
            f"{micro[:3]}.{micro[3:]} [{place}:{record.lineno}] {record.getMessage()}"
        )


def _get_env_config() -> dict:
    """What the environment says of the log, by MindSpore's short names; of the level always."""
    given = {short: os.environ[name] for short, name in _VARIABLES.items() if os.environ.get(name)}
    return {"level": "2", **given}


def _verify_config(kwargs: dict) -> None:
    """ValueError for a configuration of which MindSpore makes no log."""
    level, console = kwargs.get("level", "2"), kwargs.get("console", "1")
    for number in (level, kwargs.get("stderr_level", "2")):
        if number not in _LEVELS:
            raise ValueError(
                "Incorrect log level, please check the configuration of GLOG_v or GLOG_stderrthreshold, "
                f"desired log level: 4-CRITICAL, 3-ERROR, 2-WARNING, 1-INFO, 0-DEBUG. But got {number}."
            )
    if console not in ("0", "1"):
        raise ValueError(f"Incorrect value, the value of GLOG_logtostderr must be 0 or 1, but got {console}.")
    sizes = {_VARIABLES[name]: int(kwargs.get(name, 0)) for name in ("maxBytes", "backupCount")}
    if console == "1":
        return
    if "filepath" not in kwargs:
        raise ValueError(
            "When GLOG_logtostderr is set to 0, the directory of saving log GLOG_log_dir must be set, "
            "but got it empty."
        )
    for name, size in sizes.items():
        if size < 0:
            raise ValueError(
                f"Incorrect value, the value of {name} must be positive integer. But got {name}:{size}"
            )


def _configuration() -> dict:
    """What the environment says of the log, by variable, checked as MindSpore checks it at its import."""
    given = _get_env_config()
    _verify_config(given)
    found = {"GLOG_v": given["level"], "GLOG_logtostderr": given.get("console", "1")}
    if found["GLOG_logtostderr"] == "1":
        return found
    rank = next((os.environ[name] for name in _RANKS if os.environ.get(name)), "0")
    folder = os.path.join(os.path.realpath(given["filepath"]), f"rank_{rank}", "logs")
    sizes = {_VARIABLES[short]: int(given.get(short, size)) for short, size in _SIZES.items()}
    return {**found, "GLOG_log_dir": folder, **sizes, "GLOG_stderrthreshold": given.get("stderr_level", "2")}


def _get_logger() -> logging.Logger:
    global GLOBAL_LOGGER, _config, _ready
    if _ready and GLOBAL_LOGGER is not None:
        return GLOBAL_LOGGER
    with _lock:
        if GLOBAL_LOGGER is None:
            _config, _ready, GLOBAL_LOGGER = _configuration(), False, logging.getLogger("MindSpore")
        if not _ready:
            found = GLOBAL_LOGGER
            found.propagate = False
            found.setLevel(_LEVELS[_config["GLOG_v"]])
            for handler in [h for h in found.handlers if isinstance(h.formatter, _Formatter)]:
                found.removeHandler(handler)
            for handler in _handlers():
                handler.setFormatter(_Formatter())
                found.addHandler(handler)
            _ready = True
    return GLOBAL_LOGGER


def _handlers():
    """The terminal, and a file for each process where the environment asks for files."""
    terminal = logging.StreamHandler(sys.stderr)
    yield terminal
    folder = _config.get("GLOG_log_dir")
    if folder is None:
        return
    from logging.handlers import RotatingFileHandler

    terminal.setLevel(_LEVELS[_config["GLOG_stderrthreshold"]])
    os.makedirs(folder, mode=0o700, exist_ok=True)
    size, kept = (_config[_VARIABLES[name]] for name in _SIZES)
    yield RotatingFileHandler(
        os.path.join(folder, f"mindspore.log.{os.getpid()}"), maxBytes=size, backupCount=kept, delay=True
    )


_lock = threading.Lock()
# A program that sets this to None gets it anew, of what its environment says by then; else what it writes to
# its environment after the import comes too late, here as there.
GLOBAL_LOGGER: logging.Logger | None = logging.getLogger("MindSpore")
_config = _configuration()
_ready = False


def debug(msg, *args, **kwargs) -> None:
    """Log at debug level."""
    _get_logger().debug(msg, *args, stacklevel=2, **kwargs)


def info(msg, *args, **kwargs) -> None:
    """Log at info level."""
    _get_logger().info(msg, *args, stacklevel=2, **kwargs)


def warning(msg, *args, **kwargs) -> None:
    """Log at warning level."""
    _get_logger().warning(msg, *args, stacklevel=2, **kwargs)


def error(msg, *args, **kwargs) -> None:
    """Log at error level."""
    _get_logger().error(msg, *args, stacklevel=2, **kwargs)


def critical(msg, *args, **kwargs) -> None:
    """Log at critical level."""
    _get_logger().critical(msg, *args, stacklevel=2, **kwargs)


def get_level() -> str:
    """The level as MindSpore counts it: "0" debug, "1" info, "2" warning, "3" error, "4" critical."""
    _get_logger()
    return _config["GLOG_v"]


def get_log_config() -> dict:
    """How the log is configured, by the names of the environment's variables."""
    _get_logger()
    return dict(_config)


class _LogActionOnce:
    """Decorator: what the function warns through ``logger`` is heard once for each ``key``."""

    is_logged: dict = {}

    def __init__(self, logger, key, no_warning: bool = False) -> None:
        self.logger, self.key, self.no_warning = logger, key, no_warning

    def __call__(self, func):
        def call(*args, **kwargs):
            heard = not self.no_warning and self.key not in self.is_logged
            self.is_logged[self.key] = True
            if heard or not hasattr(self.logger, "warning"):
                return func(*args, **kwargs)
            before, self.logger.warning = self.logger.warning, lambda *a, **k: None
            try:
                return func(*args, **kwargs)
            finally:
                self.logger.warning = before

        return call


install_lazy(__name__, globals())
