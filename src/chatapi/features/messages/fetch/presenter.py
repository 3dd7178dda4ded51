"""Joins the JSON of messages for a reader: contents, senders, places and flags."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

import orjson

from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, UserId
from chatapi.events.message_cache import EncodedMessage
from chatapi.events.newest_pages import NewestPage, SharedMessage
from chatapi.features.messages.fetch.flags import flags_encoder
from chatapi.features.messages.fetch.params import ShowMessageParams
from chatapi.features.messages.fetch.payloads import MatchPayload
from chatapi.features.messages.message_data import (
    MessagePlace,
    RenderOptions,
    SenderData,
    person_payload,
    place_payload,
    sender_payload,
)
from chatapi.features.messages.payloads import RecipientPayload, TopicLinkPayload
from chatapi.features.messages.repository import HistoryRepository, PageRow
from chatapi.features.messages.topic_links import links_of_topics
from chatapi.permissions.messages import MessageAccess
from chatapi.permissions.user_visibility import UserVisibility, user_visibility

_TOPICS_AT_ONCE = 100
_QUICK_TOPICS = 3
"""Finding links in this few topics takes less time than passing them to a thread."""


class TopicOfChannel(Protocol):
    """Where messages are; direct messages have no channel."""

    @property
    def channel_id(self) -> ChannelId | None: ...

    @property
    def topic(self) -> str: ...


class MessagePresenter:
    """Encodes messages that the reader may see.

    What many messages of a page have in common is encoded once: each sender, and each place.
    """

    def __init__(self, ctx: RealmContext, access: MessageAccess, params: ShowMessageParams) -> None:
        self._ctx = ctx
        self._access = access
        self._params = params
        self._repository = HistoryRepository(ctx.db, ctx.realm.id)
        self._senders: dict[UserId, bytes] = {}
        self._places: dict[ConversationId, bytes] = {}

    async def load(self, rows: Sequence[PageRow], as_of: EventNumber) -> None:
        """Look up senders and places; a few statements at most for all messages."""
        ctx = self._ctx
        direct = {row.conversation_id for row in rows if row.channel_id is None}
        members = await self._repository.list_people(direct) if direct else {}
        user_ids = {row.sender_id for row in rows}.union(*members.values())
        users = await ctx.runtime.users.load(
            ctx.realm.id, user_ids, as_of, self._repository.list_users
        )
        people = {
            key: tuple(self._person(users[user_id]) for user_id in ids)
            for key, ids in members.items()
        }
        self._encode_senders({row.sender_id for row in rows}, users, await user_visibility(ctx))
        await self._encode_places({row.conversation_id: row for row in rows}, people)

    async def load_cached(
        self,
        sender_ids: Collection[UserId],
        topics: Mapping[ConversationId, TopicOfChannel],
        as_of: EventNumber,
    ) -> bool:
        """The same for channel messages without a statement; whether everything was in memory."""
        users = self._ctx.runtime.users.find(self._ctx.realm.id, sender_ids, as_of)
        if len(users) < len(sender_ids):
            return False
        sees_all = UserVisibility(
            self._ctx.reader, sees_all_users=True, visible_user_ids=frozenset()
        )
        self._encode_senders(sender_ids, users, sees_all)
        await self._encode_places(topics, {})
        return True

    async def show(
        self,
        rows: Sequence[PageRow],
        contents: Mapping[MessageId, EncodedMessage],
        matches: Mapping[MessageId, MatchPayload] | None = None,
    ) -> list[orjson.Fragment]:
        """The messages, whose senders and places were loaded; each is encoded already."""
        senders, places = self._senders, self._places
        flags_of = flags_encoder(self._access)

        def join(row: PageRow) -> orjson.Fragment:
            parts = (
                contents[row.id].json,
                senders[row.sender_id],
                places[row.conversation_id],
                flags_of(row),
                b"" if matches is None else _members(matches[row.id]),
                b"}",
            )
            return orjson.Fragment(b"".join(parts))

        return await map_in_steps(join, rows)

    def show_newest(self, page: NewestPage, flags: Sequence[bytes]) -> list[orjson.Fragment]:
        """The messages of a page in memory, whose senders and place were loaded."""
        senders, place = self._senders, self._places[page.conversation_id]

        def join(message: SharedMessage) -> bytes:
            return message.json + senders[message.sender_id] + place

        messages = page.joined((senders, place), join)
        return [
            orjson.Fragment(b"%b%b}" % (each, own))
            for each, own in zip(messages, flags, strict=True)
        ]

    def _encode_senders(
        self,
        sender_ids: Iterable[UserId],
        users: Mapping[UserId, UserRecord],
        seen: UserVisibility,
    ) -> None:
        subdomain = self._ctx.realm.subdomain
        for user_id in sender_ids:
            data, options = self._sender(users[user_id], seen)
            self._senders[user_id] = _members(sender_payload(data, subdomain, options))

    async def _encode_places(
        self,
        topics: Mapping[ConversationId, TopicOfChannel],
        people: Mapping[ConversationId, tuple[RecipientPayload, ...]],
    ) -> None:
        ctx = self._ctx
        channel_ids = {each.channel_id for each in topics.values() if each.channel_id is not None}
        channels = await ctx.runtime.channels.many(ctx.db, ctx.realm.id, channel_ids)
        links = await self._find_links({each.topic for each in topics.values()})
        for key, each in topics.items():
            place = MessagePlace(
                conversation_id=key,
                channel_id=each.channel_id,
                channel_name=_name_of(each.channel_id, channels),
                topic=each.topic,
                people=people.get(key, ()),
                topic_links=links.get(each.topic, ()),
            )
            payload = place_payload(place, allow_empty_topic=self._params.allow_empty_topic_name)
            self._places[key] = _members(payload)

    def _person(self, user: UserRecord) -> RecipientPayload:
        return person_payload(user, self._ctx.realm, self._ctx.settings.root_domain)

    def _sender(
        self, user: UserRecord, visibility: UserVisibility
    ) -> tuple[SenderData, RenderOptions]:
        reader = self._ctx.reader
        data = SenderData.of(user, self._ctx.realm, self._ctx.settings.root_domain)
        if reader is None and not user.is_bot:
            hidden = user.made_up_email(self._ctx.realm, self._ctx.settings.root_domain)
            data = data.with_email(hidden)
        hides_sender = not visibility.can_see(user)
        options = RenderOptions(
            apply_markdown=self._params.apply_markdown,
            allow_empty_topic=self._params.allow_empty_topic_name,
            shows_email=not hides_sender and user.shows_email_to(reader),
            client_gravatar=self._params.client_gravatar,
            hides_sender=hides_sender,
        )
        return data, options

    async def _find_links(self, topics: Iterable[str]) -> dict[str, tuple[TopicLinkPayload, ...]]:
        """Links once for each topic; those of many topics are found in a thread, in batches."""
        linkifiers = await self._ctx.runtime.linkifiers.of(self._ctx.db, self._ctx.realm.id)
        if not linkifiers:
            return {}
        names = list(topics)
        if len(names) <= _QUICK_TOPICS:
            return links_of_topics(names, linkifiers)
        found: dict[str, tuple[TopicLinkPayload, ...]] = {}
        for start in range(0, len(names), _TOPICS_AT_ONCE):
            some = names[start : start + _TOPICS_AT_ONCE]
            found |= await self._ctx.runtime.rendering_threads.run(
                links_of_topics, some, linkifiers
            )
        return found


def _name_of(channel_id: ChannelId | None, channels: Mapping[ChannelId, ChannelRecord]) -> str:
    return "" if channel_id is None else channels[channel_id].name


def _members(payload: Mapping[str, object]) -> bytes:
    """The members of an object, to be appended to others."""
    return b"," + orjson.dumps(payload)[1:-1]
