"""Use case: an administrator changes the settings of other users."""

from collections import defaultdict
from typing import Any

from chatapi.audit.entries import AuditChange, AuditKind, listed_ids
from chatapi.auth.context import Context
from chatapi.auth.users import UserRecord
from chatapi.core.errors import AdministratorRequiredError, BadRequestError
from chatapi.core.ids import GroupId, UserId
from chatapi.core.roles import Role
from chatapi.events.audience import Users
from chatapi.features.users.repository import (
    BulkSettingsRepository,
    DefaultSettingsRepository,
    UserRepository,
)
from chatapi.features.users.settings.events import UserSettingChanged
from chatapi.features.users.settings.params import ChangeSettingsParams, TargetUsers
from chatapi.features.users.settings.payloads import DefaultSettings
from chatapi.features.users.settings.rules import language_name, stored_settings
from chatapi.permissions.memberships import GroupMemberships
from chatapi.wire.user_settings import UserSettings

_OWN_DECISION = {
    "allow_private_data_export",
    "enable_digest_emails",
    "enable_login_emails",
    "enable_marketing_emails",
    "presence_enabled",
    "send_private_typing_notifications",
    "send_read_receipts",
    "send_stream_typing_notifications",
    # Switching it off deletes the drafts of a user.
    "enable_drafts_synchronization",
}
_FOR_OTHERS = frozenset(UserSettings.model_fields) - _OWN_DECISION


class BulkSettingsService:
    """Changes settings of users for administrators."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._bulk = BulkSettingsRepository(ctx.db, ctx.realm.id)

    async def change(self, params: ChangeSettingsParams, target: TargetUsers) -> None:
        """PATCH /settings with `target_users`: all changes or none."""
        if not self._ctx.user.role.at_least(Role.ADMIN):
            raise AdministratorRequiredError
        for name in sorted(params.model_fields_set - _FOR_OTHERS - {"target_users"}):
            raise BadRequestError(f"{name} cannot be changed for other users")
        await self._ctx.lock()
        users = await self._users(target)
        stored = await DefaultSettingsRepository(self._ctx.db, self._ctx.realm.id).get()
        defaults = DefaultSettings(**stored)
        settings: dict[UserId, dict[str, Any]] = {}
        changed: defaultdict[str, list[UserId]] = defaultdict(list)
        passed = params.passed_settings()
        for user in users:
            kept = _edited(user, defaults) if target.skip_if_already_edited else set()
            changes = {
                name: value
                for name, value in passed.items()
                if name not in kept and value != getattr(user.options, name)
            }
            if changes:
                settings[user.id] = stored_settings(user.settings, changes)
            for name in changes:
                changed[name].append(user.id)
        await self._bulk.change(settings)
        for name, user_ids in changed.items():
            self._emit(name, passed[name], user_ids)
            self._ctx.audit(
                AuditChange(
                    AuditKind.USER_SETTING_CHANGED,
                    property=name,
                    new={"value": passed[name], "users": listed_ids(user_ids)},
                )
            )

    async def _users(self, target: TargetUsers) -> list[UserRecord]:
        if not target.user_ids and not target.group_ids:
            raise BadRequestError("target_users: Pass user_ids or group_ids")
        known = await self._bulk.list_groups_among(target.group_ids)
        if len(known) < len(set(target.group_ids)):
            raise BadRequestError("target_users: Invalid user group")
        members = await GroupMemberships(self._ctx.db, self._ctx.realm).members_of(
            GroupId(group_id) for group_id in known
        )
        users = UserRepository(self._ctx.db, self._ctx.realm.id)
        named = await users.list_some(target.user_ids)
        if len(named) < len(set(target.user_ids)) or any(user.is_bot for user in named):
            raise BadRequestError("target_users: Invalid user ID")
        everyone = {user.id: user for user in [*named, *await users.list_some([*members])]}
        return [user for user in everyone.values() if not user.is_bot]

    def _emit(self, name: str, value: bool | int | str, user_ids: list[UserId]) -> None:  # noqa: FBT001 (a value)
        is_language = name == "default_language"
        event = UserSettingChanged(
            user_ids=user_ids,
            property=name,
            value=value,
            language_name=language_name(str(value)) if is_language else None,
        )
        self._ctx.emit(event, to=Users(ids=frozenset(user_ids)))


def _edited(user: UserRecord, defaults: DefaultSettings) -> set[str]:
    """The settings whose values are not those with which new users begin."""
    return {
        name
        for name in UserSettings.model_fields
        if getattr(user.options, name) != getattr(defaults, name)
    }
