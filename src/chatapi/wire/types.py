"""Small wire types shared by parameters and payloads."""

from typing import Annotated, Any, TypeAlias

from msgspec import Struct
from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from chatapi.core.ids import MAX_ID

Id: TypeAlias = Annotated[int, Field(ge=0, le=MAX_ID)]
"""An id sent by a client: any number that both databases can compare."""

ChannelInPath: TypeAlias = Annotated[
    Id, Field(description="The channel, by its `stream_id` in `GET /streams`.")
]
MessageInPath: TypeAlias = Annotated[
    Id, Field(description="The message, by its `id` in `GET /messages` or in a `message` event.")
]
UserInPath: TypeAlias = Annotated[
    Id, Field(description="The user, by their `user_id` in `GET /users`.")
]
"""Ids in the paths of many endpoints."""

RestOfPath: TypeAlias = Annotated[str, Field(json_schema_extra={"format": "path"})]
"""The last part of a path, which may contain slashes."""

UnixSeconds: TypeAlias = int
"""A point in time, in whole seconds since 1970-01-01 UTC."""

DEPRECATED: Any = Field(json_schema_extra={"deprecated": True})
"""Marks a key or parameter that is kept for existing clients: `Annotated[str, DEPRECATED]`."""

LanguageCode: TypeAlias = Annotated[
    str, Field(max_length=50, pattern=r"^[a-z]{2,3}([_-][A-Za-z]{2,8})?$", examples=["en"])
]
"""A language and perhaps its variety, such as `de` or `pt-br`."""

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
"""Any JSON value."""


class ShapeOf(Struct, frozen=True):
    """Documents a value as the type it was dumped from: `Annotated[dict, ShapeOf(M)]`."""

    model: Any

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source
        return handler.generate_schema(self.model)
