"""Reactions for tests, given and seen the way clients do it."""

from typing import Any

from chatapi.core.ids import MessageId
from tests.factories import Person
from tests.features.messages.fetch.conversations import show
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse

OCTOPUS = {"emoji_name": "octopus", "emoji_code": "1f419", "reaction_type": "unicode_emoji"}


async def react(
    client: ApiClient, person: Person | None, message_id: object, /, **params: object
) -> ApiResponse:
    values = params or {"emoji_name": "octopus"}
    return await client.post(f"/messages/{message_id}/reactions", person, **values)


async def take_back(
    client: ApiClient, person: Person | None, message_id: object, /, **params: object
) -> ApiResponse:
    values = params or {"emoji_name": "octopus"}
    return await client.delete(f"/messages/{message_id}/reactions", person, **values)


async def reactions_to(
    client: ApiClient, reader: Person, message_id: MessageId
) -> list[dict[str, Any]]:
    reactions: list[dict[str, Any]] = (await show(client, reader, message_id))["reactions"]
    return reactions


async def listen_to_reactions(client: ApiClient, person: Person, **params: object) -> Listener:
    return await listen(client, person, event_types=["reaction"], fetch_event_types=[], **params)
