"""Changed messages for tests, changed and seen the way clients do it."""

from typing import Any

from chatapi.core.ids import MessageId
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_success


async def edit(
    client: ApiClient, person: Person | None, message_id: object, /, **params: object
) -> ApiResponse:
    return await client.patch(f"/messages/{message_id}", person, **params)


async def history_of(
    client: ApiClient, person: Person, message_id: MessageId, **params: object
) -> list[dict[str, Any]]:
    response = assert_success(await client.get(f"/messages/{message_id}/history", person, **params))
    history: list[dict[str, Any]] = response["message_history"]
    return history


async def listen_to_changes(client: ApiClient, person: Person, **params: object) -> Listener:
    wanted = ["update_message", "delete_message"]
    return await listen(client, person, event_types=wanted, fetch_event_types=[], **params)
