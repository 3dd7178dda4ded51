"""POST /messages/{message_id}/report."""

from typing import Any

import pytest

from tests.factories import MakeChannel, Person
from tests.features.realm.settings import change_realm
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


@pytest.fixture
async def moderated(client: ApiClient, admin: Person, make_channel: MakeChannel) -> int:
    """The channel for reports."""
    channel = await make_channel("moderation", subscribers=[admin], invite_only=True)
    await change_realm(client, admin, moderation_request_channel_id=channel.id)
    return channel.id


async def send(client: ApiClient, sender: Person, to: Person, content: str = "buy now") -> int:
    sent = await client.post("/messages", sender, type="direct", to=[to.user_id], content=content)
    return int(assert_success(sent)["id"])


async def report(client: ApiClient, person: Person, message_id: int, **params: object) -> Any:
    values = {"report_type": "spam", **params}
    return await client.post(f"/messages/{message_id}/report", person, **values)


@pytest.mark.any_database
async def test_report_is_posted_in_the_chosen_channel(
    client: ApiClient, moderated: int, admin: Person, member: Person, guest: Person
) -> None:
    listener = await listen(client, admin, event_types=["message"])
    message_id = await send(client, guest, member)
    assert assert_success(await report(client, member, message_id, description="again")) == {}
    [event] = await listener.new_events()
    posted = event["message"]
    assert posted["stream_id"] == moderated
    assert posted["subject"] == f"Reports about {guest.full_name}"
    for part in (member.full_name, guest.full_name, "Spam", "again", "buy now"):
        assert part in posted["content"]
    assert posted["sender_full_name"] == "Notification Bot"


@pytest.mark.any_database
async def test_client_learns_the_reasons_and_the_channel(
    client: ApiClient, moderated: int, member: Person
) -> None:
    state = (await listen(client, member)).state
    assert state["realm_moderation_request_channel_id"] == moderated
    reasons = [each["key"] for each in state["server_report_message_types"]]
    assert reasons == ["spam", "harassment", "inappropriate", "norms", "other"]


@pytest.mark.any_database
async def test_hidden_message_cannot_be_reported(
    client: ApiClient, moderated: int, owner: Person, member: Person, guest: Person
) -> None:
    del moderated
    message_id = await send(client, guest, member)
    for wrong in (message_id, 4711):
        refused = await report(client, owner, wrong)
        assert assert_error(refused) == "Invalid message(s)"


@pytest.mark.any_database
async def test_reason_must_be_known_and_explained(
    client: ApiClient, moderated: int, member: Person, guest: Person
) -> None:
    del moderated
    message_id = await send(client, guest, member)
    refused = await report(client, member, message_id, report_type="other", description=" ")
    assert "description: An explanation is required" in assert_error(refused)
    refused = await report(client, member, message_id, report_type="taste")
    assert "report_type" in assert_error(refused)


@pytest.mark.any_database
async def test_without_a_channel_it_is_refused(
    client: ApiClient, member: Person, guest: Person
) -> None:
    message_id = await send(client, guest, member)
    refused = await report(client, member, message_id)
    assert assert_error(refused) == "The organization has no channel for reports of messages"


@pytest.mark.any_database
async def test_channel_must_be_private(
    client: ApiClient, admin: Person, make_channel: MakeChannel
) -> None:
    channel = await make_channel("open", subscribers=[admin])
    refused = await client.patch("/realm", admin, moderation_request_channel_id=channel.id)
    expected = "moderation_request_channel_id: The channel must be private"
    assert assert_error(refused) == expected


@pytest.mark.any_database
async def test_nothing_is_posted_in_a_channel_that_was_made_public(
    client: ApiClient, moderated: int, admin: Person, member: Person, guest: Person
) -> None:
    message_id = await send(client, guest, member)
    assert_success(await client.patch(f"/streams/{moderated}", admin, is_private=False))
    refused = await report(client, member, message_id)
    assert assert_error(refused) == "The organization has no channel for reports of messages"


@pytest.mark.any_database
async def test_channel_must_be_visible_to_the_administrator(
    client: ApiClient, admin: Person
) -> None:
    refused = await client.patch("/realm", admin, moderation_request_channel_id=4711)
    assert assert_error(refused) == "Invalid channel ID"
