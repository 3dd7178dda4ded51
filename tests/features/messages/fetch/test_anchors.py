"""The anchor of GET /messages, and how many messages are read around it."""

from datetime import datetime, timedelta

import pytest

from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import (
    AFTER_ALL,
    Term,
    ask,
    ids_read,
    mark,
    read,
    send,
    send_direct,
)
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_error, assert_success


@pytest.fixture
async def five(client: ApiClient, writer: Person, general: ChannelRecord) -> list[MessageId]:
    return [await send(client, writer, general, f"topic {number}") for number in range(5)]


class TestAroundAnAnchor:
    @pytest.mark.parametrize(
        ("params", "expected"),
        [
            ({"anchor": "newest", "num_before": 2, "num_after": 0}, [3, 4]),
            ({"anchor": str(AFTER_ALL), "num_before": 2, "num_after": 5}, [3, 4]),
            ({"anchor": "oldest", "num_before": 5, "num_after": 2}, [0, 1]),
            ({"anchor": "-7", "num_before": 0, "num_after": 1}, [0]),
            ({"anchor": "2", "num_before": 1, "num_after": 1}, [1, 2, 3]),
            ({"anchor": "2", "num_before": 1, "num_after": 0}, [1, 2]),
            ({"anchor": "2", "num_before": 0, "num_after": 1}, [2, 3]),
            ({"anchor": "2", "num_before": 0, "num_after": 0}, [2]),
            ({"anchor": "2", "num_before": 1, "num_after": 1, "include_anchor": False}, [1, 3]),
            ({"anchor": "2", "num_before": 5, "num_after": 0, "include_anchor": False}, [0, 1]),
            ({"anchor": "2", "num_before": 0, "num_after": 0, "include_anchor": False}, []),
        ],
    )
    async def test_returns_the_requested_range(
        self,
        client: ApiClient,
        reader: Person,
        five: list[MessageId],
        params: dict[str, object],
        expected: list[int],
    ) -> None:
        asked = dict(params)
        if asked["anchor"] == "2":
            asked["anchor"] = str(five[2])
        assert await ids_read(client, reader, **asked) == [five[place] for place in expected]

    @pytest.mark.parametrize(
        ("params", "found"),
        [
            ({"anchor": "newest", "num_before": 2, "num_after": 0}, (False, False, True)),
            ({"anchor": "newest", "num_before": 9, "num_after": 0}, (False, True, True)),
            ({"anchor": "oldest", "num_before": 0, "num_after": 2}, (False, True, False)),
            ({"anchor": "1", "num_before": 9, "num_after": 9}, (True, True, True)),
            ({"anchor": "1", "num_before": 0, "num_after": 2}, (True, False, False)),
        ],
    )
    async def test_reports_found_oldest_newest_and_anchor(
        self,
        client: ApiClient,
        reader: Person,
        five: list[MessageId],
        params: dict[str, object],
        found: tuple[bool, bool, bool],
    ) -> None:
        asked = dict(params)
        if asked["anchor"] == "1":
            asked["anchor"] = str(five[1])
        response = await read(client, reader, **asked)
        keys = ("found_anchor", "found_oldest", "found_newest")
        assert tuple(response[key] for key in keys) == found
        assert response["history_limited"] is False

    async def test_empty_result_is_no_error(self, client: ApiClient, reader: Person) -> None:
        response = await read(client, reader, anchor="17", num_before=5, num_after=5)
        assert response == {
            "messages": [],
            "anchor": 17,
            "found_anchor": False,
            "found_oldest": True,
            "found_newest": True,
            "history_limited": False,
        }

    async def test_request_of_the_terminal_client(
        self, client: ApiClient, reader: Person, five: list[MessageId]
    ) -> None:
        await mark(client, reader, five[0], five[1])
        response = await read(
            client,
            reader,
            anchor=0,
            num_before=30,
            num_after=10,
            apply_markdown=True,
            use_first_unread_anchor=True,
            client_gravatar=True,
        )
        assert response["anchor"] == five[2]
        assert [message["id"] for message in response["messages"]] == five


class TestFirstUnread:
    async def test_is_a_fixed_large_id_with_nothing_unread(
        self, client: ApiClient, reader: Person, five: list[MessageId]
    ) -> None:
        await mark(client, reader, *five)
        response = await read(client, reader, anchor="first_unread", num_before=2, num_after=2)
        assert response["anchor"] == 10000000000000000
        assert [message["id"] for message in response["messages"]] == five[3:]
        assert response["found_newest"] is True

    async def test_is_the_first_unread_of_the_narrow(
        self, client: ApiClient, reader: Person, writer: Person, five: list[MessageId]
    ) -> None:
        direct = await send_direct(client, writer, reader)
        term: list[object] = ["dm", [writer.user_id]]
        response = await read(client, reader, term, anchor="first_unread")
        assert response["anchor"] == direct

    async def test_can_be_an_older_message_that_was_marked_unread(
        self, client: ApiClient, reader: Person, five: list[MessageId]
    ) -> None:
        await mark(client, reader, *five[:3])
        await mark(client, reader, five[1], op="remove")
        assert (await read(client, reader, anchor="first_unread"))["anchor"] == five[1]

    async def test_skips_muted_messages(
        self,
        client: ApiClient,
        reader: Person,
        writer: Person,
        make_channel: MakeChannel,
        general: ChannelRecord,
    ) -> None:
        loud = await make_channel("loud", subscribers=[reader, writer])
        await mute_channel(client, reader, loud)
        in_loud = await send(client, writer, loud, "noise")
        chosen = await send(client, writer, loud, "interesting")
        muted_topic = await send(client, writer, general, "boring")
        await set_policy(client, reader, general, "boring", 1)
        last = await send(client, writer, general, "fine")

        async def first(*terms: list[object]) -> int:
            response = await read(client, reader, *terms, anchor="first_unread")
            return int(response["anchor"])

        assert await first() == last
        await set_policy(client, reader, loud, "interesting", 2)
        assert await first() == chosen
        # A narrow to the muted channel or topic itself does not skip it.
        assert await first(["channel", "loud"]) == in_loud
        assert await first(["channel", "general"]) == last
        assert await first(["channel", "general"], ["topic", "boring"]) == muted_topic

    async def test_skips_unsubscribed_channels(
        self, client: ApiClient, reader: Person, writer: Person, make_channel: MakeChannel
    ) -> None:
        other = await make_channel("other", subscribers=[writer])
        await send(client, writer, other)
        response = await read(client, reader, ["channel", "other"], anchor="first_unread")
        assert response["anchor"] == AFTER_ALL
        assert len(response["messages"]) == 1


class TestDate:
    @pytest.fixture
    async def days(
        self,
        client: ApiClient,
        writer: Person,
        reader: Person,
        general: ChannelRecord,
        clock: MovableClock,
    ) -> list[MessageId]:
        """One message on each of three days, the second a direct one."""
        first = await send(client, writer, general)
        clock.advance(days=1)
        second = await send_direct(client, writer, reader)
        clock.advance(days=1)
        return [first, second, await send(client, writer, general)]

    @pytest.mark.parametrize(
        ("date", "place"),
        [
            ("2026-03-01T00:00:00Z", 0),
            ("2026-03-02T12:00:00Z", 1),
            ("2026-03-02T12:00:01Z", 2),
            ("2026-03-03T13:30:00+02:00", 2),
            ("2026-03-03", 2),
        ],
    )
    async def test_is_the_first_message_since_then(
        self, client: ApiClient, reader: Person, days: list[MessageId], date: str, place: int
    ) -> None:
        response = await read(client, reader, anchor="date", anchor_date=date)
        assert response["anchor"] == days[place]

    async def test_is_found_among_many(
        self,
        client: ApiClient,
        writer: Person,
        reader: Person,
        general: ChannelRecord,
        clock: MovableClock,
    ) -> None:
        sent: list[tuple[MessageId, str, datetime]] = []
        for number in range(20):
            topic = "rare" if number % 7 == 3 else "common"
            sent.append((await send(client, writer, general, topic), topic, clock.now()))
            clock.advance(minutes=50)
        moments = [moment + timedelta(minutes=step) for *_, moment in sent for step in (0, 1)]
        for topic in ("rare", "common"):
            narrow: list[Term] = [["channel", "general"], ["topic", topic]]
            for moment in moments:
                expected = [one for one, where, at in sent if where == topic and at >= moment]
                date = moment.isoformat()
                response = await read(client, reader, *narrow, anchor="date", anchor_date=date)
                assert response["anchor"] == (expected[0] if expected else AFTER_ALL)

    async def test_after_all_messages(
        self, client: ApiClient, reader: Person, days: list[MessageId]
    ) -> None:
        response = await read(client, reader, anchor="date", anchor_date="2030-01-01")
        assert response["anchor"] == AFTER_ALL

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({}, "Missing 'anchor_date' argument"),
            ({"anchor_date": "soon"}, "anchor_date is not a valid ISO 8601 date"),
            ({"anchor_date": "x" * 51}, "anchor_date is too long (limit: 50 characters)"),
        ],
    )
    async def test_refusals(
        self, client: ApiClient, reader: Person, params: dict[str, object], message: str
    ) -> None:
        assert assert_error(await ask(client, reader, anchor="date", **params)) == message


class TestRefusals:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"anchor": "never"}, "Invalid anchor"),
            ({"num_before": -1}, "num_before is too small (at least: 0)"),
            ({"num_after": 5001}, "num_after is too large (at most: 5000)"),
            (
                {"num_before": 5000, "num_after": 1},
                "Too many messages requested (maximum 5000)",
            ),
            ({"message_ids": [1]}, "message_ids cannot be combined with anchor"),
            ({"narrow": "["}, 'Argument "narrow" is not valid JSON.'),
        ],
    )
    async def test_bad_parameters(
        self, client: ApiClient, reader: Person, params: dict[str, object], message: str
    ) -> None:
        asked = {"anchor": "newest", "num_before": 1, "num_after": 1, "narrow": [], **params}
        response = await client.get("/messages", reader, **asked)
        assert assert_error(response).startswith(message)

    @pytest.mark.parametrize("missing", ["anchor", "num_before", "num_after"])
    async def test_missing_parameters(
        self, client: ApiClient, reader: Person, missing: str
    ) -> None:
        asked: dict[str, object] = {"anchor": "newest", "num_before": 1, "num_after": 1}
        del asked[missing]
        response = await client.get("/messages", reader, **asked)
        assert assert_error(response) == f"Missing '{missing}' argument"


async def mute_channel(client: ApiClient, person: Person, channel: ChannelRecord) -> None:
    change = {"stream_id": channel.id, "property": "is_muted", "value": True}
    assert_success(
        await client.post("/users/me/subscriptions/properties", person, subscription_data=[change])
    )


async def set_policy(
    client: ApiClient, person: Person, channel: ChannelRecord, topic: str, policy: int
) -> None:
    assert_success(
        await client.post(
            "/user_topics",
            person,
            stream_id=channel.id,
            topic=topic,
            visibility_policy=policy,
        )
    )
