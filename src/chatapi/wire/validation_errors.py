"""Converts validation errors to messages that name the parameter."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

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


def message_for(error: ValidationError, parameter: str | None = None) -> str:
    """Returns a message for the first error; `parameter` is the name of a value validated alone."""
    outside = () if parameter is None else (parameter,)
    faults = error.errors(include_url=False, include_input=False)
    places = [(*outside, *fault["loc"]) for fault in faults]
    if not places[0]:
        # A rule about several parameters names them itself.
        return str(faults[0].get("ctx", {}).get("error", faults[0]["msg"]))
    root = places[0][0]
    found = [each for each in zip(faults, places, strict=True) if each[1][0] == root]
    fork = _depth_of_fork([place for _, place in found])
    if fork is None:
        return sentence_for(faults[0], parameter_path(places[0]))
    meant = [(fault, place) for fault, place in found if not _is_other_type(fault, place, fork)]
    if len({place[fork] for _, place in meant}) == 1 and len(meant[0][1]) > fork + 1:
        fault, place = meant[0]
        return sentence_for(fault, parameter_path(place[:fork] + place[fork + 1 :]))
    return f"{parameter_path(places[0][:fork])} has an unsupported type or value"


def _depth_of_fork(places: Sequence[_Place]) -> int | None:
    """The depth at which errors of one value diverge: at the alternatives of a union.

    None if they are all of one alternative, or of successive entries of a list.
    """
    for depth, steps in enumerate(zip_longest(*places)):
        if len(set(steps)) > 1:
            return depth if all(isinstance(step, str) for step in steps) else None
    return None


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
