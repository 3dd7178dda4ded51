"""What the service tells about the course of a request; without tracing, nothing is recorded."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Protocol


class Wait(Protocol):
    """Entered around each wait for a response of the database."""

    def __enter__(self) -> object: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None: ...


class OutboundCall:
    """A call of another service under way."""

    traceparent: str | None = None
    """The header that tells the service to which trace the call belongs, if to any."""

    def responded(self, status: int) -> None:
        """The service responded."""


class Tracing:
    """Called where a span begins or continues. Does nothing itself: see the package `tracing`."""

    def traceparent(self) -> str | None:
        """The trace of the request that is running, to continue it later; None if there is none."""
        return None

    def outbound_call(
        self, host: str, traceparent: str | None
    ) -> AbstractContextManager[OutboundCall]:
        """Enter it around a call of another service, which continues a trace."""
        del host, traceparent
        return _not_traced()


@contextmanager
def _not_traced() -> Iterator[OutboundCall]:
    yield OutboundCall()
