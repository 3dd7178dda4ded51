"""The feature level is a promise: what clients of this level expect must be there.

The tables in tests/contract/wire say what they expect. What is missing on purpose is listed here,
with its reason; an entry for something that exists fails as well.
"""

from typing import Any

import pytest

from chatapi.events.event import registry
from tests.contract.json_types import mismatches
from tests.contract.wire_table import (
    WireOperation,
    place_of,
    wire_events,
    wire_operations,
    wire_register_keys,
)
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.documented_responses import service_document
from tests.support.listening import listen

DOCUMENT = service_document()
API = "/api/v1"

ABSENT_OPERATIONS = {
    # Other ways to log in, and the development server.
    "POST /jwt/fetch_api_key": "there is no login by tokens of other services",
    "POST /dev_fetch_api_key": "only development servers log callers in without a password",
    "GET /dev_list_users": "only development servers list accounts to log in as",
    # They come with a later version.
    "GET /invites": "there are no invitations yet",
    "POST /invites": "there are no invitations yet",
    "POST /invites/multiuse": "there are no invitations yet",
    "DELETE /invites/{invite_id}": "there are no invitations yet",
    "DELETE /invites/multiuse/{invite_id}": "there are no invitations yet",
    "POST /invites/{invite_id}/resend": "there are no invitations yet",
    "GET /export/realm": "there are no exports yet",
    "POST /export/realm": "there are no exports yet",
    "DELETE /export/realm/{export_id}": "there are no exports yet",
    "GET /export/realm/consents": "there are no exports yet",
    "POST /realm/deactivate": "organizations are managed by the operator",
    "POST /remotes/push/e2ee/register": "of a relay for push notifications, which this is not",
    # Video calls are started by clients, on a Jitsi server.
    "GET /calls/bigbluebutton/create": "no such provider can be configured",
    "POST /calls/nextcloud_talk/create": "no such provider can be configured",
    "POST /calls/webex/create": "no such provider can be configured",
    "POST /calls/constructorgroups/create": "no such provider can be configured",
    # Not operations of a server, but pages of its documentation.
    "POST /real-time": "describes a client library",
    "POST /rest-error-handling": "describes errors",
    "POST /zulip-outgoing-webhook": "describes what bots receive",
    # A file's path has two more parts here.
    "GET /thumbnail/status/{realm_id_str}/{filename}": "GET /thumbnail/status/{id}/{shelf}/...",
    "GET /user_uploads/{realm_id_str}/{filename}": "GET /user_uploads/{id}/{shelf}/{token}/{name}",
}
ABSENT_PARAMETERS = {
    ("DELETE /users/{user_id}", "deactivation_notification_comment"): "no mail is sent",
}
ABSENT_KEYS = {
    "demo_organization_scheduled_deletion_date": "only demo organizations have it",
}
ABSENT_EVENTS = {
    "has_zoom_token": "accounts of Zoom cannot be connected",
    "has_webex_token": "accounts of Webex cannot be connected",
    "invites_changed": "there are no invitations yet",
    "realm_export": "there are no exports yet",
    "realm_export_consent": "there are no exports yet",
    "realm_bot/remove": "dropped at feature level 222: realm_user/update says it",
    "realm/deactivated": "organizations are managed by the operator",
    "web_reload_client": "there is no web client that the server could reload",
    "restart": "queues survive a restart, so clients need not know of it",
    "heartbeat": "written by the queue itself, beside the log",
}


def our_operations() -> dict[str, frozenset[str]]:
    """The parameters of each of our operations, by method and path."""
    return {
        place_of(method, path.removeprefix(API)): frozenset(_parameters(operation))
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }


def _parameters(operation: dict[str, Any]) -> set[str]:
    names = {each["name"] for each in operation.get("parameters", ())}
    for media in operation.get("requestBody", {}).get("content", {}).values():
        form = DOCUMENT["components"]["schemas"][media["schema"]["$ref"].rpartition("/")[2]]
        names |= set(form["properties"])
    return names


OURS = our_operations()
OPERATIONS = [pytest.param(each, id=each.name) for each in wire_operations()]


class TestOperations:
    @pytest.mark.parametrize("operation", OPERATIONS)
    def test_each_is_there_with_its_parameters(self, operation: WireOperation) -> None:
        if operation.name in ABSENT_OPERATIONS:
            assert operation.place not in OURS, "exists: remove it from ABSENT_OPERATIONS"
            return
        assert operation.place in OURS
        missing = operation.parameters - OURS[operation.place]
        known = {name for where, name in ABSENT_PARAMETERS if where == operation.name}
        assert missing == known

    def test_every_absent_one_is_in_the_table(self) -> None:
        names = {each.name for each in wire_operations()}
        assert ABSENT_OPERATIONS.keys() <= names
        assert {where for where, _ in ABSENT_PARAMETERS} <= names


class TestRegister:
    @pytest.mark.parametrize("key", sorted(wire_register_keys()))
    def test_each_key_has_the_promised_type(self, key: str) -> None:
        properties = DOCUMENT["components"]["schemas"]["RegisterResponse"]["properties"]
        if key in ABSENT_KEYS:
            assert key not in properties, "exists: remove it from ABSENT_KEYS"
            return
        assert key in properties
        assert list(mismatches(wire_register_keys()[key], properties[key], key)) == []

    @pytest.mark.any_database
    async def test_response_has_every_key(self, client: ApiClient, member: Person) -> None:
        state = (await listen(client, member)).state
        assert wire_register_keys().keys() - state.keys() == ABSENT_KEYS.keys()


class TestEvents:
    @pytest.mark.parametrize("kind", sorted(wire_events()))
    def test_each_kind_is_there(self, kind: str) -> None:
        if kind in ABSENT_EVENTS:
            assert kind not in registry, "exists: remove it from ABSENT_EVENTS"
            return
        assert kind in registry
        assert not registry[kind].is_internal

    def test_every_absent_one_is_in_the_table(self) -> None:
        assert ABSENT_EVENTS.keys() <= wire_events().keys()
