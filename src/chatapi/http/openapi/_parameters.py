"""Parameters in the OpenAPI document: their types, and how each is encoded in a request."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from chatapi.http.openapi._examples import Examples
from chatapi.http.openapi._recorded import operation_examples, recorded_request
from chatapi.http.openapi._schemas import Schema, SchemaBook
from chatapi.http.route import ChatRoute
from chatapi.wire.params import ParameterDecoder, Params

_FORM = "application/x-www-form-urlencoded"
_FORM_WITH_FILE = "multipart/form-data"
_JSON = "application/json"
_WRITTEN_ALIKE = {"boolean", "integer", "number", "string"}
"""Types that OpenAPI itself encodes like their JSON text, provided strings are never JSON."""


class ParameterWriter:
    """Describes path and query parameters, and those of request bodies."""

    def __init__(
        self, book: SchemaBook, routes: Iterable[ChatRoute], *, declares_forms: bool
    ) -> None:
        self._book = book
        self._declares_forms = declares_forms
        self._examples = Examples(book.resolve)
        self._recorded = _recorded_values(routes)
        self._described: set[type[Params]] = set()

    def path_and_query(self, route: ChatRoute) -> list[Schema]:
        described = [self._path_parameter(route, name) for name in route.operation.path_types]
        if route.method == "GET":
            params = route.operation.params
            schema = self._params_schema(params)
            described += [
                self._query_parameter(
                    params.decoders[name], field, is_required=name in schema.get("required", ())
                )
                for name, field in schema.get("properties", {}).items()
            ]
        request = recorded_request(route.name)
        _prefill(described, {**request.get("path", {}), **request.get("query", {})})
        return described

    def body(self, route: ChatRoute) -> Schema | None:
        """Describe the request body, JSON first; None if there are no parameters.

        Forms of parts are accepted as well, but OpenAPI cannot say that a list is one part.
        """
        params = route.operation.params
        if route.method == "GET" or not params.model_fields:
            return None
        schema = self._params_schema(params)
        form: Schema = {"schema": self._book.params(params)}
        encoding = {
            name: {"contentType": _JSON}
            for name in schema["properties"]
            if name != params.file_parameter and params.decoders[name].is_json
        }
        if encoding:
            form["encoding"] = encoding
        if "body" in recorded_request(route.name):
            form["example"] = recorded_request(route.name)["body"]
        content = dict.fromkeys(_form_types(params), form)
        if not _requires_file(params):
            forms = content if self._declares_forms else {}
            content = {_JSON: self._json(route), **forms}
        return {"required": bool(schema.get("required")), "content": content}

    def _json(self, route: ChatRoute) -> Schema:
        """The parameters as members of an object.

        The example is the recorded request; where none is, it has what is required.
        """
        params = route.operation.params
        schema = self._book.params(params)
        if params.file_parameter is not None:
            schema = self._book.params_without(params, params.file_parameter)
        if route.name in operation_examples():
            example = recorded_request(route.name).get("body", {})
        else:
            example = self._examples.example(schema, "body")
        return {"schema": schema, "example": example}

    def _path_parameter(self, route: ChatRoute, name: str) -> Schema:
        schema = dict(self._book.path_parameter(route, name))
        described: Schema = {"name": name, "in": "path", "required": True}
        if "description" in schema:
            described["description"] = schema.pop("description")
        return {**described, "schema": schema, "example": self._examples.example(schema, name)}

    def _query_parameter(
        self, decoder: ParameterDecoder, schema: Schema, *, is_required: bool
    ) -> Schema:
        schema = dict(schema)
        described: Schema = {"name": decoder.name, "in": "query", "required": is_required}
        if "description" in schema:
            described["description"] = schema.pop("description")
        example = self._examples.example(schema, decoder.name)
        if decoder.is_text or schema.get("type") in _WRITTEN_ALIKE:
            return {**described, "schema": schema, "example": example}
        return {
            **described,
            "content": {_JSON: {"schema": schema, "example": example}},
        }

    def _params_schema(self, params: type[Params]) -> Schema:
        """The component of a params model, adapted once for API users."""
        schema = self._book.resolve(self._book.params(params))
        if params in self._described:
            return schema
        self._described.add(params)
        # Unknown names are reported, not refused.
        schema.pop("additionalProperties", None)
        # The docstring is for readers of the code.
        schema.pop("description", None)
        properties = schema.get("properties", {})
        for name, field in properties.items():
            if name == params.file_parameter:
                continue
            properties[name] = self._describe_field(params.decoders[name], field)
        for name, value in self._recorded.get(params, {}).items():
            properties[name]["examples"] = [value]
        return schema

    def _describe_field(self, decoder: ParameterDecoder, schema: Schema) -> Schema:
        described = _without_null(schema)
        remarks = [described["description"]] if "description" in described else []
        if decoder.is_loose:
            remarks.append("In a query or form, text that is not JSON is taken as a string.")
        if decoder.other_names:
            names = " and ".join(f"`{name}`" for name in decoder.other_names)
            remarks.append(f"Also accepted as {names}.")
        if remarks:
            described["description"] = " ".join(remarks)
        if "examples" not in described and "default" not in described:
            described["examples"] = [self._examples.example(described, decoder.name)]
        return described


def _requires_file(params: type[Params]) -> bool:
    name = params.file_parameter
    return name is not None and params.model_fields[name].is_required()


def _recorded_values(routes: Iterable[ChatRoute]) -> dict[type[Params], Schema]:
    """An example of each parameter that recorded requests have; of several, the first."""
    found: defaultdict[type[Params], Schema] = defaultdict(dict)
    for route in routes:
        request = recorded_request(route.name)
        for name, value in {**request.get("query", {}), **request.get("body", {})}.items():
            found[route.operation.params].setdefault(name, value)
    return found


def _prefill(parameters: Sequence[Schema], example: Schema) -> None:
    """Marks the parameters of a recorded request: OpenAPI has whole examples only for bodies."""
    for parameter in parameters:
        if parameter["name"] in example:
            parameter["x-prefilled"] = True
            media = parameter.get("content", {}).get(_JSON, parameter)
            media["example"] = example[parameter["name"]]


def _form_types(params: type[Params]) -> Sequence[str]:
    if params.file_parameter is None:
        return (_FORM,)
    return (_FORM_WITH_FILE,) if _requires_file(params) else (_FORM, _FORM_WITH_FILE)


def _without_null(schema: Schema) -> Schema:
    """The schema of values that may be sent; a default of None only means "not sent"."""
    if schema.get("default", ...) is not None:
        return schema
    rest = {key: value for key, value in schema.items() if key != "default"}
    alternatives: list[Any] = [item for item in rest.pop("anyOf", ()) if item != {"type": "null"}]
    if len(alternatives) == 1:
        return {**alternatives[0], **rest}
    return {"anyOf": alternatives, **rest} if alternatives else rest
