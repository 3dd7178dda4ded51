"""JSON Schemas of all parameters and responses, with shared components."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core.core_schema import ModelSchema, TypedDictSchema
from typing_extensions import TypedDict, is_typeddict, override

from chatapi.core.errors import ApiError, wire_key
from chatapi.http.openapi._docstrings import attribute_docstrings
from chatapi.http.route import ChatRoute
from chatapi.wire.params import Params

Schema: TypeAlias = dict[str, Any]

_REF_PREFIX = "#/components/schemas/"
_ENVELOPE: Schema = {
    "result": {"const": "success", "type": "string"},
    "msg": {"const": "", "type": "string"},
}
_REMARK: Schema = {
    "ignored_parameters_unsupported": {
        "description": "Names of parameters this endpoint does not know.",
        "items": {"type": "string"},
        "type": "array",
    }
}
_CONFIG = ConfigDict(
    # Events are already encoded, in a type that describes its own schema.
    arbitrary_types_allowed=True,
    use_attribute_docstrings=True,
)


class _ExactSchemas(GenerateJsonSchema):
    """Responses have only the documented keys; titles that repeat a name are left out."""

    @override
    def model_schema(self, schema: ModelSchema) -> Schema:
        described = super().model_schema(schema)
        for name, remark in attribute_docstrings(schema["cls"], BaseModel).items():
            if name in described.get("properties", {}):
                described["properties"][name].setdefault("description", remark)
        return described

    @override
    def typed_dict_schema(self, schema: TypedDictSchema) -> Schema:
        return {"additionalProperties": False, **super().typed_dict_schema(schema)}

    @override
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


class SchemaBook:
    """All schemas of the document, generated together so that equal types share one component."""

    def __init__(self, routes: Iterable[ChatRoute], errors: Iterable[type[ApiError]]) -> None:
        adapters: dict[tuple[Any, JsonSchemaMode], TypeAdapter[Any]] = {}
        for route in routes:
            operation = route.operation
            adapters[operation.params, "validation"] = TypeAdapter(operation.params)
            for name, adapter in operation.path_types.items():
                adapters[(route.name, name), "validation"] = adapter
            adapters[route.name, "serialization"] = _adapter_of_answers(_payload_type(route))
        for error in errors:
            adapters[error, "serialization"] = _adapter_of_answers(_error_type(error))
        self._schemas, definitions = TypeAdapter.json_schemas(
            [(key, mode, adapter) for (key, mode), adapter in adapters.items()],
            ref_template=_REF_PREFIX + "{model}",
            schema_generator=_ExactSchemas,
        )
        self._components: dict[str, Schema] = definitions.get("$defs", {})

    def success(self, route: ChatRoute) -> Schema:
        """The envelope with the keys of the payload."""
        payload = self.resolve(self._schemas[route.name, "serialization"]["items"])
        required = [*_ENVELOPE, *payload.get("required", ())]
        properties = {**_ENVELOPE, **payload["properties"], **_REMARK}
        return {**payload, "properties": properties, "required": required}

    def error(self, error: type[ApiError]) -> Schema:
        reference: Schema = self._schemas[error, "serialization"]["items"]
        return reference

    def path_parameter(self, route: ChatRoute, name: str) -> Schema:
        return self._schemas[(route.name, name), "validation"]

    def params(self, params: type[Params]) -> Schema:
        """The reference to a params model; `resolve` leads to its properties."""
        return self._schemas[params, "validation"]

    def params_without(self, params: type[Params], name: str) -> Schema:
        """The reference to a params model without one of its fields, a component of its own."""
        reference: str = self.params(params)["$ref"]
        schema = self.resolve({"$ref": reference})
        rest = {key: value for key, value in schema["properties"].items() if key != name}
        own_reference = f"{reference}Without{name.title()}"
        self._components[own_reference.removeprefix(_REF_PREFIX)] = {**schema, "properties": rest}
        return {"$ref": own_reference}

    def resolve(self, schema: Schema) -> Schema:
        """Returns the schema itself, or the one it refers to."""
        while "$ref" in schema:
            schema = self._components[schema["$ref"].removeprefix(_REF_PREFIX)]
        return schema

    def components_of(self, paths: Schema) -> dict[str, Schema]:
        """Returns the components that the paths refer to, directly or indirectly, by name."""
        found: dict[str, Schema] = {}
        waiting = list(_references(paths))
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self._components[name]
                waiting += _references(found[name])
        return dict(sorted(found.items()))


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        reference = node.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(_REF_PREFIX)
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _adapter_of_answers(answer: Any) -> TypeAdapter[Any]:  # noqa: ANN401 (a TypedDict class)
    """Adapter for a list of responses: a TypedDict takes its configuration only from outside."""
    answers: Any = list[answer]
    return TypeAdapter(answers, config=_CONFIG)


class _NoPayload(TypedDict):
    """Done."""


def _payload_type(route: ChatRoute) -> Any:  # noqa: ANN401 (a TypedDict class)
    payload = route.operation.payload() or _NoPayload
    if not is_typeddict(payload):
        message = f"{route.name} must declare a TypedDict as its payload, not {payload}"
        raise TypeError(message)
    return payload


def _error_type(error: type[ApiError]) -> Any:  # noqa: ANN401 (a TypedDict class)
    hints = get_type_hints(error, include_extras=True)
    remarks = attribute_docstrings(error, ApiError)
    keys: dict[str, Any] = {
        "result": Literal["error"],
        "msg": Annotated[str, Field(examples=[error.text])],
        "code": Literal[error.code],
    }
    for field in error.extra_fields():
        described = Field(description=remarks.get(field.name))
        keys[wire_key(field)] = Annotated[hints[field.name], described]
    answer = TypedDict(error.__name__, keys)  # type: ignore[misc]  # made from data
    answer.__doc__ = error.__doc__
    # Distinguishes it from a class of the same name in another feature.
    answer.__module__ = error.__module__
    return answer
