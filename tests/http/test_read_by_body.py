"""Reads with long parameters can be sent as a POST to the same path and `/query`."""

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import send
from tests.security.test_stored_responses import kept_answers
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.routes import ROUTES

PAGE = {"anchor": "newest", "num_before": 10, "num_after": 0}


@pytest.fixture
async def channel(make_channel: MakeChannel, member: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[member])


async def query(client: ApiClient, person: Person, path: str, **body: object) -> ApiResponse:
    return await client.call("POST", f"{path}/query", person, json=body)


def test_exactly_the_reads_that_take_a_list_or_an_object_have_one() -> None:
    by_body = {route.path for route in ROUTES if route.is_read_by_body}
    assert by_body == {
        f"/api/v1{path}/query"
        for path in ("/bot_storage", "/messages", "/messages/matches_narrow", "/users")
    }


async def test_messages_are_the_same_as_by_get(
    client: ApiClient, member: Person, channel: ChannelRecord
) -> None:
    await send(client, member, channel, "cats", "a cat")
    await send(client, member, channel, "dogs", "a dog")
    narrow = [{"operator": "search", "operand": "cat"}]
    by_get = await client.get("/messages", member, **PAGE, narrow=narrow)
    by_body = await query(client, member, "/messages", **PAGE, narrow=narrow)
    assert assert_success(by_body) == assert_success(by_get)
    assert len(by_body["messages"]) == 1


async def test_form_is_read_as_well(
    client: ApiClient, member: Person, channel: ChannelRecord
) -> None:
    message_id = await send(client, member, channel, "cats", "a cat")
    ids = {"message_ids": [message_id]}
    assert len((await client.post("/messages/query", member, **ids))["messages"]) == 1


@pytest.mark.any_database
async def test_list_may_be_longer_than_any_address(client: ApiClient, member: Person) -> None:
    user_ids = [member.user_id, *range(10_000, 20_000)]
    response = await query(client, member, "/users", user_ids=user_ids)
    assert [user["user_id"] for user in response["members"]] == [member.user_id]


@pytest.mark.any_database
async def test_errors_and_ignored_parameters_are_those_of_a_body(
    client: ApiClient, member: Person
) -> None:
    response = await query(client, member, "/messages", **PAGE, narrow="[]")
    assert assert_error(response) == "narrow is not a list"
    response = await query(client, member, "/messages", **PAGE, unknown=1)
    assert response["ignored_parameters_unsupported"] == ["unknown"]


async def test_response_is_not_stored_for_an_idempotency_key(
    client: ApiClient, runtime: Runtime, member: Person
) -> None:
    headers = {"Idempotency-Key": "once"}
    for count in (1, 0):
        body = {"user_ids": [member.user_id] * count}
        response = await client.call("POST", "/users/query", member, json=body, headers=headers)
        assert len(assert_success(response)["members"]) == count
    assert await kept_answers(runtime) == []


@pytest.mark.any_database
async def test_other_methods_are_refused(client: ApiClient, member: Person) -> None:
    response = await client.get("/messages/query", member)
    assert_error(response, "METHOD_NOT_ALLOWED", 405, allowed_methods=["POST"])
