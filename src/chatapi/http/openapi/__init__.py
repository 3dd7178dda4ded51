"""The OpenAPI document, built from what the endpoints declare."""

from chatapi.http.openapi._document import build_document
from chatapi.http.openapi._recorded import EXAMPLES_FOLDER

__all__ = ["EXAMPLES_FOLDER", "build_document"]
