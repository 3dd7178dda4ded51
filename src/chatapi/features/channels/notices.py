"""Messages of the notification bot in a channel about changes to that channel."""

from collections.abc import Iterable, Iterator, Sequence

from chatapi.auth.context import Context
from chatapi.auth.notices import ChannelNotice
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.channels.rules import ChannelKind
from chatapi.rendering import Directory, NamedChannel, NamedUser, quoted

_TOPIC = "channel events"


class ChannelNotices:
    """Posts notices about changes of a channel, in realms whose settings ask for it."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def post_created(self, channels: Sequence[ChannelRecord]) -> None:
        await self._post((channel, self._creation(channel)) for channel in channels)

    async def post_changed(self, before: ChannelRecord, after: ChannelRecord) -> None:
        await self._post((after, text) for text in self._changes(before, after))

    async def post_archived(self, channel: ChannelRecord) -> None:
        await self._post([(channel, f"{mention(self._ctx.user)} archived this channel.")])

    async def post_unarchived(self, channel: ChannelRecord) -> None:
        await self._post([(channel, f"{mention(self._ctx.user)} unarchived this channel.")])

    def _creation(self, channel: ChannelRecord) -> str:
        text = f"**{_kind_name(channel)}** channel created by {mention(self._ctx.user)}."
        if channel.description:
            text += f" **Description:**\n\n{quoted(channel.description)}"
        return text

    def _changes(self, before: ChannelRecord, after: ChannelRecord) -> Iterator[str]:
        who = mention(self._ctx.user)
        if before.name != after.name:
            yield f"{who} renamed this channel from **{before.name}** to **{after.name}**."
        if before.description != after.description:
            new = after.description or "*No description.*"
            yield f"{who} changed the description of this channel.\n\n{quoted(new)}"
        if ChannelKind.of(before) != ChannelKind.of(after):
            kinds = f"from **{_kind_name(before)}** to **{_kind_name(after)}**"
            yield f"{who} changed the access to this channel {kinds}."

    async def _post(self, texts: Iterable[tuple[ChannelRecord, str]]) -> None:
        if not self._ctx.realm.options.send_channel_events_messages:
            return
        notices = [ChannelNotice(channel, _topic(channel), text) for channel, text in texts]
        names = names_of(self._ctx.user, [notice.channel for notice in notices])
        await self._ctx.runtime.post_notices(self._ctx, notices, names)


def _topic(channel: ChannelRecord) -> str:
    return "" if channel.topics_policy == "empty_topic_only" else _TOPIC


def mention(user: UserRecord) -> str:
    """A silent mention: names a user without notifying them."""
    return f"@_**{user.full_name}|{user.id}**"


def names_of(user: UserRecord, channels: list[ChannelRecord]) -> Directory:
    return Directory.of(
        users=[NamedUser(user.id, user.full_name)],
        channels=[NamedChannel(channel.id, channel.name) for channel in channels],
    )


def _kind_name(channel: ChannelRecord) -> str:
    if channel.is_web_public:
        return "Web-public"
    if channel.is_public:
        return "Public"
    return "Private, protected history" if channel.has_protected_history else "Private"
