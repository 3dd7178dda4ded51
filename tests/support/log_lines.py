"""What the service writes into its log, entry by entry."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typing_extensions import override


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.entries: list[dict[str, Any]] = []

    @override
    def emit(self, record: logging.LogRecord) -> None:
        self.entries.append(
            record.msg if isinstance(record.msg, dict) else {"event": record.getMessage()}
        )


@contextmanager
def collected_log() -> Iterator[list[dict[str, Any]]]:
    """The entries written while the block runs, by an application that has configured logging."""
    collector = _Collector()
    logging.getLogger().addHandler(collector)
    try:
        yield collector.entries
    finally:
        logging.getLogger().removeHandler(collector)
