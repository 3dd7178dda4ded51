"""Effects of linkifiers on messages and their topics."""

import pytest
from sqlalchemy import update

from chatapi.auth.runtime import Runtime
from chatapi.db.models import Linkifier
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import read, send, send_direct, show
from tests.features.realm.linkifiers.linking import add_linkifier
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements

LINK = '<a href="https://t.example/12" rel="noopener noreferrer nofollow">#12</a>'


async def preview(client: ApiClient, person: Person, content: str) -> str:
    response = await client.post("/messages/render", person, content=content)
    return str(assert_success(response)["rendered"])


class TestContent:
    @pytest.mark.any_database
    async def test_has_links(self, client: ApiClient, owner: Person, member: Person) -> None:
        await add_linkifier(client, owner)
        listener = await listen(client, member, event_types=["message"], apply_markdown=True)
        plain = await send_direct(client, owner, member, content="see #12")
        marked = await send_direct(client, owner, member, content="**see** #12 `#12`")
        expected = [f"<p>see {LINK}</p>", f"<p><strong>see</strong> {LINK} <code>#12</code></p>"]
        shown = [(await show(client, member, each))["content"] for each in (plain, marked)]
        assert shown == expected
        events = await listener.new_events()
        assert [event["message"]["content"] for event in events] == expected
        raw = await show(client, member, plain, apply_markdown=False)
        assert raw["content"] == "see #12"

    async def test_search_finds_its_links(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        await add_linkifier(client, owner)
        linked = await send_direct(client, owner, member, content="see #12")
        await send_direct(client, owner, member, content="see 12")
        found = await read(client, member, ["has", "link"])
        assert [message["id"] for message in found["messages"]] == [linked]

    @pytest.mark.any_database
    async def test_links_work_beside_mentions(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        await add_linkifier(client, owner)
        html = await preview(client, member, f"@**{owner.full_name}** #12")
        assert "user-mention" in html
        assert LINK in html

    async def test_changes_with_the_next_message(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        assert await preview(client, member, "#12") == "<p>#12</p>"
        linkifier_id = await add_linkifier(client, owner)
        assert await preview(client, member, "#12") == f"<p>{LINK}</p>"
        message_id = await send_direct(client, member, owner, content="#12")
        assert_success(await client.delete(f"/realm/filters/{linkifier_id}", owner))
        assert await preview(client, member, "#12") == "<p>#12</p>"
        assert (await show(client, member, message_id))["content"] == f"<p>{LINK}</p>"


@pytest.mark.any_database
class TestTopics:
    async def test_have_links(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        before = await send(client, owner, channel, "#7 and #12")
        linkifier_id = await add_linkifier(client, owner)
        listener = await listen(client, member, event_types=["message"])
        after = await send(client, owner, channel, "#7 and #12")
        other = await send(client, owner, channel, "lunch")
        links = [{"text": f"#{number}", "url": f"https://t.example/{number}"} for number in (7, 12)]
        events = await listener.new_events()
        assert [event["message"]["topic_links"] for event in events] == [links, []]
        for message_id in (before, after):
            assert (await show(client, member, message_id))["topic_links"] == links
        assert (await show(client, member, other))["topic_links"] == []
        found = (await read(client, member))["messages"]
        assert [message["topic_links"] for message in found] == [links, links, []]
        assert_success(await client.delete(f"/realm/filters/{linkifier_id}", owner))
        assert (await show(client, member, after))["topic_links"] == []

    async def test_of_direct_messages_have_none(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        await add_linkifier(client, owner)
        message_id = await send_direct(client, owner, member, content="#12")
        assert (await show(client, member, message_id))["topic_links"] == []


class TestMemory:
    async def test_most_messages_cost_no_statement(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        await add_linkifier(client, owner)
        await send_direct(client, owner, member)
        with recorded_statements(runtime.database, "linkifier") as statements:
            for _ in range(3):
                await send_direct(client, owner, member)
            await read(client, member)
        assert statements == []

    async def test_invalid_stored_pattern_is_skipped(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        linkifier_id = await add_linkifier(client, owner)
        await break_pattern(runtime, linkifier_id)
        message_id = await send_direct(client, owner, member, content="see #12")
        assert (await show(client, member, message_id))["content"] == "<p>see #12</p>"


async def break_pattern(runtime: Runtime, linkifier_id: int) -> None:
    """Store an invalid pattern, as a version of the service with other rules might have."""
    async with runtime.database.engine.begin() as connection:
        await connection.execute(
            update(Linkifier).where(Linkifier.id == linkifier_id).values(pattern="(?=look)")
        )
