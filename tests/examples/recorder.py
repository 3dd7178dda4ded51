"""Calls endpoints; keeps the first request and response of each, and the events that follow."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chatapi.http.route import API_PREFIX
from tests.examples.tidying import tidy
from tests.factories import Person
from tests.support.client import ApiClient, basic_auth, encode_form
from tests.support.documented_responses import service_document
from tests.support.listening import Listener
from tests.support.responses import assert_success

Example = dict[str, Any]
File = tuple[str, bytes, str]
"""Name, content and content type of a file to upload."""


@dataclass
class Recorder:
    """What was seen so far; the first one of each kind is the example."""

    client: ApiClient
    listeners: Sequence[Listener] = ()
    operations: dict[str, Example] = field(default_factory=dict)
    """By operation id: the `response` and the `request`, with its `path`, `query` and `body`."""
    events: dict[str, Example] = field(default_factory=dict)
    """By the name of their schema."""

    async def call(
        self,
        person: Person | None,
        endpoint: str,
        places: Mapping[str, object] | None = None,
        /,
        **params: Any,
    ) -> dict[str, Any]:
        """Call an endpoint, such as `POST /messages`; it must succeed. Returns its own keys."""
        if endpoint.startswith("GET"):
            content = {"params": encode_form(params)}
            return await self._send(person, endpoint, places, content, {"query": params})
        content = {"json": params} if params else {}
        return await self._send(person, endpoint, places, content, {"body": params})

    async def upload(
        self, person: Person, endpoint: str, places: Mapping[str, object] | None, file: File
    ) -> dict[str, Any]:
        """Call an endpoint that takes a file."""
        return await self._send(person, endpoint, places, {"files": {"file": file}}, {})

    async def hear(self) -> None:
        """Keep the events that arrived."""
        for listener in self.listeners:
            self.keep_events(await listener.new_events())

    def forget_events(self, *schemas: str) -> None:
        """Let later events of these kinds be the examples, which say more."""
        for name in schemas:
            del self.events[name]

    def keep_events(self, events: Iterable[Example]) -> None:
        for event in events:
            self.events.setdefault(event_schema(event), tidy(event))

    async def _send(
        self,
        person: Person | None,
        endpoint: str,
        places: Mapping[str, object] | None,
        content: dict[str, Any],
        shown: dict[str, Any],
    ) -> dict[str, Any]:
        """Send `content`; of the request, its path and what is `shown` become the example."""
        method, template = endpoint.split()
        path = template if template in {"/health", "/ready"} else API_PREFIX + template
        address = path.format_map(places or {})
        sent = await self.client.http.request(method, address, auth=basic_auth(person), **content)
        response = self.client.read(sent)
        own_keys = assert_success(response)
        operation = service_document()["paths"][path][method.lower()]
        request = {"path": path_values(operation, path, tidy(address)), **tidy(shown)}
        self.operations.setdefault(
            operation["operationId"],
            {
                "request": {part: values for part, values in request.items() if values},
                "response": tidy(response.body),
            },
        )
        await self.hear()
        return own_keys


def path_values(operation: Example, path: str, address: str) -> dict[str, Any]:
    """The values of path parameters in an address."""
    pattern = re.sub(r"{(\w+)}", r"(?P<\1>.+?)", path)
    found = re.fullmatch(pattern, address)
    assert found is not None, address
    integers = {
        each["name"]
        for each in operation.get("parameters", ())
        if each["in"] == "path" and each["schema"]["type"] == "integer"
    }
    return {
        name: int(text) if name in integers else text for name, text in found.groupdict().items()
    }


def event_schema(event: Mapping[str, Any]) -> str:
    """The name of the schema of an event, found as clients find it: by `type`, then by `op`."""
    schemas = service_document()["components"]["schemas"]
    name = "Event"
    while "discriminator" in schemas[name]:
        discriminator = schemas[name]["discriminator"]
        value = event[discriminator["propertyName"]]
        name = discriminator["mapping"][value].rpartition("/")[2]
    return name
