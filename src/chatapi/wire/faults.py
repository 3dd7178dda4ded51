"""The one table from validation faults to sentences that name the parameter."""

from collections.abc import Mapping

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_LONGEST_STEP = 60

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
    """One sentence for the first fault; `parameter` names a value validated by itself."""
    outside = () if parameter is None else (parameter,)
    faults = error.errors(include_url=False, include_input=False)
    places = [(*outside, *fault["loc"]) for fault in faults]
    if not places[0]:
        # A rule about several parameters names them itself.
        return str(faults[0].get("ctx", {}).get("error", faults[0]["msg"]))
    root = places[0][0]
    # A fault inside one alternative of a union names the alternative second.
    alternatives = {
        place[1]
        for place in places
        if place[0] == root and len(place) > 1 and isinstance(place[1], str)
    }
    if len(alternatives) > 1:
        return f"{root} has an unsupported type or value"
    return sentence_for(faults[0], parameter_path(places[0]))


def sentence_for(fault: ErrorDetails, name: str) -> str:
    context = fault.get("ctx", {})
    if fault["type"] == "value_error":
        # Validators of ours say in their own words what is wrong.
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
    """A key can be as long as the request: no message repeats all of it."""
    text = str(step)
    return text if len(text) <= _LONGEST_STEP else f"{text[:_LONGEST_STEP]}…"
