"""Structured logs: JSON or coloured console output, without secrets."""

import asyncio
import logging
import re
import sys
from collections.abc import MutableMapping

import structlog

from chatapi.core.settings import Settings

_SECRET_NAMES = re.compile(r"password|api_key|authorization|secret|token", re.IGNORECASE)
_URL_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
_OF_UNICODE = r"\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Line separators and bidirectional control characters."""
_CONTROL_CHARACTERS = re.compile(rf"[\x00-\x1f\x7f-\x9f{_OF_UNICODE}]")
_NOT_LAYOUT = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_OF_UNICODE}]")

LogEntry = MutableMapping[str, object]


def configure_logging(settings: Settings) -> None:
    """Send structlog and the standard library through the same processors."""
    as_json = settings.log_format == "json" or (
        settings.log_format == "auto" and not sys.stderr.isatty()
    )
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        hide_secrets,
        escape_control_characters,
    ]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    handler.addFilter(_is_no_cancellation)
    logging.basicConfig(handlers=[handler], level=settings.log_level.upper(), force=True)
    # Each of these logs lines per connection or per statement that are not useful.
    for noisy in ("uvicorn.error", "uvicorn.access", "alembic", "asyncio", "aiosqlite"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[settings.log_level.upper()]
        ),
        logger_factory=structlog.stdlib.LoggerFactory(),
        # A cached logger would keep the level of the first configuration for ever.
        cache_logger_on_first_use=False,
    )


def _is_no_cancellation(record: logging.LogRecord) -> bool:
    """Whether to write a line of a library: pools report connections of tasks that were cancelled.

    Such a task has been told to end, as by Ctrl-C: there is nothing to mend.
    """
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def hide_secrets(_logger: object, _method: str, entry: LogEntry) -> LogEntry:
    """Replace values whose name looks like a secret's, wherever they come from."""
    for name, value in entry.items():
        if _SECRET_NAMES.search(name):
            entry[name] = "***"
        elif isinstance(value, str):
            entry[name] = _URL_CREDENTIALS.sub("***@", value)
    return entry


def escape_control_characters(_logger: object, _method: str, entry: LogEntry) -> LogEntry:
    """Escape control characters: text of users must not control a terminal or fake a log line."""
    for name, value in entry.items():
        if isinstance(value, str):
            # The layout of a traceback is ours; only the text it quotes comes from users.
            forbidden = _NOT_LAYOUT if name == "exception" else _CONTROL_CHARACTERS
            entry[name] = forbidden.sub(lambda match: repr(match[0])[1:-1], value)
    return entry
