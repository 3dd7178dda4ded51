"""The verbs on channels that exist."""

from chatapi.auth.context import Context
from chatapi.channels.records import ChannelRecord
from chatapi.core.errors import AdministratorRequiredError, BadRequestError
from chatapi.core.ids import ChannelId
from chatapi.core.roles import Role
from chatapi.features.belongings.watch import BelongingsWatch
from chatapi.features.channel_folders.repository import FolderRepository
from chatapi.features.channels.access import (
    ChannelFinder,
    require_default_choice,
    require_not_archived,
)
from chatapi.features.channels.announcements import ChannelAnnouncer
from chatapi.features.channels.changes import ChangePlanner, ChannelChange
from chatapi.features.channels.creation import tell_defaults
from chatapi.features.channels.notices import ChannelNotices
from chatapi.features.channels.params import ChangeChannelParams
from chatapi.features.channels.repository import ChannelRepository


class ChannelService:
    """Changes, archives and unarchives channels, and says which ones new users join."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._finder = ChannelFinder(ctx)
        self._channels = ChannelRepository(ctx.db, ctx.realm.id)
        self._announcer = ChannelAnnouncer(ctx)
        self._notices = ChannelNotices(ctx)

    async def change(self, channel_id: ChannelId, params: ChangeChannelParams) -> None:
        """PATCH /streams/{stream_id}: all of it or nothing; an archived one must be unarchived."""
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
        """DELETE /streams/{stream_id}: nothing in it is lost, and nothing can be added."""
        await self._ctx.lock()
        channel = await self._finder.get_administered(channel_id)
        require_not_archived(channel)
        await self._archive(channel)

    async def set_default(self, channel_id: ChannelId, *, is_default: bool) -> None:
        """POST and DELETE /default_streams; the guard has let only administrators through."""
        await self._ctx.lock()
        channel = await self._finder.get_known(channel_id)
        require_not_archived(channel)
        require_default_choice(self._ctx, invite_only=is_default and channel.invite_only)
        if channel.is_default is not is_default:
            await self._channels.change(channel.id, is_default=is_default)
            await tell_defaults(self._ctx)

    async def _apply(self, before: ChannelRecord, plan: ChannelChange) -> ChannelRecord:
        watched = [before.id] if plan.concerns_readers else []
        watch = await BelongingsWatch.before(self._ctx, channel_ids=watched)
        await self._channels.change(before.id, **plan.values)
        after = await self._channels.get(before.id)
        await watch.look_again()
        watch.tell_lost()
        await self._announcer.tell_change(before, after, plan.permissions)
        watch.tell_gained()
        await self._notices.tell_changed(before, after)
        if before.is_default is not after.is_default:
            await tell_defaults(self._ctx)
        return after

    async def _archive(self, channel: ChannelRecord) -> None:
        await self._notices.tell_archived(channel)
        await self._channels.change(channel.id, is_archived=True, is_default=False)
        self._announcer.tell_archived(channel)
        if channel.is_default:
            await tell_defaults(self._ctx)

    async def _unarchive(self, channel: ChannelRecord) -> ChannelRecord:
        if not self._ctx.user.role.at_least(Role.ADMIN):
            raise AdministratorRequiredError
        await self._leave_archived_folder(channel)
        await self._channels.change(channel.id, is_archived=False)
        unarchived = await self._channels.get(channel.id)
        await self._announcer.tell_unarchived(unarchived)
        await self._notices.tell_unarchived(unarchived)
        return unarchived

    async def _leave_archived_folder(self, channel: ChannelRecord) -> None:
        """A folder can be archived while only archived channels are in it."""
        if channel.folder_id is None:
            return
        folder = await FolderRepository(self._ctx.db, self._ctx.realm.id).get(channel.folder_id)
        if folder.is_archived:
            await self._channels.change(channel.id, folder_id=None)
            self._announcer.tell_folder_left(channel)
