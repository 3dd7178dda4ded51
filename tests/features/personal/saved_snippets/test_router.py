"""GET and POST /saved_snippets, PATCH and DELETE /saved_snippets/{saved_snippet_id}."""

from typing import Any

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.core.clock import unix_seconds
from chatapi.db.models import SavedSnippet
from tests.factories import Person
from tests.support.added_rows import add_rows
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

SNIPPETS = "/saved_snippets"


async def save(
    client: ApiClient, person: Person, title: str = "Welcome", content: str = "Hello"
) -> int:
    response = await client.post(SNIPPETS, person, title=title, content=content)
    snippet_id: int = assert_success(response)["saved_snippet_id"]
    return snippet_id


async def snippets_of(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    snippets: list[dict[str, Any]] = assert_success(await client.get(SNIPPETS, person))[
        "saved_snippets"
    ]
    return snippets


@pytest.mark.any_database
class TestSnippets:
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person) -> None:
        path = f"{SNIPPETS}/{await save(client, member)}"
        for response in (
            await client.get(SNIPPETS),
            await client.post(SNIPPETS, title="a", content="b"),
            await client.patch(path, title="c"),
            await client.delete(path),
        ):
            assert_error(response, "UNAUTHORIZED", 401)

    async def test_are_private_to_the_user(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        listener = await listen(client, member, event_types=["saved_snippets"])
        outside = await listen(client, owner, event_types=["saved_snippets"])
        assert listener.state["saved_snippets"] == []
        snippet_id = await save(client, member, " Welcome ", "Hello **you**\n")
        snippet = {
            "id": snippet_id,
            "title": "Welcome",
            "content": "Hello **you**",
            "date_created": unix_seconds(clock.now()),
        }
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "saved_snippets",
            "op": "add",
            "saved_snippet": snippet,
        }
        assert await snippets_of(client, member) == [snippet]
        assert (await listen(client, member)).state["saved_snippets"] == [snippet]
        assert await snippets_of(client, owner) == []
        assert await outside.new_events() == []

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"title": ""}, "title cannot be empty"),
            ({"title": "  "}, "title cannot be empty"),
            ({"title": "x" * 61}, "title is too long (limit: 60 characters)"),
            ({"title": "a\0b"}, "title must not contain NUL characters"),
            ({"content": " "}, "content cannot be empty"),
            ({"content": "x" * 10_001}, "content is too long (limit: 10000 characters)"),
            ({"content": "a\0b"}, "content must not contain NUL characters"),
        ],
    )
    async def test_length_is_limited(
        self, client: ApiClient, member: Person, wrong: dict[str, str], message: str
    ) -> None:
        snippet_id = await save(client, member)
        kept = await snippets_of(client, member)
        good = {"title": "Title", "content": "Content"}
        assert assert_error(await client.post(SNIPPETS, member, **{**good, **wrong})) == message
        edited = await client.patch(f"{SNIPPETS}/{snippet_id}", member, **wrong)
        assert assert_error(edited) == message
        assert await snippets_of(client, member) == kept

    async def test_number_is_limited(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        snippets = [{"title": f"Number {number}", "content": "Hello"} for number in range(499)]
        now = runtime.clock.now()
        await add_rows(runtime, SavedSnippet, snippets, user_id=member.user_id, created_at=now)
        await save(client, member, "The last one")
        refused = await client.post(SNIPPETS, member, title="One", content="more")
        assert assert_error(refused) == "Too many saved snippets (maximum 500)"


class TestEdit:
    @pytest.mark.parametrize("change", [{"title": "Goodbye"}, {"content": "See you"}])
    async def test_changes_passed_values_only(
        self, client: ApiClient, member: Person, change: dict[str, str]
    ) -> None:
        snippet_id = await save(client, member)
        [before] = await snippets_of(client, member)
        listener = await listen(client, member, event_types=["saved_snippets"])
        path = f"{SNIPPETS}/{snippet_id}"
        assert assert_success(await client.patch(path, member, **change)) == {}
        [event] = await listener.new_events()
        assert (event["op"], event["saved_snippet"]) == ("update", {**before, **change})
        assert await snippets_of(client, member) == [{**before, **change}]

    async def test_edit_without_change_emits_no_event(
        self, client: ApiClient, member: Person
    ) -> None:
        snippet_id = await save(client, member)
        listener = await listen(client, member, event_types=["saved_snippets"])
        path = f"{SNIPPETS}/{snippet_id}"
        assert_success(await client.patch(path, member, title="Welcome"))
        assert_success(await client.patch(path, member))
        assert await listener.new_events() == []

    @pytest.mark.any_database
    async def test_snippets_of_others_are_unknown(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        theirs = await save(client, owner)
        for number in (theirs, 4711):
            path = f"{SNIPPETS}/{number}"
            for response in (
                await client.patch(path, member, title="Mine"),
                await client.delete(path, member),
            ):
                refusal = assert_error(response, "BAD_REQUEST", 400)
                assert refusal == "Saved snippet does not exist."
        assert [each["title"] for each in await snippets_of(client, owner)] == ["Welcome"]


class TestDelete:
    async def test_emits_an_event(self, client: ApiClient, member: Person) -> None:
        first, second = await save(client, member), await save(client, member)
        listener = await listen(client, member, event_types=["saved_snippets"])
        assert assert_success(await client.delete(f"{SNIPPETS}/{first}", member)) == {}
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "saved_snippets",
            "op": "remove",
            "saved_snippet_id": first,
        }
        assert [each["id"] for each in await snippets_of(client, member)] == [second]
