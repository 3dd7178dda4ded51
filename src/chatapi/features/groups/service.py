"""Use cases: create, change, deactivate and reactivate user groups."""

from collections.abc import Iterable

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import GroupId, UserId
from chatapi.core.names import name_key
from chatapi.events.audience import Everyone
from chatapi.features.channels import list_channels
from chatapi.features.groups.access import GroupAccess, require_active
from chatapi.features.groups.errors import CannotDeactivateGroupInUseError, Objection
from chatapi.features.groups.events import GroupAdded, GroupRemoved, GroupUpdated
from chatapi.features.groups.listing import GroupReader
from chatapi.features.groups.params import ChangeGroupParams, CreateGroupParams
from chatapi.features.groups.parts import GroupParts, audit_parts
from chatapi.features.groups.payloads import CreatedGroupPayload, GroupChangePayload
from chatapi.features.groups.repository import GroupRepository
from chatapi.features.groups.rules import check_name
from chatapi.features.groups.usage import find_objections
from chatapi.permissions.changes import changed_value, passed_permissions
from chatapi.permissions.channels import channel_access
from chatapi.permissions.memberships import GroupMemberships, GroupRecord
from chatapi.permissions.realm import require_in_realm
from chatapi.permissions.settings import GroupPermission, RealmPermission
from chatapi.permissions.stored import group_permissions, new_group_permissions
from chatapi.permissions.values import ValueChecker
from chatapi.wire.group_values import GroupSettingPayload


class GroupService:
    """Creates, changes, deactivates and reactivates groups."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._access = GroupAccess(ctx)
        self._groups = GroupRepository(ctx.db, ctx.realm.id)
        self._parts = GroupParts(ctx)
        self._values = ValueChecker(ctx)

    async def create(self, params: CreateGroupParams) -> CreatedGroupPayload:
        """A group with its first members; subgroups need no further permission (SPEC 4.8)."""
        await self._ctx.lock()
        await require_in_realm(self._ctx, RealmPermission.CAN_CREATE_GROUPS)
        name = await self._free_name(params.name)
        group_id = await self._groups.add(
            name=name,
            name_key=name_key(name),
            description=params.description.strip(),
            creator_id=self._ctx.user.id,
            date_created=self._ctx.now(),
            settings=await self._first_settings(params),
        )
        if params.members:
            await self._parts.add_members(group_id, {UserId(id_) for id_ in params.members})
        if params.subgroups:
            await self._parts.add_subgroups(group_id, {GroupId(id_) for id_ in params.subgroups})
        group = await GroupReader(self._ctx).show(await self._groups.get(group_id))
        self._ctx.emit(GroupAdded(group=group), to=Everyone())
        self._ctx.audit(
            AuditChange(AuditKind.GROUP_CREATED, group_id=group_id, new={"name": group["name"]})
        )
        audit_parts(self._ctx, AuditKind.GROUP_MEMBERS_ADDED, group_id, params.members)
        audit_parts(self._ctx, AuditKind.GROUP_SUBGROUPS_ADDED, group_id, params.subgroups)
        return {"group_id": group_id}

    async def change(self, group_id: GroupId, params: ChangeGroupParams) -> None:
        """Change only what was passed; permissions of deactivated groups can be changed, too."""
        await self._ctx.lock()
        group = await self._access.get_managed(group_id)
        if all(value is None for _, value in params):
            raise BadRequestError("No new data supplied")
        is_reactivation = group.deactivated and params.deactivated is False
        if is_reactivation:
            # First, so that the group may be named in its own permissions again.
            await self._groups.change(group.id, deactivated=False)
        data = await self._change_texts(group, params)
        settings = await self._change_settings(group, params)
        data.update(settings)  # type: ignore[typeddict-item]  # keys are names of permissions
        if is_reactivation:
            data["deactivated"] = False
            await self._check_no_deactivated_parts(await self._groups.get(group.id))
        if data:
            event = GroupUpdated(
                group_id=group.id, data=data, is_about_deactivated=group.deactivated
            )
            self._ctx.emit(event, to=Everyone())
            self._audit_changes(group, data)
        if is_reactivation:
            shown = await GroupReader(self._ctx).show(await self._groups.get(group.id))
            self._ctx.emit(GroupAdded(group=shown, is_reactivated=True), to=Everyone())

    def _audit_changes(self, before: GroupRecord, data: GroupChangePayload) -> None:
        permissions = group_permissions(self._ctx.realm, before).to_wire()
        for name, value in data.items():
            if name == "deactivated":
                change = AuditChange(AuditKind.GROUP_REACTIVATED, group_id=before.id)
            else:
                old = permissions[name] if name in permissions else getattr(before, name)
                change = AuditChange(
                    AuditKind.GROUP_SETTING_CHANGED,
                    group_id=before.id,
                    property=name,
                    old=old,
                    new=value,
                )
            self._ctx.audit(change)

    async def deactivate(self, group_id: GroupId) -> None:
        """Deactivate a group, unless it is still in use."""
        await self._ctx.lock()
        group = await self._access.get_managed(group_id)
        require_active(group)
        channels = await list_channels(self._ctx)
        objections = find_objections(
            group,
            await self._groups.list_groups(include_deactivated=False),
            await GroupMemberships(self._ctx.db, self._ctx.realm).direct_subgroups(),
            self._ctx.realm,
            channels,
        )
        if objections:
            raise CannotDeactivateGroupInUseError(await self._tellable(objections, channels))
        await self._groups.change(group.id, deactivated=True)
        data: GroupChangePayload = {"deactivated": True}
        event = GroupUpdated(group_id=group.id, data=data, is_about_deactivated=True)
        self._ctx.emit(event, to=Everyone())
        self._ctx.audit(AuditChange(AuditKind.GROUP_DEACTIVATED, group_id=group.id))
        self._ctx.emit(GroupRemoved(group_id=group.id), to=Everyone())

    async def _tellable(
        self, objections: Iterable[Objection], channels: Iterable[ChannelRecord]
    ) -> list[Objection]:
        """The uses without channels that the caller may not see; these still prevent it."""
        access = await channel_access(self._ctx)
        known = {channel.id for channel in channels if access.can_see(channel)}
        return [
            each for each in objections if each["type"] != "channel" or each["channel_id"] in known
        ]

    async def _free_name(self, name: str) -> str:
        name = check_name(name)
        if await self._groups.name_exists(name_key(name)):
            raise BadRequestError(f"User group '{name}' already exists.")
        return name

    async def _first_settings(self, params: CreateGroupParams) -> dict[str, GroupSettingPayload]:
        settings = {**new_group_permissions(self._ctx.realm, self._ctx.user.id).to_wire()}
        for permission, wanted in passed_permissions(GroupPermission, params).items():
            settings[permission.value] = (await self._values.check(permission, wanted)).to_wire()
        return settings

    async def _change_texts(
        self, group: GroupRecord, params: ChangeGroupParams
    ) -> GroupChangePayload:
        changed: GroupChangePayload = {}
        if params.name is not None and params.name.strip() != group.name:
            changed["name"] = await self._new_name(group, params.name)
            await self._groups.change(
                group.id, name=changed["name"], name_key=name_key(changed["name"])
            )
        if params.description is not None and params.description.strip() != group.description:
            changed["description"] = params.description.strip()
            await self._groups.change(group.id, description=changed["description"])
        return changed

    async def _new_name(self, group: GroupRecord, name: str) -> str:
        if name_key(name.strip()) == name_key(group.name):
            return check_name(name)
        return await self._free_name(name)

    async def _change_settings(
        self, group: GroupRecord, params: ChangeGroupParams
    ) -> dict[str, GroupSettingPayload]:
        changed: dict[str, GroupSettingPayload] = {}
        current = group_permissions(self._ctx.realm, group)
        for permission, change in passed_permissions(GroupPermission, params).items():
            old = current.permission(permission)
            new = await changed_value(self._values, permission, change, old)
            if new is not None:
                changed[permission.value] = new.to_wire()
        if changed:
            await self._groups.change(group.id, settings={**group.settings, **changed})
        return changed

    async def _check_no_deactivated_parts(self, group: GroupRecord) -> None:
        """The subgroups of an active group and the groups its permissions name must be active."""
        values = group_permissions(self._ctx.realm, group)
        named = [values.permission(each).subgroups for each in GroupPermission]
        subgroups = await self._groups.direct_subgroups_of(group.id)
        await self._parts.check_subgroups(subgroups.union(*named))
