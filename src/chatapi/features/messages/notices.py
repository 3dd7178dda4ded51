"""What the service itself has to say, written in the transaction it is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.channels.directory import KnownChannel
from chatapi.channels.records import ChannelRecord
from chatapi.core.ids import UserId
from chatapi.features.messages.outgoing import Outgoing, ToPeople, ToTopic
from chatapi.features.messages.writer import MessageWriter
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.system_bots import notification_bot
from chatapi.rendering import Directory, render_message

_CLIENT_NAME = "Internal"


@dataclass(frozen=True)
class ChannelNotice:
    """A message of the notification bot in a channel."""

    channel: ChannelRecord
    topic: str
    content: str


@dataclass(frozen=True)
class DirectNotice:
    """A direct message of the notification bot."""

    recipient: UserId
    content: str


Notice = ChannelNotice | DirectNotice


async def post_notices(
    ctx: RealmContext,
    notices: Sequence[Notice],
    names: Directory | None = None,
    *,
    has_moved_topics: bool = False,
) -> None:
    """Write notices; whoever calls has locked the realm, and may have moved topics in it.

    `names` are the people and channels the texts mention.
    """
    if not notices:
        return
    bot = await notification_bot(ctx.db, ctx.realm.id)
    recipients = await _recipients(ctx, notices)
    outgoing = [
        Outgoing(
            sender=bot,
            to=_target(notice, bot, recipients),
            content=notice.content,
            rendered=render_message(notice.content, names or Directory()),
            client_name=_CLIENT_NAME,
            read_by_sender=True,
        )
        for notice in notices
    ]
    outcomes = await MessageWriter(ctx.runtime, ctx.realm, trusts_cache=not has_moved_topics).write(
        ctx.work, outgoing
    )
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome


async def _recipients(ctx: RealmContext, notices: Sequence[Notice]) -> dict[UserId, UserRecord]:
    wanted = [notice.recipient for notice in notices if isinstance(notice, DirectNotice)]
    users = await UserRepository(ctx.db, ctx.realm.id).list_some(wanted)
    return {user.id: user for user in users}


def _target(
    notice: Notice, bot: UserRecord, recipients: dict[UserId, UserRecord]
) -> ToTopic | ToPeople:
    if isinstance(notice, ChannelNotice):
        return ToTopic(KnownChannel(notice.channel), notice.topic)
    people = sorted((bot, recipients[notice.recipient]), key=lambda person: person.id)
    return ToPeople(tuple(people))
