"""Event ids: each is greater than all before it, and passing one acknowledges exactly those."""

import random
from collections.abc import AsyncIterator
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import EventId, EventNumber
from chatapi.core.measurements import Measurements
from chatapi.core.settings import Settings
from chatapi.events.event_ids import (
    MAX_PIECES,
    id_behind,
    id_of,
    newest_begun,
    newest_completed,
    piece_ids,
)
from chatapi.events.feed import Feed
from tests.factories import MakeChannel, Person
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.event_streams import Streams, messages
from tests.support.listening import Listener, listen
from tests.support.live_server import live_server
from tests.support.responses import assert_error, assert_success
from tests.support.sample_events import Listed, Noted, Whispered, commit_events, entry

from chatapi.main import ChatApp  # isort: skip

TYPES = ["test_note", "test_whisper", "test_list"]
LETTERS = "abcdefghij"


def texts(events: list[dict[str, object]]) -> list[object]:
    return [event["text"] for event in events]


@pytest.fixture
async def listener(client: ApiClient, member: Person) -> Listener:
    return await listen(client, member, event_types=TYPES)


@pytest.fixture
async def streams(app: ChatApp) -> AsyncIterator[Streams]:
    async with live_server(app) as url:
        yield Streams(url)


class TestArithmetic:
    @given(number=st.integers(1, 2**32), count=st.integers(1, 1000))
    def test_pieces_lie_between_the_event_before_and_their_own(
        self, number: int, count: int
    ) -> None:
        ids = piece_ids(EventNumber(number), count)
        assert len(ids) == count
        assert ids[-1] == id_of(EventNumber(number)) < 2**53
        for event_id in ids[:-1]:
            assert newest_completed(EventId(event_id)) == number - 1
            assert newest_begun(EventId(event_id)) == number

    def test_ids_after_an_event_stay_below_the_pieces_of_the_next(self) -> None:
        last: EventId | None = id_of(EventNumber(5))
        assert last is not None
        while (following := id_behind(last)) is not None:
            last = following
        assert last < piece_ids(EventNumber(6), MAX_PIECES)[0]
        assert newest_completed(last) == newest_begun(last) == 5

    def test_feed_without_free_ids_drops_ephemeral_events_until_the_next_logged_one(self) -> None:
        feed = Feed(entry(1).realm_id, Measurements())
        feed.start_at(EventNumber(1))
        feed._last_ephemeral_id = EventId(piece_ids(EventNumber(2), MAX_PIECES)[0] - 2)
        feed.take_ephemeral(entry(0, Whispered(text="dropped")))
        assert feed.ephemeral_since(0) == []
        feed.take([entry(2)])
        feed.take_ephemeral(entry(0, Whispered(text="told")))
        assert [each.id > id_of(EventNumber(2)) for each in feed.ephemeral_since(0)] == [True]


class TestPieces:
    async def test_pieces_of_one_event_have_growing_ids(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        await commit_events(
            runtime, realm, Noted(text="x"), Listed(texts=list(LETTERS)), Noted(text="y")
        )
        assert texts(await listener.new_events()) == ["x", *LETTERS, "y"]

    @pytest.mark.parametrize("is_in_memory", [True, False])
    async def test_poll_after_a_piece_returns_the_other_pieces(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, is_in_memory: bool
    ) -> None:
        await commit_events(runtime, realm, Listed(texts=list(LETTERS)), Noted(text="y"))
        if not is_in_memory:
            (await runtime.hub.feed(realm.id))._recent.clear()
        events = (await listener.poll(dont_block=True))["events"]
        for place, event in enumerate(events):
            rest = (await listener.poll(last_event_id=event["id"], dont_block=True))["events"]
            assert texts(rest) == [*LETTERS, "y"][place + 1 :]

    async def test_acknowledged_pieces_are_not_delivered_again(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, start_app: StartApp
    ) -> None:
        await commit_events(runtime, realm, Listed(texts=list(LETTERS)))
        events = (await listener.poll(dont_block=True))["events"]
        await listener.poll(last_event_id=events[6]["id"], dont_block=True)
        again = await listener.poll(last_event_id=-1, dont_block=True)
        assert texts(again["events"]) == list(LETTERS[7:])
        await runtime.queues.note_acknowledged()
        listener.client = ApiClient(await start_app())
        elsewhere = await listener.poll(last_event_id=-1, dont_block=True)
        assert texts(elsewhere["events"]) == list(LETTERS[7:])
        await listener.client.aclose()

    async def test_event_of_very_many_pieces_comes_in_several_responses(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        many = [str(number) for number in range(2500)]
        await commit_events(runtime, realm, Noted(text="x"), Listed(texts=many), Noted(text="y"))
        await commit_events(runtime, realm, Whispered(text="z"))
        responses = []
        while events := listener._see(await listener.poll(dont_block=True)):
            responses.append(texts(events))
        assert max(map(len, responses)) <= 1001
        assert list(chain.from_iterable(responses)) == ["x", *many, "y", "z"]

    async def test_id_within_a_nonexistent_event_is_refused(self, listener: Listener) -> None:
        answer = await listener.poll(last_event_id=listener.id_after(1) - 1)
        assert_error(answer, "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)

    async def test_stream_interrupted_between_deletions_resumes_with_the_rest(
        self,
        client: ApiClient,
        member: Person,
        make_channel: MakeChannel,
        owner: Person,
        streams: Streams,
    ) -> None:
        """Twenty messages deleted at once, to a client that takes them one by one."""
        channel = await make_channel(subscribers=[member, owner])
        sent = [
            assert_success(
                await client.post(
                    "/messages", owner, type="channel", to=channel.id, topic="t", content=str(n)
                )
            )["id"]
            for n in range(20)
        ]
        listener = await listen(client, member, event_types=["delete_message"])
        path = f"/streams/{channel.id}/delete_topic"
        assert_success(await client.post(path, owner, topic_name="t"))
        deleted: list[int] = []
        last_id: str | None = None
        for take in (3, 1, 16):
            async with streams.open(listener, resume_after=last_id) as response:
                stream = messages(response)
                for _ in range(take):
                    message = await anext(stream)
                    deleted.append(message.data["message_id"])
                    last_id = message.id
                    assert message.id == str(message.data["id"])
        assert sorted(deleted) == sorted(sent)


class TestEphemeralEvents:
    async def test_each_has_a_unique_id(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        for text in "abc":
            await commit_events(runtime, realm, Whispered(text=text))
            assert texts(await listener.new_events()) == [text]

    async def test_ids_grow_for_a_client_that_switches_processes(
        self,
        runtime: Runtime,
        realm: RealmRecord,
        client: ApiClient,
        listener: Listener,
        start_app: StartApp,
    ) -> None:
        """A process does not know the ids another one assigned; `_see` compares them."""
        other = await start_app()
        there = ApiClient(other)
        listener.client = there
        assert await listener.new_events() == []
        for text in "abc":
            listener.client = client
            await commit_events(runtime, realm, Whispered(text=f"{text} here"))
            await commit_events(runtime, realm, Whispered(text=f"{text} again"))
            assert texts(await listener.new_events()) == [f"{text} here", f"{text} again"]
            listener.client = there
            await commit_events(other.runtime, realm, Whispered(text=f"{text} there"))
            assert texts(await listener.new_events()) == [f"{text} there"]
        await there.aclose()

    async def test_late_ephemeral_event_does_not_hide_unread_pieces(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        await commit_events(runtime, realm, Whispered(text="early"))
        await commit_events(runtime, realm, Listed(texts=list(LETTERS)))
        logged = (await listener.poll(dont_block=True))["events"]
        assert texts(logged) == ["early", *LETTERS]
        await commit_events(runtime, realm, Whispered(text="late"))
        listener.last_event_id = logged[3]["id"]
        assert texts(await listener.new_events()) == [*LETTERS[3:], "late"]


class TestHeartbeats:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"heartbeat_seconds": 0.05})

    async def test_have_growing_ids_and_hide_nothing(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        for _ in range(3):
            assert [event["type"] for event in await listener.next_events()] == ["heartbeat"]
        await commit_events(runtime, realm, Whispered(text="a"))
        assert texts(await listener.next_events()) == ["a"]
        await commit_events(runtime, realm, Listed(texts=["b", "c"]))
        assert texts(await listener.next_events()) == ["b", "c"]


class TestEverything:
    @pytest.mark.parametrize("seed", range(5))
    async def test_client_that_acknowledges_any_id_gets_exactly_the_rest(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, seed: int
    ) -> None:
        chance = random.Random(seed)
        told: list[str] = []
        seen: list[object] = []
        for step in range(30):
            new = [f"{step}.{place}" for place in range(chance.randint(1, 4))]
            kind = chance.choice([Noted, Listed, Whispered])
            if kind is Listed:
                await commit_events(runtime, realm, Listed(texts=new))
            else:
                await commit_events(runtime, realm, *(kind(text=text) for text in new))
            told += new
            events = (await listener.poll(dont_block=True))["events"]
            ids = [listener.last_event_id, *(event["id"] for event in events)]
            assert ids == sorted(set(ids))
            # An ephemeral event is lost for a client that goes back; this one does not go back.
            ephemeral = [p for p, e in enumerate(events, 1) if e["type"] == "test_whisper"]
            kept = chance.randint(max(ephemeral, default=0), len(events))
            seen += texts(events[:kept])
            listener.last_event_id = ids[kept]
        seen += texts(await listener.new_events())
        assert seen == told
