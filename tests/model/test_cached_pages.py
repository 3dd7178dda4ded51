"""Pages of messages that are joined from cached parts equal those of a process without caches.

Random histories run through two processes, which read pages all the time, also while messages are
changed. Then a process that was just started reads the same pages: it has nothing in memory.

`tests/features/messages/fetch/test_cached_pages.py` shows the same for single changes.
"""

import asyncio
import os
from dataclasses import dataclass
from random import Random
from typing import Any

from chatapi.core.settings import Settings
from tests.model.client_history import History, Round, random_history
from tests.model.processes import Processes
from tests.model.scene import ROLES, TOPICS, Scene, open_scene
from tests.model.searching import assert_none_fails
from tests.model.world import QuickClient
from tests.support.apps import running_app
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse

HISTORIES = int(os.environ.get("CHATAPI_TEST_HISTORIES", "200")) // 25
"""How many random histories run on SQLite; PostgreSQL runs an eighth of them."""
_SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
_PAGES = 6
"""How many pages are read in each round."""
_COMPARED_ROUNDS = 6
"""Pages are compared after every so many rounds."""
_HALF = 0.5


@dataclass(frozen=True)
class Page:
    """A request for a page of messages."""

    person: str
    params: dict[str, Any]

    async def read(self, scene: Scene, client: ApiClient) -> ApiResponse:
        return await client.get("/messages", scene.persons[self.person], **self.params)


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
    pages: list[Page] = []
    try:
        for number, each in enumerate(history.rounds, start=1):
            pages = [*pages[-_PAGES:], *(_any_page(scene, chance) for _ in range(_PAGES))]
            await _take_round(scene, each, pages, chance)
            if number % _COMPARED_ROUNDS == 0:
                await _compare(scene, settings, pages)
    finally:
        for client in scene.clients:
            await client.aclose()


async def _take_round(scene: Scene, each: Round, pages: list[Page], chance: Random) -> None:
    """Take the steps of a round, and read pages meanwhile and afterwards, by both processes."""
    meanwhile = [page.read(scene, chance.choice(scene.clients)) for page in pages]
    await asyncio.gather(*(step.take(scene) for step in each.steps), *meanwhile)
    for page in pages:
        await page.read(scene, chance.choice(scene.clients))


async def _compare(scene: Scene, settings: Settings, pages: list[Page]) -> None:
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
    scene: Scene, page: Page, process: int, found: ApiResponse, expected: ApiResponse
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
    lines += ["What had been done:", *(f"    {told}" for told in scene.told)]
    return "\n".join(lines)
