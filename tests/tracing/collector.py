"""A collector of traces: a real HTTP server that decodes what OpenTelemetry exporters send."""

import gzip
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tests.support.live_server import live_server


@dataclass
class Collector:
    """An ASGI application that keeps all spans."""

    spans: list[Span] = field(default_factory=list)
    services: set[str] = field(default_factory=set)
    url: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        if request.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        export = ExportTraceServiceRequest.FromString(body)
        for resource in export.resource_spans:
            names = {each.key: each.value.string_value for each in resource.resource.attributes}
            self.services.add(names["service.name"])
            for scoped in resource.scope_spans:
                self.spans.extend(scoped.spans)
        await Response(b"", media_type="application/x-protobuf")(scope, receive, send)

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    def children_of(self, parent: Span) -> Iterator[Span]:
        for span in self.spans:
            if span.parent_span_id == parent.span_id and span.trace_id == parent.trace_id:
                yield span


def attributes(span: Span) -> dict[str, str | int]:
    """Texts and numbers by name."""
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


@asynccontextmanager
async def running_collector() -> AsyncIterator[Collector]:
    collector = Collector()
    async with live_server(collector) as url:
        collector.url = url
        yield collector
