"""After every step, the responses of the service are compared with the oracle."""

import asyncio
from typing import Any

from hypothesis.stateful import invariant, precondition, rule

from tests.model.oracle import Place, Sent
from tests.model.world import WORDS, ObservedQueue, Told, World
from tests.support.responses import ApiResponse, assert_error, assert_success

_ALL: dict[str, object] = {
    "anchor": "newest",
    "num_before": 1_000,
    "num_after": 0,
    "allow_empty_topic_name": True,
    "apply_markdown": False,
}
_STATE = ["message", "update_message_flags", "starred_messages"]
_LATELY = 3
"""The conversations that changed last."""


_TURNS = 2
"""Every user reads after every so many steps: what is wrong mostly stays so until then."""


class Comparing(World):
    """Users read everything they can request, some of them after each step.

    Each time, each of them checks one thing more closely, and each user different ones.
    """

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0

    @invariant()
    def everybody_agrees(self) -> None:
        if not self.is_compared:
            self.turn += 1
            self.do(self._compare())
            self.is_compared = True

    @precondition(
        lambda self: any(observed.is_patient and observed.expected for observed in self.ears)
    )
    @rule()
    def catch_up(self) -> None:
        self.do(self._catch_up())

    async def _catch_up(self) -> None:
        for observed in self.ears:
            await self._compare_events(observed)

    async def _compare(self) -> None:
        everybody = list(enumerate(self.persons, start=self.turn // _TURNS))
        readers = everybody[self.turn % _TURNS :: _TURNS]
        results = await asyncio.gather(
            *(self._compare_reading(name) for _, name in readers),
            *(self._look_closely(name, turn) for turn, name in readers),
            *(self._compare_events(observed) for observed in self.ears if not observed.is_patient),
            # All of them end before the next history, which has the same database.
            return_exceptions=True,
        )
        for result in results:
            if result is not None:
                raise result

    async def _compare_reading(self, name: str) -> None:
        person, oracle = self.persons[name], self.oracle
        ids = [*oracle.messages, *oracle.gone]
        by_id = await self.client.get(
            "/messages",
            person,
            message_ids=ids,
            allow_empty_topic_name=True,
            apply_markdown=False,
        )
        shown = assert_success(by_id)["messages"]
        expected = oracle.visible(name)
        assert [_shown(each) for each in shown] == [self._show(each) for each in expected]
        for message, sent in zip(shown, expected, strict=True):
            self._compare_marks(name, message, sent)
        feed = await self.client.get("/messages", person, **_ALL)
        assert _ids(feed) == _ids_of(oracle.feed(name))
        await self._compare_state(name)

    def _compare_marks(self, name: str, message: dict[str, Any], sent: Sent) -> None:
        flags = message["flags"]
        assert ("read" not in flags) == (sent.id in self.oracle.unread[name])
        assert ("starred" in flags) == (sent.id in self.oracle.starred[name])
        assert ("historical" in flags) == (name not in sent.audience)
        self._check_trail(name, message.get("edit_history", []))

    def _check_trail(self, name: str, trail: list[dict[str, Any]]) -> None:
        """The edit history of a message names no channel the reader may not read."""
        readable = {
            number
            for channel, number in self.channel_ids.items()
            if self.oracle.reads(name, channel)
        }
        for step in trail:
            assert {step.get("stream"), step.get("prev_stream")} - {None} <= readable

    async def _compare_state(self, name: str) -> None:
        oracle = self.oracle
        response = await self.client.post(
            "/register",
            self.persons[name],
            event_types=[],
            fetch_event_types=_STATE,
            client_capabilities={
                "notification_settings_null": True,
                "empty_topic_name": True,
                "user_avatar_url_field_optional": True,
            },
        )
        state = assert_success(response)
        unread = [oracle.messages[each] for each in sorted(oracle.unread[name])]
        assert _unread(state["unread_msgs"]) == {each.id: self.where(each) for each in unread}
        starred = [each for each in oracle.visible(name) if each.id in oracle.starred[name]]
        assert state["starred_messages"] == _ids_of(starred)

    async def _look_closely(self, name: str, turn: int) -> None:
        place = self.places[-1 - turn % min(_LATELY, len(self.places))]
        match turn % 5:
            case 0:
                await self._compare_channel(name, place)
            case 1:
                await self._compare_topic(name, place)
            case 2:
                await self._compare_topics(name, place)
            case 3:
                await self._compare_search(name, (*WORDS, "t1")[turn // 5 % 4])
            case _:
                await self._compare_message(name, place)

    async def _compare_channel(self, name: str, place: Place) -> None:
        channel, _topic = place
        narrow = [{"operator": "channel", "operand": channel}]
        response = await self.client.get("/messages", self.persons[name], narrow=narrow, **_ALL)
        if not self.oracle.knows(name, channel):
            assert response.status == 400, response.body
            return
        visible = self.oracle.visible(name)
        assert _ids(response) == _ids_of(each for each in visible if each.channel == channel)

    async def _compare_topic(self, name: str, place: Place) -> None:
        channel, topic = place
        narrow = [["channel", self.channel_ids[channel]], ["topic", topic]]
        response = await self.client.get("/messages", self.persons[name], narrow=narrow, **_ALL)
        if not self.oracle.knows(name, channel):
            assert response.status == 400, response.body
            return
        visible = self.oracle.visible(name)
        assert _ids(response) == _ids_of(each for each in visible if each.place == place)

    async def _compare_topics(self, name: str, place: Place) -> None:
        channel, _topic = place
        response = await self.client.get(
            f"/users/me/{self.channel_ids[channel]}/topics",
            self.persons[name],
            allow_empty_topic_name=True,
        )
        if not self.oracle.reads(name, channel):
            assert response.status == 400, response.body
            return
        visible = self.oracle.visible(name)
        newest = {each.topic: each.id for each in visible if each.channel == channel}
        topics = assert_success(response)["topics"]
        assert {each["name"]: each["max_id"] for each in topics} == newest

    async def _compare_search(self, name: str, word: str) -> None:
        narrow = [{"operator": "search", "operand": word}]
        response = await self.client.get("/messages", self.persons[name], narrow=narrow, **_ALL)
        found, expected = _ids(response), _ids_of(self.oracle.found(name, word))
        assert found == expected, f"{name} searches {word!r}: {found} instead of {expected}"

    async def _compare_message(self, name: str, place: Place) -> None:
        """Compare the read receipts and the earlier texts of a message."""
        message = next(iter(self.oracle.in_place(place)), None)
        if message is None:
            return
        person = self.persons[name]
        receipts = await self.client.get(f"/messages/{message.id}/read_receipts", person)
        history = await self.client.get(f"/messages/{message.id}/history", person)
        if not self.oracle.sees(name, message):
            assert_error(receipts)
            assert_error(history)
            return
        readers = {self.persons[each].user_id for each in self.oracle.readers(message)}
        assert set(assert_success(receipts)["user_ids"]) == readers
        trail = assert_success(history)["message_history"]
        self._check_trail(name, trail)
        assert trail[0]["content"] == (*message.texts, message.text)[0]
        assert trail[-1]["content"] == message.text

    async def _compare_events(self, observed: ObservedQueue) -> None:
        events = [self._told(event) for event in await self.poll(observed.listener)]
        expected, observed.expected = observed.expected, []
        if observed.is_patient and len(events) == len(expected):
            # A rename lists messages as of the poll: those moved later had their own events.
            expected = [_lessened(*each) for each in zip(expected, events, strict=True)]
        assert events == expected, f"{observed.person} receives {events} instead of {expected}"

    def _told(self, event: dict[str, Any]) -> Told:
        match event["type"]:
            case "message":
                message = event["message"]
                return ("message", message["id"], message["content"], _where(message))
            case "reaction":
                who_and_what = event["user_id"], event["emoji_name"]
                return ("reaction", event["op"], event["message_id"], *who_and_what)
            case "delete_message":
                ids = event.get("message_ids", [event.get("message_id")])
                place = (event["stream_id"], event["topic"]) if "stream_id" in event else None
                return ("delete", ids, place)
            case _:
                return _change_told(event)

    def _show(self, sent: Sent) -> Told:
        reactions = {(self.persons[name].user_id, emoji) for name, emoji in sent.reactions}
        return sent.id, sent.text, self.where(sent), reactions


def _lessened(expected: Told, told: Told) -> Told:
    match expected, told:
        case ("move", [*ids], *places), ("move", [*fewer], *_):
            return ("move", [each for each in ids if each in fewer], *places)
        case _:
            return expected


def _change_told(event: dict[str, Any]) -> Told:
    if "content" in event:
        assert event["message_ids"] == [event["message_id"]]
        return ("edit", event["message_id"], event["content"])
    new = event.get("new_stream_id", event["stream_id"]), event["subject"]
    return ("move", event["message_ids"], (event["stream_id"], event["orig_subject"]), new)


def _shown(message: dict[str, Any]) -> Told:
    reactions = {(each["user_id"], each["emoji_name"]) for each in message["reactions"]}
    return message["id"], message["content"], _where(message), reactions


def _where(message: dict[str, Any]) -> tuple[int, str] | None:
    if message["type"] == "private":
        return None
    return message["stream_id"], message["subject"]


def _ids(response: ApiResponse) -> list[int]:
    return [message["id"] for message in assert_success(response)["messages"]]


def _ids_of(messages: Any) -> list[int]:
    return [message.id for message in messages]


def _unread(state: dict[str, Any]) -> dict[int, tuple[int, str] | None]:
    """The unread messages, and the conversations they are listed in."""
    found: dict[int, tuple[int, str] | None] = {}
    for kind in ("pms", "streams", "huddles"):
        for conversation in state[kind]:
            place = None
            if kind == "streams":
                place = conversation["stream_id"], conversation["topic"]
            assert not found.keys() & conversation["unread_message_ids"]
            found |= dict.fromkeys(conversation["unread_message_ids"], place)
    assert state["count"] == len(found)
    return found
