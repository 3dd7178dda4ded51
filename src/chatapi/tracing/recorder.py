"""Begins spans, and sends them to a collector in batches, from a thread of its own."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from typing_extensions import override

from chatapi import __version__
from chatapi.core.tracing import OutboundCall, Tracing

_FLUSH_SECONDS = 1.0
"""How long the end of the process waits for the last spans to be sent."""
_FIRST_ERROR = 400

propagator = TraceContextTextMapPropagator()


class TraceRecorder(Tracing):
    """Records spans of one process; the OTEL_* variables say where they go, and how many."""

    def __init__(self) -> None:
        self._provider = TracerProvider(resource=_resource())
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self.tracer = self._provider.get_tracer("chatapi", __version__)

    @override
    def traceparent(self) -> str | None:
        carrier: dict[str, str] = {}
        propagator.inject(carrier)
        return carrier.get("traceparent")

    @contextmanager
    @override
    def outbound_call(self, host: str, traceparent: str | None) -> Iterator[OutboundCall]:
        carrier = {} if traceparent is None else {"traceparent": traceparent}
        with self.tracer.start_as_current_span(
            "POST",
            propagator.extract(carrier),
            SpanKind.CLIENT,
            {"http.request.method": "POST", "server.address": host},
        ) as span:
            yield _TracedCall(span, self.traceparent())

    async def close(self) -> None:
        """Send what is left; a collector that does not respond delays the end by a second."""
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def end() -> None:
            self._provider.shutdown()
            try:
                loop.call_soon_threadsafe(ended.set)
            except RuntimeError:
                # The loop was closed meanwhile: no task waits any more.
                return

        # Not a thread of a pool: the interpreter would wait for that.
        threading.Thread(target=end, daemon=True).start()
        try:
            await asyncio.wait_for(ended.wait(), _FLUSH_SECONDS)
        except TimeoutError:
            return


def _resource() -> Resource:
    """This service; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES may give it another name."""
    resource = Resource.create({"service.version": __version__})
    if str(resource.attributes["service.name"]).startswith("unknown_service"):
        return resource.merge(Resource({"service.name": "chatapi"}))
    return resource


class _TracedCall(OutboundCall):
    def __init__(self, span: Span, traceparent: str | None) -> None:
        self._span = span
        self.traceparent = traceparent

    @override
    def responded(self, status: int) -> None:
        self._span.set_attribute("http.response.status_code", status)
        if status >= _FIRST_ERROR:
            self._span.set_status(Status(StatusCode.ERROR))
