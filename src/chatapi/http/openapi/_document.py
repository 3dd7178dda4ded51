"""The whole OpenAPI document: general information, tags, paths and components."""

import inspect
from collections.abc import Sequence
from typing import Any

from chatapi.core.version import VERSION
from chatapi.http.openapi._headers import HEADERS, request_headers
from chatapi.http.openapi._parameters import ParameterWriter
from chatapi.http.openapi._responses import (
    UNROUTED_ERRORS,
    ResponseWriter,
    errors_of,
)
from chatapi.http.openapi._schemas import Schema, SchemaBook
from chatapi.http.openapi._tags import describe_tag_groups, describe_tags
from chatapi.http.operation import Credentials
from chatapi.http.route import ChatRoute, FeatureRouter

_ABOUT = """\
A team chat server: organizations with people, channels, direct messages and live events.

**Authentication.** HTTP Basic, with your email address as user name and your API key as
password. `POST /api/v1/fetch_api_key` gives the key for a password.

**Parameters.** In the query string for GET, else in the body: as members of a JSON object
(`application/json`), or as fields of a form, urlencoded or multipart. In a query or a form, a
string is sent as it is, and every other value as JSON (`[1, 2]`, `true`, `{"a": 1}`). Names an
endpoint does not know come back in `ignored_parameters_unsupported`.

**Answers.** A JSON object with `result` (`success` or `error`) and `msg`. An error also has a
`code` for programs, and sometimes keys of its own. The header `X-Request-Id` names the request
in the server's log. Ignore keys you do not know: a later version may add some.

**Events.** `POST /api/v1/register` gives the state of the organization and a queue;
`GET /api/v1/events` waits for what happens next. Ignore types of events you do not know, or
pass `event_types`.
"""

_BASIC: Schema = {"basic": []}
_SECURITY: dict[Credentials, list[Schema]] = {
    "ignored": [],
    "optional": [{}, _BASIC],
    "required": [_BASIC],
}


def build_document(
    features: Sequence[FeatureRouter], *, declares_forms: bool = True
) -> dict[str, Any]:
    """Build the OpenAPI 3.1 document of the features' endpoints; deterministic.

    Without forms, only a JSON body is declared wherever one is accepted: some generators support
    one content type for each operation.
    """
    routes = [route for feature in features for route in feature.chat_routes]
    declared = (error for route in routes for error in errors_of(route))
    book = SchemaBook(routes, dict.fromkeys([*UNROUTED_ERRORS, *declared]))
    parameters = ParameterWriter(book, routes, declares_forms=declares_forms)
    responses = ResponseWriter(book)
    paths: dict[str, Schema] = {}
    for route in routes:
        path = paths.setdefault(route.path_format, {})
        path[route.method.lower()] = _describe_operation(route, parameters, responses)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "chatapi",
            "version": VERSION,
            "description": _ABOUT,
            "contact": {"name": "The administrators of this server"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [_BASIC],
        "tags": describe_tags(features),
        "x-tagGroups": describe_tag_groups(features),
        "paths": paths,
        "x-unrouted-responses": responses.unrouted(),
        "components": {
            "schemas": book.components_of(paths, responses.shared),
            "headers": HEADERS,
            "responses": dict(sorted(responses.shared.items())),
            "securitySchemes": {
                "basic": {
                    "type": "http",
                    "scheme": "basic",
                    "description": "Your email address as user name, your API key as password.",
                }
            },
        },
    }


def _describe_operation(
    route: ChatRoute, parameters: ParameterWriter, responses: ResponseWriter
) -> Schema:
    summary, _, description = (inspect.getdoc(route.operation.endpoint) or "").partition("\n")
    described: Schema = {
        "tags": list(route.tags),
        "operationId": route.name,
        "summary": summary.removesuffix("."),
        "security": _SECURITY[route.operation.guard.credentials],
    }
    if route.is_read_by_body:
        path = route.path_format.removesuffix("/query")
        # Beside the GET in a list of operations, it must not look like the same one.
        described["summary"] += ", by a body"
        description = f"The same as `GET {path}`, with the parameters in the body.\n{description}"
    if description.strip():
        described["description"] = description.strip()
    if route.deprecated:
        described["deprecated"] = True
    if all_parameters := [*parameters.path_and_query(route), *request_headers(route)]:
        described["parameters"] = all_parameters
    if body := parameters.body(route):
        described["requestBody"] = body
    described["responses"] = responses.responses(route)
    return described
