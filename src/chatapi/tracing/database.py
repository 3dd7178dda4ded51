"""A span for each statement and each commit of a request."""

from types import TracebackType

from opentelemetry import context, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer
from sqlalchemy import event

from chatapi.core.tracing import Wait
from chatapi.db.database import Database
from chatapi.tracing.recorder import TraceRecorder

_SYSTEM = "db.system.name"


def trace_database(database: Database, recorder: TraceRecorder) -> None:
    """Record the spans of all connections that are opened from now on."""
    system = "sqlite" if database.is_sqlite else "postgresql"
    database.trace_wait = lambda wait: _TracedWait(wait, recorder.tracer, system)
    database.trace_statement = _name_span
    event.listen(
        database.engine.sync_engine,
        "before_cursor_execute",
        lambda _connection, _cursor, statement, *_rest: _name_span(statement),
    )


def _name_span(statement: str) -> None:
    """Name the span of a statement: only here its text is known. It has no values."""
    span = trace.get_current_span()
    attributes = getattr(span, "attributes", None)
    if attributes is not None and _SYSTEM in attributes:
        span.update_name(statement.split(maxsplit=1)[0].upper())
        span.set_attribute("db.query.text", statement)


class _TracedWait:
    """Around each wait of one connection, which waits for one response at a time.

    Work that no request asked for, such as looking for due messages twice a second, has no span.
    """

    def __init__(self, wait: Wait, tracer: Tracer, system: str) -> None:
        self._wait = wait
        self._tracer = tracer
        self._system = system
        self._running: tuple[Span, object] | None = None

    def __enter__(self) -> object:
        if trace.get_current_span().is_recording():
            # A statement gets its own name; a commit has none.
            span = self._tracer.start_span(
                "COMMIT", kind=SpanKind.CLIENT, attributes={_SYSTEM: self._system}
            )
            self._running = span, context.attach(trace.set_span_in_context(span))
        return self._wait.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace_back: TracebackType | None,
    ) -> bool | None:
        try:
            return self._wait.__exit__(kind, error, trace_back)
        finally:
            if self._running is not None:
                span, token = self._running
                self._running = None
                context.detach(token)  # type: ignore[arg-type]  # what attach returned
                if kind is not None:
                    span.set_status(Status(StatusCode.ERROR, kind.__name__))
                span.end()
