"""A client that follows moved messages, whatever happens to the servers."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from chatapi.core.errors import BadEventQueueIdError
from tests.stress.queue_reader import QueueReader

Place = tuple[int, str]
"""Channel and topic."""

_TYPES = ["message", "update_message", "update_message_flags"]
_ALL = {"anchor": "oldest", "num_before": 0, "num_after": 1_000, "apply_markdown": False}


@dataclass
class MoveWatcher(QueueReader):
    """Applies events to the messages it has read, and starts over if its queue is gone."""

    channels: tuple[int, ...] = ()
    """The channels whose messages it reads."""
    places: dict[int, Place] = field(default_factory=dict)
    unread: set[int] = field(default_factory=set)
    moves: Counter[int] = field(default_factory=Counter)
    """How often events have said that a message was moved, by its id."""
    registrations: int = 0

    @property
    def has_seen_all(self) -> bool:
        """Whether it has read one queue from the beginning to the end."""
        return self.registrations == 1

    async def register(self) -> None:
        state = await self.connection.insist("POST", "/register", event_types=_TYPES)
        self.start(state)
        self.registrations += 1
        self.unread = unread_ids(state)
        self.places = await self.read_places()

    async def work(self, stop: asyncio.Event) -> None:
        """Poll until the end; the last events are read by `catch_up`."""
        while not stop.is_set():
            await self._follow(await self._poll(dont_block=False))

    @override
    async def catch_up(self) -> None:
        last = None
        while last != self.last_event_id:
            last = self.last_event_id
            position = self._position(dont_block=True)
            await self._follow(await self.connection.insist("GET", "/events", **position))

    async def read_places(self) -> dict[int, Place]:
        """Where the messages are by GET /messages."""
        places: dict[int, Place] = {}
        for channel_id in self.channels:
            narrow = [["channel", channel_id]]
            page = await self.connection.insist("GET", "/messages", narrow=narrow, **_ALL)
            assert page["found_newest"], page
            for message in page["messages"]:
                assert message["id"] not in places, "a message is in two channels"
                places[message["id"]] = (message["stream_id"], message["subject"])
        return places

    async def read_unread(self) -> set[int]:
        """The unread messages of a new registration."""
        return unread_ids(await self.connection.insist("POST", "/register", event_types=_TYPES))

    @override
    def see(self, event: dict[str, Any]) -> None:
        match event:
            case {"type": "update_message"}:
                place = (event["new_stream_id"], event["subject"])
                self.places.update(dict.fromkeys(event["message_ids"], place))
                self.moves.update(event["message_ids"])
            case {"type": "update_message_flags", "op": "add", "flag": "read"}:
                self.unread.difference_update(event["messages"])
            case _:
                raise AssertionError(event)

    async def _follow(self, response: dict[str, Any] | None) -> None:
        if response is not None and response.get("code") == BadEventQueueIdError.code:
            await self.register()
        else:
            self._take(response)


def unread_ids(state: dict[str, Any]) -> set[int]:
    streams = state["unread_msgs"]["streams"]
    ids = [message_id for each in streams for message_id in each["unread_message_ids"]]
    assert len(ids) == len(set(ids)) == state["unread_msgs"]["count"]
    return set(ids)
