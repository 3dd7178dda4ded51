"""The one way into a channel and out of it; callers have checked who may open the door."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from chatapi.auth.context import RealmContext
from chatapi.channels.records import ChannelRecord
from chatapi.core.ids import ChannelId, UserId
from chatapi.events.audience import Users, WhoKnowsOnlyFromInside
from chatapi.features.channels.events import ChannelsCreated, ChannelsDeleted
from chatapi.features.channels.payloads import ChannelPayload, channel_payload
from chatapi.features.channels.repository import ChannelRepository
from chatapi.features.channels.sight import restart_clients
from chatapi.features.subscriptions.colors import next_color
from chatapi.features.subscriptions.events import (
    PeersAdded,
    PeersRemoved,
    SubscriptionsAdded,
    SubscriptionsRemoved,
)
from chatapi.features.subscriptions.repository import (
    NO_ROLLS,
    Choices,
    Moment,
    SubscriptionRepository,
)
from chatapi.permissions.channels import who_knows
from chatapi.permissions.people import sees_everybody

Moved = Mapping[ChannelId, frozenset[UserId]]
"""Who came into which channel, or left it."""


@dataclass
class _Arrivals:
    """What there is to tell about people who came."""

    people: dict[ChannelId, frozenset[UserId]] = field(default_factory=dict)
    subscribers: dict[int, list[int]] = field(default_factory=dict)
    choices: defaultdict[int, dict[int, Choices]] = field(default_factory=lambda: defaultdict(dict))


class Roster:
    """Puts any number of people into channels and takes them out, and tells everybody.

    How many statements that takes depends on the number of channels only.
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
    ) -> Moved:
        """Let active users into channels; those who are in there already stay as they are.

        `new` are channels of which everybody has just been told who knows of them.
        """
        if not user_ids or not channels:
            return {}
        moment = await self._moment()
        rolls = await self._subscriptions.list_rolls([channel.id for channel in channels])
        palette = _Palette(await self._subscriptions.count_channels(sorted(user_ids)), colors or {})
        arrivals = _Arrivals()
        for channel in channels:
            roll = rolls.get(channel.id, NO_ROLLS)
            coming = frozenset(user_ids) - roll.inside
            if not coming:
                continue
            choices = await self._write(channel, coming, coming & roll.former, palette, moment)
            arrivals.people[channel.id] = coming
            arrivals.subscribers[channel.id] = sorted(roll.present | coming)
            for user_id, chosen in choices.items():
                arrivals.choices[user_id][channel.id] = chosen
        await self._restart_guests(arrivals.people)
        await self._tell_arrivals(arrivals, [c for c in channels if c.id in arrivals.people], new)
        return arrivals.people

    async def remove(
        self, user_ids: Collection[UserId], channels: Sequence[ChannelRecord]
    ) -> Moved:
        """Take active users out of channels, as far as they are in there."""
        if not user_ids or not channels:
            return {}
        moment = await self._moment()
        rolls = await self._subscriptions.list_rolls([channel.id for channel in channels])
        await self._restart_guests(rolls)
        left: dict[ChannelId, frozenset[UserId]] = {}
        for channel in channels:
            leaving = frozenset(user_ids) & rolls.get(channel.id, NO_ROLLS).inside
            if leaving:
                await self._subscriptions.set_inside(channel.id, leaving, is_active=False)
                await self._subscriptions.end_periods(channel.id, leaving, moment)
                await self._subscriptions.forget_exceptions(channel.id, leaving)
                await self._subscriptions.count_subscribers([channel.id], -len(leaving))
                left[channel.id] = leaving
        self._tell_departures(left, [channel for channel in channels if channel.id in left])
        return left

    async def _restart_guests(self, channel_ids: Collection[ChannelId]) -> None:
        """Where guests see only people they share a channel with, others exist for them now."""
        if not channel_ids or sees_everybody(self._ctx.realm, None):
            return
        guests = await self._subscriptions.list_guests(channel_ids)
        await restart_clients(self._ctx, guests)

    async def _moment(self) -> Moment:
        return Moment(await self._ctx.lock(), await self._subscriptions.newest_message())

    async def _write(
        self,
        channel: ChannelRecord,
        coming: frozenset[UserId],
        returning: frozenset[UserId],
        palette: "_Palette",
        moment: Moment,
    ) -> dict[UserId, Choices]:
        rows = self._subscriptions
        fresh = {user_id: palette.choose(user_id, channel) for user_id in coming - returning}
        await rows.add(channel.id, fresh, moment)
        kept: dict[UserId, Choices] = {}
        if returning:
            await rows.set_inside(channel.id, returning, is_active=True, read_up_to=moment.message)
            kept = await rows.choices_of(channel.id, returning)
        await rows.begin_periods(channel.id, sorted(coming), moment)
        await rows.count_subscribers([channel.id], len(coming))
        return {**fresh, **kept}

    async def _tell_arrivals(
        self, arrivals: _Arrivals, channels: Sequence[ChannelRecord], new: Collection[ChannelId]
    ) -> None:
        if not channels:
            return
        shown = await self._show(channels)
        for channel in channels:
            if channel.id not in new:
                inside = WhoKnowsOnlyFromInside(
                    ids=arrivals.people[channel.id], channel=who_knows(channel)
                )
                self._ctx.emit(ChannelsCreated(streams=[shown[channel.id]]), to=inside)
        event = SubscriptionsAdded(
            channels=[shown[channel.id] for channel in channels],
            subscribers=arrivals.subscribers,
            choices={
                user_id: {channel_id: chosen.to_wire() for channel_id, chosen in own.items()}
                for user_id, own in arrivals.choices.items()
            },
        )
        self._ctx.emit(event, to=Users(ids=event.changed_users()))
        for channel in channels:
            peers = sorted(arrivals.people[channel.id])
            self._ctx.emit(
                PeersAdded(stream_ids=[channel.id], user_ids=[*peers]), to=who_knows(channel)
            )

    def _tell_departures(self, left: Moved, channels: Sequence[ChannelRecord]) -> None:
        for users, channels_left in _alike(left, channels).items():
            event = SubscriptionsRemoved(
                subscriptions=[
                    {"stream_id": channel.id, "name": channel.name} for channel in channels_left
                ],
                user_ids=sorted(users),
            )
            self._ctx.emit(event, to=Users(ids=users))
        for channel in channels:
            knowing = who_knows(channel)
            outside = WhoKnowsOnlyFromInside(ids=left[channel.id], channel=knowing)
            self._ctx.emit(ChannelsDeleted.of(channel.id), to=outside)
            self._ctx.emit(
                PeersRemoved(stream_ids=[channel.id], user_ids=sorted(left[channel.id])),
                to=knowing,
            )

    async def _show(self, channels: Iterable[ChannelRecord]) -> dict[ChannelId, ChannelPayload]:
        repository = ChannelRepository(self._ctx.db, self._ctx.realm.id)
        facts = await repository.list_facts_of([channel.id for channel in channels])
        now = self._ctx.now()
        return {each.channel.id: channel_payload(each, self._ctx.realm, now) for each in facts}


class _Palette:
    """Chooses for people who come into a channel for the first time."""

    def __init__(self, counts: Mapping[UserId, int], colors: Mapping[ChannelId, str]) -> None:
        self._counts = dict(counts)
        self._colors = colors

    def choose(self, user_id: UserId, channel: ChannelRecord) -> Choices:
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
    left: Moved, channels: Iterable[ChannelRecord]
) -> dict[frozenset[UserId], list[ChannelRecord]]:
    """Channels by who left them: whoever left several together is told once."""
    groups: defaultdict[frozenset[UserId], list[ChannelRecord]] = defaultdict(list)
    for channel in channels:
        groups[left[channel.id]].append(channel)
    return groups
