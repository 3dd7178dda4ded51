"""Every endpoint, and requests to it with the documented examples."""

from collections.abc import Mapping
from typing import Any

from chatapi.http.route import ChatRoute
from chatapi.main import FEATURES
from tests.factories import Person
from tests.support.client import ApiClient, basic_auth, encode_form
from tests.support.documented_responses import service_document
from tests.support.responses import ApiResponse

ROUTES = [route for feature in FEATURES for route in feature.chat_routes]


def natural_example_of(route: ChatRoute) -> dict[str, Any]:
    """Every required parameter with its example, as it is in a JSON body."""
    document = service_document()
    operation = document["paths"][route.path_format][route.method.lower()]
    values: dict[str, Any] = {}
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "query" and parameter["required"]:
            media = parameter.get("content", {}).get("application/json", parameter)
            values[parameter["name"]] = media["example"]
    for media in operation.get("requestBody", {}).get("content", {}).values():
        form = document["components"]["schemas"][media["schema"]["$ref"].rpartition("/")[2]]
        for name in form.get("required", ()):
            values[name] = form["properties"][name]["examples"][0]
    return values


def example_of(route: ChatRoute) -> dict[str, str]:
    """Every required parameter with its example, as text of a query or form."""
    return encode_form(natural_example_of(route))


async def send_to(
    client: ApiClient,
    route: ChatRoute,
    person: Person | None,
    values: Mapping[str, str],
    places: Mapping[str, object],
) -> ApiResponse:
    """Send one request; `places` fills in the path parameters."""
    place: dict[str, Any] = {"params" if route.method == "GET" else "data": values}
    file = route.operation.params.file_parameter
    if file is not None and file in values:
        place = {
            "data": {name: value for name, value in values.items() if name != file},
            "files": {"any name": ("example.txt", values[file])},
        }
    path = route.path_format.format_map(places)
    response = await client.http.request(route.method, path, auth=basic_auth(person), **place)
    return client.read(response)
