"""The OpenAPI document, built from what the endpoints declare."""

from chatapi.http.openapi._document import build_document
from chatapi.http.openapi._recorded import EXAMPLES_FOLDER
from chatapi.http.openapi._route import document_route

__all__ = ["EXAMPLES_FOLDER", "build_document", "document_route"]
