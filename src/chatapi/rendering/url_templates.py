"""URL templates of RFC 6570; all values are strings."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct

_RESERVED = ":/?#[]@!$&'()*+,;="
_ESCAPE = re.compile(r"(%[0-9A-Fa-f]{2})")
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_NOT_IN_LITERALS = re.compile(r"[\s\x00-\x1f\x7f\"<>\\^`{|}]")
_OPERATOR = re.compile(r"[+#./;?&]?")
_VARIABLE = re.compile(r"(?P<name>\w+)(?:\*|:(?P<longest>[1-9][0-9]{0,3}))?", re.ASCII)


class InvalidTemplateError(ValueError):
    """The text is not a template; the message says why."""


class _Style(NamedTuple):
    """How an operator writes its variables."""

    first: str = ""
    separator: str = ","
    is_named: bool = False
    if_empty: str = ""
    keeps_reserved: bool = False


_STYLES = {
    "": _Style(),
    "+": _Style(keeps_reserved=True),
    "#": _Style(first="#", keeps_reserved=True),
    ".": _Style(first=".", separator="."),
    "/": _Style(first="/", separator="/"),
    ";": _Style(first=";", separator=";", is_named=True),
    "?": _Style(first="?", separator="&", is_named=True, if_empty="="),
    "&": _Style(first="&", separator="&", is_named=True, if_empty="="),
}


class _Variable(Struct, frozen=True):
    name: str
    longest: int | None

    def write(self, value: str, style: _Style) -> str:
        value = value[: self.longest]
        written = _keep_reserved(value) if style.keeps_reserved else quote(value, safe="")
        if not style.is_named:
            return written
        return f"{self.name}={written}" if written else f"{self.name}{style.if_empty}"


class _Expression(Struct, frozen=True):
    operator: str
    variables: tuple[_Variable, ...]

    def expand(self, values: Mapping[str, str | None]) -> str:
        style = _STYLES[self.operator]
        written = [
            variable.write(value, style)
            for variable in self.variables
            if (value := values.get(variable.name)) is not None
        ]
        return style.first + style.separator.join(written) if written else ""

    @property
    def is_simple(self) -> bool:
        return not self.operator and [each.longest for each in self.variables] == [None]


class UrlTemplate(Struct, frozen=True, dict=True):
    """A parsed template."""

    parts: tuple[str | _Expression, ...]
    """Literal texts and expressions, in order."""

    @classmethod
    def parse(cls, text: str) -> "UrlTemplate":
        parts: list[str | _Expression] = []
        # Every second part was in braces.
        for number, part in enumerate(_EXPRESSION.split(text)):
            parts.append(_read_expression(part) if number % 2 else _read_literal(part))
        return cls(tuple(part for part in parts if part))

    @cached_property
    def variables(self) -> frozenset[str]:
        return frozenset(
            variable.name
            for part in self.parts
            if isinstance(part, _Expression)
            for variable in part.variables
        )

    def expand(self, values: Mapping[str, str | None]) -> str:
        """Returns the URL; variables without a value are left out."""
        return "".join(
            part if isinstance(part, str) else part.expand(values) for part in self.parts
        )

    def as_format_string(self) -> str | None:
        """The same as `%(name)s`, for clients without template support; None if impossible."""
        written = ""
        for part in self.parts:
            if isinstance(part, str):
                written += part.replace("%", "%%")
            elif part.is_simple:
                written += f"%({part.variables[0].name})s"
            else:
                return None
        return written


def _read_literal(text: str) -> str:
    found = _NOT_IN_LITERALS.search(text)
    if found is not None:
        raise InvalidTemplateError(f"{found[0]!r} is not allowed here")
    return _keep_reserved(text)


def _read_expression(text: str) -> _Expression:
    operator = _OPERATOR.match(text)
    start = 0 if operator is None else operator.end()
    variables = [_VARIABLE.fullmatch(each) for each in text[start:].split(",")]
    return _Expression(text[:start], tuple(_read_variable(each, text) for each in variables))


def _read_variable(found: re.Match[str] | None, expression: str) -> _Variable:
    if found is None:
        raise InvalidTemplateError(f"'{{{expression}}}' is no expression")
    return _Variable(found["name"], int(found["longest"]) if found["longest"] else None)


def _keep_reserved(text: str) -> str:
    """Quote a text except reserved characters and escapes it already has."""
    parts = _ESCAPE.split(text)
    return "".join(
        part if number % 2 else quote(part, safe=_RESERVED) for number, part in enumerate(parts)
    )
