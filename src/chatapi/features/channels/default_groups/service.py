"""Use cases: create, change and delete groups of default channels."""

from collections.abc import Iterable

from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId, DefaultChannelGroupId
from chatapi.core.names import name_key
from chatapi.features.channels.default_group_events import emit_default_groups
from chatapi.features.channels.default_groups.params import (
    MAX_CHANNELS,
    MAX_GROUPS,
    ChangeDefaultGroupParams,
    ChangeGroupChannelsParams,
    CreateDefaultGroupParams,
)
from chatapi.features.channels.repository import (
    ChannelRepository,
    DefaultGroupRecord,
    DefaultGroupRepository,
)
from chatapi.features.channels.rules import check_name


class DefaultGroupService:
    """Changes groups of default channels; the guard admits only administrators."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._groups = DefaultGroupRepository(ctx.db, ctx.realm.id)
        self._channels = ChannelRepository(ctx.db, ctx.realm.id)

    async def create(self, params: CreateDefaultGroupParams) -> None:
        """POST /default_stream_groups/create."""
        name = check_name(params.group_name, "group_name")
        await self._ctx.lock()
        groups = await self._groups.list_all()
        _check_is_free(groups, name, "group_name")
        if len(groups) >= MAX_GROUPS:
            raise BadRequestError(
                f"An organization can have {MAX_GROUPS} default channel groups at most"
            )
        channels = await self._find(params.stream_names)
        _check_suitable(channels)
        group_id = await self._groups.add(name, params.description)
        await self._groups.add_channels(group_id, [channel.id for channel in channels])
        await emit_default_groups(self._ctx)

    async def change(
        self, group_id: DefaultChannelGroupId, params: ChangeDefaultGroupParams
    ) -> None:
        """PATCH /default_stream_groups/{group_id}: only an actual change is emitted."""
        if params.new_group_name is None and params.new_description is None:
            raise BadRequestError('You must pass "new_description" or "new_group_name".')
        await self._ctx.lock()
        group = await self._groups.get(group_id)
        name, description = group.name, group.description
        if params.new_group_name is not None:
            name = check_name(params.new_group_name, "new_group_name")
            others = [each for each in await self._groups.list_all() if each.id != group_id]
            _check_is_free(others, name, "new_group_name")
        if params.new_description is not None:
            description = params.new_description
        if (name, description) != (group.name, group.description):
            await self._groups.change(group_id, name, description)
            await emit_default_groups(self._ctx)

    async def change_channels(
        self, group_id: DefaultChannelGroupId, params: ChangeGroupChannelsParams
    ) -> None:
        """PATCH /default_stream_groups/{group_id}/streams."""
        await self._ctx.lock()
        group = await self._groups.get(group_id)
        channels = await self._find(params.stream_names)
        channel_ids = [channel.id for channel in channels]
        if params.op == "add":
            _check_suitable(channels)
            _check_new(group, channels)
            await self._groups.add_channels(group_id, channel_ids)
        else:
            _check_inside(group, channels)
            await self._groups.remove_channels(group_id, channel_ids)
        if channels:
            await emit_default_groups(self._ctx)

    async def delete(self, group_id: DefaultChannelGroupId) -> None:
        """DELETE /default_stream_groups/{group_id}."""
        await self._ctx.lock()
        await self._groups.delete(await self._groups.get(group_id))
        await emit_default_groups(self._ctx)

    async def _find(self, names: Iterable[str]) -> list[ChannelRecord]:
        """The channels with these names, each once; administrators can see all channels."""
        wanted = {name_key(name): name for name in names}
        found = await self._channels.list_named(wanted.values())
        for key, name in wanted.items():
            if key not in found:
                raise BadRequestError(f"stream_names: Channel '{name}' does not exist")
        return [found[key] for key in wanted]


def _check_is_free(groups: Iterable[DefaultGroupRecord], name: str, parameter: str) -> None:
    if name_key(name) in {name_key(group.name) for group in groups}:
        raise BadRequestError(f"{parameter}: Default channel group '{name}' already exists")


def _check_suitable(channels: Iterable[ChannelRecord]) -> None:
    """Only channels that new users may join, and do not join anyway, can be in a group."""
    for channel in channels:
        if channel.is_default:
            raise BadRequestError(f"stream_names: '{channel.name}' is a default channel")
        if channel.is_archived:
            raise BadRequestError(f"stream_names: '{channel.name}' is archived")
        if channel.invite_only:
            raise BadRequestError(f"stream_names: '{channel.name}' is private")


def _check_new(group: DefaultGroupRecord, channels: Iterable[ChannelRecord]) -> None:
    present: set[ChannelId] = set(group.channel_ids)
    for channel in channels:
        if channel.id in present:
            raise BadRequestError(f"stream_names: '{channel.name}' is in the group already")
        present.add(channel.id)
    if len(present) > MAX_CHANNELS:
        raise BadRequestError(
            f"stream_names: A default channel group can have {MAX_CHANNELS} channels at most"
        )


def _check_inside(group: DefaultGroupRecord, channels: Iterable[ChannelRecord]) -> None:
    for channel in channels:
        if channel.id not in group.channel_ids:
            raise BadRequestError(f"stream_names: '{channel.name}' is not in the group")
