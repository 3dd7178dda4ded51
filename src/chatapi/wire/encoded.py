"""Values of payloads that are encoded already."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

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


def encoded(value: object) -> Encoded:
    """Encode a value that many responses will contain."""
    json = orjson.dumps(value, option=_OPTIONS)
    return LargeJson(json) if len(json) >= LargeJson.MIN_BYTES else orjson.Fragment(json)


class EncodedObject:
    """The JSON of an object with members; it can be a value of a payload, or be continued."""

    __slots__ = ("_json", "fragment")

    def __init__(self, json: bytes) -> None:
        self._json = json
        self.fragment = orjson.Fragment(json)

    def continued(self, members: Mapping[str, Any]) -> orjson.Fragment:
        """Return the same object with more members."""
        if not members:
            return self.fragment
        return orjson.Fragment(_joined(self._json, members))


class LastingObject:
    """An object whose first members last: they are encoded once, the others when they change.

    What was encoded last is kept, since most readers are shown the same.
    """

    __slots__ = ("_json", "_latest")

    def __init__(self, members: Mapping[str, Any]) -> None:
        self._json = orjson.dumps(members, option=_OPTIONS)
        self._latest: tuple[tuple[object, ...], EncodedObject] | None = None

    def continued(self, names: tuple[str, ...], values: tuple[object, ...]) -> EncodedObject:
        """Return the object with more members; their names are the same each time."""
        if self._latest is not None and self._latest[0] == values:
            return self._latest[1]
        members = dict(zip(names, values, strict=True))
        shown = EncodedObject(_joined(self._json, members))
        self._latest = values, shown
        return shown


def _joined(json: bytes, members: Mapping[str, Any]) -> bytes:
    return b"%b,%b" % (json[:-1], orjson.dumps(members, option=_OPTIONS)[1:])
