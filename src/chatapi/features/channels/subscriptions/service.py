"""Use cases: subscribe, unsubscribe and create channels with their first subscribers."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from chatapi.auth.context import Context
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.errors import StreamDoesNotExistError
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.cooperative import yield_to_event_loop
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId, UserId
from chatapi.core.names import name_key
from chatapi.features.channels.access import require_not_archived
from chatapi.features.channels.creation import ChannelCreator, NewChannel
from chatapi.features.channels.errors import ChannelAlreadyExistsError
from chatapi.features.channels.notices import ChannelNotices
from chatapi.features.channels.params import ChannelOptions, CreateChannelParams
from chatapi.features.channels.payloads import CreatedChannelPayload
from chatapi.features.channels.repository import ChannelRepository, MembershipDelta
from chatapi.features.channels.subscription_payloads import (
    ChangedSubscriptionsPayload,
    SubscribedPayload,
    UnsubscribedPayload,
)
from chatapi.features.channels.subscriptions.notices import announce, greet
from chatapi.features.channels.subscriptions.params import (
    MAX_PAIRS,
    ChangeSubscriptionsParams,
    ChannelToJoin,
    Principals,
    SubscribeParams,
    UnsubscribeParams,
)
from chatapi.features.channels.subscriptions.permissions import SubscriptionPermissions
from chatapi.features.channels.subscriptions.writer import SubscriptionWriter
from chatapi.permissions.channels import channel_access
from chatapi.permissions.user_lookup import people_by_email, people_by_id


@dataclass
class SubscribePlan:
    """The requested channels, sorted by what the caller may do with them."""

    existing: list[ChannelRecord] = field(default_factory=list)
    missing: list[ChannelToJoin] = field(default_factory=list)
    unauthorized: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    """Channels that the caller may join, but to which they may not subscribe others."""


class SubscribeResult(Struct, frozen=True):
    """The result of carrying out a SubscribePlan."""

    users: Sequence[UserRecord]
    channels: Sequence[ChannelRecord]
    created: Sequence[ChannelRecord]
    arrivals: MembershipDelta
    unauthorized: Sequence[str]


class SubscriptionService:
    """Subscribes users to channels and unsubscribes them: all that is requested, or nothing."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._channels = ChannelRepository(ctx.db, ctx.realm.id)
        self._roster = SubscriptionWriter(ctx)

    async def subscribe(self, params: SubscribeParams) -> SubscribedPayload:
        """POST /users/me/subscriptions: channels that do not exist are created (SPEC 4.4)."""
        _check_pairs(params.subscriptions, params.principals)
        await self._lock()
        users = await self._principals(params.principals)
        joined = await self._join(
            users,
            params.subscriptions,
            params,
            is_fatal=params.authorization_errors_fatal,
        )
        payload = _subscribed_payload(joined)
        # Up to 10,000 names have been collected, and as many follow: let other tasks run.
        await yield_to_event_loop()
        if params.send_new_subscription_messages:
            sent = await greet(self._ctx, joined.users, joined.channels, joined.arrivals)
            payload["new_subscription_messages_sent"] = sent
        if joined.unauthorized or not params.authorization_errors_fatal:
            payload["unauthorized"] = list(joined.unauthorized)
        return payload

    async def create(self, params: CreateChannelParams) -> CreatedChannelPayload:
        """POST /channels/create: a channel that must not exist, with its first subscribers."""
        await self._lock()
        users = await self._principals(params.subscribers)
        if await self._channels.list_named([params.name]):
            raise ChannelAlreadyExistsError(params.name)
        wanted = ChannelToJoin(name=params.name, description=params.description)
        joined = await self._join(users, [wanted], params, is_fatal=True)
        await greet(self._ctx, joined.users, joined.channels, joined.arrivals)
        return {"id": joined.channels[0].id}

    async def unsubscribe(self, params: UnsubscribeParams) -> UnsubscribedPayload:
        """DELETE /users/me/subscriptions."""
        _check_pairs(params.subscriptions, params.principals)
        await self._lock()
        users = await self._principals(params.principals)
        return await self._leave(users, params.subscriptions)

    async def change(self, params: ChangeSubscriptionsParams) -> ChangedSubscriptionsPayload:
        """PATCH /users/me/subscriptions: unsubscribes first, then subscribes."""
        if not params.add and not params.delete:
            raise BadRequestError("Nothing to do: pass 'add' or 'delete'")
        await self._lock()
        left = await self._leave([self._ctx.user], params.delete)
        joined = await self._join([self._ctx.user], params.add, ChannelOptions(), is_fatal=True)
        return {**_subscribed_payload(joined), **left}

    async def _lock(self) -> None:
        """Lock the realm; what is known of the caller is read before others have to wait.

        The lock checks that the caller has not changed meanwhile.
        """
        await channel_access(self._ctx)
        await self._ctx.lock()

    async def _principals(self, principals: Principals | None) -> list[UserRecord]:
        """The users a request names; unknown and deactivated ones are request errors (SPEC 4.4)."""
        if principals is None:
            return [self._ctx.user]
        ids = [each for each in principals if isinstance(each, int)]
        emails = [each for each in principals if isinstance(each, str)]
        found = await people_by_id(self._ctx, ids) + await people_by_email(self._ctx, emails)
        return list({user.id: user for user in found}.values())

    async def _join(
        self,
        users: Sequence[UserRecord],
        wanted: Sequence[ChannelToJoin],
        options: ChannelOptions,
        *,
        is_fatal: bool,
    ) -> SubscribeResult:
        permissions = await SubscriptionPermissions.of(self._ctx)
        plan = await self._sort(permissions, users, wanted)
        if plan.unauthorized and is_fatal:
            raise BadRequestError(f"Unable to access channel ({plan.unauthorized[0]}).")
        if plan.forbidden and is_fatal:
            raise BadRequestError("Insufficient permission")
        created = await self._create(permissions, users, plan.missing, options)
        channels = [*plan.existing, *created]
        arrivals = await self._roster.add(
            [user.id for user in users],
            channels,
            new=[channel.id for channel in created],
            colors=_colors(channels, wanted),
        )
        await self._notify_created(created, options)
        return SubscribeResult(
            users, channels, created, arrivals, plan.unauthorized + plan.forbidden
        )

    async def _notify_created(
        self, created: Sequence[ChannelRecord], options: ChannelOptions
    ) -> None:
        await ChannelNotices(self._ctx).post_created(created)
        if options.announce:
            await announce(self._ctx, created)

    async def _sort(
        self,
        permissions: SubscriptionPermissions,
        users: Collection[UserRecord],
        wanted: Sequence[ChannelToJoin],
    ) -> SubscribePlan:
        found = await self._find([each.name for each in wanted])
        plan = SubscribePlan()
        for key, channel_wanted in {name_key(each.name): each for each in wanted}.items():
            channel = found.get(key)
            if channel is None:
                plan.missing.append(channel_wanted)
            elif channel.is_archived and permissions.can_see(channel):
                raise BadRequestError(f"Channel is archived: {channel.name}")
            elif await permissions.can_subscribe(users, channel, is_new=False):
                plan.existing.append(channel)
            elif await permissions.can_join(channel):
                plan.forbidden.append(channel_wanted.name)
            else:
                plan.unauthorized.append(channel_wanted.name)
        return plan

    async def _find(self, names: Sequence[str]) -> dict[str, ChannelRecord]:
        """The channels with one of the names, keyed by the normalized name.

        Under the lock the cache is up to date.
        """
        found = self._ctx.runtime.channels.named(self._ctx.realm.id, names)
        missing = [name for name in names if name_key(name) not in found]
        return {**found, **await self._channels.list_named(missing)} if missing else found

    async def _create(
        self,
        permissions: SubscriptionPermissions,
        users: Collection[UserRecord],
        missing: Sequence[ChannelToJoin],
        options: ChannelOptions,
    ) -> list[ChannelRecord]:
        if not missing:
            return []
        creator = ChannelCreator(self._ctx, options)
        await creator.require_rights()
        await creator.require_quota(len(missing))
        created = await creator.create(
            [NewChannel(each.name, each.description) for each in missing]
        )
        for channel in created:
            if not await permissions.can_subscribe(users, channel, is_new=True):
                raise BadRequestError("Insufficient permission")
        return created

    async def _leave(
        self, users: Sequence[UserRecord], names: Sequence[str]
    ) -> UnsubscribedPayload:
        permissions = await SubscriptionPermissions.of(self._ctx)
        found = await self._find(names)
        channels = []
        for key, name in {name_key(name): name for name in names}.items():
            channel = found.get(key)
            if channel is None or not permissions.can_see(channel):
                raise StreamDoesNotExistError(name)
            require_not_archived(channel)
            if not await permissions.can_unsubscribe(users, channel):
                raise BadRequestError("Insufficient permission")
            channels.append(channel)
        left = await self._roster.remove([user.id for user in users], channels)
        return {
            "removed": [channel.name for channel in channels if channel.id in left],
            "not_removed": [channel.name for channel in channels if channel.id not in left],
        }


def _check_pairs(subscriptions: Sequence[object], principals: Principals | None) -> None:
    """Refuse requests that would hold the realm lock for too long."""
    if principals is not None and len(subscriptions) * len(principals) > MAX_PAIRS:
        raise BadRequestError(
            "principals has too many entries for so many subscriptions"
            f" (limit: {MAX_PAIRS} pairs of both)"
        )


def _colors(
    channels: Iterable[ChannelRecord], wanted: Iterable[ChannelToJoin]
) -> dict[ChannelId, str]:
    chosen = {name_key(each.name): each.color for each in wanted if each.color is not None}
    keys = {channel.id: name_key(channel.name) for channel in channels}
    return {channel_id: chosen[key] for channel_id, key in keys.items() if key in chosen}


def _subscribed_payload(joined: SubscribeResult) -> SubscribedPayload:
    """Names of channels by user, new subscriptions apart from those that existed."""
    came: defaultdict[str, list[str]] = defaultdict(list)
    stayed: defaultdict[str, list[str]] = defaultdict(list)
    for channel in joined.channels:
        arrived: frozenset[UserId] = joined.arrivals.get(channel.id, frozenset())
        for user in joined.users:
            (came if user.id in arrived else stayed)[str(user.id)].append(channel.name)
    return {"subscribed": came, "already_subscribed": stayed}
