"""Plans what PATCH /streams/{stream_id} changes, before anything is written."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.structs import asdict

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.names import name_key
from chatapi.features.channels.access import (
    require_default_choice,
    require_kind,
    require_permission_choice,
    require_retention_choice,
    require_topics_policy,
)
from chatapi.features.channels.folder_choice import folder_for_channel
from chatapi.features.channels.params import ChangeChannelParams
from chatapi.features.channels.repository import ChannelRepository
from chatapi.features.channels.rules import ChannelKind, check_name, one_line, retention_days
from chatapi.permissions.changes import changed_value, names_to_wire
from chatapi.permissions.channels import READ_PERMISSIONS, channel_access
from chatapi.permissions.settings import ChannelPermission
from chatapi.permissions.stored import channel_permissions
from chatapi.permissions.values import ValueChecker
from chatapi.rendering import render_markdown
from chatapi.wire.group_values import GroupSettingPayload

_SHOWN_TO_READERS = {"name", "invite_only", "is_web_public", "history_public_to_subscribers"}

_DERIVED = {"name_key", "rendered_description", "settings"}


@dataclass
class ChannelChange:
    """New column values, and the permissions that change."""

    values: dict[str, object] = field(default_factory=dict)
    permissions: dict[ChannelPermission, GroupSettingPayload] = field(default_factory=dict)

    @property
    def audited_values(self) -> dict[str, object]:
        """The new values by the names that administrators know; without what follows from them."""
        plain = {name: each for name, each in self.values.items() if name not in _DERIVED}
        return {**plain, **names_to_wire(self.permissions)}

    @property
    def concerns_readers(self) -> bool:
        """Whether users can read more or less of the channel, or see another name of it."""
        return bool(
            _SHOWN_TO_READERS & self.values.keys() or READ_PERMISSIONS & self.permissions.keys()
        )


def audit_settings(ctx: Context, before: ChannelRecord, values: Mapping[str, object]) -> None:
    """Write an entry of the audit log for each setting and permission that changes."""
    permissions = channel_permissions(ctx.realm, before).to_wire()
    for name, value in values.items():
        old = permissions[name] if name in permissions else getattr(before, name)
        if old != value:
            ctx.audit(
                AuditChange(
                    AuditKind.CHANNEL_SETTING_CHANGED,
                    channel_id=before.id,
                    property=name,
                    old=old,
                    new=value,
                )
            )


class ChangePlanner:
    """Validates every requested change by the same rules as channel creation; writes nothing."""

    def __init__(self, ctx: Context, channel: ChannelRecord) -> None:
        self._ctx = ctx
        self._channel = channel
        self._channels = ChannelRepository(ctx.db, ctx.realm.id)

    async def plan(self, params: ChangeChannelParams) -> ChannelChange:
        """Contains only values that differ from the current ones."""
        plan = ChannelChange()
        await self._plan_name(params, plan)
        self._plan_description(params, plan)
        kind = await self._plan_kind(params, plan)
        self._plan_default(params, plan, kind)
        self._plan_retention(params, plan)
        await self._plan_topics_policy(params, plan)
        self._plan_push_notifications(params, plan)
        await self._plan_folder(params, plan)
        await self._plan_permissions(params, plan)
        return plan

    async def _plan_name(self, params: ChangeChannelParams, plan: ChannelChange) -> None:
        if params.new_name is None:
            return
        name = check_name(params.new_name, "new_name")
        if name == self._channel.name:
            return
        is_same_to_others = name_key(name) == name_key(self._channel.name)
        if not is_same_to_others and await self._channels.list_named([name]):
            raise BadRequestError("new_name: Channel name is already in use")
        plan.values |= {"name": name, "name_key": name_key(name)}

    def _plan_description(self, params: ChangeChannelParams, plan: ChannelChange) -> None:
        if params.description is None:
            return
        description = one_line(params.description)
        if description != self._channel.description:
            plan.values["description"] = description
            plan.values["rendered_description"] = render_markdown(description)

    async def _plan_kind(self, params: ChangeChannelParams, plan: ChannelChange) -> ChannelKind:
        old = ChannelKind.of(self._channel)
        new = _new_kind(old, params).check()
        if new == old:
            return old
        await self._require_reading()
        if (new.invite_only, new.is_web_public) != (old.invite_only, old.is_web_public):
            await require_kind(self._ctx, new)
        plan.values |= asdict(new)
        return new

    def _plan_default(
        self, params: ChangeChannelParams, plan: ChannelChange, kind: ChannelKind
    ) -> None:
        wish = params.is_default_stream
        is_default = self._channel.is_default if wish is None else wish
        if is_default is not self._channel.is_default or (is_default and kind.invite_only):
            require_default_choice(self._ctx, invite_only=is_default and kind.invite_only)
        if is_default is not self._channel.is_default:
            plan.values["is_default"] = is_default

    def _plan_retention(self, params: ChangeChannelParams, plan: ChannelChange) -> None:
        if params.message_retention_days is None:
            return
        days = retention_days(params.message_retention_days)
        if days != self._channel.message_retention_days:
            require_retention_choice(self._ctx)
            plan.values["message_retention_days"] = days

    async def _plan_topics_policy(self, params: ChangeChannelParams, plan: ChannelChange) -> None:
        policy = params.topics_policy
        if policy is None or policy == self._channel.topics_policy:
            return
        await require_topics_policy(self._ctx)
        if policy == "empty_topic_only" and await self._channels.has_named_topics(self._channel.id):
            raise BadRequestError(
                "topics_policy: To set it to empty_topic_only, all messages must be in the"
                " empty topic"
            )
        plan.values["topics_policy"] = policy

    def _plan_push_notifications(self, params: ChangeChannelParams, plan: ChannelChange) -> None:
        wish = params.default_push_notifications
        if wish is not None and wish is not self._channel.default_push_notifications:
            plan.values["default_push_notifications"] = wish

    async def _plan_folder(self, params: ChangeChannelParams, plan: ChannelChange) -> None:
        wish = params.folder_id
        if "folder_id" not in params.model_fields_set or wish == self._channel.folder_id:
            return
        folder_id = None if wish is None else await folder_for_channel(self._ctx, wish)
        plan.values["folder_id"] = folder_id

    async def _plan_permissions(self, params: ChangeChannelParams, plan: ChannelChange) -> None:
        checker = ValueChecker(self._ctx)
        current = channel_permissions(self._ctx.realm, self._channel)
        for permission, change in params.permission_changes().items():
            old = current.permission(permission)
            new = await changed_value(checker, permission, change, old)
            if new is not None:
                await require_permission_choice(self._ctx, permission)
                if permission in READ_PERMISSIONS:
                    await self._require_reading()
                plan.permissions[permission] = new.to_wire()
        if plan.permissions:
            changed = names_to_wire(plan.permissions)
            plan.values["settings"] = {**self._channel.settings, **changed}

    async def _require_reading(self) -> None:
        """Administrators manage private channels without being able to read them."""
        if not (await channel_access(self._ctx)).can_read(self._channel):
            raise BadRequestError("Insufficient permission")


def _new_kind(old: ChannelKind, params: ChangeChannelParams) -> ChannelKind:
    """What is not passed follows from what is: a public channel has no protected history."""
    invite_only = old.invite_only if params.is_private is None else params.is_private
    is_web_public = params.is_web_public
    if is_web_public is None:
        is_web_public = old.is_web_public and not (params.is_private and not old.invite_only)
    is_history_public = params.history_public_to_subscribers
    if is_history_public is None:
        is_history_public = old.history_public_to_subscribers or not invite_only
    return ChannelKind(invite_only, is_web_public, is_history_public)
