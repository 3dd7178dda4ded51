"""Use cases: change, archive and unarchive existing channels."""

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import AdministratorRequiredError, BadRequestError
from chatapi.core.ids import ChannelId
from chatapi.core.roles import Role
from chatapi.features.channels.access import (
    ChannelFinder,
    require_default_choice,
    require_not_archived,
)
from chatapi.features.channels.creation import emit_default_channels
from chatapi.features.channels.default_group_events import leave_default_groups
from chatapi.features.channels.event_emitter import ChannelEventEmitter
from chatapi.features.channels.notices import ChannelNotices
from chatapi.features.channels.params import ChangeChannelParams
from chatapi.features.channels.personal_state.visibility_diff import PersonalStateDiff
from chatapi.features.channels.repository import ChannelRepository, FolderRepository
from chatapi.features.channels.settings.changes import ChangePlanner, ChannelChange, audit_settings


class ChannelService:
    """Changes, archives and unarchives channels, and sets which ones new users join."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._finder = ChannelFinder(ctx)
        self._channels = ChannelRepository(ctx.db, ctx.realm.id)
        self._emitter = ChannelEventEmitter(ctx)
        self._notices = ChannelNotices(ctx)

    async def change(self, channel_id: ChannelId, params: ChangeChannelParams) -> None:
        """PATCH /streams/{stream_id}: all changes or none; archived channels must be unarchived."""
        await self._ctx.lock()
        channel = await self._finder.get_administered(channel_id)
        if params.is_empty:
            raise BadRequestError("No new data supplied")
        if channel.is_archived and params.is_archived is False:
            channel = await self._unarchive(channel)
        require_not_archived(channel)
        plan = await ChangePlanner(self._ctx, channel).plan(params)
        if plan.values:
            channel = await self._apply(channel, plan)
        if params.is_archived:
            await self._archive(channel)

    async def archive(self, channel_id: ChannelId) -> None:
        """DELETE /streams/{stream_id}: the content is kept, and nothing can be added."""
        await self._ctx.lock()
        channel = await self._finder.get_administered(channel_id)
        require_not_archived(channel)
        await self._archive(channel)

    async def set_default(self, channel_id: ChannelId, *, is_default: bool) -> None:
        """POST and DELETE /default_streams; the guard admits only administrators."""
        await self._ctx.lock()
        channel = await self._finder.get_known(channel_id)
        require_not_archived(channel)
        require_default_choice(self._ctx, invite_only=is_default and channel.invite_only)
        if channel.is_default is not is_default:
            await self._channels.change(channel.id, is_default=is_default)
            audit_settings(self._ctx, channel, {"is_default": is_default})
            await emit_default_channels(self._ctx)
            if is_default:
                await leave_default_groups(self._ctx, channel)

    async def _apply(self, before: ChannelRecord, plan: ChannelChange) -> ChannelRecord:
        watched = [before.id] if plan.concerns_readers else []
        diff = await PersonalStateDiff.before(self._ctx, channel_ids=watched, is_about_access=True)
        await self._channels.change(before.id, **plan.values)
        audit_settings(self._ctx, before, plan.audited_values)
        after = await self._channels.get(before.id)
        await diff.read_after()
        diff.emit_lost()
        await self._emitter.emit_change(before, after, plan.permissions)
        diff.emit_gained()
        await self._notices.post_changed(before, after)
        if before.is_default is not after.is_default:
            await emit_default_channels(self._ctx)
        if (before.is_default, before.invite_only) != (after.is_default, after.invite_only):
            await leave_default_groups(self._ctx, after)
        return after

    async def _archive(self, channel: ChannelRecord) -> None:
        await self._notices.post_archived(channel)
        await self._channels.change(channel.id, is_archived=True, is_default=False)
        self._ctx.audit(AuditChange(AuditKind.CHANNEL_ARCHIVED, channel_id=channel.id))
        self._emitter.emit_archived(channel)
        if channel.is_default:
            await emit_default_channels(self._ctx)
        await leave_default_groups(self._ctx, channel)

    async def _unarchive(self, channel: ChannelRecord) -> ChannelRecord:
        if not self._ctx.user.role.at_least(Role.ADMIN):
            raise AdministratorRequiredError
        await self._leave_archived_folder(channel)
        await self._channels.change(channel.id, is_archived=False)
        unarchived = await self._channels.get(channel.id)
        self._ctx.audit(AuditChange(AuditKind.CHANNEL_UNARCHIVED, channel_id=channel.id))
        await self._emitter.emit_unarchived(unarchived)
        await self._notices.post_unarchived(unarchived)
        return unarchived

    async def _leave_archived_folder(self, channel: ChannelRecord) -> None:
        """Remove the channel from a folder that was archived while the channel was.

        A folder can be archived while it contains only archived channels.
        """
        if channel.folder_id is None:
            return
        folder = await FolderRepository(self._ctx.db, self._ctx.realm.id).get(channel.folder_id)
        if folder.is_archived:
            await self._channels.change(channel.id, folder_id=None)
            self._emitter.emit_left_folder(channel)
