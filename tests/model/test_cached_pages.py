"""Responses that are joined from cached parts equal those of a process without caches.

That is: pages of messages, and of registrations the channels and the settings of the organization.
Random histories run through two processes, which read them all the time, also while things are
changed. Then a process that was just started reads the same: it has nothing in memory.

A fault shows only if a message that is in memory changes, and is read again. So each round changes
one of a few messages in addition, and some readers read the page with them again and again.

`tests/features/messages/fetch/test_cached_pages.py` shows the same for single changes.
"""

import asyncio
import json
import os
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from itertools import chain, product
from random import Random
from typing import Any

import pytest

from chatapi.core.settings import Settings
from tests.model.client_history import History, Round, random_history
from tests.model.processes import Processes
from tests.model.quick_client import QuickClient
from tests.model.scene import ROLES, TOPICS, Scene, open_scene
from tests.model.searching import assert_none_fails
from tests.support.apps import running_app
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_success

HISTORIES = int(os.environ.get("CHATAPI_TEST_HISTORIES", "200")) // 25
"""How many random histories run on SQLite; PostgreSQL runs an eighth of them."""
_SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
_PAGES = 4
"""How many pages are read in each round, besides the ones that are read in all."""
_COMPARED_ROUNDS = 3
"""Pages are compared after every so many rounds."""
_CHANGED_MESSAGES = 3
"""How many messages are changed again and again."""
_READERS = ("member", "owner", "guest")
_HALF = 0.5
_READINGS = 3
"""How often the newest messages of a topic are read until a process has the page in memory."""
_SHARED_STATE = {"fetch_event_types": ["realm", "stream", "subscription"]}
_OWN_NAMES = {"queue_id", "last_event_id", "server_generation"}


@dataclass(frozen=True)
class Page:
    """A request for a page of messages."""

    person: str
    params: dict[str, Any]

    async def read(self, scene: Scene, client: ApiClient) -> ApiResponse:
        return await client.get("/messages", scene.persons[self.person], **self.params)


@dataclass(frozen=True)
class State:
    """A registration, without what belongs to its queue, or to the process."""

    person: str
    params: dict[str, Any]

    async def read(self, scene: Scene, client: ApiClient) -> ApiResponse:
        person = scene.persons[self.person]
        response = await client.post("/register", person, **_SHARED_STATE, **self.params)
        body = {name: each for name, each in response.body.items() if name not in _OWN_NAMES}
        return replace(response, body=body)


Joined = Page | State


@pytest.mark.slow
@pytest.mark.any_database
async def test_cached_pages_equal_those_of_a_new_process(
    processes: Processes, settings: Settings, backend: str
) -> None:
    share = HISTORIES if backend == "sqlite" else HISTORIES // 8
    names = [f"{_SEED}/{number}" for number in range(max(1, share))]

    async def failure(history: History) -> str | None:
        try:
            await _live(processes, settings, history)
        except AssertionError as error:
            return str(error)
        return None

    histories = ((name, random_history(Random(name))) for name in names)
    await assert_none_fails(histories, failure)


async def _live(processes: Processes, settings: Settings, history: History) -> None:
    scene = await open_scene(processes, hides_people=history.hides_people)
    chance = Random(repr(history.rounds))
    await _send_poll(scene)
    in_topics = [_pages_of_topic(scene, topic) for topic in (TOPICS[0], TOPICS[2])]
    always = [*_pages_of_first_channel(scene), *chain(*in_topics)]
    others: list[Joined] = []
    try:
        for number, each in enumerate(history.rounds, start=1):
            others = [*others[-_PAGES - 1 :], *(_any_page(scene, chance) for _ in range(_PAGES))]
            others.append(_any_state(chance))
            pages = [*always, *others]
            await _take_round(scene, each, pages, chance)
            for alike, client in product(in_topics, (*scene.clients,) * _READINGS):
                await chance.choice(alike).read(scene, client)
            if number % _COMPARED_ROUNDS == 0:
                await _compare(scene, settings, pages)
    finally:
        for client in scene.clients:
            await client.aclose()


async def _take_round(scene: Scene, each: Round, pages: list[Joined], chance: Random) -> None:
    """Take the steps of a round, and read pages meanwhile and afterwards, by both processes."""
    meanwhile = [page.read(scene, chance.choice(scene.clients)) for page in pages]
    change = _any_change(scene, chance)
    await asyncio.gather(*(step.take(scene) for step in each.steps), change, *meanwhile)
    for page in pages:
        await page.read(scene, chance.choice(scene.clients))


async def _compare(scene: Scene, settings: Settings, pages: list[Joined]) -> None:
    async with running_app(settings, scene.processes.clock) as app:
        new_client = QuickClient(app, scene.clients[0].http.base_url.host)
        try:
            for page in pages:
                expected = await page.read(scene, new_client)
                for process, client in enumerate(scene.clients):
                    found = await page.read(scene, client)
                    if (found.status, found.body) != (expected.status, expected.body):
                        raise AssertionError(_explain(scene, page, process, found, expected))
        finally:
            await new_client.aclose()


def _pages_of_first_channel(scene: Scene) -> list[Page]:
    """Where the messages are that are changed again and again."""
    narrow = [["channel", scene.channels[0]]]
    newest = {"narrow": narrow, "anchor": "newest", "num_before": 100, "num_after": 0}
    forms: tuple[dict[str, object], ...] = (
        {},
        {"apply_markdown": False},
        {"allow_empty_topic_name": True},
    )
    return [Page(reader, {**newest, **form}) for reader, form in zip(_READERS, forms, strict=True)]


def _pages_of_topic(scene: Scene, topic: str) -> list[Page]:
    """Of readers who share what is in memory of it; those messages move there and away."""
    narrow = [["channel", scene.channels[0]], ["topic", topic]]
    newest = {"narrow": narrow, "anchor": "newest", "num_before": 100, "num_after": 0}
    return [Page(reader, newest) for reader in _READERS]


async def _send_poll(scene: Scene) -> None:
    """To the same channel."""
    target = {"type": "channel", "to": scene.channels[0], "topic": "t1"}
    sent = await scene.call(0, "post", "/messages", "owner", content="/poll Lunch?", **target)
    poll_id = assert_success(sent)["id"]
    scene.note_message(poll_id, "owner")
    scene.places[poll_id] = (scene.channels[0], "t1")
    scene.remember("polls", poll_id)


def _any_change(scene: Scene, chance: Random) -> Awaitable[object]:
    """Give a message another text, reaction, vote or topic: these are part of what is in memory.

    Or send one to where they are.
    """
    channel_id = scene.channels[0]
    there = [each for each in scene.messages if scene.places.get(each, (0,))[0] == channel_id]
    message_id = chance.choice(there[:_CHANGED_MESSAGES] or scene.messages)
    path = f"/messages/{message_id}"
    vote = {"message_id": scene.made["polls"][0], "msg_type": "widget"}
    option = {"type": "new_option", "idx": chance.randint(1, 1000), "option": "Soup"}
    topic = {"topic": chance.choice(TOPICS)}
    target = {"type": "channel", "to": channel_id, "topic": TOPICS[0]}
    changes: list[tuple[str, str, str, dict[str, object]]] = [
        ("patch", path, scene.senders[message_id], {"content": f"alpha {chance.random()}"}),
        (chance.choice(("post", "delete")), f"{path}/reactions", "owner", {"emoji_name": "heart"}),
        ("post", "/submessage", "owner", {**vote, "content": json.dumps(option)}),
        ("patch", path, "owner", {**topic, "propagate_mode": "change_one"}),
        ("patch", path, "owner", {**topic, "propagate_mode": "change_all"}),
        ("post", "/messages", "member", {**target, "content": f"alpha {chance.random()}"}),
    ]
    method, path, person, params = chance.choice(changes)
    return scene.call(chance.randint(0, 1), method, path, person, **params)


def _any_state(chance: Random) -> State:
    params: dict[str, Any] = {
        "include_subscribers": chance.choice(("true", "false", "partial")),
        "client_capabilities": {"archived_channels": chance.random() < _HALF},
    }
    return State(chance.choice(sorted(ROLES)), params)


def _any_page(scene: Scene, chance: Random) -> Page:
    params: dict[str, Any] = {
        "apply_markdown": chance.random() < _HALF,
        "client_gravatar": chance.random() < _HALF,
        "allow_empty_topic_name": chance.random() < _HALF,
    }
    if chance.random() < 1 / 4:
        params["message_ids"] = list(scene.messages[-chance.randint(1, 20) :])
        return Page(chance.choice(sorted(ROLES)), params)
    anchors = ["newest", "newest", "oldest", "first_unread", chance.choice([*scene.messages, 1])]
    before = chance.choice((0, 3, 50))
    params |= {
        "narrow": _any_narrow(scene, chance),
        "anchor": chance.choice(anchors),
        "num_before": before,
        "num_after": chance.choice((0, 0, 20)) if before else 20,
    }
    return Page(chance.choice(sorted(ROLES)), params)


def _any_narrow(scene: Scene, chance: Random) -> list[list[object]]:
    in_channel: list[object] = ["channel", chance.choice([*scene.channels, 1])]
    narrows: list[list[list[object]]] = [
        [],
        [in_channel],
        [in_channel, ["topic", chance.choice(TOPICS)]],
        [in_channel, ["topic", chance.choice(TOPICS)]],
        [["is", "dm"]],
        [["is", chance.choice(("starred", "mentioned", "unread", "followed"))]],
        [["search", "alpha"]],
    ]
    return chance.choice(narrows)


def _explain(
    scene: Scene, page: Joined, process: int, found: ApiResponse, expected: ApiResponse
) -> str:
    lines = [f"Process {process} answers {page} differently from a new process:"]
    ours, theirs = found.body.get("messages", []), expected.body.get("messages", [])
    if len(ours) == len(theirs):
        lines += [
            f"    message {one['id']}, {key}: {one.get(key)!r}, but new: {other.get(key)!r}"
            for one, other in zip(ours, theirs, strict=True)
            for key in sorted({*one, *other})
            if one.get(key) != other.get(key)
        ]
    else:
        lines.append(f"    {[each['id'] for each in ours]}, but new: {expected.body}")
    lines += [
        f"    {name}: {found.body.get(name)!r}, but new: {expected.body.get(name)!r}"
        for name in sorted({*found.body, *expected.body} - {"messages"})
        if found.body.get(name) != expected.body.get(name)
    ]
    lines += ["What had been done:", *(f"    {told}" for told in scene.told)]
    return "\n".join(lines)
