"""Builds the payloads of stored messages for a reader."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.clock import unix_seconds
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import ChannelId, ConversationId, MessageId, UserId
from chatapi.features.messages.edit.edit_trail import EditStep
from chatapi.features.messages.fetch.edit_trails import edit_trails_of
from chatapi.features.messages.fetch.page_size import LargePageError
from chatapi.features.messages.fetch.params import ShowMessageParams
from chatapi.features.messages.fetch.payloads import HistoryMessagePayload, TrailPayload
from chatapi.features.messages.message_data import (
    MessageData,
    RenderOptions,
    SenderData,
    message_payload,
    person_payload,
)
from chatapi.features.messages.payloads import (
    ReactionPayload,
    RecipientPayload,
    SubmessagePayload,
    TopicLinkPayload,
)
from chatapi.features.messages.repository import (
    HistoryRepository,
    HistoryRow,
    ReactionRepository,
    SubmessageRepository,
)
from chatapi.features.messages.topic_links import links_of_topics
from chatapi.permissions.messages import MessageAccess
from chatapi.permissions.user_visibility import UserVisibility, user_visibility
from chatapi.read_state.repository import MessageState, StateRepository

_TOPICS_AT_ONCE = 100
_QUICK_TOPICS = 3
"""Finding links in this few topics takes less time than passing them to a thread."""
_FLAGS_OF_STRANGERS = ["read"]


class MessagePresenter:
    """Builds payloads of messages that the reader may see; a few statements for all."""

    def __init__(self, ctx: RealmContext, access: MessageAccess, params: ShowMessageParams) -> None:
        self._ctx = ctx
        self._access = access
        self._params = params
        self._repository = HistoryRepository(ctx.db, ctx.realm.id)
        self._channels: dict[ChannelId, ChannelRecord] = {}
        self._people: dict[ConversationId, tuple[RecipientPayload, ...]] = {}
        self._senders: dict[UserId, tuple[SenderData, RenderOptions]] = {}
        self._states: dict[MessageId, MessageState] = {}
        self._reactions: dict[MessageId, list[ReactionPayload]] = {}
        self._submessages: dict[MessageId, list[SubmessagePayload]] = {}
        self._trails: dict[MessageId, list[EditStep]] = {}
        self._links: dict[str, tuple[TopicLinkPayload, ...]] = {}

    async def show(
        self, rows: Sequence[HistoryRow], most_reactions: int | None = None
    ) -> list[HistoryMessagePayload]:
        """The payloads; raises `LargePageError` if there are more reactions than allowed."""
        if not rows:
            return []
        await self._load(rows, most_reactions)
        return await map_in_steps(self._show, rows)

    async def _load(self, rows: Sequence[HistoryRow], most_reactions: int | None) -> None:
        ctx = self._ctx
        channel_ids = {row.channel_id for row in rows if row.channel_id is not None}
        self._channels = await ctx.runtime.channels.many(ctx.db, ctx.realm.id, channel_ids)
        direct = {row.conversation_id for row in rows if row.channel_id is None}
        members = await self._repository.list_people(direct) if direct else {}
        sender_ids = {row.sender_id for row in rows}
        users = await self._repository.list_users(sender_ids.union(*members.values()))
        self._people = {
            key: tuple(self._person(users[user_id]) for user_id in people)
            for key, people in members.items()
        }
        visibility = await user_visibility(ctx)
        self._senders = {each: self._sender(users[each], visibility) for each in sender_ids}
        self._links = await self._find_links({row.topic for row in rows})
        message_ids = [row.id for row in rows]
        self._reactions = await self._list_reactions(message_ids, most_reactions)
        widgets = [row.id for row in rows if row.has_widget]
        if widgets:
            self._submessages = await SubmessageRepository(ctx.db).list_of(widgets)
        self._trails = await edit_trails_of(ctx, rows)
        if self._access.reader_id is not None:
            states = StateRepository(ctx.db, ctx.realm.id, self._access.reader_id)
            groups = self._access.channels.membership.groups
            found = await states.list_states(message_ids, groups)
            self._states = {state.id: state for state in found}

    async def _list_reactions(
        self, message_ids: Sequence[MessageId], most: int | None
    ) -> dict[MessageId, list[ReactionPayload]]:
        repository = ReactionRepository(self._ctx.db)
        if most is None:
            return await repository.list_of(message_ids)
        found = await repository.list_up_to(message_ids, most)
        if found is None:
            raise LargePageError
        return found

    def _person(self, user: UserRecord) -> RecipientPayload:
        return person_payload(user, self._ctx.realm, self._ctx.settings.root_domain)

    def _sender(
        self, user: UserRecord, visibility: UserVisibility
    ) -> tuple[SenderData, RenderOptions]:
        reader = self._ctx.reader
        data = SenderData.of(user, self._ctx.realm, self._ctx.settings.root_domain)
        if reader is None and not user.is_bot:
            hidden = user.made_up_email(self._ctx.realm, self._ctx.settings.root_domain)
            data = replace(data, email=hidden)
        hides_sender = not visibility.can_see(user)
        options = RenderOptions(
            apply_markdown=self._params.apply_markdown,
            allow_empty_topic=self._params.allow_empty_topic_name,
            shows_email=not hides_sender and user.shows_email_to(reader),
            client_gravatar=self._params.client_gravatar,
            hides_sender=hides_sender,
        )
        return data, options

    def _show(self, row: HistoryRow) -> HistoryMessagePayload:
        sender, options = self._senders[row.sender_id]
        channel_name = "" if row.channel_id is None else self._channels[row.channel_id].name
        data = MessageData(
            id=row.id,
            conversation_id=row.conversation_id,
            channel_id=row.channel_id,
            channel_name=channel_name,
            topic=row.topic,
            people=self._people.get(row.conversation_id, ()),
            sender=sender,
            realm_subdomain=self._ctx.realm.subdomain,
            content=row.content,
            rendered_content=row.rendered_content,
            timestamp=unix_seconds(row.sent_at),
            client=row.client_name,
            is_me_message=row.is_me_message,
            topic_links=self._links.get(row.topic, ()),
            submessages=tuple(self._submessages.get(row.id, ())),
        )
        # Completed in place: a page has hundreds of them. A search adds the optional keys.
        message = cast(HistoryMessagePayload, message_payload(data, options))
        message["flags"] = self._flags(row)
        if row.id in self._reactions:
            message["reactions"] = self._reactions[row.id]
        if row.id in self._trails:
            message.update(cast(HistoryMessagePayload, self._edit_trail(self._trails[row.id])))
        return message

    def _edit_trail(self, trail: list[EditStep]) -> TrailPayload:
        payload: TrailPayload = {}
        edited = [step.edit.edited_at for step in trail if step.edit.changes_text]
        moved = [step.edit.edited_at for step in trail if step.edit.is_move]
        if edited:
            payload["last_edit_timestamp"] = unix_seconds(edited[0])
        if moved:
            payload["last_moved_timestamp"] = unix_seconds(moved[0])
        shown = self._ctx.realm.options.message_edit_history_visibility_policy
        allow_empty = self._params.allow_empty_topic_name
        steps = [step.payload(shown, allow_empty=allow_empty) for step in trail]
        if history := [step for step in steps if step is not None]:
            payload["edit_history"] = history
        return payload

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

    def _flags(self, row: HistoryRow) -> list[str]:
        if self._access.reader_id is None:
            return list(_FLAGS_OF_STRANGERS)
        state = self._states[row.id]
        is_received = self._access.received(row)
        flags = [] if state.is_unread else ["read"]
        if state.starred:
            flags.append("starred")
        if state.collapsed:
            flags.append("collapsed")
        if state.is_mentioned:
            flags.append("mentioned")
        if state.mentions_channel and is_received:
            flags.append("stream_wildcard_mentioned")
        if state.mentions_topic and is_received:
            flags.append("topic_wildcard_mentioned")
        if state.has_alert_word:
            flags.append("has_alert_word")
        if not is_received:
            flags.append("historical")
        return flags
