"""How a new message is received by people who watch for its words, or have muted its sender."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from chatapi.auth.runtime import Runtime
from chatapi.core.ids import ChannelId, ConversationId, MessageId, RealmId, UserId
from chatapi.core.loop_budget import map_in_steps
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.alert_words.repository import AlertWordRepository
from chatapi.features.messages.outgoing import Outgoing, ToPeople, ToTopic
from chatapi.features.messages.repository import MessageRepository
from chatapi.features.muted_users.repository import MutedUserRepository, ReadMessage


class NewMessage(Protocol):
    """A message with its place."""

    @property
    def outgoing(self) -> Outgoing: ...

    @property
    def id(self) -> MessageId: ...

    @property
    def conversation_id(self) -> ConversationId: ...


@dataclass(frozen=True)
class Reception:
    """Those for whom a message is not like any other."""

    alerted: frozenset[UserId] = frozenset()
    """For whom it has a word they watch for."""
    unheeded: frozenset[UserId] = frozenset()
    """For whom it is read, since they muted its sender."""

    def among(self, recipients: frozenset[UserId]) -> "Reception":
        return Reception(self.alerted & recipients, self.unheeded & recipients)


async def receive(
    runtime: Runtime, work: UnitOfWork, realm_id: RealmId, messages: Sequence[NewMessage]
) -> list[Reception]:
    """Mark new messages for those people; the others, as a rule all, cost nothing."""
    attention = await runtime.attention.of(work.db, realm_id)
    # Up to a millisecond for each: every word of a text is looked up.
    wishes = await map_in_steps(
        lambda message: Reception(
            attention.words.watchers_of(message.outgoing.content),
            attention.muted_by.get(message.outgoing.sender.id, frozenset()),
        ),
        messages,
    )
    subscribed = await _subscribed(MessageRepository(work.db, realm_id), messages, wishes)
    receptions = [
        wish.among(_recipients(message.outgoing, subscribed))
        for message, wish in zip(messages, wishes, strict=True)
    ]
    await _mark(work, realm_id, list(zip(messages, receptions, strict=True)))
    return receptions


async def _subscribed(
    repository: MessageRepository, messages: Sequence[NewMessage], wishes: Sequence[Reception]
) -> Mapping[ChannelId, frozenset[UserId]]:
    """Those who watch or mute, by the channels they are in: one statement for all messages."""
    channel_ids: set[ChannelId] = set()
    people: set[UserId] = set()
    for message, wish in zip(messages, wishes, strict=True):
        to = message.outgoing.to
        if isinstance(to, ToTopic) and (wish.alerted or wish.unheeded):
            channel_ids.add(to.channel.record.id)
            people |= wish.alerted | wish.unheeded
    return await repository.list_subscribed_to(channel_ids, people) if channel_ids else {}


def _recipients(
    outgoing: Outgoing, subscribed: Mapping[ChannelId, frozenset[UserId]]
) -> frozenset[UserId]:
    if isinstance(outgoing.to, ToPeople):
        return frozenset(person.id for person in outgoing.to.people)
    return subscribed.get(outgoing.to.channel.record.id, frozenset())


async def _mark(
    work: UnitOfWork, realm_id: RealmId, received: Sequence[tuple[NewMessage, Reception]]
) -> None:
    alerts = [
        (message.id, user_id) for message, reception in received for user_id in reception.alerted
    ]
    if alerts:
        await AlertWordRepository(work.db, realm_id).mark(alerts)
    await MutedUserRepository(work.db).mark_read(
        ReadMessage(user_id, message.id, message.conversation_id)
        for message, reception in received
        for user_id in reception.unheeded
    )
