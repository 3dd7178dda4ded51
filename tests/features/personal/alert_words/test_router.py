"""GET, POST and DELETE /users/me/alert_words, and their effects."""

import pytest

from chatapi.auth.runtime import Runtime
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.fetch.conversations import flags_of, mark, send, send_direct
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements

WORDS = "/users/me/alert_words"


async def watch(client: ApiClient, person: Person, *words: str) -> list[str]:
    response = await client.post(WORDS, person, alert_words=list(words))
    watched: list[str] = assert_success(response)["alert_words"]
    return watched


async def unwatch(client: ApiClient, person: Person, *words: str) -> list[str]:
    response = await client.delete(WORDS, person, alert_words=list(words))
    watched: list[str] = assert_success(response)["alert_words"]
    return watched


class TestWords:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person) -> None:
        assert_error(await client.get(WORDS), "UNAUTHORIZED", 401)
        assert_error(await client.post(WORDS, alert_words=["lunch"]), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_are_private_to_the_user(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        listener = await listen(client, member, event_types=["alert_words"])
        outside = await listen(client, owner, event_types=["alert_words"])
        assert listener.state["alert_words"] == []
        assert await watch(client, member, "Lunch", " free   coffee ") == ["free coffee", "Lunch"]
        assert assert_success(await client.get(WORDS, member)) == {
            "alert_words": ["free coffee", "Lunch"]
        }
        assert assert_success(await client.get(WORDS, owner)) == {"alert_words": []}
        [event] = await listener.new_events()
        assert event["type"] == "alert_words"
        assert event["alert_words"] == ["free coffee", "Lunch"]
        assert await outside.new_events() == []
        assert (await listen(client, member)).state["alert_words"] == ["free coffee", "Lunch"]

    @pytest.mark.any_database
    async def test_differ_in_more_than_capitals(self, client: ApiClient, member: Person) -> None:
        await watch(client, member, "Lunch", "LUNCH", "")
        listener = await listen(client, member, event_types=["alert_words"])
        assert await watch(client, member, "lunch") == ["Lunch"]
        assert await listener.new_events() == []

    async def test_can_be_removed(self, client: ApiClient, member: Person) -> None:
        await watch(client, member, "lunch", "supper")
        listener = await listen(client, member, event_types=["alert_words"])
        assert await unwatch(client, member, "LUNCH", "breakfast") == ["supper"]
        assert await unwatch(client, member, "breakfast") == ["supper"]
        [event] = await listener.new_events()
        assert event["alert_words"] == ["supper"]

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["x" * 101], "alert_words[0] is too long (limit: 100 characters)"),
            (["x"] * 501, "alert_words has too many entries (limit: 500)"),
            ("lunch", "alert_words"),
            ([7], "alert_words[0] is not a string"),
            (None, "Missing 'alert_words' argument"),
        ],
    )
    async def test_invalid_words_are_refused(
        self, client: ApiClient, member: Person, words: object, message: str
    ) -> None:
        assert message in assert_error(await client.post(WORDS, member, alert_words=words))

    @pytest.mark.any_database
    async def test_number_is_limited(self, client: ApiClient, member: Person) -> None:
        await watch(client, member, *(f"word {number}" for number in range(500)))
        refusal = assert_error(await client.post(WORDS, member, alert_words=["one more"]))
        assert refusal == "Too many alert words (maximum 500)"
        assert len(await watch(client, member, "word 7")) == 500


class TestAlerts:
    @pytest.mark.any_database
    async def test_flag_is_delivered_and_stored(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        await watch(client, member, "lunch")
        mine, theirs = [
            await listen(client, person, event_types=["message"]) for person in (member, owner)
        ]
        message_id = await send(client, owner, channel, content="Who is up for LUNCH?")
        other_id = await send(client, owner, channel, content="Who launches?")
        assert [event["flags"] for event in await mine.new_events()] == [["has_alert_word"], []]
        assert [event["flags"] for event in await theirs.new_events()] == [[], []]
        assert "has_alert_word" in await flags_of(client, member, message_id)
        assert "has_alert_word" not in await flags_of(client, member, other_id)
        assert "has_alert_word" not in await flags_of(client, owner, message_id)

    @pytest.mark.any_database
    async def test_flag_stays_when_other_flags_change(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        await watch(client, member, "lunch")
        message_id = await send_direct(client, owner, member, content="lunch")
        for op in ("add", "remove"):
            await mark(client, member, message_id, flag="starred", op=op)
        assert await flags_of(client, member, message_id) == {"has_alert_word"}

    @pytest.mark.any_database
    async def test_only_recipients_are_flagged(
        self,
        client: ApiClient,
        runtime: Runtime,
        make_channel: MakeChannel,
        make_user: MakeUser,
        owner: Person,
        member: Person,
    ) -> None:
        outsider = await make_user()
        for person in (member, outsider):
            await watch(client, person, "lunch")
        channel = await make_channel(subscribers=[owner, member])
        with recorded_statements(runtime.database, "INSERT INTO message_flag") as statements:
            in_channel = await send(client, owner, channel, content="lunch")
            await send_direct(client, owner, owner, content="lunch")
        assert len(statements) == 1
        assert "has_alert_word" in await flags_of(client, member, in_channel)
        assert "has_alert_word" not in await flags_of(client, outsider, in_channel)

    async def test_begin_and_end_with_the_next_message(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        async def is_alerted() -> bool:
            message_id = await send_direct(client, owner, member, content="lunch")
            return "has_alert_word" in await flags_of(client, member, message_id)

        assert not await is_alerted()
        await watch(client, member, "lunch")
        assert await is_alerted()
        await unwatch(client, member, "lunch")
        assert not await is_alerted()

    @pytest.mark.any_database
    async def test_words_are_cached(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        await watch(client, member, "lunch")
        await send_direct(client, owner, member)
        with recorded_statements(runtime.database, "alert_word") as statements:
            for _ in range(3):
                await send_direct(client, owner, member)
        assert [text for text in statements if "FROM alert_word" in text] == []
