"""Resolves the recipients of a message: a channel or users to whom the sender may write."""

from collections.abc import Iterable
from typing import Any

from chatapi.auth.context import Context
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.cache import CachedChannel
from chatapi.channel_cache.errors import StreamDoesNotExistError, StreamIdDoesNotExistError
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId, GroupId, UserId
from chatapi.features.messages.outgoing import DirectTarget, TopicTarget
from chatapi.features.messages.params import MAX_RECIPIENTS, Recipient
from chatapi.features.messages.repository import MessageRepository
from chatapi.features.messages.rules import check_topic
from chatapi.permissions.channels import channel_access, is_allowed_in_channel
from chatapi.permissions.memberships import GroupMemberships
from chatapi.permissions.readers import load_subscription_periods
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.settings import ChannelPermission, RealmPermission
from chatapi.permissions.stored import realm_permissions
from chatapi.permissions.user_lookup import people_by_email, people_by_id


async def find_channel(ctx: Context, reference: int | str) -> CachedChannel:
    """A channel to which the sender may send, by id or name."""
    channels = ctx.runtime.channels
    missing: StreamIdDoesNotExistError | StreamDoesNotExistError
    if isinstance(reference, int):
        known = await channels.by_id(ctx.db, ctx.realm.id, ChannelId(reference))
        missing = StreamIdDoesNotExistError(reference)
    else:
        known = await channels.by_name(ctx.db, ctx.realm.id, reference)
        missing = StreamDoesNotExistError(reference)
    if known is None:
        raise missing
    channel = known.record
    if not await may_enter(ctx, channel):
        if not (await channel_access(ctx)).can_see(channel):
            raise missing
        raise BadRequestError(f"Not authorized to send to channel '{channel.name}'")
    if channel.is_archived:
        raise BadRequestError(f"Not authorized to send to channel '{channel.name}': it is archived")
    if not await is_allowed_in_channel(ctx, ChannelPermission.CAN_SEND_MESSAGE, channel):
        raise BadRequestError(f"Not authorized to send to channel '{channel.name}'")
    return known


async def may_enter(ctx: Context, channel: ChannelRecord) -> bool:
    """Whether the sender can access the channel: by a subscription, or because it is public.

    A bot may write in the channels of its owner.
    """
    access = await channel_access(ctx)
    if access.is_subscribed(channel.id):
        return True
    if channel.is_public and ctx.user.role.is_member:
        return True
    if ctx.user.bot_owner_id is None:
        return False
    subscription_periods = (await load_subscription_periods(ctx.db, ctx.user.bot_owner_id)).get(
        channel.id
    )
    return subscription_periods is not None and subscription_periods[-1].until_event is None


async def to_topic(ctx: Context, to: Recipient, topic: str | None) -> TopicTarget:
    """A topic of the channel a request names."""
    known = await find_channel(ctx, _only(to))
    channel = known.record
    return TopicTarget(
        channel=known,
        topic=check_topic(topic, channel, ctx.realm.options),
        may_start_topic=await is_allowed_in_channel(
            ctx, ChannelPermission.CAN_CREATE_TOPIC, channel
        ),
        is_channel_muted=channel.id in await muted_channels(ctx),
        is_name_known=await _is_name_known(ctx, channel),
    )


async def _is_name_known(ctx: Context, channel: ChannelRecord) -> bool:
    """Whether the sender may see the channel; only bots may write where they see nothing."""
    return ctx.user.bot_owner_id is None or (await channel_access(ctx)).can_see(channel)


def _only(to: Recipient) -> int | str:
    """Some clients send a single channel as a list."""
    if isinstance(to, list):
        if len(to) != 1:
            raise BadRequestError("to: Expected exactly one channel")
        return to[0]
    return to


async def muted_channels(ctx: Context) -> frozenset[ChannelId]:
    repository = MessageRepository(ctx.db, ctx.realm.id)
    return await ctx.caller.memoize(
        "muted_channels", lambda: repository.list_muted_channels(ctx.user.id)
    )


async def to_people(ctx: Context, to: Recipient) -> DirectTarget:
    """The users that a request names, and the sender."""
    people = {user.id: user for user in await _people(ctx, to)}
    people[ctx.user.id] = ctx.user
    others = [user for user in people.values() if user.id != ctx.user.id]
    may_start = await _check_direct_messages(ctx, others)
    return DirectTarget(
        tuple(people[user_id] for user_id in sorted(people)), may_start_conversation=may_start
    )


async def require_direct_messages(ctx: Context, participants: Iterable[UserId]) -> None:
    """Refuse a caller who may no longer send direct messages to these users.

    A caller who may no longer write to a user may not do so by editing old messages either.
    Deactivated participants are no reason to refuse: they would not receive anything new.
    """
    others = [user_id for user_id in participants if user_id != ctx.user.id]
    people = await UserRows(ctx.db, ctx.realm.id).list_some(others)
    await _check_direct_messages(ctx, people)


async def _people(ctx: Context, to: Recipient) -> list[UserRecord]:
    if isinstance(to, str):
        to = [email for part in to.split(",") if (email := part.strip())]
    if isinstance(to, int):
        to = [to]
    if not to:
        raise BadRequestError("to: Message must have recipients")
    if len(to) > MAX_RECIPIENTS:
        raise BadRequestError(f"to has too many entries (limit: {MAX_RECIPIENTS})")
    references: list[Any] = to
    if isinstance(references[0], str):
        return await people_by_email(ctx, references)
    return await people_by_id(ctx, references)


async def _check_direct_messages(ctx: Context, others: list[UserRecord]) -> bool:
    """Refuse what the realm does not permit; returns whether the sender may start a conversation.

    Notes to oneself and messages to bots are always permitted.
    """
    people = [user for user in others if not user.is_bot]
    if not people:
        return True
    if not await is_allowed_in_realm(ctx, RealmPermission.DIRECT_MESSAGE_PERMISSION):
        allowed = realm_permissions(ctx.realm).permission(RealmPermission.DIRECT_MESSAGE_PERMISSION)
        members = await GroupMemberships(ctx.db, ctx.realm).members_of(
            GroupId(group_id) for group_id in allowed.subgroups
        )
        if not any(user.id in members or user.id in allowed.members for user in people):
            raise BadRequestError("Direct messages are not allowed in this organization.")
    return await is_allowed_in_realm(ctx, RealmPermission.DIRECT_MESSAGE_INITIATOR)
