"""Small wire types shared by parameters and payloads."""

from typing import Annotated, TypeAlias

from pydantic import Field

from chatapi.core.ids import MAX_ID

Id: TypeAlias = Annotated[int, Field(ge=0, le=MAX_ID)]
"""An id as clients send it: anything both databases can compare."""

UnixSeconds: TypeAlias = int
"""A moment, in whole seconds since 1970-01-01 UTC."""

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
"""Any JSON value."""
