"""How a new message is received by people who watch for its words, or have muted its sender."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from chatapi.auth.runtime import Runtime
from chatapi.core.ids import ConversationId, MessageId, RealmId, UserId
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.alert_words.repository import AlertWordRepository
from chatapi.features.messages.outgoing import Outgoing, ToPeople
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


async def receive(
    runtime: Runtime, work: UnitOfWork, realm_id: RealmId, messages: Sequence[NewMessage]
) -> list[Reception]:
    """Mark new messages for those people; the others, as a rule all, cost nothing."""
    attention = await runtime.attention.of(work.db, realm_id)
    repository = MessageRepository(work.db, realm_id)
    receptions: list[Reception] = []
    for message in messages:
        outgoing = message.outgoing
        watching = attention.words.watchers_of(outgoing.content)
        muting = attention.muted_by.get(outgoing.sender.id, frozenset())
        recipients = await _recipients(repository, outgoing, watching | muting)
        receptions.append(Reception(watching & recipients, muting & recipients))
    await _mark(work, realm_id, list(zip(messages, receptions, strict=True)))
    return receptions


async def _recipients(
    repository: MessageRepository, outgoing: Outgoing, among: frozenset[UserId]
) -> frozenset[UserId]:
    if not among:
        return among
    if isinstance(outgoing.to, ToPeople):
        return among.intersection(person.id for person in outgoing.to.people)
    return await repository.list_subscribed(outgoing.to.channel.record.id, among)


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
