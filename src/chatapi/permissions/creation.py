"""The system groups that every realm gets when it is created."""

from sqlalchemy import insert, update

from chatapi.core.ids import RealmId
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import GroupSubgroup, Realm, UserGroup
from chatapi.db.session import DatabaseSession
from chatapi.permissions.settings import GroupPermission


async def add_system_groups(db: DatabaseSession, realm_id: RealmId) -> None:
    """Create the system groups and store their ids in the realm's row."""
    group_ids = {str(group): await _add_group(db, realm_id, group) for group in SystemGroup}
    settings = {
        permission.value: group_ids[permission.setting.default_for_system_groups]
        for permission in GroupPermission
        if permission.setting.default_for_system_groups is not None
    }
    await db.execute(
        update(UserGroup).where(UserGroup.realm_id == realm_id).values(settings=settings)
    )
    await db.execute(
        insert(GroupSubgroup),
        [
            {"group_id": group_ids[group], "subgroup_id": group_ids[subgroup]}
            for group in SystemGroup
            for subgroup in group.subgroups
        ],
    )
    await db.execute(update(Realm).where(Realm.id == realm_id).values(system_groups=group_ids))


async def _add_group(db: DatabaseSession, realm_id: RealmId, group: SystemGroup) -> int:
    rows = await db.execute(
        insert(UserGroup)
        .values(
            realm_id=realm_id,
            name=group,
            name_key=group,
            description=group.description,
            is_system_group=True,
            deactivated=False,
            settings={},
        )
        .returning(UserGroup.id)
    )
    return rows.scalar_one()
