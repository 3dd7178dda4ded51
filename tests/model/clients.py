"""Clients that register, poll now and then, and are compared with the database."""

from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from tests.model.client_files import differing_files, load_files
from tests.model.client_view import View, apply_event, begin, differences, differing_presence
from tests.model.client_view.messages import place_of
from tests.model.client_view.view import Heard
from tests.model.scene import Scene
from tests.support.responses import assert_success

Reading = Literal["eager", "late", "once"]
_CAPABILITIES = (
    "archived_channels",
    "include_deactivated_groups",
    "bulk_message_deletion",
    "empty_topic_name",
    "user_settings_object",
    "individual_emoji_changes",
)
_KINDS: dict[str, tuple[list[str], list[str]] | None] = {
    "everything": None,
    "messages": (
        [
            "message",
            "update_message",
            "delete_message",
            "update_message_flags",
            "reaction",
            "stream",
            "subscription",
        ],
        [
            "message",
            "update_message_flags",
            "starred_messages",
            "recent_private_conversations",
            "subscription",
        ],
    ),
    "channels": (
        ["stream", "subscription", "default_streams", "default_stream_groups", "channel_folder"],
        ["stream", "subscription", "default_streams", "default_stream_groups", "channel_folders"],
    ),
    "people": (
        ["realm_user", "realm_bot", "user_group", "user_status", "custom_profile_fields"],
        ["realm_user", "realm_bot", "realm_user_groups", "user_status", "custom_profile_fields"],
    ),
    "files": (["attachment"], []),
    "drafts": (["drafts"], ["drafts"]),
    "own things": (
        ["user_topic", "drafts", "user_settings", "scheduled_messages", "reminders"],
        ["user_topic", "drafts", "user_settings", "scheduled_messages", "reminders"],
    ),
}
"""The event types and parts of the state that clients request."""


@dataclass(frozen=True)
class ClientSpec:
    """What a client requests when it registers, and when it polls."""

    person: str
    reading: Reading
    kind: str = "everything"
    capabilities: frozenset[str] = frozenset(_CAPABILITIES)
    lists_people: bool = True

    @property
    def lists_files(self) -> bool:
        return self.kind in {"everything", "files"}

    @property
    def params(self) -> dict[str, object]:
        params: dict[str, object] = {
            # As long as the log is kept, so that an hour does not end the queue.
            "idle_queue_timeout": "mobile",
            "include_subscribers": "true" if self.lists_people else "false",
            "slim_presence": True,
            "client_capabilities": {
                "notification_settings_null": True,
                # Without it a changed picture has an address, which such a client does not keep.
                "user_avatar_url_field_optional": True,
                # Of events and state, the same form.
                "simplified_presence_events": True,
                **dict.fromkeys(sorted(self.capabilities), True),
            },
        }
        chosen = _KINDS[self.kind]
        if chosen is not None:
            params["event_types"], params["fetch_event_types"] = chosen
        return params


def any_client_spec(chance: Random, person: str) -> ClientSpec:
    """A random client of a user; most request everything and have all capabilities."""
    capabilities = frozenset(_CAPABILITIES)
    if chance.random() < _LESS_ABLE:
        capabilities = frozenset(each for each in _CAPABILITIES if chance.random() < _LESS_ABLE)
    return ClientSpec(
        person=person,
        reading=chance.choice(_READINGS),
        kind=chance.choice(("everything", "everything", "everything", *_KINDS)),
        capabilities=capabilities,
        lists_people=chance.random() < _LISTING,
    )


_READINGS: tuple[Reading, ...] = ("eager", "late", "once")
_LESS_ABLE = 0.5
_LISTING = 0.75


@dataclass
class Client:
    """A user's queue, and the state of the client that polls it."""

    spec: ClientSpec
    queue_id: str
    last_event_id: int
    view: View
    restarts: int = 0
    """How often its queue ended and it had to register again."""
    past: list[str] = field(default_factory=list)

    async def read(self, scene: Scene, process: int) -> None:
        """Poll and apply all events so far."""
        person = scene.persons[self.spec.person]
        while True:
            response = await scene.clients[process].get(
                "/events",
                person,
                queue_id=self.queue_id,
                last_event_id=self.last_event_id,
                dont_block=True,
            )
            if response.body.get("code") == "BAD_EVENT_QUEUE_ID":
                await self._begin_anew(scene, process)
                return
            events = assert_success(response)["events"]
            if not events:
                return
            for event in events:
                apply_event(self.view, event)
                self.last_event_id = max(self.last_event_id, event["id"])

    async def _begin_anew(self, scene: Scene, process: int) -> None:
        again = await open_client(scene, self.spec, process)
        self.queue_id, self.last_event_id = again.queue_id, again.last_event_id
        self.view = again.view
        self.restarts += 1

    async def compare(self, scene: Scene, process: int) -> None:
        """Compare the client's state with the state of a newly registered client."""
        await scene.catch_up(process)
        await self.read(scene, process)
        fresh = (await open_client(scene, self.spec, process)).view
        await self._look_up_conversations(scene, process)
        self._forget_local_drafts(scene, fresh)
        found = differences(self.view, fresh)
        if scene.compares_presence and self.view.knows("presences"):
            found.update(differing_presence(self.view, fresh))
        if self.spec.kind in {"everything", "messages"}:
            found.update(await self._compare_messages(scene, process))
        if self.spec.lists_files:
            found.update(await differing_files(scene, self.spec.person, self.view, fresh))
        if found:
            raise AssertionError(self._explain(scene, found))

    def _forget_local_drafts(self, scene: Scene, fresh: View) -> None:
        """Drop the drafts that only this client still has since synchronization was turned off.

        Turning it off deletes no draft: the server stops storing them, and each client keeps its
        own. That is why no `drafts/remove` events are sent; other clients of the protocol rely on
        that. A client that does not listen to `user_settings` does not learn that it is off.
        """
        if self.spec.kind == "drafts" and self.spec.person in scene.without_drafts:
            stored = {each["id"] for each in fresh.state["drafts"]}
            own = self.view.state["drafts"]
            own[:] = [each for each in own if each["id"] in stored]

    async def _look_up_conversations(self, scene: Scene, process: int) -> None:
        """A client whose newest message of a conversation was deleted fetches the one before."""
        view = self.view
        for others in sorted(view.to_look_up):
            response = await scene.clients[process].get(
                "/messages",
                scene.persons[self.spec.person],
                narrow=[["dm", list(others or (view.user_id,))]],
                anchor="newest",
                num_before=1,
                num_after=0,
            )
            messages = assert_success(response)["messages"]
            if messages:
                view.conversations[others] = messages[-1]["id"]
            else:
                view.conversations.pop(others, None)
        view.to_look_up.clear()

    async def _compare_messages(self, scene: Scene, process: int) -> dict[str, object]:
        """Compare the messages the client would show with those of GET /messages."""
        if not self.view.messages:
            return {}
        response = await scene.clients[process].get(
            "/messages",
            scene.persons[self.spec.person],
            message_ids=sorted(self.view.messages),
            apply_markdown=False,
            allow_empty_topic_name="empty_topic_name" in self.spec.capabilities,
        )
        shown = {each["id"]: self._heard(each) for each in assert_success(response)["messages"]}
        return {
            f"message {number}": {"client": heard, "database": shown.get(number)}
            for number, heard in self.view.messages.items()
            if heard != shown.get(number)
        }

    def _heard(self, message: dict[str, Any]) -> Heard:
        return Heard(
            place_of(message, self.view.user_id),
            message["content"],
            frozenset(message["flags"]),
            frozenset((each["user_id"], each["emoji_name"]) for each in message["reactions"]),
        )

    def _explain(self, scene: Scene, found: dict[str, object]) -> str:
        lines = [f"A client of {self.spec.person} believes something else than the database says:"]
        lines += [f"    {section}: {difference}" for section, difference in found.items()]
        lines += [f"It asked for {self.spec}.", "It was told:"]
        lines += [f"    {_short(event)}" for event in self.view.log]
        lines += ["What had been done:", *(f"    {told}" for told in scene.told)]
        return "\n".join(lines)


def _short(event: dict[str, Any]) -> str:
    text = ", ".join(f"{key}={value!r}" for key, value in event.items())
    return text if len(text) <= _MAX_LINE_LENGTH else f"{text[:_MAX_LINE_LENGTH]}..."


_MAX_LINE_LENGTH = 300


async def open_client(scene: Scene, spec: ClientSpec, process: int) -> Client:
    """Register, as a new client does."""
    person = scene.persons[spec.person]
    response = await scene.clients[process].post("/register", person, **spec.params)
    state = assert_success(response)
    queue_id, last_event_id = state["queue_id"], state["last_event_id"]
    view = begin(state, person.user_id, lists_people=spec.lists_people)
    if spec.lists_files:
        await load_files(scene, spec.person, process, view)
    return Client(spec, queue_id, last_event_id, view)
