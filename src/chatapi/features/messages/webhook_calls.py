"""Queues calls of services about new messages, in the transaction that writes the messages."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.messages.outgoing import DirectTarget
from chatapi.features.messages.recipient_flags import NewMessage
from chatapi.features.messages.repository import NewWebhookCall, WebhookCallRepository

MENTION = "mention"
DIRECT_MESSAGE = "direct_message"


async def queue_calls(
    runtime: Runtime,
    work: UnitOfWork,
    realm_id: RealmId,
    messages: Sequence[NewMessage],
    now: datetime,
) -> None:
    """Queue the calls for new messages; without a statement if no such bot is among the recipients.

    Messages of bots call no service: two bots would talk for ever.
    """
    bots = (await runtime.recipient_preferences.of(work.db, realm_id)).webhook_bots
    if not bots:
        return
    calls = [call for message in messages for call in _calls(realm_id, message, bots)]
    if calls:
        await WebhookCallRepository(work.db).add(calls, now)
        work.after_commit(runtime.webhook_calls.notify)


def _calls(
    realm_id: RealmId, message: NewMessage, bots: frozenset[int]
) -> Iterator[NewWebhookCall]:
    outgoing = message.outgoing
    if outgoing.sender.is_bot:
        return
    if isinstance(outgoing.to, DirectTarget):
        trigger = DIRECT_MESSAGE
        recipients = frozenset(person.id for person in outgoing.to.people)
    else:
        trigger, recipients = MENTION, outgoing.rendered.mentioned_user_ids
    for bot_id in sorted(recipients & bots):
        yield NewWebhookCall(realm_id, bot_id, message.id, trigger, outgoing.traceparent)
