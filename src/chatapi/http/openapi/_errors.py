"""Errors in the OpenAPI document: one type for each code."""

import inspect
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, NotRequired, get_type_hints

from pydantic import Field
from typing_extensions import TypedDict

from chatapi.core.errors import ApiError, wire_key
from chatapi.wire.docstrings import attribute_docstrings

_RESULT = Field(description="`error` here; `success` in responses with the status 200.")
_MESSAGE = "What is wrong, as a sentence for people; it may change in any version."
_CODE = Field(description="What is wrong, for programs; always this value here.")


def errors_by_code(errors: Iterable[type[ApiError]]) -> Mapping[str, Sequence[type[ApiError]]]:
    """Groups error classes by the code that clients see; each group has one schema."""
    found: defaultdict[str, list[type[ApiError]]] = defaultdict(list)
    for error in errors:
        found[error.code].append(error)
    return found


def list_errors(errors: Iterable[type[ApiError]]) -> str:
    """Says when each of the errors occurs."""
    lines = [f"`{error.code}`: {inspect.cleandoc(error.__doc__ or '')}" for error in errors]
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)


def error_response_type(errors: Sequence[type[ApiError]]) -> Any:  # noqa: ANN401 (a TypedDict class)
    """The type of responses with the code that these classes share.

    `code` is a constant, so that a client that decodes one of several errors knows which it has.
    Keys that only some of the classes have are optional.
    """
    code = errors[0].code
    texts = list(dict.fromkeys(error.text for error in errors))
    keys: dict[str, Any] = {
        "result": Annotated[Literal["error"], _RESULT],
        "msg": Annotated[str, Field(description=_MESSAGE, examples=texts)],
        "code": Annotated[Literal[code], _CODE],
        **_extra_keys(errors),
    }
    name = code.title().replace("_", "").removesuffix("Error") + "Error"
    response = TypedDict(name, keys)  # type: ignore[misc]  # made from data
    response.__doc__ = list_errors(errors)
    return response


def _extra_keys(errors: Sequence[type[ApiError]]) -> dict[str, Any]:
    types: defaultdict[str, list[Any]] = defaultdict(list)
    remarks: dict[str, str | None] = {}
    for error in errors:
        hints = get_type_hints(error, include_extras=True)
        docstrings = attribute_docstrings(error, ApiError)
        for field in error.extra_fields():
            types[wire_key(field)].append(hints[field.name])
            remarks.setdefault(wire_key(field), docstrings.get(field.name))
    keys: dict[str, Any] = {}
    for key, hints_of_key in types.items():
        hint: Any = reduce(or_, hints_of_key)
        described: Any = Annotated[hint, Field(description=remarks[key])]
        keys[key] = described if len(hints_of_key) == len(errors) else NotRequired[described]
    return keys
