"""Messages that the service itself posts, in the transaction they are about."""

from collections.abc import Sequence
from datetime import datetime

from chatapi.auth.context import RealmContext
from chatapi.auth.notices import ChannelNotice, DirectNotice, Notice
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.cache import CachedChannel
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import MessageId, UserId
from chatapi.events.audience import Nobody
from chatapi.features.messages.notice_events import NoticesBackdated
from chatapi.features.messages.outgoing import DirectTarget, OutgoingMessage, TopicTarget
from chatapi.features.messages.repository import MessageRepository
from chatapi.features.messages.writer import MessageWriter, WriteResult
from chatapi.features.users import notification_bot
from chatapi.rendering import Directory, RenderedMessage, is_quick_to_render, render_message

_CLIENT_NAME = "Internal"


async def post_notices(
    ctx: RealmContext,
    notices: Sequence[Notice],
    names: Directory | None = None,
    *,
    has_moved_topics: bool = False,
) -> list[MessageId]:
    """Post notices; the caller has locked the realm, and may have moved topics in it.

    `names` are the users and channels the texts mention. Returns the ids of the messages.
    """
    if not notices:
        return []
    bot = await notification_bot(ctx.db, ctx.realm.id)
    recipients = await _recipients(ctx, notices)
    rendered = await _render(ctx, notices, names or Directory())
    outgoing = [
        compose_notice(
            bot, _target(notice, bot, recipients), notice.content, rendered[notice.content]
        )
        for notice in notices
    ]
    writer = MessageWriter(ctx.runtime, ctx.realm, trusts_cache=not has_moved_topics)
    return [_message_id(outcome) for outcome in await writer.write(ctx.work, outgoing)]


async def make_room_for_history(ctx: RealmContext, since: datetime) -> datetime:
    """Prepare a realm for messages with earlier times; returns the earliest time they may have.

    Ids of messages grow with their times. If only the service itself has posted yet, its messages
    are moved back to `since`. Clients see that when they read them the next time: each process
    drops what it has in memory.
    """
    await ctx.lock()
    messages = MessageRepository(ctx.db, ctx.realm.id)
    last = await messages.find_last_of_people()
    if last is None:
        await messages.backdate_notices(since)
        ctx.emit(NoticesBackdated(), to=Nobody())
    return since if last is None else max(since, last)


def compose_notice(
    bot: UserRecord, to: TopicTarget | DirectTarget, content: str, rendered: RenderedMessage
) -> OutgoingMessage:
    """A message of the notification bot, ready to be written."""
    return OutgoingMessage(
        sender=bot,
        to=to,
        content=content,
        rendered=rendered,
        client_name=_CLIENT_NAME,
        read_by_sender=True,
    )


def to_person(bot: UserRecord, recipient: UserRecord) -> DirectTarget:
    """The direct conversation of the notification bot with a user."""
    return DirectTarget(tuple(sorted((bot, recipient), key=lambda person: person.id)))


def _message_id(outcome: WriteResult) -> MessageId:
    if isinstance(outcome, Exception):
        raise outcome
    return MessageId(outcome["id"])


async def _render(
    ctx: RealmContext, notices: Sequence[Notice], names: Directory
) -> dict[str, RenderedMessage]:
    """Render each text once, however many recipients it has, and long ones off the event loop."""
    texts = list(dict.fromkeys(notice.content for notice in notices))
    quick = [text for text in texts if is_quick_to_render(text)]
    shown = await map_in_steps(lambda text: render_message(text, names), quick)
    rendered = dict(zip(quick, shown, strict=True))
    for text in texts:
        if text not in rendered:
            rendered[text] = await ctx.runtime.rendering_processes.run(render_message, text, names)
    return rendered


async def _recipients(ctx: RealmContext, notices: Sequence[Notice]) -> dict[UserId, UserRecord]:
    wanted = [notice.recipient for notice in notices if isinstance(notice, DirectNotice)]
    users = await UserRows(ctx.db, ctx.realm.id).list_some(wanted)
    return {user.id: user for user in users}


def _target(
    notice: Notice, bot: UserRecord, recipients: dict[UserId, UserRecord]
) -> TopicTarget | DirectTarget:
    if isinstance(notice, ChannelNotice):
        return TopicTarget(CachedChannel(notice.channel), notice.topic)
    return to_person(bot, recipients[notice.recipient])
