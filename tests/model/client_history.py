"""Random histories of a realm whose clients are compared with its database."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from random import Random

from typing_extensions import override

from tests.model.actions import Focus, Step, any_focus, any_step
from tests.model.clients import Client, ClientSpec, any_client_spec, open_client
from tests.model.extents import wrong_extents
from tests.model.processes import Processes
from tests.model.scene import ROLES, Scene, open_scene, report_presence

_ROUNDS = 18
_FIRST_CLIENTS = 4
_CONCURRENT = 0.25
_REGISTERING = 0.06
_REGISTERING_HIDDEN = 0.25
"""Realms with restricted guests: their clients often have to register again."""
_REGISTERING_THEN = 0.4
_CLIENT_OF_FOCUS = 0.6
_EAGER = 0.5
_LATE = 0.1
_HIDING = 0.3
_COMPARED = 0.04
_RESTARTING = 0.015
_MAX_TRIES = 60
"""The number of attempts to shorten a failing history."""


@dataclass(frozen=True)
class Round:
    """Steps taken at the same time, and the clients that poll afterwards."""

    steps: tuple[Step, ...]
    registers: tuple[ClientSpec, ...]
    """Clients that register while the steps are taken."""
    eager_read: bool
    """Whether clients that poll often do so now."""
    late_read: bool
    """Whether clients that poll rarely do so now."""
    process: int
    """The process through which clients poll."""
    compared: int | None = None
    """Which of the clients that poll at once is compared in this round."""
    restarts: bool = False
    """Whether that process restarts before any client polls."""
    competes: int | None = None
    """The process that leads from now on if none does; all others forward what they send."""

    @override
    def __repr__(self) -> str:
        parts = [*map(repr, self.steps), *map(repr, self.registers)]
        also = ["the eager read"] if self.eager_read else []
        also += ["the late read"] if self.late_read else []
        if self.restarts:
            also.append("restarted")
        if self.competes is not None:
            also.append(f"led by @{self.competes} or another")
        return f"{' | '.join(parts)} ({', '.join([*also, f'read @{self.process}'])})"


@dataclass(frozen=True)
class History:
    """Clients registered at the start, and the rounds that follow."""

    clients: tuple[ClientSpec, ...]
    rounds: tuple[Round, ...]
    hides_people: bool = False
    """Whether guests see only some users (restricted guests)."""
    compares_presence: bool = False
    """Whether no step changes the presence of users: otherwise clients that poll late miss it."""


def random_history(chance: Random) -> History:
    """A random history, mostly about one user and with a few favourite actions."""
    hides_people = chance.random() < _HIDING
    focus = any_focus(chance, "guest" if hides_people else None)
    clients = tuple(_any_client(chance, focus) for _ in range(_FIRST_CLIENTS))
    rounds = tuple(_random_round(chance, focus, hides_people) for _ in range(_ROUNDS))
    return History(clients, rounds, hides_people)


def _any_client(chance: Random, focus: Focus) -> ClientSpec:
    is_theirs = chance.random() < _CLIENT_OF_FOCUS
    return any_client_spec(chance, focus.person if is_theirs else chance.choice(sorted(ROLES)))


def _random_round(chance: Random, focus: Focus, hides_people: bool) -> Round:
    count = chance.choice((2, 3)) if chance.random() < _CONCURRENT else 1
    steps = tuple(any_step(chance, focus) for _ in range(count))
    comes = _REGISTERING_HIDDEN if hides_people else _REGISTERING
    registers = (_any_client(chance, focus),) if chance.random() < comes else ()
    concerned = steps[0].choices.get("person")
    if concerned in ROLES:
        # A client of a user whom a step of this round concerns.
        is_any = chance.random() < _REGISTERING_THEN
        spec = (
            any_client_spec(chance, concerned)
            if is_any
            else ClientSpec(concerned, "once", "people")
        )
        registers = (spec,) if is_any else (*registers, spec)
    return Round(
        steps=steps,
        registers=registers,
        eager_read=chance.random() < _EAGER,
        late_read=chance.random() < _LATE,
        process=chance.randint(0, 1),
        compared=chance.randint(0, 5) if chance.random() < _COMPARED else None,
        restarts=chance.random() < _RESTARTING,
    )


async def live(processes: Processes, history: History) -> list[Client]:
    """Run a history in its own realm, and compare all its clients, which are returned."""
    scene = await open_scene(processes, hides_people=history.hides_people)
    try:
        if history.compares_presence:
            await report_presence(scene)
        clients = [await open_client(scene, spec, 0) for spec in history.clients]
        for each in history.rounds:
            clients += await _take_round(scene, each)
            if each.restarts:
                await processes.restart(each.process)
            await _read(scene, clients, each)
        for number, client in enumerate(clients):
            await client.compare(scene, number % len(processes))
        wrong = await wrong_extents(scene)
        assert not wrong, "\n".join([*wrong, *scene.told])
        return clients
    finally:
        for http in scene.clients:
            await http.aclose()


async def find_failure(processes: Processes, history: History) -> str | None:
    """Run a history; returns how it failed."""
    try:
        await live(processes, history)
    except AssertionError as error:
        return str(error)
    return None


async def _take_round(scene: Scene, each: Round) -> list[Client]:
    """Take all steps of a round at once, and register its new clients meanwhile."""
    if each.competes is not None:
        await scene.processes.compete(scene.realm.id, each.competes)
    steps = asyncio.gather(*(step.take(scene) for step in each.steps))
    comes = asyncio.gather(*(open_client(scene, spec, each.process) for spec in each.registers))
    _, came = await asyncio.gather(steps, comes)
    return came


async def _read(scene: Scene, clients: list[Client], each: Round) -> None:
    for client in clients:
        reading = client.spec.reading
        if (reading == "eager" and each.eager_read) or (reading == "late" and each.late_read):
            await client.read(scene, each.process)
    eager = [client for client in clients if client.spec.reading == "eager"]
    if each.compared is not None and eager:
        await eager[each.compared % len(eager)].compare(scene, each.process)


async def shorten(
    history: History, fails: Callable[[History], Awaitable[bool]], tries: int = _MAX_TRIES
) -> History:
    """The history without the rounds and clients that the failure does not need."""
    size = max(1, len(history.rounds) // 2)
    while tries > 0:
        shorter, tries = await _without_rounds(history, size, fails, tries)
        if shorter == history and size == 1:
            break
        history, size = shorter, max(1, size // 2)
    for spec in history.clients:
        left = tuple(each for each in history.clients if each is not spec)
        if tries > 0 and await fails(attempt := replace(history, clients=left)):
            history = attempt
        tries -= 1
    return history


async def _without_rounds(
    history: History, size: int, fails: Callable[[History], Awaitable[bool]], tries: int
) -> tuple[History, int]:
    begin = 0
    while begin < len(history.rounds) and tries > 0:
        rounds = history.rounds[:begin] + history.rounds[begin + size :]
        attempt = replace(history, rounds=rounds)
        tries -= 1
        if await fails(attempt):
            history = attempt
        else:
            begin += size
    return history, tries
