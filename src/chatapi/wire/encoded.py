"""Values of payloads that are encoded already."""

import hashlib
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Self, TypeAlias

import orjson
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema

_OPTIONS = orjson.OPT_NON_STR_KEYS


class EncodedAs:
    """Documents JSON that is encoded already as a payload: `Annotated[Fragment, EncodedAs(P)]`."""

    def __init__(self, payload: type) -> None:
        self._payload = payload

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source
        return handler.generate_schema(self._payload)


class LargeJson(bytes):
    """JSON that many responses contain, and that is sent without being copied into each of them."""

    MIN_BYTES: ClassVar[int] = 64 * 1024

    @cached_property
    def digest(self) -> bytes:
        """Stands for the JSON in entity tags: to read it for each response takes milliseconds."""
        return hashlib.sha256(self).digest()


Encoded: TypeAlias = orjson.Fragment | LargeJson
"""A value of a payload that is encoded already."""

SharedBodies: TypeAlias = dict[Hashable, bytes]
"""Bodies of responses that are sent together, each encoded and compressed once for all of them."""


def encoded(value: object) -> Encoded:
    """Encode a value that many responses will contain."""
    return as_encoded(orjson.dumps(value, option=_OPTIONS))


def as_encoded(json: bytes) -> Encoded:
    """Return JSON as a value of many responses."""
    return LargeJson(json) if len(json) >= LargeJson.MIN_BYTES else orjson.Fragment(json)


class EncodedObject:
    """The JSON of an object with members; it can be a value of a payload, or be continued."""

    __slots__ = ("_json", "fragment")

    def __init__(self, json: bytes) -> None:
        self._json = json
        self.fragment = orjson.Fragment(json)

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Self:
        """Encode the members of an object."""
        return cls(orjson.dumps(members, option=_OPTIONS))

    def continued(self, members: Mapping[str, Any]) -> orjson.Fragment:
        """Return the same object with more members."""
        if not members:
            return self.fragment
        more = orjson.dumps(members, option=_OPTIONS)
        return orjson.Fragment(b"%b,%b" % (self._json[:-1], more[1:]))
