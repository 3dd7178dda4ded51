"""A realm as full as one user, its administrators and the limits let it become.

Everything belongs to one owner, the hoarder, so that every read of theirs is as large as it gets.
Numbers stay a little below the limits of what one person may have: requests still add to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId, UserId
from chatapi.core.roles import Role
from chatapi.db.models import (
    AlertWord,
    Attachment,
    AttachmentMessage,
    ChannelFolder,
    Draft,
    GroupMember,
    GroupSubgroup,
    Mention,
    MessageFlag,
    MutedUser,
    NavigationView,
    Presence,
    PresenceClock,
    ProfileField,
    ProfileValue,
    Reaction,
    RealmEmoji,
    SavedSnippet,
    ScheduledMessage,
    UserGroup,
    UserStatus,
    UserTopic,
)
from chatapi.db.session import DatabaseSession
from tests import factories
from tests.contract.permission_world import PASSWORD, World
from tests.factories import Person
from tests.features.messages.fetch.conversations import send, send_direct
from tests.security.seeding import (
    add_channels,
    add_edits,
    add_linkifiers,
    add_messages,
    add_people,
    add_topics,
    insert_rows,
)
from tests.support.client import ApiClient
from tests.support.responses import assert_success

MAX_TEXT_LENGTH = 10_000
PEOPLE = 1_500
CHANNELS = 1_000
TOPICS = 3_000
LONG_MESSAGES = 1_500
LARGEST_MESSAGES = 80
"""Messages that are rendered to as much as rendering ever makes of a text."""
SHORT_MESSAGES = 3_000
_LARGEST_HTML = 120_000
_LONG_AGO = datetime(2026, 3, 1, 12, tzinfo=UTC)
_FAR_AHEAD = datetime(2100, 1, 1, tzinfo=UTC)
_EMOJI = ("tada", "1f389", "unicode_emoji")

CAT = ("cat " * MAX_TEXT_LENGTH)[:MAX_TEXT_LENGTH]
"""A text in which every word is found."""


@dataclass(frozen=True)
class LargeOrganization:
    """The ids of the large objects of the realm."""

    world: World
    hoarder: Person
    channel: ChannelRecord
    channel_ids: list[int]
    people: list[UserId]
    long_messages: list[MessageId]
    short_messages: list[MessageId]
    edited_message: MessageId
    direct_message: MessageId
    group_ids: list[int]
    field_ids: list[int]
    queue_id: str
    """A queue with as many events as were sent while the organization was filled."""


async def fill_organization(client: ApiClient, runtime: Runtime) -> LargeOrganization:
    """Fill the only organization of a database; takes some seconds."""
    realm = await factories.make_realm(runtime, "Acme")
    hoarder = await factories.make_user(runtime, realm, Role.OWNER, password=PASSWORD)
    channel = await factories.make_channel(
        runtime, realm, hoarder, "general", subscribers=[hoarder], is_web_public=True
    )
    reports = await factories.make_channel(
        runtime, realm, hoarder, "reports", subscribers=[hoarder], invite_only=True
    )
    settings = {"enable_spectator_access": True, "moderation_request_channel_id": reports.id}
    assert_success(await client.patch("/realm", hoarder, **settings))
    await add_linkifiers(runtime, realm, [f"(?P<id>[a-z{n}]+x{n}[0-9]*)" for n in range(20)])
    people = await add_people(runtime, realm, PEOPLE, [channel])
    channel_ids = await add_channels(runtime, realm, channel, hoarder, CHANNELS)
    topics = [f"{'ab' * 20} {number}" for number in range(TOPICS)]
    in_topics = await add_topics(runtime, realm, hoarder, channel, topics)
    first = await send(client, hoarder, channel, "long", "cat")
    long = await add_messages(
        runtime, realm, hoarder, first, [(CAT, f"<p>{CAT}</p>")] * LONG_MESSAGES
    )
    largest = (CAT, f"<p>{'<em>cat</em> ' * (_LARGEST_HTML // 13)}</p>")
    await add_messages(runtime, realm, hoarder, first, [largest] * LARGEST_MESSAGES)
    small = await send(client, hoarder, channel, "small", "cat")
    texts = [("cat dog", "<p>cat dog</p>")] * SHORT_MESSAGES
    short = await add_messages(runtime, realm, hoarder, small, texts)
    edited = await _edited_message(client, runtime, hoarder, channel)
    like = {"name": "like", "description": "", "members": [hoarder.user_id]}
    assert_success(await client.post("/user_groups/create", hoarder, **like))
    queue = assert_success(await client.post("/register", hoarder, fetch_event_types=[]))
    direct = await _direct_message(client, hoarder, people)
    fill = _Filling(realm, hoarder, people)
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id)
        await fill.add_personal_things(db, channel, topics)
        await fill.add_marks_of_messages(db, [*long[-500:], *short, *in_topics])
        field_ids = await fill.add_things_of_everybody(db)
        group_ids = await fill.add_groups(db)
        await db.commit()
    world = World(
        client,
        runtime,
        realm,
        hoarder,
        hoarder,
        {"owner": hoarder, **dict.fromkeys(("deactivated", "other_realm"))},
    )
    return LargeOrganization(
        world=world,
        hoarder=hoarder,
        channel=channel,
        channel_ids=channel_ids,
        people=people,
        long_messages=long,
        short_messages=short,
        edited_message=edited,
        direct_message=direct,
        group_ids=group_ids,
        field_ids=field_ids,
        queue_id=str(queue["queue_id"]),
    )


async def _edited_message(
    client: ApiClient, runtime: Runtime, editor: Person, channel: ChannelRecord
) -> MessageId:
    """A message with several edits, each changing all words."""
    message_id = await send(client, editor, channel, "edits", _different_words(0)[0])
    await add_edits(
        runtime, editor, message_id, [_different_words(step * 2_000) for step in range(1, 300)]
    )
    return message_id


async def _direct_message(client: ApiClient, sender: Person, people: Sequence[UserId]) -> MessageId:
    """The last of some messages, each to as many people as a message may have."""
    sent = [
        await send_direct(
            client,
            sender,
            *(Person(user_id, "", "") for user_id in people[step : step + 999]),
            content=CAT,
        )
        for step in range(5)
    ]
    return sent[-1]


def _different_words(start: int) -> tuple[str, str]:
    content = " ".join(f"w{number:x}" for number in range(start, start + 2_000))[:MAX_TEXT_LENGTH]
    return content, f"<p>{content}</p>"


@dataclass(frozen=True)
class _Filling:
    realm: RealmRecord
    hoarder: Person
    people: list[UserId]

    async def add_personal_things(
        self, db: DatabaseSession, channel: ChannelRecord, topics: Sequence[str]
    ) -> None:
        """The personal state that POST /register returns: all of it at the limits."""
        own: dict[str, Any] = {"user_id": self.hoarder.user_id}
        text = "*a " * (MAX_TEXT_LENGTH // 3)
        recipients = [int(user_id) for user_id in self.people[:999]]
        draft = {"kind": "private", "recipient_ids": recipients, "topic": "", "content": text}
        await insert_rows(db, Draft, [{**own, **draft, "last_edited_at": _LONG_AGO}] * 450)
        snippet = {"title": "a" * 60, "content": text, "created_at": _LONG_AGO}
        await insert_rows(db, SavedSnippet, [{**own, **snippet}] * 450)
        views = [{"fragment": f"{n}".ljust(500, "x"), "is_pinned": True} for n in range(170)]
        await insert_rows(db, NavigationView, [{**own, **view, "name": None} for view in views])
        words = [{"word_key": f"w{n}".ljust(100, "w")} for n in range(450)]
        await insert_rows(
            db,
            AlertWord,
            [
                {**own, **each, "word": each["word_key"], "realm_id": self.realm.id}
                for each in words
            ],
        )
        muted = [
            {**own, "muted_user_id": each, "muted_at": _LONG_AGO} for each in self.people[:500]
        ]
        await insert_rows(db, MutedUser, muted)
        visibility = {"channel_id": channel.id, "visibility_policy": 3, "last_updated": _LONG_AGO}
        await insert_rows(
            db, UserTopic, [{**own, **visibility, "topic": t, "topic_key": t} for t in topics]
        )
        await self._add_scheduled(db, text)

    async def _add_scheduled(self, db: DatabaseSession, text: str) -> None:
        later: dict[str, Any] = {
            "realm_id": self.realm.id,
            "owner_id": self.hoarder.user_id,
            "channel_id": None,
            "topic": "",
            "people": [int(user_id) for user_id in self.people[:999]],
            "content": text,
            "rendered_content": f"<p>{'<em>a</em> ' * 6_000}</p>",
            "deliver_at": _FAR_AHEAD,
            "client_name": "tests",
            "read_by_sender": False,
            "failure": None,
            "about_message_id": None,
            "note": "",
        }
        reminder = {
            **later,
            "people": [self.hoarder.user_id],
            "about_message_id": 1,
            "note": "a" * 500,
        }
        await insert_rows(db, ScheduledMessage, [later] * 240)
        await insert_rows(db, ScheduledMessage, [reminder] * 220)

    async def add_marks_of_messages(
        self, db: DatabaseSession, message_ids: Sequence[MessageId]
    ) -> None:
        own: dict[str, Any] = {"user_id": self.hoarder.user_id}
        name, code, kind = _EMOJI
        reactions = [
            {"message_id": message_id, "user_id": user_id}
            for message_id in message_ids[:1_000]
            for user_id in self.people[:20]
        ]
        emoji = {"emoji_name": name, "emoji_code": code, "reaction_type": kind}
        await insert_rows(db, Reaction, [{**each, **emoji} for each in reactions])
        flags = {"starred": True, "collapsed": True, "has_alert_word": True}
        await insert_rows(
            db, MessageFlag, [{**own, "message_id": each, **flags} for each in message_ids]
        )
        await insert_rows(db, Mention, [{**own, "message_id": each} for each in message_ids])
        files = [
            {
                "realm_id": self.realm.id,
                "owner_id": self.hoarder.user_id,
                "name": "a" * 255,
                "path_id": f"{self.realm.id}/ab/{step}/a.txt",
                "content_type": "text/plain",
                "size": 1,
                "created_at": _LONG_AGO,
                "is_claimed": True,
                "link_secret": "a" * 43,
            }
            for step in range(1_000)
        ]
        await insert_rows(db, Attachment, files)
        found = await db.execute(select(Attachment.id))
        links = [
            {"attachment_id": attachment_id, "message_id": message_id}
            for (attachment_id,) in found
            for message_id in message_ids[:20]
        ]
        await insert_rows(db, AttachmentMessage, links)

    async def add_things_of_everybody(self, db: DatabaseSession) -> list[int]:
        realm = {"realm_id": self.realm.id}
        name, code, kind = _EMOJI
        emoji_of_status = {"emoji_name": name, "emoji_code": code, "reaction_type": kind}
        status = {"status_text": "a" * 60, **emoji_of_status}
        await insert_rows(db, UserStatus, [{"user_id": u, **status} for u in self.people])
        seen = {"active_at": _LONG_AGO, "idle_at": _LONG_AGO, "is_hidden": False}
        presences = [
            {**realm, **seen, "user_id": user_id, "update_id": step + 1}
            for step, user_id in enumerate(self.people)
        ]
        await insert_rows(db, Presence, presences)
        await insert_rows(db, PresenceClock, [{**realm, "last_update_id": len(presences)}])
        field_ids = await self._add_profiles(db)
        folders = [
            {
                **realm,
                "name": f"{step}",
                "name_key": f"{step}",
                "description": "a" * 1024,
                "rendered_description": f"<p>{'a' * 1024}</p>",
                "position": step,
                "date_created": _LONG_AGO,
                "creator_id": None,
                "is_archived": False,
            }
            for step in range(470)
        ]
        await insert_rows(db, ChannelFolder, folders)
        emoji = [
            {
                **realm,
                "author_id": self.hoarder.user_id,
                "name": f"crowd_emoji{step}",
                "path_id": f"{step}/emoji.png",
                "still_path_id": None,
                "created_at": _LONG_AGO,
                "deactivated": False,
            }
            for step in range(1_900)
        ]
        await insert_rows(db, RealmEmoji, emoji)
        return field_ids

    async def _add_profiles(self, db: DatabaseSession) -> list[int]:
        fields = [
            {
                "realm_id": self.realm.id,
                "field_type": 2,
                "position": step,
                "name": f"{step}",
                "hint": "a" * 80,
                "field_data": {},
                **dict.fromkeys(("display_in_profile_summary", "required"), False),
                **dict.fromkeys(("editable_by_user", "use_for_user_matching"), False),
            }
            for step in range(70)
        ]
        await insert_rows(db, ProfileField, fields)
        found = (await db.execute(select(ProfileField.id))).scalars().all()
        value = {"value": "a" * 500, "rendered_value": f"<p>{'a' * 500}</p>"}
        people = [self.hoarder.user_id, *self.people[:100]]
        rows = [{"user_id": user_id, "field_id": f, **value} for user_id in people for f in found]
        await insert_rows(db, ProfileValue, rows)
        return list(found)

    async def add_groups(self, db: DatabaseSession) -> list[int]:
        """Groups in a row, each in the one before, the last one of which has most people."""
        made = await db.execute(select(UserGroup.settings).where(UserGroup.name == "like"))
        settings = made.scalar_one()
        groups = [
            {
                "realm_id": self.realm.id,
                "name": f"crowd {step}",
                "name_key": f"crowd {step}",
                "description": "a" * 1024,
                "is_system_group": False,
                "creator_id": self.hoarder.user_id,
                "date_created": _LONG_AGO,
                "deactivated": False,
                "settings": settings,
            }
            for step in range(300)
        ]
        await insert_rows(db, UserGroup, groups)
        found = select(UserGroup.id).where(UserGroup.is_system_group.is_(False))
        ids = list((await db.execute(found.order_by(UserGroup.id))).scalars())
        chain = [{"group_id": a, "subgroup_id": b} for a, b in pairwise(ids)]
        await insert_rows(db, GroupSubgroup, chain)
        members = [{"group_id": ids[-1], "user_id": user_id} for user_id in self.people]
        members += [
            {"group_id": group, "user_id": u} for group in ids[:100] for u in self.people[:100]
        ]
        await insert_rows(db, GroupMember, members)
        return ids
