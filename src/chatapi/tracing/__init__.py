"""Traces for OpenTelemetry; imported only if CHATAPI_TRACING is `on`."""

from chatapi.tracing.database import trace_database
from chatapi.tracing.recorder import TraceRecorder
from chatapi.tracing.requests import TracedRequests

__all__ = ["TraceRecorder", "TracedRequests", "trace_database"]
