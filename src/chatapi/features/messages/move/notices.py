"""Messages of the notification bot in the source and target topics of a move."""

from collections.abc import Iterator

from chatapi.auth.context import Context
from chatapi.auth.notices import ChannelNotice
from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.channels import mention, names_of
from chatapi.features.messages.move.move import Move, MoveRequest
from chatapi.features.messages.move.topics import is_resolved
from chatapi.features.messages.notices import post_notices


async def post_move_notices(ctx: Context, move: Move, request: MoveRequest, count: int) -> None:
    """Post notices in the topics, as far as the request asks for them; `count` messages moved."""
    notices = list(_notices(mention(ctx.user), move, request, count))
    names = names_of(ctx.user, [move.source, move.target])
    await post_notices(ctx, notices, names, has_moved_topics=True)


def _notices(who: str, move: Move, request: MoveRequest, count: int) -> Iterator[ChannelNotice]:
    if move.is_whole and move.is_resolving:
        if request.notifies_new_topic:
            state = "resolved" if is_resolved(move.topic) else "unresolved"
            text = f"{who} marked this topic as {state}."
            yield ChannelNotice(move.target, move.topic, text)
        return
    what = _what(move, count)
    if request.notifies_old_topic:
        where = _where(move.target, move.topic, seen_from=move.source)
        yield ChannelNotice(move.source, move.source_topic.topic, f"{who} moved {what} to {where}.")
    if request.notifies_new_topic:
        where = _where(move.source, move.source_topic.topic, seen_from=move.target)
        yield ChannelNotice(move.target, move.topic, f"{who} moved {what} here from {where}.")


def _what(move: Move, count: int) -> str:
    if move.is_whole:
        return "this topic"
    return "a message" if count == 1 else f"{count} messages"


def _where(channel: ChannelRecord, topic: str, *, seen_from: ChannelRecord) -> str:
    """The link to a topic. A private channel and its topics are not named in another channel."""
    if channel.invite_only and channel.id != seen_from.id:
        return "another channel"
    return f"#**{channel.name}>{topic}**"
