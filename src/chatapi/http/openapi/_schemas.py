"""JSON Schemas of all parameters and responses, with shared components."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core.core_schema import IntSchema, ModelSchema, TaggedUnionSchema, TypedDictSchema
from typing_extensions import TypedDict, is_typeddict, override

from chatapi.core.errors import ApiError
from chatapi.http.openapi._errors import error_response_type, errors_by_code
from chatapi.http.openapi._recorded import event_examples
from chatapi.http.route import ChatRoute
from chatapi.wire.docstrings import attribute_docstrings
from chatapi.wire.params import Params

Schema: TypeAlias = dict[str, Any]

_REF_PREFIX = "#/components/schemas/"
_ENVELOPE: Schema = {
    "result": {
        "const": "success",
        "type": "string",
        "description": "`success` here; `error` in every response with another status.",
    },
    "msg": {"const": "", "type": "string", "description": "Empty; errors explain themselves here."},
}
_REMARK: Schema = {
    "ignored_parameters_unsupported": {
        "description": "Names of the parameters you sent that this endpoint does not know and"
        " ignored; absent if there are none.",
        "items": {"type": "string"},
        "type": "array",
    }
}
_CONFIG = ConfigDict(
    # Events are already encoded, in a type that describes its own schema.
    arbitrary_types_allowed=True,
)
_MAX_INT32 = 2**31 - 1


class _WireSchemas(GenerateJsonSchema):
    """Schemas as generators of clients need them.

    Integers that may exceed 32 bits say so. Objects may have further keys, which clients ignore.
    Titles are left out: they repeat names.
    """

    @override
    def int_schema(self, schema: IntSchema) -> Schema:
        described = super().int_schema(schema)
        if described.get("maximum", _MAX_INT32 + 1) > _MAX_INT32:
            described["format"] = "int64"
        return described

    @override
    def model_schema(self, schema: ModelSchema) -> Schema:
        return _describe(super().model_schema(schema), schema["cls"], BaseModel)

    @override
    def typed_dict_schema(self, schema: TypedDictSchema) -> Schema:
        return _describe(super().typed_dict_schema(schema), schema["cls"], dict)

    @override
    def tagged_union_schema(self, schema: TaggedUnionSchema) -> Schema:
        # All choices are objects. Said once more, for generators that look for the type of a
        # choice that is itself a union.
        return {"type": "object", **super().tagged_union_schema(schema)}

    @override
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _describe(schema: Schema, cls: type, base: type) -> Schema:
    """Adds what is written below the fields of a class.

    It describes this use of a type, so it replaces a description that comes with the type.
    """
    schema.pop("title", None)
    for name, remark in attribute_docstrings(cls, base).items():
        if name in schema.get("properties", {}):
            schema["properties"][name]["description"] = remark
    return schema


class SchemaBook:
    """All schemas of the document, generated together so that equal types share one component."""

    def __init__(self, routes: Iterable[ChatRoute], errors: Iterable[type[ApiError]]) -> None:
        self._response_names: dict[str, str] = {}
        adapters: dict[tuple[Any, JsonSchemaMode], TypeAdapter[Any]] = {}
        for route in routes:
            operation = route.operation
            adapters[operation.params, "validation"] = TypeAdapter(operation.params)
            for name, adapter in operation.path_types.items():
                adapters[(route.name, name), "validation"] = adapter
            payload = _payload_type(route)
            self._response_names[route.name] = payload.__name__.removesuffix("Payload") + "Response"
            adapters[route.name, "serialization"] = _adapter_of_answers(payload)
        for code, classes in errors_by_code(errors).items():
            adapters[code, "serialization"] = _adapter_of_answers(error_response_type(classes))
        self._schemas, definitions = TypeAdapter.json_schemas(
            [(key, mode, adapter) for (key, mode), adapter in adapters.items()],
            ref_template=_REF_PREFIX + "{model}",
            schema_generator=_WireSchemas,
        )
        self._components: dict[str, Schema] = definitions.get("$defs", {})
        for name, example in event_examples().items():
            if name in self._components:
                self._components[name]["examples"] = [example]

    def success(self, route: ChatRoute) -> Schema:
        """The reference to the envelope with the keys of the payload."""
        payload = self.resolve(self._schemas[route.name, "serialization"]["items"])
        required = [*_ENVELOPE, *payload.get("required", ())]
        properties = {**_ENVELOPE, **payload["properties"], **_REMARK}
        name = self._response_names[route.name]
        return self._add(name, {**payload, "properties": properties, "required": required})

    def error(self, codes: Sequence[str], name: str) -> Schema:
        """The reference to the error with one of these codes; a union gets the name."""
        references: list[Schema] = [self._schemas[code, "serialization"]["items"] for code in codes]
        if len(references) == 1:
            return references[0]
        mapping = {
            code: reference["$ref"] for code, reference in zip(codes, references, strict=True)
        }
        discriminator = {"propertyName": "code", "mapping": mapping}
        return self._add(name, {"oneOf": references, "discriminator": discriminator})

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
        own_name = f"{reference.removeprefix(_REF_PREFIX)}Without{name.title()}"
        return self._add(own_name, {**schema, "properties": rest})

    def resolve(self, schema: Schema) -> Schema:
        """Returns the schema itself, or the one it refers to."""
        while "$ref" in schema:
            schema = self._components[schema["$ref"].removeprefix(_REF_PREFIX)]
        return schema

    def _add(self, name: str, schema: Schema) -> Schema:
        """Returns the reference to a component of this name."""
        if self._components.setdefault(name, schema) != schema:
            message = f"two schemas are called {name}"
            raise TypeError(message)
        return {"$ref": _REF_PREFIX + name}

    def components_of(self, *parts: Schema) -> dict[str, Schema]:
        """Returns the schemas that are referred to, directly or indirectly, by name."""
        found: dict[str, Schema] = {}
        waiting = [name for part in parts for name in _references(part)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self._components[name]
                waiting += _references(found[name])
        return dict(sorted(found.items()))


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith(_REF_PREFIX):
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


class SuccessPayload(TypedDict):
    """Done."""


def _payload_type(route: ChatRoute) -> Any:  # noqa: ANN401 (a TypedDict class)
    payload = route.operation.payload() or SuccessPayload
    if not is_typeddict(payload):
        message = f"{route.name} must declare a TypedDict as its payload, not {payload}"
        raise TypeError(message)
    return payload
