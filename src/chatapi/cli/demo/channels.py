"""Channels of the demo, with subscribers."""

import random
from collections.abc import Sequence

from msgspec import Struct

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.cli.demo.step import Plan, Step
from chatapi.cli.operator import acting_as
from chatapi.core.roles import Role
from chatapi.features.channels import (
    ChannelCreator,
    ChannelOptions,
    NewChannel,
    SubscriptionWriter,
    list_channels_named,
)


class DemoChannel(Struct, frozen=True):
    """A channel, and the share of users who are subscribed."""

    name: str
    description: str
    share: float
    options: ChannelOptions


_CHANNELS = (
    DemoChannel("general", "Everything *else*.", 1.0, ChannelOptions(is_default_stream=True)),
    DemoChannel("announcements", "For all of us.", 1.0, ChannelOptions(is_default_stream=True)),
    DemoChannel("engineering", "How things work, and why not.", 0.6, ChannelOptions()),
    DemoChannel("design", "How things **look**.", 0.3, ChannelOptions()),
    DemoChannel("support", "What people ask.", 0.4, ChannelOptions()),
    DemoChannel("lunch", "Where to go today.", 0.8, ChannelOptions()),
    DemoChannel("books", "Read anything good?", 0.2, ChannelOptions()),
    DemoChannel("leadership", "", 0.1, ChannelOptions(invite_only=True)),
)


async def _make(ctx: RealmContext, channels: Sequence[DemoChannel]) -> None:
    await ctx.lock()
    existing = await list_channels_named(ctx, [channel.name for channel in channels])
    everybody = await UserRows(ctx.db, ctx.realm.id).list_all()
    people = [user for user in everybody if user.is_active]
    creator = acting_as(ctx, _owner(people))
    for channel in channels:
        if channel.name not in existing:
            await _add(creator, channel, people)


def _owner(people: Sequence[UserRecord]) -> UserRecord:
    """A user who may create any kind of channel, if there is one."""
    humans = [user for user in people if not user.is_bot]
    return next((user for user in humans if user.role is Role.OWNER), humans[0])


async def _add(ctx: Context, wanted: DemoChannel, people: Sequence[UserRecord]) -> None:
    new = NewChannel(wanted.name, wanted.description)
    [channel] = await ChannelCreator(ctx, wanted.options).create([new])
    choose = random.Random(wanted.name)  # noqa: S311 (not a secret)
    inside = [user.id for user in people if choose.random() < wanted.share]
    await SubscriptionWriter(ctx).add(inside, [channel], new=[channel.id])


def _channels(_plan: Plan) -> Sequence[DemoChannel]:
    return _CHANNELS


CHANNELS = Step("Channels", _channels, _make)
