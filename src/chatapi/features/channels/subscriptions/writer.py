"""The only code that writes subscriptions; callers have checked the permissions."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import ChannelId, UserId
from chatapi.events.audience import Users, VisibleOnlyToSubscribers
from chatapi.features.channels.arrivals import Arrivals
from chatapi.features.channels.events import ChannelsCreated, ChannelsDeleted
from chatapi.features.channels.payloads import ChannelPayload, channel_payload
from chatapi.features.channels.personal_state.visibility_diff import PersonalStateDiff
from chatapi.features.channels.repository import (
    ChannelRepository,
    Choices,
    ClockPosition,
    MembershipDelta,
    MembershipKey,
    SubscriptionRepository,
    UserChannelPairs,
)
from chatapi.features.channels.subscription_events import (
    PeersAdded,
    PeersRemoved,
    SubscriptionsRemoved,
)
from chatapi.features.channels.subscriptions.colors import next_color
from chatapi.features.channels.user_visibility_diff import UserVisibilityDiff
from chatapi.permissions.channels import channel_visible_to
from chatapi.read_state.read_on_leave import emit_read_on_leave


class SubscriptionWriter:
    """Subscribes any number of users to channels, unsubscribes them, and emits the events.

    The number of statements depends neither on the number of users nor on that of channels.
    """

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx
        self._subscriptions = SubscriptionRepository(ctx.db, ctx.realm.id)

    async def add(
        self,
        user_ids: Collection[UserId],
        channels: Sequence[ChannelRecord],
        *,
        new: Collection[ChannelId] = (),
        colors: Mapping[ChannelId, str] | None = None,
    ) -> MembershipDelta:
        """Subscribe active users to channels; existing subscriptions stay unchanged.

        `new` are channels that were just created: their creation has been emitted already to all
        users who can see them.
        """
        if not user_ids or not channels:
            return {}
        moment = await self._clock_position()
        inside = await self._subscribed(channels, user_ids)
        coming = {
            channel.id: people
            for channel in channels
            if (people := frozenset(user_ids) - inside[channel.id])
        }
        if not coming:
            return {}
        entered = [channel for channel in channels if channel.id in coming]
        diff = await self._start_diff(coming)
        visible = await UserVisibilityDiff.before_subscriptions(self._ctx, coming)
        choices = await self._write(entered, coming, colors or {}, moment)
        subscribers = await self._subscriptions.list_subscribers(coming)
        await visible.emit()
        await self._emit_subscribed(Arrivals(coming, subscribers, choices), entered, new)
        await diff.read_after()
        diff.emit_gained()
        return coming

    async def remove(
        self, user_ids: Collection[UserId], channels: Sequence[ChannelRecord]
    ) -> MembershipDelta:
        """Unsubscribe active users from the channels to which they are subscribed."""
        if not user_ids or not channels:
            return {}
        moment = await self._clock_position()
        inside = await self._subscribed(channels, user_ids)
        left = {channel_id: leaving for channel_id, leaving in inside.items() if leaving}
        if not left:
            return {}
        await emit_read_on_leave(self._ctx, left)
        diff = await self._start_diff(left)
        visible = await UserVisibilityDiff.before_subscriptions(self._ctx, left)
        await self._subscriptions.unsubscribe(UserChannelPairs(left, user_ids), moment)
        await self._subscriptions.count_subscribers(
            {channel_id: -len(leaving) for channel_id, leaving in left.items()}
        )
        await diff.read_after()
        diff.emit_lost()
        self._emit_unsubscribed(left, [channel for channel in channels if channel.id in left])
        await visible.emit(left)
        diff.emit_gained()
        return left

    async def _start_diff(self, moved: MembershipDelta) -> PersonalStateDiff:
        user_ids = frozenset[UserId]().union(*moved.values())
        return await PersonalStateDiff.before(
            self._ctx, channel_ids=moved, user_ids=user_ids, is_about_access=True
        )

    async def _subscribed(
        self, channels: Iterable[ChannelRecord], user_ids: Collection[UserId]
    ) -> dict[ChannelId, frozenset[UserId]]:
        """The users who are subscribed to each of the channels; empty sets where none is."""
        channel_ids = [channel.id for channel in channels]
        found = await self._subscriptions.list_subscribed(UserChannelPairs(channel_ids, user_ids))
        return {channel_id: found.get(channel_id, frozenset()) for channel_id in channel_ids}

    async def _clock_position(self) -> ClockPosition:
        return ClockPosition(await self._ctx.lock(), await self._subscriptions.newest_message())

    async def _write(
        self,
        channels: Sequence[ChannelRecord],
        coming: MembershipDelta,
        colors: Mapping[ChannelId, str],
        moment: ClockPosition,
    ) -> dict[MembershipKey, Choices]:
        rows = self._subscriptions
        user_ids = frozenset().union(*coming.values())
        pairs = UserChannelPairs(coming, user_ids)
        kept = await rows.former_choices(pairs)
        if kept:
            await rows.resubscribe(pairs, moment)
        missing = [
            (channel, user_id)
            for channel in channels
            for user_id in coming[channel.id]
            if (channel.id, user_id) not in kept
        ]
        fresh: dict[MembershipKey, Choices] = {}
        if missing:
            palette = _Palette(await rows.count_channels(user_ids), colors)
            chosen = await map_in_steps(palette.choose, missing)
            for (channel, user_id), choices in zip(missing, chosen, strict=True):
                fresh[channel.id, user_id] = choices
            await rows.add(fresh, moment)
        await rows.begin_periods(coming, moment)
        await rows.count_subscribers({key: len(people) for key, people in coming.items()})
        return {**fresh, **kept}

    async def _emit_subscribed(
        self, arrivals: Arrivals, channels: Sequence[ChannelRecord], new: Collection[ChannelId]
    ) -> None:
        shown = await self._show(channels)
        for channel in channels:
            if channel.id not in new:
                inside = VisibleOnlyToSubscribers(
                    ids=arrivals.people[channel.id],
                    channel=channel_visible_to(self._ctx.realm, channel),
                )
                self._ctx.emit(
                    ChannelsCreated(streams=[shown[channel.id]], is_new=False), to=inside
                )
        for event in await arrivals.to_events(shown):
            self._ctx.emit(event, to=Users(ids=event.user_ids))
        for channel in channels:
            peers = sorted(arrivals.people[channel.id])
            self._ctx.emit(
                PeersAdded(stream_ids=[channel.id], user_ids=[*peers]),
                to=channel_visible_to(self._ctx.realm, channel),
            )

    def _emit_unsubscribed(self, left: MembershipDelta, channels: Sequence[ChannelRecord]) -> None:
        for users, channels_left in _alike(left, channels).items():
            event = SubscriptionsRemoved(
                subscriptions=[
                    {"stream_id": channel.id, "name": channel.name} for channel in channels_left
                ],
                user_ids=sorted(users),
            )
            self._ctx.emit(event, to=Users(ids=users))
        for channel in channels:
            visible = channel_visible_to(self._ctx.realm, channel)
            outside = VisibleOnlyToSubscribers(ids=left[channel.id], channel=visible)
            self._ctx.emit(ChannelsDeleted.of(channel.id), to=outside)
            self._ctx.emit(
                PeersRemoved(stream_ids=[channel.id], user_ids=sorted(left[channel.id])),
                to=visible,
            )

    async def _show(self, channels: Iterable[ChannelRecord]) -> dict[ChannelId, ChannelPayload]:
        repository = ChannelRepository(self._ctx.db, self._ctx.realm.id)
        summaries = await repository.list_summaries_of([channel.id for channel in channels])
        now = self._ctx.now()
        return {each.channel.id: channel_payload(each, self._ctx.realm, now) for each in summaries}


class _Palette:
    """Chooses the initial settings of users who subscribe to a channel for the first time."""

    def __init__(self, counts: Mapping[UserId, int], colors: Mapping[ChannelId, str]) -> None:
        self._counts = dict(counts)
        self._colors = colors

    def choose(self, place: tuple[ChannelRecord, UserId]) -> Choices:
        channel, user_id = place
        so_far = self._counts.get(user_id, 0)
        self._counts[user_id] = so_far + 1
        return Choices(
            color=self._colors.get(channel.id, next_color(so_far)),
            is_muted=False,
            pin_to_top=False,
            desktop_notifications=None,
            audible_notifications=None,
            push_notifications=channel.default_push_notifications or None,
            email_notifications=None,
            wildcard_mentions_notify=None,
        )


def _alike(
    left: MembershipDelta, channels: Iterable[ChannelRecord]
) -> dict[frozenset[UserId], list[ChannelRecord]]:
    """Channels grouped by the users who left them: each group of users gets one event."""
    groups: defaultdict[frozenset[UserId], list[ChannelRecord]] = defaultdict(list)
    for channel in channels:
        groups[left[channel.id]].append(channel)
    return groups
