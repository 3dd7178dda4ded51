"""A file as a parameter: what came with a multipart form."""

from dataclasses import dataclass
from typing import IO, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True, eq=False)
class UploadedFile:
    """A file somebody sends; its content lies outside memory and goes with the request."""

    name: str
    """What the client calls it; it can be anything."""
    content_type: str
    """What the client takes it for."""
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
