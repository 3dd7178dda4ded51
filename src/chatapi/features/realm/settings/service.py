"""Use case: change the settings of a realm."""

from collections.abc import Mapping
from typing import Any

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context
from chatapi.auth.user_rows import UserRows
from chatapi.core.errors import BadRequestError, OwnerRequiredError
from chatapi.core.ids import ChannelId
from chatapi.core.roles import Role
from chatapi.events.audience import Everyone
from chatapi.events.restarts import restart_clients
from chatapi.features.channels import ChannelFinder, require_not_archived
from chatapi.features.realm.events import RealmSettingChanged, RealmSettingsChanged
from chatapi.features.realm.repository import RealmRepository
from chatapi.features.realm.rules import (
    OWNER_ONLY,
    SENT_IN_UPDATE_DICT,
    check_name,
    stored_settings,
)
from chatapi.features.realm.settings.params import ChangeRealmParams
from chatapi.features.realm.settings.video_calls import check_video_calls
from chatapi.features.users import recount_full_members
from chatapi.permissions.changes import changed_value
from chatapi.permissions.settings import RealmPermission
from chatapi.permissions.stored import realm_permissions
from chatapi.permissions.values import ValueChecker
from chatapi.wire.realm_settings import NO_CHANNEL

Changes = Mapping[str, Any]

_OF_REPORTS = "moderation_request_channel_id"


class RealmService:
    """Changes a realm's settings for administrators."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._realms = RealmRepository(ctx.db)

    async def change(self, params: ChangeRealmParams) -> Changes:
        """PATCH /realm: all changes or none; only actual changes are emitted."""
        await self._ctx.lock()
        self._check_owner(params)
        name = self._changed_name(params)
        settings = {**self._changed_settings(params), **await self._changed_permissions(params)}
        await self._check_channel(settings)
        if name:
            await self._realms.change(self._ctx.realm.id, **name)
        changes = {**name, **settings}
        self._audit(changes)
        if settings:
            stored = stored_settings(self._ctx.realm, settings)
            await self._realms.change(self._ctx.realm.id, settings=stored)
        self._emit(changes)
        if "waiting_period_threshold" in changes:
            await recount_full_members(self._ctx)
        if "default_avatar_source" in changes:
            await self._restart_everyone()
        if RealmPermission.CAN_ACCESS_ALL_USERS in changes:
            await self._restart_guests()
        return changes

    def _check_owner(self, params: ChangeRealmParams) -> None:
        passed = params.passed_settings().keys() | params.permission_changes().keys()
        if passed & OWNER_ONLY and self._ctx.user.role is not Role.OWNER:
            raise OwnerRequiredError

    def _changed_name(self, params: ChangeRealmParams) -> dict[str, str]:
        if "name" not in params.model_fields_set:
            return {}
        name = check_name(params.name)
        return {} if name == self._ctx.realm.name else {"name": name}

    def _changed_settings(self, params: ChangeRealmParams) -> Changes:
        options = self._ctx.realm.options
        changes = {
            name: value
            for name, value in params.passed_settings().items()
            if value != getattr(options, name)
        }
        check_video_calls(options.model_copy(update=dict(changes)), self._ctx.settings)
        opens = changes.get("enable_spectator_access", False)
        if opens and not self._ctx.settings.web_public_streams_enabled:
            raise BadRequestError("enable_spectator_access is switched off on this server")
        return changes

    async def _check_channel(self, changes: Changes) -> None:
        """Channels for announcements and reports must be visible to administrators."""
        for name in ("new_stream_announcements_stream_id", _OF_REPORTS):
            channel_id = changes.get(name, NO_CHANNEL)
            if channel_id == NO_CHANNEL:
                continue
            channel = await ChannelFinder(self._ctx).get_known(ChannelId(channel_id))
            require_not_archived(channel)
            if name == _OF_REPORTS and not channel.invite_only:
                # Reports quote messages, direct ones too.
                raise BadRequestError(f"{name}: The channel must be private")

    async def _changed_permissions(self, params: ChangeRealmParams) -> Changes:
        checker = ValueChecker(self._ctx)
        permissions = realm_permissions(self._ctx.realm)
        changes: dict[str, Any] = {}
        for permission, change in params.permission_changes().items():
            current = permissions.permission(permission)
            value = await changed_value(checker, permission, change, current)
            if value is not None:
                changes[permission.value] = value.to_wire()
        return changes

    async def _restart_everyone(self) -> None:
        """Restart all clients: the pictures of most users have changed."""
        users = await UserRows(self._ctx.db, self._ctx.realm.id).list_all()
        active = [user.id for user in users if user.is_active]
        await restart_clients(self._ctx.work, self._ctx.realm.id, active)

    async def _restart_guests(self) -> None:
        """Restart the clients of guests: they see other users now, so they register again."""
        guests = await UserRows(self._ctx.db, self._ctx.realm.id).list_guests()
        await restart_clients(self._ctx.work, self._ctx.realm.id, guests)

    def _audit(self, changes: Changes) -> None:
        options, permissions = self._ctx.realm.options, realm_permissions(self._ctx.realm)
        current = {"name": self._ctx.realm.name, **permissions.to_wire()}
        for name, value in changes.items():
            old = current[name] if name in current else getattr(options, name)
            self._ctx.audit(
                AuditChange(AuditKind.REALM_SETTING_CHANGED, property=name, old=old, new=value)
            )

    def _emit(self, changes: Changes) -> None:
        bundle = {name: value for name, value in changes.items() if name in SENT_IN_UPDATE_DICT}
        for name, value in changes.items():
            if name not in bundle:
                self._ctx.emit(RealmSettingChanged(property=name, value=value), to=Everyone())
        if bundle:
            self._ctx.emit(RealmSettingsChanged(data=bundle), to=Everyone())
