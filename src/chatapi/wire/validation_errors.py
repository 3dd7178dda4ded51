"""Converts validation errors to messages that name the parameter."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_MAX_STEP_LENGTH = 60

_Place = tuple[int | str, ...]

_SENTENCES: Mapping[str, str] = {
    "missing": "Missing '{name}' argument",
    "string_type": "{name} is not a string",
    "int_type": "{name} is not an integer",
    "int_from_float": "{name} is not an integer",
    "float_type": "{name} is not a number",
    "bool_type": "{name} is not a boolean",
    "list_type": "{name} is not a list",
    "dict_type": "{name} is not a dict",
    "model_type": "{name} is not a dict",
    "model_attributes_type": "{name} is not a dict",
    "none_required": "{name} must be null",
    "extra_forbidden": "{name} is not a known key",
    "string_too_long": "{name} is too long (limit: {max_length} characters)",
    "string_too_short": "{name} cannot be empty",
    "string_pattern_mismatch": "{name} has the wrong form",
    "too_long": "{name} has too many entries (limit: {max_length})",
    "too_short": "{name} has too few entries (at least: {min_length})",
    "greater_than_equal": "{name} is too small (at least: {ge})",
    "greater_than": "{name} is too small (more than: {gt})",
    "less_than_equal": "{name} is too large (at most: {le})",
    "less_than": "{name} is too large (less than: {lt})",
    "finite_number": "{name} is not a finite number",
}


def message_for(error: ValidationError, value: object, parameter: str | None = None) -> str:
    """Returns a message for the first error in `value`, which is what was validated.

    `parameter` is the name of a value that was validated alone; without it, `value` is a dict of
    parameters.
    """
    outside = () if parameter is None else (parameter,)
    given = value if parameter is None else {parameter: value}
    faults = [
        (fault, _without_key_mark((*outside, *fault["loc"])))
        for fault in error.errors(include_url=False, include_input=False)
    ]
    first, place = faults[0]
    if not place:
        # A rule about several parameters names them itself.
        return str(first.get("ctx", {}).get("error", first["msg"]))
    return _describe(faults, given)


def _without_key_mark(place: _Place) -> _Place:
    """The place of an entry whose key is wrong; Pydantic adds a step for the key itself."""
    return place[:-1] if place[-1:] == ("[key]",) else place


def _describe(faults: Sequence[tuple[ErrorDetails, _Place]], value: object) -> str:
    """The sentence for the first fault, or for the union of types in which it is."""
    first, place = faults[0]
    fork = _depth_of_alternative(first, place, value)
    if fork is None:
        return sentence_for(first, parameter_path(place))
    meant = [
        (fault, other)
        for fault, other in faults
        if other[:fork] == place[:fork] and not _is_other_type(fault, other, fork)
    ]
    if len({other[fork] for _, other in meant}) == 1 and len(meant[0][1]) > fork + 1:
        return _describe(
            [(fault, other[:fork] + other[fork + 1 :]) for fault, other in meant], value
        )
    return f"{parameter_path(place[:fork])} has an unsupported type or value"


def _depth_of_alternative(
    fault: ErrorDetails,
    place: _Place,
    value: Any,  # noqa: ANN401 (any JSON value)
) -> int | None:
    """The depth at which a place names a type of a union, and no part of the value.

    Pydantic names the alternative it tried in the midst of keys and indexes. Such names mean
    nothing to a client.
    """
    for depth, step in enumerate(place):
        if not _has_part(value, step):
            is_missing_key = fault["type"] == "missing" and depth == len(place) - 1
            return None if is_missing_key else depth
        value = value[step]
    return None


def _has_part(value: Any, step: int | str) -> bool:  # noqa: ANN401 (any JSON value)
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, dict) and step in value


def _is_other_type(fault: ErrorDetails, place: _Place, fork: int) -> bool:
    """Whether the value has another type than an alternative, so that one was not meant."""
    return len(place) == fork + 1 and fault["type"].endswith("_type")


def sentence_for(fault: ErrorDetails, name: str) -> str:
    context = fault.get("ctx", {})
    if fault["type"] == "value_error":
        # Our own validators raise complete messages.
        return f"{name}: {context['error']}"
    if fault["type"] in {"literal_error", "enum"}:
        return f"Invalid {name}; expected {context['expected']}"
    template = _SENTENCES.get(fault["type"])
    if template is None:
        return f"Invalid {name}: {fault['msg']}"
    return template.format_map({**context, "name": name})


def parameter_path(location: tuple[int | str, ...]) -> str:
    """`("subscriptions", 0, "name")` reads `subscriptions[0]["name"]`."""
    root, *rest = location
    return _shortened(root) + "".join(
        f"[{step}]" if isinstance(step, int) else f'["{_shortened(step)}"]' for step in rest
    )


def _shortened(step: int | str) -> str:
    """Shorten a key: it can be as long as the request, and a message must not repeat all of it."""
    text = str(step)
    return text if len(text) <= _MAX_STEP_LENGTH else f"{text[:_MAX_STEP_LENGTH]}…"
