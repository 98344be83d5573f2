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
_lock = threading.Lock()
_logger: logging.Logger | None = None


class _Formatter(logging.Formatter):
    """``[WARNING] ME(pid:thread,MainProcess):2026-11-21-04:19:50.460.00 [file:line] message``."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime(record.created))
        place = os.path.join(*record.pathname.split(os.sep)[-3:])
        return (
            f"[{record.levelname}] ME({record.process}:{record.thread},{record.processName}):{moment}."
            f"{int(record.msecs):03d}.00 [{place}:{record.lineno}] "
            f"{record.getMessage()}"
        )


def _get_logger() -> logging.Logger:
    global _logger
    with _lock:
        if _logger is None:
            _logger = logging.getLogger("MindSpore")
            _logger.propagate = False
            _logger.setLevel(_LEVELS.get(os.environ.get("GLOG_v", "2"), logging.WARNING))  # noqa: SIM112
            if not _logger.handlers:
                handler = logging.StreamHandler(sys.stderr)
                handler.setFormatter(_Formatter())
                _logger.addHandler(handler)
    return _logger


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
    level = _get_logger().level
    return next((k for k, v in _LEVELS.items() if v == level), "2")


def get_log_config() -> dict[str, str]:
    """The environment variables that configure the log, with the defaults of the level and of its target."""
    names = ("GLOG_v", "GLOG_log_dir", "GLOG_logtostderr", "logger_maxBytes", "logger_backupCount")
    given = {name: os.environ[name] for name in names if name in os.environ}
    return {"GLOG_v": get_level(), "GLOG_logtostderr": "1", **given}


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
