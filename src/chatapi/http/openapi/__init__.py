"""The OpenAPI document, built from what the endpoints declare."""

from chatapi.http.openapi._document import build_document
from chatapi.http.openapi._events import AnyEvent, client_events, event_type

__all__ = ["AnyEvent", "build_document", "client_events", "event_type"]
