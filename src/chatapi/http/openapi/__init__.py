"""The OpenAPI document, built from what the endpoints declare."""

from chatapi.http.openapi._document import build_document

__all__ = ["build_document"]
