"""What the notification bot says where messages went, and where they came from."""

from dataclasses import dataclass

from chatapi.auth.context import Context
from chatapi.channels.records import ChannelRecord
from chatapi.features.channels.notices import mention, names_of
from chatapi.features.messages.notices import ChannelNotice, post_notices
from chatapi.features.moves.topics import is_only_resolving, is_resolved


@dataclass(frozen=True)
class Moved:
    """What was moved."""

    source: ChannelRecord
    old_topic: str
    target: ChannelRecord
    new_topic: str
    count: int | None
    """How many messages, None for a whole topic."""

    @property
    def is_resolution(self) -> bool:
        return (
            self.source.id == self.target.id
            and self.count is None
            and is_only_resolving(self.old_topic, self.new_topic)
        )


async def tell_of_move(ctx: Context, moved: Moved, *, old_thread: bool, new_thread: bool) -> None:
    notices: list[ChannelNotice] = []
    if moved.is_resolution:
        if new_thread:
            state = "resolved" if is_resolved(moved.new_topic) else "unresolved"
            text = f"{mention(ctx.user)} marked this topic as {state}."
            notices.append(ChannelNotice(moved.target, moved.new_topic, text))
    else:
        if old_thread and not moved.source.is_archived:
            where = _where(moved.target, moved.new_topic, seen_from=moved.source)
            text = f"{mention(ctx.user)} moved {_what(moved.count)} to {where}."
            notices.append(ChannelNotice(moved.source, moved.old_topic, text))
        if new_thread:
            where = _where(moved.source, moved.old_topic, seen_from=moved.target)
            text = f"{mention(ctx.user)} moved {_what(moved.count)} here from {where}."
            notices.append(ChannelNotice(moved.target, moved.new_topic, text))
    names = names_of(ctx.user, [moved.source, moved.target])
    await post_notices(ctx, notices, names, has_moved_topics=True)


def _what(count: int | None) -> str:
    if count is None:
        return "this topic"
    return "a message" if count == 1 else f"{count} messages"


def _where(channel: ChannelRecord, topic: str, *, seen_from: ChannelRecord) -> str:
    """A private channel and its topics are not given away to people in another one."""
    if channel.invite_only and channel.id != seen_from.id:
        return "another channel"
    return f"#**{channel.name}>{topic}**"
