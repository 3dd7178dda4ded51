"""A file as a parameter, from a multipart form."""

from typing import IO, Any

from msgspec import Struct
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


class UploadedFile(Struct, frozen=True, eq=False):
    """An uploaded file; its content is kept outside memory and deleted with the request."""

    name: str
    """The name given by the client; it can be anything."""
    content_type: str
    """The content type declared by the client."""
    size: int
    digest: str
    """The SHA-256 of the content, in hexadecimal."""
    content: IO[bytes]

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source, handler
        return core_schema.is_instance_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        del schema, handler
        described: dict[str, Any] = {
            "type": "string",
            "format": "binary",
            "examples": ["The content of a file"],
        }
        return described
