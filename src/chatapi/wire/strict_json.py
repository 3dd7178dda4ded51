"""Strict JSON parsing: no NaN, no NUL characters, bounded depth, size and integers."""

from array import array
from itertools import accumulate
from typing import final

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
    """The text is not JSON this service accepts; the message says where and why."""


class NulCharacterError(NotJsonError):
    """A string in the JSON contains a NUL character, which not every database can store."""


class TooManyValuesError(ValueError):
    """The text has more values than any endpoint needs."""


class TooManyMembersError(ValueError):
    """The object has more members than a request may have parameters."""


@final
class JsonValue:
    """A parameter from a JSON body: the value itself, where a form has the text of it."""

    __slots__ = ("holds_nul", "value")

    def __init__(self, value: object, *, holds_nul: bool = False) -> None:
        self.value = value
        self.holds_nul = holds_nul
        """Whether a string of it contains a NUL character."""

    def canonical(self) -> str:
        """Returns a text that is the same for equal values, whatever the order of their keys.

        It begins with a NUL character, so that it differs from every text of a form.
        """
        return "\0" + orjson.dumps(self.value, option=orjson.OPT_SORT_KEYS).decode()


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
        # Every parameter of a form passes here: a call for each would be noticed.
        if "\\u0000" in text and _has_escaped_nul(text):
            raise NulCharacterError("NUL characters are not allowed")
        return _parse(text, _DEEPEST)

    def parse_body(self, text: str, max_members: int) -> dict[str, JsonValue] | None:
        """Decode the object that is a whole request body; None if it is any other value.

        Its members may be nested as deeply as values of a form, and tell whether they hold NULs.
        """
        if len(text) > _SHORT:
            self._charge(text)
        parsed = _parse(text, _DEEPEST + 1)
        if not isinstance(parsed, dict):
            return None
        if len(parsed) > max_members:
            raise TooManyMembersError
        if _has_escaped_nul(text):
            return {
                name: JsonValue(value, holds_nul=_has_escaped_nul(orjson.dumps(value).decode()))
                for name, value in parsed.items()
            }
        return {name: JsonValue(value) for name, value in parsed.items()}

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


def _has_escaped_nul(text: str) -> bool:
    # An escaped backslash, followed by the letters u0000, is not an escape.
    return "\\u0000" in text and "\\u0000" in text.replace("\\\\", "")


def _parse(text: str, deepest: int) -> object:
    """Decode JSON; orjson already refuses NaN and lone surrogates."""
    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg} at line {error.lineno} column {error.colno}") from None
    if text.count("[") + text.count("{") > deepest and _is_too_deep(text, deepest):
        message = f"nested more than {deepest} levels deep"
        raise NotJsonError(message)
    return value


def _count_separators(text: str) -> int:
    return text.count(",") + text.count(":") + text.count("[") + text.count("{")


def _without_escapes(text: str) -> str:
    """Remove escapes: in the result each quotation mark begins or ends a string."""
    return text.replace("\\\\", "").replace('\\"', "") if "\\" in text else text


def _without_strings(bare: str) -> str:
    return "".join(bare.split('"')[::2])


def _is_too_deep(text: str, deepest: int) -> bool:
    """Whether valid JSON is nested too deeply."""
    outside = _without_strings(_without_escapes(text)).encode()
    levels = accumulate(array("b", outside.translate(_STEPS, _NO_BRACKETS)))
    return max(levels, default=0) > deepest
