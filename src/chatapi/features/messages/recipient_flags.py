"""Finds recipients of new messages who have a matching alert word, or muted the sender."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from chatapi.auth.runtime import Runtime
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import ChannelId, ConversationId, MessageId, RealmId, UserId
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.messages.outgoing import DirectTarget, OutgoingMessage, TopicTarget
from chatapi.features.messages.repository import AlertFlagRepository, MessageRepository
from chatapi.read_state.repository import ReadExceptionRepository, ReadMessage


class NewMessage(Protocol):
    """A message with its conversation."""

    @property
    def outgoing(self) -> OutgoingMessage: ...

    @property
    def id(self) -> MessageId: ...

    @property
    def conversation_id(self) -> ConversationId: ...


class RecipientFlags(NamedTuple):
    """The recipients for whom a message gets special flags."""

    alerted: frozenset[UserId] = frozenset()
    """Users for whom it contains one of their alert words."""
    muted_sender: frozenset[UserId] = frozenset()
    """Users for whom it is read already, since they muted its sender."""

    def among(self, recipients: frozenset[UserId]) -> "RecipientFlags":
        return RecipientFlags(self.alerted & recipients, self.muted_sender & recipients)


async def mark_recipients(
    runtime: Runtime, work: UnitOfWork, realm_id: RealmId, messages: Sequence[NewMessage]
) -> list[RecipientFlags]:
    """Write flags of new messages for these users; other users, mostly all, cost no row."""
    recipient_preferences = await runtime.recipient_preferences.of(work.db, realm_id)
    # Up to a millisecond for each message: every word of a text is looked up.
    all_candidates = await map_in_steps(
        lambda message: RecipientFlags(
            recipient_preferences.alert_words.users_alerted_by(message.outgoing.content),
            recipient_preferences.muted_by.get(message.outgoing.sender.id, frozenset()),
        ),
        messages,
    )
    subscribed = await _subscribed(MessageRepository(work.db, realm_id), messages, all_candidates)
    flags = [
        candidates.among(_recipients(message.outgoing, subscribed))
        for message, candidates in zip(messages, all_candidates, strict=True)
    ]
    await _mark(work, list(zip(messages, flags, strict=True)))
    return flags


async def _subscribed(
    repository: MessageRepository,
    messages: Sequence[NewMessage],
    all_candidates: Sequence[RecipientFlags],
) -> Mapping[ChannelId, frozenset[UserId]]:
    """The candidates subscribed to each of the channels: one statement for all messages."""
    channel_ids: set[ChannelId] = set()
    people: set[UserId] = set()
    for message, candidates in zip(messages, all_candidates, strict=True):
        to = message.outgoing.to
        if isinstance(to, TopicTarget) and (candidates.alerted or candidates.muted_sender):
            channel_ids.add(to.channel.record.id)
            people |= candidates.alerted | candidates.muted_sender
    return await repository.list_subscribed_to(channel_ids, people) if channel_ids else {}


def _recipients(
    outgoing: OutgoingMessage, subscribed: Mapping[ChannelId, frozenset[UserId]]
) -> frozenset[UserId]:
    if isinstance(outgoing.to, DirectTarget):
        return frozenset(person.id for person in outgoing.to.people)
    return subscribed.get(outgoing.to.channel.record.id, frozenset())


async def _mark(work: UnitOfWork, received: Sequence[tuple[NewMessage, RecipientFlags]]) -> None:
    alerts = [
        (message.id, user_id)
        for message, recipient_flags in received
        for user_id in recipient_flags.alerted
    ]
    if alerts:
        await AlertFlagRepository(work.db).mark(alerts)
    await ReadExceptionRepository(work.db).mark_read(
        ReadMessage(user_id, message.id, message.conversation_id)
        for message, recipient_flags in received
        for user_id in recipient_flags.muted_sender
    )
