"""Strict JSON parsing: no NaN, no NUL characters, bounded depth, size and integers."""

from array import array
from itertools import accumulate

import orjson

# Code that reads and writes the value later fails at a few hundred levels.
_DEEPEST = 100
# Enough for the longest list any parameter accepts; more would block other requests.
_MAX_SEPARATORS = 120_000
# The values of a shorter text are not counted.
_SHORT = 1_000
# One level down for each opening bracket, one up for each closing one, as signed bytes.
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[{]}"))


class NotJsonError(ValueError):
    """The text is not JSON this service accepts."""


class TooManyValuesError(ValueError):
    """The text has more values than any endpoint needs."""


class JsonBudget:
    """How many JSON values one request may contain, in all its parameters together.

    A comma, a colon or an opening bracket comes before every value but the first: they are counted
    before a text is parsed.
    """

    def __init__(self) -> None:
        self._left = _MAX_SEPARATORS

    def parse(self, text: str) -> object:
        """Decode one JSON value; raises an error if the request has too many values."""
        if len(text) > _SHORT:
            self._charge(text)
        return _parse(text)

    def _charge(self, text: str) -> None:
        count = _count_separators(text)
        if count > self._left:
            count = self._count_outside_strings(text)
        self._left -= count

    def _count_outside_strings(self, text: str) -> int:
        bare = _without_escapes(text)
        # So few separators leave no room for more strings.
        has_few_strings = bare.count('"') <= 2 * (self._left + 1)
        count = _count_separators(_without_strings(bare)) if has_few_strings else len(bare)
        if count > self._left:
            raise TooManyValuesError
        return count


def _parse(text: str) -> object:
    """Decode JSON; orjson already refuses NaN and lone surrogates."""
    # An escaped backslash, followed by the letters u0000, is not an escape.
    if "\\u0000" in text and "\\u0000" in text.replace("\\\\", ""):
        raise NotJsonError("NUL characters are not allowed")
    try:
        value: object = orjson.loads(text)
    except ValueError as error:
        raise NotJsonError(str(error)) from None
    if text.count("[") + text.count("{") > _DEEPEST and _is_too_deep(text):
        message = "nested too deeply"
        raise NotJsonError(message)
    return value


def _count_separators(text: str) -> int:
    return text.count(",") + text.count(":") + text.count("[") + text.count("{")


def _without_escapes(text: str) -> str:
    """Remove escapes: in the result each quotation mark begins or ends a string."""
    return text.replace("\\\\", "").replace('\\"', "") if "\\" in text else text


def _without_strings(bare: str) -> str:
    return "".join(bare.split('"')[::2])


def _is_too_deep(text: str) -> bool:
    """Whether valid JSON is nested too deeply."""
    outside = _without_strings(_without_escapes(text)).encode()
    levels = accumulate(array("b", outside.translate(_STEPS, _NO_BRACKETS)))
    return max(levels, default=0) > _DEEPEST
