"""Performs the conversations: people write, react, edit, upload and resolve."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from chatapi.auth.runtime import Runtime
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.cli.demo.actors import Actor, StageClock, acting
from chatapi.cli.demo.drawings import draw_chart, draw_crate, draw_face
from chatapi.cli.demo.people import demo_people
from chatapi.cli.demo.script import OWNER, Line, Moment, in_order_of_time
from chatapi.cli.demo.step import Plan
from chatapi.cli.demo.texts import (
    CONVERSATIONS,
    EMOJI,
    GROUP,
    GROUP_DESCRIPTION,
    NOTES,
    STATUSES,
)
from chatapi.cli.operator import organization
from chatapi.core.roles import Role
from chatapi.features.messages import make_room_for_history

_CAST = 7
_RESOLVED = "✔ "
_LATER = timedelta(minutes=2)
_LENGTH = timedelta(days=7)
"""No conversation began earlier."""


class Play:
    """One performance: the actors, and what the owner has seen."""

    def __init__(self, actors: Sequence[Actor], clock: StageClock) -> None:
        *self._cast, self._owner = actors
        self._clock = clock
        self._channel_ids: dict[str, int] = {}
        self._seen: list[int] = []

    async def prepare(self) -> None:
        """Pictures, statuses, a group, an emoji; and all come to the channels."""
        owner = self._owner
        channels = sorted({each.channel for each in CONVERSATIONS if each.channel})
        for actor in (*self._cast, owner):
            wanted = [{"name": name} for name in channels]
            await actor.post("/users/me/subscriptions", subscriptions=wanted)
        for name in channels:
            found = await owner.call("GET", f"/get_stream_id?stream={name}")
            self._channel_ids[name] = found["stream_id"]
        await owner.call("POST", f"/realm/emoji/{EMOJI}", {"file": _png("crate", draw_crate())})
        for number, actor in enumerate(self._cast):
            picture = {"file": _png("face", draw_face(number))}
            await actor.call("POST", "/users/me/avatar", picture)
            if number < len(STATUSES):
                text, emoji = STATUSES[number]
                await actor.post("/users/me/status", status_text=text, emoji_name=emoji)
        members = [actor.user.id for actor in (*self._cast[1:3], owner)]
        await owner.post(
            "/user_groups/create",
            name=GROUP,
            description=GROUP_DESCRIPTION,
            members=sorted(set(members)),
        )

    async def perform(self, moment: Moment) -> None:
        """One message with all that becomes of it."""
        self._clock.moment = moment.at
        line, author = moment.line, self._actor(moment.line.who)
        sent = await author.post("/messages", **self._target(moment), **await self._content(line))
        message_id = sent["id"]
        self._clock.moment = moment.at + _LATER
        for emoji, people in line.reactions.items():
            for who in {self._actor(person).user.id: person for person in people}.values():
                path = f"/messages/{message_id}/reactions"
                await self._actor(who).post(path, emoji_name=emoji)
        if line.edited_to is not None:
            await author.call("PATCH", f"/messages/{message_id}", content=line.edited_to)
        if line.is_starred:
            await self._flag([message_id], "starred")
        if moment.conversation.is_resolved and moment.is_last:
            # It makes a message, and the next one may come before that later moment.
            self._clock.moment = moment.at
            topic = f"{_RESOLVED}{moment.conversation.topic}"
            await author.call(
                "PATCH", f"/messages/{message_id}", topic=topic, propagate_mode="change_all"
            )
        if moment.conversation.days_ago > 1:
            self._seen.append(message_id)

    async def leave_unread(self) -> None:
        """The owner has read what is older than a day; the rest waits."""
        await self._flag(self._seen, "read")

    async def _flag(self, message_ids: Sequence[int], flag: str) -> None:
        await self._owner.post("/messages/flags", messages=message_ids, op="add", flag=flag)

    def _actor(self, part: int) -> Actor:
        """With few people, one of them plays several parts."""
        if part == OWNER or not self._cast:
            return self._owner
        return self._cast[part % len(self._cast)]

    def _target(self, moment: Moment) -> dict[str, object]:
        conversation = moment.conversation
        if conversation.channel:
            to = self._channel_ids[conversation.channel]
            return {"type": "channel", "to": to, "topic": conversation.topic}
        people = {self._actor(part).user.id for part in (*conversation.people, OWNER)}
        return {"type": "direct", "to": sorted(people)}

    async def _content(self, line: Line) -> dict[str, object]:
        text = line.text.replace("{owner}", self._owner.user.full_name)
        if line.attachment is not None:
            is_chart = line.attachment == "chart"
            file = _png("chart", draw_chart()) if is_chart else ("notes.txt", NOTES, "text/plain")
            uploaded = await self._actor(line.who).call("POST", "/user_uploads", {"file": file})
            text = f"{text}\n[{file[0]}]({uploaded['url']})"
        return {"content": text, "read_by_sender": True}


async def perform_all(
    runtime: Runtime, org: str | None, plan: Plan, on_line: Callable[[int, int], None]
) -> None:
    """Perform all conversations once; a second run finds people with pictures, and does nothing."""
    async with organization(runtime, org) as ctx:
        users = await UserRows(ctx.db, ctx.realm.id).list_all()
    owner = next((user for user in users if user.role is Role.OWNER and user.is_active), None)
    cast = _cast_of(plan, users)
    if owner is None or any(user.avatar_version > 1 for user in cast):
        return
    now = runtime.clock.now()
    async with organization(runtime, org) as ctx:
        since = await make_room_for_history(ctx, now - _LENGTH)
    clock = StageClock(since)
    moments = in_order_of_time(CONVERSATIONS, since, now)
    async with acting(runtime, org, [*cast, owner], clock) as actors:
        play = Play(actors, clock)
        await play.prepare()
        for number, moment in enumerate(moments):
            await play.perform(moment)
            on_line(number + 1, len(moments))
        await play.leave_unread()


def _cast_of(plan: Plan, users: Sequence[UserRecord]) -> list[UserRecord]:
    emails = {person.email for person in demo_people(plan)}
    free = [
        user
        for user in users
        if user.delivery_email in emails
        and user.is_active
        and not user.is_bot
        and user.role is not Role.GUEST
    ]
    return free[:_CAST]


def _png(name: str, content: bytes) -> tuple[str, bytes, str]:
    return f"{name}.png", content, "image/png"
