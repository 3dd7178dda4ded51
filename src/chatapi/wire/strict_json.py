"""JSON as this service reads it: no NaN, no NUL characters, bounded depth and integers."""

import re
from collections.abc import Iterable

import orjson

# What reads and writes the value later gives up at a few hundred levels.
_DEEPEST = 100
# An escaped NUL, but not an escaped backslash followed by the letters u0000.
_ESCAPED_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class NotJsonError(ValueError):
    """The text is not JSON this service accepts."""


def parse_json(text: str) -> object:
    """Decode one JSON value; orjson already refuses NaN and lone surrogates."""
    if "\\u0000" in text and _ESCAPED_NUL.search(text):
        raise NotJsonError("NUL characters are not allowed")
    try:
        value: object = orjson.loads(text)
    except ValueError as error:
        raise NotJsonError(str(error)) from None
    if text.count("[") + text.count("{") > _DEEPEST and _is_too_deep(value):
        message = "nested too deeply"
        raise NotJsonError(message)
    return value


def _is_too_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [child for item in level for child in _children(item)]
        if not level:
            return False
    return True


def _children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
