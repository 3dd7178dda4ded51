"""What people leave unread in channels is read from then on, and their clients are told so."""

from collections import defaultdict
from collections.abc import Mapping

from chatapi.auth.context import RealmContext
from chatapi.core.ids import ChannelId, MessageId, UserId
from chatapi.events.audience import Users
from chatapi.features.flags.events import FlagAdded
from chatapi.features.flags.repository import SpanRepository


async def tell_left_as_read(
    ctx: RealmContext, leaving: Mapping[ChannelId, frozenset[UserId]]
) -> None:
    """Call it before people leave channels: nothing is unread where one is not.

    Three statements, however many people and channels; people who have read as far in a channel
    share an event.
    """
    spans = SpanRepository(ctx.db)
    unread = await spans.find_in_channels(
        list(leaving), sorted(frozenset().union(*leaving.values()))
    )
    alike: defaultdict[tuple[ChannelId, MessageId, tuple[MessageId, ...]], list[UserId]]
    alike = defaultdict(list)
    found = {}
    for (channel_id, user_id), each in unread.items():
        if each and user_id in leaving[channel_id]:
            key = channel_id, each.span["above"], tuple(each.excepted)
            alike[key].append(user_id)
            found[key] = each
    for key, user_ids in alike.items():
        each = found[key]
        event = FlagAdded(flag="read", messages=each.excepted, span=each.span)
        ctx.emit(event, to=Users(ids=frozenset(user_ids)))
