"""Read state compared with a plain set: random sends and marks, and the unread after each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from tests.factories import Person, make_channel, make_user
from tests.features.messages.fetch.conversations import (
    AFTER_ALL,
    Term,
    flags_of,
    mark,
    read,
    send,
    send_direct,
    unread_ids,
)
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success

_PLACES = ["one", "two", "elsewhere", "direct"]
_picks = st.lists(st.integers(0, 30), min_size=1, max_size=6)
_steps = st.one_of(
    st.tuples(st.just("send"), st.sampled_from(_PLACES), st.booleans()),
    st.tuples(st.just("read"), _picks),
    st.tuples(st.just("unread"), _picks),
    st.tuples(st.just("topic"), st.sampled_from(_PLACES[:3])),
    st.tuples(st.just("channel"), st.booleans()),
    st.tuples(st.just("all")),
)


@pytest.fixture(params=["sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    """The statements are tested on both databases elsewhere; here the histories matter."""
    return str(request.param)


@dataclass
class World:
    """A reader, a sender, and the messages that should be unread."""

    client: ApiClient
    reader: Person
    writer: Person
    channels: dict[str, ChannelRecord]
    listener: Listener
    sent: list[int] = field(default_factory=list)
    places: dict[int, str] = field(default_factory=dict)
    unread: set[int] = field(default_factory=set)

    async def send(self, place: str, by_reader: bool) -> None:
        sender = self.reader if by_reader else self.writer
        if place == "direct":
            other = self.writer if by_reader else self.reader
            message_id = await send_direct(self.client, sender, other)
        else:
            channel = self.channels[place]
            message_id = await send(self.client, sender, channel, place, read_by_sender=True)
        self.sent.append(message_id)
        self.places[message_id] = place
        flags = await flags_of(self.client, self.reader, message_id)
        if by_reader and place != "direct":
            assert flags == {"read"}
        else:
            assert flags == set()
            self.unread.add(message_id)

    async def mark(self, picks: list[int], op: str) -> None:
        ids = sorted({self.sent[pick % len(self.sent)] for pick in picks}) if self.sent else []
        changed = (await mark(self.client, self.reader, *ids, op=op))["messages"]
        before = set(self.unread)
        self.unread = before - set(ids) if op == "add" else before | set(ids)
        assert set(changed) == before ^ self.unread

    async def mark_topic(self, topic: str) -> None:
        channel_id = self.channels[topic].id
        response = await self.client.post(
            "/mark_topic_as_read", self.reader, stream_id=channel_id, topic_name=topic
        )
        assert_success(response)
        self.unread -= {each for each in self.unread if self.places[each] == topic}

    async def mark_channel(self, is_first: bool) -> None:
        topics = {"one", "two"} if is_first else {"elsewhere"}
        channel_id = self.channels[min(topics)].id
        response = await self.client.post("/mark_stream_as_read", self.reader, stream_id=channel_id)
        assert_success(response)
        self.unread -= {each for each in self.unread if self.places[each] in topics}

    async def mark_all(self) -> None:
        assert_success(await self.client.post("/mark_all_as_read", self.reader))
        self.unread.clear()

    async def take(self, step: tuple[Any, ...]) -> None:
        kind, *details = step
        verbs: dict[str, Callable[..., Awaitable[None]]] = {
            "send": self.send,
            "read": lambda picks: self.mark(picks, "add"),
            "unread": lambda picks: self.mark(picks, "remove"),
            "topic": self.mark_topic,
            "channel": self.mark_channel,
            "all": self.mark_all,
        }
        before = set(self.unread)
        await verbs[kind](*details)
        await self._check(before, kind)

    async def _check(self, before: set[int], kind: str) -> None:
        assert await unread_ids(self.client, self.reader) == self.unread
        response = await read(self.client, self.reader, anchor="first_unread")
        assert response["anchor"] == min(self.unread, default=AFTER_ALL)
        shown = {
            message["id"] for message in response["messages"] if "read" not in message["flags"]
        }
        assert shown <= self.unread
        await self._check_topics_and_channels()
        told = set(before)
        for event in await self.listener.new_events():
            if event["all"]:
                told.clear()
            elif event["op"] == "add":
                told -= set(event["messages"])
            else:
                told |= set(event["messages"])
        assert kind == "send" or told == self.unread

    async def _check_topics_and_channels(self) -> None:
        """They are searched by other statements."""
        for topic, channel in self.channels.items():
            in_topic = {each for each in self.unread if self.places[each] == topic}
            narrow: list[Term] = [["channel", channel.id], ["topic", topic]]
            assert await self._first_unread_in(*narrow) == min(in_topic, default=AFTER_ALL)
            topics = {name for name, each in self.channels.items() if each.id == channel.id}
            in_channel = {each for each in self.unread if self.places[each] in topics}
            assert await self._first_unread_in(*narrow[:1]) == min(in_channel, default=AFTER_ALL)

    async def _first_unread_in(self, *narrow: Term) -> int:
        page = await read(self.client, self.reader, *narrow, anchor="first_unread")
        anchor: int = page["anchor"]
        return anchor


@pytest.mark.slow
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(_steps, min_size=4, max_size=14))
async def test_read_state(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    owner: Person,
    steps: list[tuple[Any, ...]],
) -> None:
    """Each history has its own users and channels, in one realm."""
    reader, writer = await make_user(runtime, realm), await make_user(runtime, realm)
    first, second = [
        await make_channel(runtime, realm, owner, subscribers=[reader, writer]) for _ in range(2)
    ]
    assert_success(await client.post("/mark_all_as_read", reader))
    channels = {"one": first, "two": first, "elsewhere": second}
    listener = await listen(client, reader, event_types=["update_message_flags"])
    world = World(client, reader, writer, channels, listener)
    for step in steps:
        await world.take(step)
