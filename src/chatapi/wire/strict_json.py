"""JSON as this service reads it: no NaN, no NUL characters, bounded depth and integers."""

import re

import orjson

# An escaped NUL, but not an escaped backslash followed by the letters u0000.
_ESCAPED_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class NotJsonError(ValueError):
    """The text is not JSON this service accepts."""


def parse_json(text: str) -> object:
    """Decode one JSON value; orjson already refuses NaN, deep nesting and lone surrogates."""
    if "\\u0000" in text and _ESCAPED_NUL.search(text):
        raise NotJsonError("NUL characters are not allowed")
    try:
        value: object = orjson.loads(text)
    except ValueError as error:
        raise NotJsonError(str(error)) from None
    return value
