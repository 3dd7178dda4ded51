"""User actions as data: a history is a list of steps, and the same list is the same history."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from typing_extensions import override

from tests.model.actions.chance import Choice, among, number
from tests.model.scene import ROLES, TOPICS, WORDS, Scene
from tests.support.responses import ApiResponse

anybody = among(sorted(ROLES))
powerful = among((*["owner"] * 6, "admin", "moderator", "member"))
numbers = number(0, 5)
places = among((0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5))
"""Indexes of channels: often the same few, so that much happens in them."""
topics = among(("t1", "t1", "t1", *TOPICS))
texts = among(WORDS)
processes = number(0, 1)


@dataclass(frozen=True)
class Act:
    """An action being performed: by which user, through which process, with which choices."""

    scene: Scene
    actor: str
    process: int

    async def call(self, method: str, path: str, **params: object) -> ApiResponse:
        return await self.scene.call(self.process, method, path, self.actor, **params)

    async def create(self, kind: str, key: str, method: str, path: str, **params: object) -> None:
        """Make a request that creates an object, and record its id."""
        response = await self.call(method, path, **params)
        if key in response.body:
            self.scene.remember(kind, response.body[key])

    def user_id(self, name: str) -> int:
        return self.scene.persons[name].user_id


Action = Callable[..., Awaitable[None]]


@dataclass(frozen=True)
class Step:
    """One action of one user."""

    action: Action
    actor: str
    process: int
    choices: dict[str, Any]
    is_anybodys: bool = True
    """Whether every user may do it, so that it does not matter which one does."""

    async def take(self, scene: Scene) -> None:
        await self.action(Act(scene, self.actor, self.process), **self.choices)

    @override
    def __repr__(self) -> str:
        chosen = "".join(f", {key}={value!r}" for key, value in self.choices.items())
        return f"{self.action.__name__}({self.actor}@{self.process}{chosen})"


_possible: list[Choice[Step]] = []
_FAVOURITES = 6
_FAVOURED = 0.6
_BY_FOCUS = 0.5


@dataclass(frozen=True)
class Focus:
    """The actions that are most frequent in one history, and the user they concern.

    Faults need several steps that have to do with each other. Among all that is possible they
    rarely meet; a few favourites, and one person whom they often concern, make them meet.
    """

    person: str
    favourites: tuple[Choice[Step], ...]


def any_focus(chance: Random, person: str | None = None) -> Focus:
    favourites = tuple(chance.choice(_possible) for _ in range(_FAVOURITES))
    return Focus(person or anybody(chance), favourites)


def action(
    by: Choice[str] = anybody, *, weight: int = 1, **choices: Choice[Any]
) -> Callable[[Action], Action]:
    """Register an action as a possible step of every history."""

    def add(act: Action) -> Action:
        def choose(chance: Random) -> Step:
            chosen = {name: choice(chance) for name, choice in choices.items()}
            return Step(act, by(chance), processes(chance), chosen, by is anybody)

        _possible.extend([choose] * weight)
        return act

    return add


def any_step(chance: Random, focus: Focus) -> Step:
    """A random action by weight; often one of the favourites."""
    is_favourite = chance.random() < _FAVOURED
    step = chance.choice(focus.favourites if is_favourite else _possible)(chance)
    if step.is_anybodys and chance.random() < _BY_FOCUS:
        step = replace(step, actor=focus.person)
    return step
