"""A realm served by two processes, and the objects created in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from tests.factories import Person, make_realm, make_user
from tests.model.processes import Processes
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_success

T = TypeVar("T")

ROLES = {
    "owner": Role.OWNER,
    "admin": Role.ADMIN,
    "moderator": Role.MODERATOR,
    "member": Role.MEMBER,
    "friend": Role.MEMBER,
    "guest": Role.GUEST,
}
"""The users who act and have clients."""
SPARE = "spare"
"""Users who do neither, and are deactivated and reactivated."""
TOPICS = ("t1", "T1", "t2", "")
WORDS = ("alpha", "beta gamma", "@**all** alpha", "@**guest** beta", "see @*crew*")
_MEMBERS = "role:members"
_HOST = "scene.localhost"


@dataclass
class Scene:
    """The ids of objects, in the order of their creation."""

    processes: Processes
    realm: RealmRecord
    persons: dict[str, Person]
    clients: Sequence[ApiClient]
    """One for each process."""
    hides_people: bool = False
    """Whether guests see only some users (restricted guests)."""
    compares_presence: bool = False
    """Whether users were seen before the history, and nothing in it changes that."""
    channels: list[int] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    """Names of channels, as far as the history tracks them."""
    messages: list[int] = field(default_factory=list)
    """Messages that were not deleted, as far as the history tracks them."""
    places: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Channel and topic of messages, as far as the history tracks them; others are direct."""
    talks: list[tuple[str, ...]] = field(default_factory=list)
    """The sets of users with direct conversations."""
    senders: dict[int | None, str] = field(default_factory=dict)
    """The senders of messages."""
    ended: set[tuple[str, int]] = field(default_factory=set)
    """What is archived or deactivated, so that the next toggle restores it."""
    groups: list[int] = field(default_factory=list)
    files: list[tuple[str, str]] = field(default_factory=list)
    """The owners and addresses of uploaded files, deleted ones included."""
    uploaders: set[str] = field(default_factory=set)
    """The users who have uploaded a file, or tried to."""
    without_drafts: set[str] = field(default_factory=set)
    """The users who have turned the synchronization of drafts off, for a while at least."""
    made: dict[str, list[int]] = field(default_factory=dict)
    """Ids of other created objects, by kind."""
    told: list[str] = field(default_factory=list)
    """The requests so far, and the responses."""

    async def call(
        self, process: int, method: str, path: str, person: str, **params: object
    ) -> ApiResponse:
        """Send one request; a refusal is accepted, a server error is not."""
        caller = getattr(self.clients[process], method)
        response: ApiResponse = await caller(path, self.persons[person], **params)
        if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise AssertionError(f"{person}: {method} {path} {params}: {response.body}")
        shown = ", ".join(f"{key}={value!r}" for key, value in params.items())
        result = response.body.get("msg") or "done"
        self.told.append(f"{person}@{process}: {method.upper()} {path} {shown}: {result}")
        return response

    async def catch_up(self, process: int) -> None:
        """Let a process see everything that another one has committed."""
        await self.runtime(process).clock_reader.catch_up(self.realm.id)

    def runtime(self, process: int = 0) -> Runtime:
        return self.processes.apps[process].runtime

    def seconds_from_now(self, seconds: int) -> int:
        return int(self.processes.clock.now().timestamp()) + seconds

    def note_channel(self, channel_id: int, name: str) -> None:
        self.channels.append(channel_id)
        self.names[channel_id] = name

    def toggle(self, kind: str, number: int) -> bool:
        """Whether to deactivate something now, rather than to restore it."""
        self.ended ^= {(kind, number)}
        return (kind, number) in self.ended

    def note_message(self, message_id: int, sender: str) -> None:
        self.messages.append(message_id)
        self.senders[message_id] = sender

    def remember(self, kind: str, number: int) -> None:
        self.made.setdefault(kind, []).append(number)


def pick(things: Sequence[T], number: int) -> T | None:
    """One of some things, if there are any."""
    return things[number % len(things)] if things else None


async def open_scene(processes: Processes, *, hides_people: bool = False) -> Scene:
    """A realm with a few channels and messages, in processes that have just been started.

    In some, guests see only some users.
    """
    name = "scene of restricted guests" if hides_people else "scene"
    contents = await processes.begin(name, partial(_make_scenes, hides_people))
    return Scene(processes, clients=processes.clients(_HOST), **contents)


async def _make_scenes(hides_people: bool, processes: Processes) -> dict[str, Any]:
    """Two realms alike, so that anything of the other one that is seen is one thing too many.

    Returns the fields of the second one's scene, which is at `_HOST`.
    """
    await _make_scene(processes, "other", hides_people=hides_people)
    scene = await _make_scene(processes, "scene", hides_people=hides_people)
    return {
        each.name: getattr(scene, each.name)
        for each in fields(scene)
        if each.name not in {"processes", "clients"}
    }


async def _make_scene(processes: Processes, subdomain: str, *, hides_people: bool) -> Scene:
    runtime = processes.apps[0].runtime
    realm = await make_realm(runtime, "Org", subdomain)
    persons = {
        name: await make_user(runtime, realm, role, full_name=name, email=f"{name}@example.com")
        for name, role in {**ROLES, SPARE: Role.MEMBER}.items()
    }
    for app in processes.apps:
        app.runtime.realms.reload_soon()
    clients = processes.clients(f"{subdomain}.localhost")
    scene = Scene(processes, realm, persons, clients, hides_people)
    await _furnish(scene)
    await _make_theirs(scene)
    if hides_people:
        await restrict_guests(scene, "owner", 0)
    for client in clients:
        await client.aclose()
    scene.told.clear()
    return scene


_OPEN = {"enable_spectator_access": True, "message_content_edit_limit_seconds": "unlimited"}


async def _furnish(scene: Scene) -> None:
    everybody = tuple(scene.persons)
    beginnings: tuple[tuple[dict[str, object], tuple[str, ...]], ...] = (
        ({}, everybody),
        ({"invite_only": True}, ("owner", "member", "guest")),
        ({"invite_only": True, "history_public_to_subscribers": True}, ("owner", "admin")),
    )
    await scene.call(0, "patch", "/realm", "owner", **_OPEN)
    for number, (options, inside) in enumerate(beginnings):
        response = await scene.call(
            0,
            "post",
            "/channels/create",
            "owner",
            name=f"c{number}",
            subscribers=[scene.persons[name].user_id for name in inside],
            **options,
        )
        scene.note_channel(assert_success(response)["id"], f"c{number}")
    # The last messages are where all users are subscribed: many steps concern the newest.
    for channel_id, (_options, inside) in reversed([*zip(scene.channels, beginnings, strict=True)]):
        for sender in inside[:2]:
            await _say(scene, sender, type="channel", to=channel_id, topic="t1")
            scene.places[scene.messages[-1]] = (channel_id, "t1")
    pair = [scene.persons[name].user_id for name in ("member", "guest")]
    await _say(scene, "member", type="direct", to=pair)
    scene.talks.append(("member", "guest"))


async def _say(scene: Scene, sender: str, **address: object) -> None:
    sent = await scene.call(0, "post", "/messages", sender, content="alpha", **address)
    scene.note_message(assert_success(sent)["id"], sender)


async def _make_theirs(scene: Scene) -> None:
    """Personal state of some users about a private channel."""
    channel_id, message_id = scene.channels[1], scene.messages[3]
    draft = {"type": "stream", "to": [channel_id], "topic": "t1", "content": "not yet"}
    for name in ("member", "guest"):
        star = {"messages": [message_id], "op": "add", "flag": "starred"}
        await scene.call(0, "post", "/messages/flags", name, **star)
        topic = {"stream_id": channel_id, "topic": "t1", "visibility_policy": 2}
        await scene.call(0, "post", "/user_topics", name, **topic)
    response = await scene.call(0, "post", "/drafts", "member", drafts=[draft])
    for number in assert_success(response)["ids"]:
        scene.remember("drafts", number)


async def report_presence(scene: Scene) -> None:
    """Let all users be seen, for a history in which nothing changes their presence."""
    for name in ROLES:
        await scene.call(0, "post", "/users/me/presence", name, status="active", ping_only=True)
    scene.compares_presence = True


async def restrict_guests(scene: Scene, person: str, process: int, group: str = _MEMBERS) -> None:
    """Let only one group see all users; other guests see only some."""
    groups = await scene.clients[process].get("/user_groups", scene.persons["owner"])
    [number] = [each["id"] for each in groups["user_groups"] if each["name"] == group]
    await scene.call(process, "patch", "/realm", person, can_access_all_users_group={"new": number})
