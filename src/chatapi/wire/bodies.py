"""A whole request body as a parameter, for senders whose documents have a form of their own."""

from msgspec import Struct
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


class RequestBody(Struct, frozen=True):
    """The body of a request, as it was sent; the parameters of such a request are in its query."""

    content_type: str
    """The media type declared by the sender, without its parameters."""
    content: bytes

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source, handler
        return core_schema.is_instance_schema(cls)
