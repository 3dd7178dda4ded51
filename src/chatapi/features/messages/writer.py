"""Writes messages into a locked realm: the only code that inserts messages.

However many readers a message has, it is one row, one event and one updated conversation.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import unix_seconds
from chatapi.core.cooperative import map_in_steps
from chatapi.core.errors import BadRequestError, StaleCallerError
from chatapi.core.ids import ConversationId, MessageId, UserId
from chatapi.core.roles import Role
from chatapi.db.idempotency_store import IdempotencyKey, IdempotencyStore
from chatapi.db.message_ids import take_message_ids
from chatapi.events.audience import Audience, Users
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.channels import TopicSend, UserVisibilityDiff, apply_automatic_policies
from chatapi.features.messages.conversations import BatchConversations
from chatapi.features.messages.events import MessageSent
from chatapi.features.messages.message_data import MessageData, SenderData, person_payload
from chatapi.features.messages.message_links import message_address, message_link
from chatapi.features.messages.outgoing import DirectTarget, OutgoingMessage, TopicTarget
from chatapi.features.messages.payloads import SentPayload, SubmessagePayload
from chatapi.features.messages.picture_updates import drop_lost_pictures
from chatapi.features.messages.recipient_flags import RecipientFlags, mark_recipients
from chatapi.features.messages.repository import (
    MessageRepository,
    NewSubmessage,
    SubmessageRepository,
)
from chatapi.features.messages.topic_links import topic_links
from chatapi.features.messages.webhook_calls import queue_calls
from chatapi.features.uploads import Claim, claim_attachments
from chatapi.permissions.channels import channel_subscribers
from chatapi.rendering import Linkifiers

WriteResult = SentPayload | Exception


class IdentifiedMessage(Struct, frozen=True):
    """A message with its id and conversation."""

    outgoing: OutgoingMessage
    id: MessageId
    conversation_id: ConversationId
    topic: str
    starts_conversation: bool

    @property
    def is_in_channel(self) -> bool:
        return isinstance(self.outgoing.to, TopicTarget)


class MessageWriter(Struct, frozen=True):
    """Writes messages of one realm; the caller has locked it."""

    runtime: Runtime
    realm: RealmRecord
    trusts_cache: bool = True
    """False in a transaction that moves topics: cached topics are not valid in it."""

    async def write(self, work: UnitOfWork, batch: Sequence[OutgoingMessage]) -> list[WriteResult]:
        """The response for each message, or its refusal; refused messages write nothing."""
        conversations = self._conversations(work)
        await conversations.find(each.to for each in batch if not each.is_stale)
        # Only after the lookup: if a conversation was not cached, the lock is held now, and
        # repeated messages are searched for. An optimistic write must not refuse a message that was
        # sent before.
        outcomes: dict[int, WriteResult] = await _settled(work, batch)
        open_places = [place for place in range(len(batch)) if place not in outcomes]
        for place in open_places:
            if (refusal := _refusal(batch[place], conversations)) is not None:
                outcomes[place] = refusal
        open_places = [place for place in open_places if place not in outcomes]
        if open_places:
            written = await self._write(work, conversations, [batch[p] for p in open_places])
            outcomes |= zip(open_places, written, strict=True)
        return [outcomes[place] for place in range(len(batch))]

    async def check(self, work: UnitOfWork, outgoing: OutgoingMessage) -> None:
        """Refuse what could not be written now; used for messages that are sent later."""
        if outgoing.is_stale:
            raise StaleCallerError
        conversations = self._conversations(work)
        await conversations.find([outgoing.to])
        if (refusal := _refusal(outgoing, conversations)) is not None:
            raise refusal

    def _conversations(self, work: UnitOfWork) -> BatchConversations:
        return BatchConversations(self.runtime, self.realm.id, work, trusts_cache=self.trusts_cache)

    async def _write(
        self, work: UnitOfWork, conversations: BatchConversations, batch: Sequence[OutgoingMessage]
    ) -> list[SentPayload]:
        now = self.runtime.clock.now()
        visible = await self._start_diff(work, conversations, batch)
        placed = await _place(work, conversations, batch)
        repository = MessageRepository(work.db, self.realm.id)
        await repository.add_messages(
            [self._row(each, now) for each in placed],
            {each.conversation_id: each.id for each in placed},
        )
        await _add_mentions(repository, placed)
        placed = await self._claim_files(work, placed)
        flags = await mark_recipients(self.runtime, work, self.realm.id, placed)
        widgets = await _add_widgets(work, placed)
        linkifiers = await self.runtime.linkifiers.of(work.db, self.realm.id)
        data = await map_in_steps(lambda each: self._message_data(each, now, linkifiers), placed)
        if widgets:
            data = [each.with_submessages(widgets.get(each.id, ())) for each in data]
        if visible is not None:
            await visible.emit()
        for each, recipient_flags, shown in zip(placed, flags, data, strict=True):
            event = await self._event(repository, each, recipient_flags, shown)
            work.emit(self.realm.id, event, to=_audience(each))
        await queue_calls(self.runtime, work, self.realm.id, placed, now)
        policies = await self._follow_topics(work, placed, now)
        responses = [_response(each, policy) for each, policy in zip(placed, policies, strict=True)]
        await _store_responses(work, batch, responses, now)
        return responses

    def _row(self, placed: IdentifiedMessage, now: datetime) -> Mapping[str, Any]:
        outgoing, rendered = placed.outgoing, placed.outgoing.rendered
        to = outgoing.to
        return {
            "id": placed.id,
            "realm_id": self.realm.id,
            "conversation_id": placed.conversation_id,
            "channel_id": to.channel.record.id if isinstance(to, TopicTarget) else None,
            "sender_id": outgoing.sender.id,
            "content": outgoing.content,
            "rendered_content": rendered.html,
            "sent_at": now,
            "client_name": outgoing.client_name,
            "is_me_message": rendered.is_me_message,
            "read_by_sender": outgoing.read_by_sender,
            "mentions_channel": rendered.mentions_channel,
            "mentions_topic": rendered.mentions_topic,
            "has_link": rendered.has_link,
            "has_image": rendered.has_image,
            "has_attachment": bool(rendered.upload_paths),
            "has_widget": outgoing.widget is not None,
        }

    async def _event(
        self,
        repository: MessageRepository,
        placed: IdentifiedMessage,
        recipient_flags: RecipientFlags,
        data: MessageData,
    ) -> MessageSent:
        outgoing, rendered = placed.outgoing, placed.outgoing.rendered
        participants = None
        if rendered.mentions_topic and placed.is_in_channel:
            participants = await repository.list_senders(placed.conversation_id)
        return MessageSent(
            data=data,
            read_by_sender=outgoing.read_by_sender,
            mentioned_users=rendered.mentioned_user_ids,
            mentioned_groups=rendered.mentioned_group_ids,
            mentions_channel=rendered.mentions_channel,
            topic_participants=participants,
            alerted_users=recipient_flags.alerted,
            muted_sender_users=recipient_flags.muted_sender,
            echo=outgoing.echo,
        )

    def _message_data(
        self, placed: IdentifiedMessage, now: datetime, linkifiers: Linkifiers
    ) -> MessageData:
        outgoing = placed.outgoing
        root_domain = self.runtime.settings.root_domain
        channel = outgoing.to.channel.record if isinstance(outgoing.to, TopicTarget) else None
        people = outgoing.to.people if isinstance(outgoing.to, DirectTarget) else ()
        return MessageData(
            id=placed.id,
            conversation_id=placed.conversation_id,
            channel_id=None if channel is None else channel.id,
            channel_name="" if channel is None else channel.name,
            topic=placed.topic,
            people=tuple(person_payload(person, self.realm, root_domain) for person in people),
            sender=SenderData.of(outgoing.sender, self.realm, root_domain),
            realm_subdomain=self.realm.subdomain,
            content=outgoing.content,
            rendered_content=outgoing.rendered.html,
            timestamp=unix_seconds(now),
            client=outgoing.client_name,
            is_me_message=outgoing.rendered.is_me_message,
            topic_links=topic_links(placed.topic, linkifiers),
        )

    async def _claim_files(
        self, work: UnitOfWork, placed: list[IdentifiedMessage]
    ) -> list[IdentifiedMessage]:
        """Give all users who may see a message access to the files it links.

        Returns the messages without pictures of files that they could not link.
        """
        claims = [
            Claim(
                each.id,
                each.outgoing.sender,
                each.outgoing.rendered.upload_paths,
                each.outgoing.rendered.has_loading_picture,
            )
            for each in placed
            if each.outgoing.rendered.upload_paths
        ]
        if not claims:
            return placed
        await claim_attachments(self.runtime, work, self.realm, claims)
        return [await self._without_lost_pictures(work, each) for each in placed]

    async def _without_lost_pictures(
        self, work: UnitOfWork, placed: IdentifiedMessage
    ) -> IdentifiedMessage:
        outgoing = placed.outgoing
        rendered = await drop_lost_pictures(work.db, self.realm.id, placed.id, outgoing.rendered)
        if rendered is outgoing.rendered:
            return placed
        return replace(placed, outgoing=replace(outgoing, rendered=rendered))

    async def _start_diff(
        self, work: UnitOfWork, conversations: BatchConversations, batch: Sequence[OutgoingMessage]
    ) -> UserVisibilityDiff | None:
        """The people of new conversations become visible to the guests among them."""
        direct = [each.to for each in batch if isinstance(each.to, DirectTarget)]
        firsts = [each for each in direct if not conversations.is_there(each)]
        people = {person.id: person for each in firsts for person in each.people}
        guests = [person.id for person in people.values() if person.role is Role.GUEST]
        if not guests:
            return None
        ctx = RealmContext.without_request(self.runtime, work, self.realm)
        return await UserVisibilityDiff.before_conversation(ctx, guests, people)

    async def _follow_topics(
        self, work: UnitOfWork, placed: Sequence[IdentifiedMessage], now: datetime
    ) -> list[int | None]:
        """Apply the automatic topic policies of the senders; returns the new policies."""
        sends = {
            place: TopicSend(
                sender=each.outgoing.sender,
                channel_id=each.outgoing.to.channel.record.id,
                topic=each.topic,
                starts_topic=each.starts_conversation,
                is_channel_muted=each.outgoing.to.is_channel_muted,
            )
            for place, each in enumerate(placed)
            if isinstance(each.outgoing.to, TopicTarget)
        }
        changed = await apply_automatic_policies(work, self.realm.id, now, list(sends.values()))
        policies = dict(zip(sends, changed, strict=True))
        return [policies.get(place) for place in range(len(placed))]


async def _settled(work: UnitOfWork, batch: Sequence[OutgoingMessage]) -> dict[int, WriteResult]:
    """Results by index of messages not to be written: repeated ones, and those to start over.

    What was checked before the lock was acquired holds only if nothing has changed since.
    """
    outcomes: dict[int, WriteResult] = {
        place: StaleCallerError() for place, each in enumerate(batch) if each.is_stale
    }
    named: dict[int, IdempotencyKey] = {
        place: each.request for place, each in enumerate(batch) if each.request is not None
    }
    if not named:
        return outcomes
    # A repeated message makes an optimistic write fail, and is found by the retry. One that is to
    # start over is looked for now: another process may have written it, and it gets a new key.
    given = (
        {}
        if work.db.is_optimistic and outcomes.keys().isdisjoint(named)
        else await IdempotencyStore(work.db).find_many(named.values())
    )
    seen: set[tuple[UserId, str]] = set()
    for place, request in named.items():
        key = (request.user_id, request.key)
        if key in given and given[key].digest == request.digest:
            response: SentPayload = orjson.loads(given[key].response)
            outcomes[place] = response
        elif place not in outcomes and (key in given or key in seen):
            # The first one is written, or about to be: the retry finds it.
            outcomes[place] = StaleCallerError()
        seen.add(key)
    return outcomes


def _refusal(
    outgoing: OutgoingMessage, conversations: BatchConversations
) -> BadRequestError | None:
    """Refuse to start a conversation where the sender may only reply."""
    to = outgoing.to
    if conversations.is_there(to):
        return None
    if isinstance(to, TopicTarget) and not to.may_start_topic:
        name = to.channel.record.name
        return BadRequestError(f"You do not have permission to start new topics in {name}.")
    if isinstance(to, DirectTarget) and not to.may_start_conversation:
        return BadRequestError(
            "You do not have permission to initiate direct message conversations."
        )
    return None


async def _place(
    work: UnitOfWork, conversations: BatchConversations, batch: Sequence[OutgoingMessage]
) -> list[IdentifiedMessage]:
    """Assign every message its id and its conversation, which is created if it is missing."""
    ids = await take_message_ids(work.db, len(batch))
    firsts = await conversations.begin(
        (outgoing.to, message_id) for outgoing, message_id in zip(batch, ids, strict=True)
    )
    return [
        IdentifiedMessage(
            outgoing, message_id, *conversations.get(outgoing.to), message_id in firsts
        )
        for outgoing, message_id in zip(batch, ids, strict=True)
    ]


async def _add_mentions(repository: MessageRepository, placed: Sequence[IdentifiedMessage]) -> None:
    people = [
        (each.id, user_id)
        for each in placed
        for user_id in each.outgoing.rendered.mentioned_user_ids
    ]
    groups = [
        (each.id, group_id)
        for each in placed
        for group_id in each.outgoing.rendered.mentioned_group_ids
    ]
    if people:
        await repository.add_mentions(people)
    if groups:
        await repository.add_group_mentions(groups)


async def _add_widgets(
    work: UnitOfWork, placed: Sequence[IdentifiedMessage]
) -> dict[MessageId, tuple[SubmessagePayload, ...]]:
    """Write the widgets of new messages, of which most have none."""
    new = [
        NewSubmessage(each.id, each.outgoing.sender.id, each.outgoing.widget)
        for each in placed
        if each.outgoing.widget is not None
    ]
    if not new:
        return {}
    added = await SubmessageRepository(work.db).add(new)
    return {MessageId(widget["message_id"]): (widget,) for widget in added}


def _audience(placed: IdentifiedMessage) -> Audience:
    to = placed.outgoing.to
    if isinstance(to, TopicTarget):
        return channel_subscribers(to.channel.record)
    return Users(ids=frozenset(person.id for person in to.people))


def _response(placed: IdentifiedMessage, policy: int | None) -> SentPayload:
    address = message_address(placed.outgoing.to, placed.topic, placed.id)
    url = placed.outgoing.public_url + address
    response: SentPayload = {
        "id": placed.id,
        "message_url": url,
        "message_link": message_link(placed.outgoing, placed.topic, url),
    }
    if policy is not None:
        response["automatic_new_visibility_policy"] = policy
    return response


async def _store_responses(
    work: UnitOfWork,
    batch: Sequence[OutgoingMessage],
    responses: Sequence[SentPayload],
    now: datetime,
) -> None:
    kept = [
        (each.request, orjson.dumps(response).decode())
        for each, response in zip(batch, responses, strict=True)
        if each.request is not None
    ]
    await IdempotencyStore(work.db).store_many(kept, now)
