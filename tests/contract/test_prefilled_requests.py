"""Requests as the docs page fills them in, sent one after the other after the first start."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from chatapi.cli.bootstrap import create_first_organization
from chatapi.cli.operator import open_runtime
from chatapi.core.clock import SystemClock
from chatapi.core.settings import Settings
from tests.support.apps import running_app

FIRST = "send_message"
"""A message of the caller's own, which others edit: the page remembers its id."""
ORDER = ("get", "post", "put", "patch")
"""Something must be there before it can be deleted, so nothing is."""
KNOWN_TO_THE_PAGE = {"user_id": 2}
"""The page knows who has logged in."""
NOT_SENT = {
    # They end or replace the login.
    "regenerate_api_key",
    "regenerate_bot_api_key",
    "fetch_api_key",
    # They remove what others need.
    "delete_topic",
    "deactivate_user_group",
    # It waits.
    "get_events",
}
NEEDS_MORE = {
    # A bot, a file or a device of the caller's own.
    "get_bot_api_key",
    "change_bot",
    "get_file_temporary_url",
    "get_thumbnail_status",
    "register_push_device",
    "test_push_notification",
    "test_encrypted_push_notification",
    # Two user groups that are not the system's, or a message with a widget.
    "change_user_group_subgroups",
    "add_submessage",
    # A user other than the caller, or what such a user did.
    "get_user_presence",
    "mute_user",
    "reactivate_user",
    # Settings of the organization or of the server.
    "get_channel_email_address",
    "report_message",
    # A channel that is not a default one, or a group of such channels.
    "create_default_channel_group",
    "change_default_channel_group",
    "change_channels_of_default_channel_group",
    # All ids of something, in their new order.
    "reorder_channel_folders",
    "reorder_profile_fields",
}


@pytest.fixture
def backend() -> str:
    """One is enough: it is about the document."""
    return "sqlite"


@pytest.fixture
async def http(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the owner, after the first start."""
    async with open_runtime(settings) as runtime:
        owner = await create_first_organization(runtime)
    assert owner is not None
    async with (
        running_app(settings, SystemClock()) as app,
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://localhost",
            auth=(owner.email, owner.api_key),
        ) as client,
    ):
        yield client


def operations_of(document: Any) -> list[tuple[str, str, Any]]:
    """Method, path and operation of what is sent, in this order."""
    found = [
        (method, path, operations[method])
        for method in ORDER
        for path, operations in document["paths"].items()
        if method in operations
    ]
    return sorted(found, key=lambda each: each[2]["operationId"] != FIRST)


def prefilled(method: str, path: str, operation: Any) -> httpx.Request | None:
    """The request, or None for one that needs a file."""
    query = {}
    for parameter in operation.get("parameters", ()):
        if parameter["required"] or parameter.get("x-prefilled"):
            media = parameter.get("content", {}).get("application/json")
            example = KNOWN_TO_THE_PAGE.get(parameter["name"], (media or parameter)["example"])
            text = example if isinstance(example, str) and not media else json.dumps(example)
            path = path.replace(f"{{{parameter['name']}}}", text)
            if parameter["in"] == "query":
                query[parameter["name"]] = text
    content = operation.get("requestBody", {"content": {"application/json": None}})["content"]
    if "application/json" not in content:
        return None
    body = content["application/json"]
    sent = None if body is None else body["example"]
    return httpx.Request(method, f"http://localhost{path}", params=query, json=sent)


async def test_succeed_unless_they_need_more_than_a_fresh_server_has(
    http: httpx.AsyncClient,
) -> None:
    document = (await http.get("/openapi.json")).json()
    refused = {}
    sent = 0
    for method, path, operation in operations_of(document):
        request = prefilled(method, path, operation)
        if request is not None and operation["operationId"] not in NOT_SENT:
            response = await http.send(request, auth=http.auth)
            sent += 1
            if response.status_code != 200:
                refused[operation["operationId"]] = response.text

    assert {name: refused[name] for name in refused.keys() - NEEDS_MORE} == {}
    assert NEEDS_MORE - refused.keys() == set()
    assert sent > 100
