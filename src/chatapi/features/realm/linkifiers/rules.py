"""Rules for linkifiers; pure."""

import re
from collections.abc import Set as AbstractSet

from chatapi.core.errors import BadRequestError
from chatapi.features.realm.linkifiers.records import LinkifierDefinition
from chatapi.rendering import InvalidPatternError, InvalidTemplateError, Pattern, UrlTemplate

_SCHEMES = ("https://", "http://")
_PLACE = re.compile(r"\{(\w+)\}")


def check_linkifier(linkifier: LinkifierDefinition) -> None:
    """Refuse a linkifier that could not produce links, and name the invalid parameter."""
    pattern = _check_pattern(linkifier.pattern)
    _check_template("url_template", linkifier.url_template, pattern.names)
    for number, template in enumerate(linkifier.alternative_url_templates):
        _check_template(f"alternative_url_templates[{number}]", template, pattern.names)
    if linkifier.reverse_template is not None:
        _check_reverse_template(linkifier.reverse_template, pattern.names)
    if linkifier.example_input is not None and not pattern.is_all_of(linkifier.example_input):
        raise BadRequestError("example_input: Does not match the pattern")


def _check_pattern(text: str) -> Pattern:
    try:
        pattern = Pattern(text)
    except InvalidPatternError as error:
        raise BadRequestError(f"pattern: Bad regular expression: {error}") from None
    if pattern.is_all_of(""):
        raise BadRequestError("pattern: Must not match an empty text")
    return pattern


def _check_template(parameter: str, text: str, names: AbstractSet[str]) -> None:
    try:
        template = UrlTemplate.parse(text)
    except InvalidTemplateError as error:
        raise BadRequestError(f"{parameter}: Invalid URL template: {error}") from None
    if not text.startswith(_SCHEMES):
        raise BadRequestError(f"{parameter}: Must begin with https:// or http://")
    _check_names(parameter, template.variables, names)


def _check_reverse_template(text: str, names: AbstractSet[str]) -> None:
    """It produces text, not a URL: only simple variables are supported."""
    if re.search(r"[{}]", _PLACE.sub("", text)):
        raise BadRequestError("reverse_template: Invalid template")
    _check_names("reverse_template", frozenset(_PLACE.findall(text)), names)


def _check_names(parameter: str, variables: AbstractSet[str], names: AbstractSet[str]) -> None:
    for name in sorted(names - variables):
        raise BadRequestError(
            f"{parameter}: Group '{name}' in linkifier pattern is not present in the template"
        )
    for name in sorted(variables - names):
        raise BadRequestError(
            f"{parameter}: '{name}' in the template is not a group of the linkifier pattern"
        )
