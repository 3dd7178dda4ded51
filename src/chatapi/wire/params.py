"""Parameters: one strict model per endpoint, used for parsing and documentation.

In a form or a query, a field of type string is taken as it is, and every other field is a
JSON-encoded value. In a JSON body, every field is a JSON value.
"""

import types
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema
from typing_extensions import override

from chatapi.core.errors import BadRequestError
from chatapi.wire.bodies import RequestBody
from chatapi.wire.files import UploadedFile
from chatapi.wire.strict_json import (
    JsonBudget,
    JsonValue,
    NotJsonError,
    NulCharacterError,
    TooManyValuesError,
)
from chatapi.wire.validation_errors import message_for


class Alias(Struct, frozen=True):
    """A further name under which a parameter is accepted, for older clients."""

    name: str


class JsonOrString:
    """Marks a JSON parameter that also accepts bare text as a string: `to=general`."""


def _make_lists_fail_fast(schema: object) -> None:
    """Only the first error is reported: do not validate the rest of a long list."""
    if isinstance(schema, dict):
        if schema.get("type") == "list":
            schema["fail_fast"] = True
        for name, part in schema.items():
            if name != "metadata":
                _make_lists_fail_fast(part)
    elif isinstance(schema, list | tuple):
        for part in schema:
            _make_lists_fail_fast(part)


class StrictModel(BaseModel):
    """Strict, frozen, and without unknown keys; a list is refused at its first error."""

    # Each validator is built when it is first needed: all of them together would delay the start.
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", defer_build=True)

    @classmethod
    @override
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        _make_lists_fail_fast(schema)
        return schema


class WireModel(StrictModel):
    """An object inside a parameter."""

    @model_validator(mode="before")
    @classmethod
    def _keep_one_unknown_key(cls, value: Any) -> Any:  # noqa: ANN401 (validated next)
        """One unknown key is enough to refuse an object: drop the others."""
        if not isinstance(value, dict) or len(value) <= len(cls.model_fields):
            return value
        unknown = next(key for key in value if key not in cls.model_fields)
        known = {key: value[key] for key in cls.model_fields if key in value}
        return {**known, unknown: value[unknown]}


class Params(StrictModel):
    """Base of every endpoint's parameters; `model_fields_set` has the names that were sent."""

    decoders: ClassVar[dict[str, "ParameterDecoder"]]
    """The decoder of each parameter, by all its names."""
    file_parameter: ClassVar[str | None]
    """The parameter that is a file; a file is accepted under any name."""
    body_parameter: ClassVar[str | None]
    """The parameter that is the whole body; all others are in the query."""

    @classmethod
    @override
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls.decoders = {}
        cls.file_parameter = cls.body_parameter = None
        for name, field in cls.model_fields.items():
            if field.annotation is UploadedFile or UploadedFile in get_args(field.annotation):
                cls.file_parameter = name
                continue
            if field.annotation is RequestBody:
                cls.body_parameter = name
                continue
            decoder = ParameterDecoder(name, field)
            for known_name in (*decoder.other_names, name):
                cls.decoders[known_name] = decoder

    @classmethod
    def read(
        cls,
        values: Mapping[str, str | JsonValue],
        file: UploadedFile | None = None,
        body: RequestBody | None = None,
    ) -> tuple[Self, list[str]]:
        """Build the parameters from the text of a form or query, or from values of a JSON body.

        Also returns the names this endpoint does not know.
        """
        known: dict[str, object] = {}
        budget = JsonBudget()
        if cls.file_parameter is not None and file is not None:
            known[cls.file_parameter] = file
        if cls.body_parameter is not None:
            known[cls.body_parameter] = body
        ignored: list[str] = []
        for name, given in values.items():
            decoder = cls.decoders.get(name)
            if decoder is None:
                ignored.append(name)
            elif name == decoder.name or decoder.name not in values:
                decoder.decode_into(known, given, budget)
        try:
            return cls.model_validate(known), sorted(ignored)
        except ValidationError as error:
            raise BadRequestError(message_for(error, known)) from None


class ParameterDecoder:
    """Decodes one parameter, as it was sent, to the value its field validates."""

    def __init__(self, name: str, field: FieldInfo) -> None:
        self.name = name
        self.is_text = is_text_type(field.annotation)
        self.is_container = is_container_type(field.annotation)
        self.is_optional = accepts_none(field.annotation)
        self.is_loose = any(
            item is JsonOrString or isinstance(item, JsonOrString) for item in field.metadata
        )
        self.other_names = tuple(item.name for item in field.metadata if isinstance(item, Alias))

    @property
    def is_json(self) -> bool:
        return not self.is_text

    def decode_into(
        self, known: dict[str, object], given: str | JsonValue, budget: JsonBudget
    ) -> None:
        if type(given) is JsonValue:
            self._take_into(known, given)
            return
        if "\0" in given:
            raise self._nul_error()
        if self.is_text:
            known[self.name] = given
            return
        value = self._from_json(given, budget)
        if value is None and not self.is_optional:
            # Some clients send the text `null` for parameters they do not mean to send.
            return
        known[self.name] = value

    def _take_into(self, known: dict[str, object], given: JsonValue) -> None:
        """Take a value of a JSON body as it is.

        A form cannot send null for a text, so no endpoint expects one: there, too, it means that
        the parameter is not sent.
        """
        if given.holds_nul:
            raise self._nul_error()
        if given.value is None and (self.is_text or not self.is_optional):
            return
        if self.is_text and not isinstance(given.value, str):
            # As a form always sends text here, validators of the field may rely on it.
            raise BadRequestError(f"{self.name} is not a string")
        known[self.name] = given.value

    def _from_json(self, text: str, budget: JsonBudget) -> object:
        try:
            return budget.parse(text)
        except TooManyValuesError:
            raise BadRequestError(f"{self.name} has too many entries") from None
        except NulCharacterError:
            raise self._nul_error() from None
        except NotJsonError:
            if self.is_loose:
                return text
            message = f'Argument "{self.name}" is not valid JSON.'
            raise BadRequestError(message) from None

    def _nul_error(self) -> BadRequestError:
        return BadRequestError(f"{self.name} must not contain NUL characters")


def without_defaults(schema: dict[str, Any]) -> None:
    """Remove defaults: parameters that are not sent change nothing, so a default would mislead."""
    for described in schema["properties"].values():
        described.pop("default", None)


def is_text_type(annotation: object) -> bool:
    """Whether every value of the type is a string, apart from None."""
    if annotation is str:
        return True
    origin = get_origin(annotation)
    if origin is Literal:
        return all(isinstance(value, str) for value in get_args(annotation))
    if origin in {Union, types.UnionType}:
        members = [member for member in get_args(annotation) if member is not type(None)]
        return all(is_text_type(member) for member in members)
    if origin is not None and hasattr(annotation, "__metadata__"):
        return is_text_type(get_args(annotation)[0])
    return False


def is_container_type(annotation: object) -> bool:
    """Whether a value of the type can be a list or an object, and so be long."""
    origin = get_origin(annotation)
    if origin in {Union, types.UnionType}:
        return any(is_container_type(member) for member in get_args(annotation))
    if origin is not None and hasattr(annotation, "__metadata__"):
        return is_container_type(get_args(annotation)[0])
    kind = origin or annotation
    return isinstance(kind, type) and issubclass(kind, list | dict | BaseModel)


def accepts_none(annotation: object) -> bool:
    return type(None) in get_args(annotation)


class NoParams(Params):
    """For endpoints without parameters: all parameters are reported as ignored."""
