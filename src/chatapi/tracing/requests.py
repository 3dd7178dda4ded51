"""A span for each request, which continues the trace of the client."""

from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace import format_trace_id as hexadecimal
from starlette.types import ASGIApp, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from chatapi.http.request import ApiRequest
from chatapi.tracing.recorder import TraceRecorder, propagator

_FIRST_SERVER_ERROR = 500


class TracedRequests:
    """ASGI middleware around the service's own."""

    def __init__(self, app: ASGIApp, recorder: TraceRecorder) -> None:
        self._app = app
        self._tracer = recorder.tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Log lines of the request get its trace id, that of the access log included."""
        method: str = scope["method"]
        with self._tracer.start_as_current_span(
            method, propagator.extract(_trace_headers(scope)), SpanKind.SERVER
        ) as span:
            with bound_contextvars(trace_id=hexadecimal(span.get_span_context().trace_id)):
                answer = self._app(scope, receive, send)
                request: ApiRequest = scope["request"]
                await answer
            status = request.response_status
            # The declared path, not the one the client sent, which may name people.
            span.update_name(f"{method} {request.route_path}")
            span.set_attributes(
                {
                    "http.request.method": method,
                    "http.route": request.route_path,
                    "http.response.status_code": status,
                    "chatapi.request_id": request.request_id,
                    "chatapi.realm": request.realm_name or "",
                }
            )
            if request.charged_user_id is not None:
                span.set_attribute("enduser.id", str(request.charged_user_id))
            if status >= _FIRST_SERVER_ERROR:
                span.set_status(Status(StatusCode.ERROR))


def _trace_headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in scope["headers"]
        if name in {b"traceparent", b"tracestate"}
    }
