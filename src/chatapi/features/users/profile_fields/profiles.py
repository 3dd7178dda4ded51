"""Use cases: change the values in a profile."""

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.cooperative import map_in_steps
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ProfileFieldId, UserId
from chatapi.core.roles import Role
from chatapi.features.users.events import CustomProfileFieldChange, UserUpdated
from chatapi.features.users.profile_fields.params import ProfileValueParam, RemoveProfileDataParams
from chatapi.features.users.profile_fields.repository import (
    ProfileFieldRepository,
    ProfileRepository,
)
from chatapi.features.users.profile_fields.rules import ProfileFieldRecord
from chatapi.features.users.profile_fields.service import find_field
from chatapi.features.users.profile_fields.values import (
    FieldValue,
    Written,
    check_value,
    user_ids_in,
)
from chatapi.features.users.repository import UserRepository
from chatapi.permissions.user_visibility import user_visibility, user_visible_to

Values = dict[ProfileFieldId, FieldValue | None]
"""New values of some fields, None to clear a field."""


class ProfileService:
    """Changes values in a profile, the caller's own or one they may change; bots have none."""

    def __init__(self, ctx: Context, user: UserRecord | None = None) -> None:
        self._ctx = ctx
        self._user = user or ctx.user
        self._fields = ProfileFieldRepository(ctx.db, ctx.realm.id)
        self._profile = ProfileRepository(ctx.db, self._user.id)

    async def set_values(self, values: list[ProfileValueParam]) -> None:
        """Set values of some fields: of all of them, or of none if one value is refused."""
        await self._write([(entry.id, entry.value) for entry in values])

    async def remove_values(self, params: RemoveProfileDataParams) -> None:
        """Clear some fields."""
        await self._write([(field_id, None) for field_id in params.data])

    async def _write(self, entries: list[tuple[int, Written]]) -> None:
        if self._user.is_bot:
            raise BadRequestError("Bots have no profile.")
        await self._ctx.lock()
        fields = await self._fields.list_fields()
        changed: dict[ProfileFieldId, tuple[ProfileFieldRecord, Written]] = {}
        for field_id, written in entries:
            field = find_field(fields, field_id)
            self._check_access(field)
            if field.id in changed:
                message = f"Field id {field_id} is passed twice."
                raise BadRequestError(message)
            changed[field.id] = field, written
        checked = await map_in_steps(lambda each: check_value(*each), list(changed.values()))
        named_users: dict[UserId, ProfileFieldRecord] = {}
        for (field, _), value in zip(changed.values(), checked, strict=True):
            named_users.update(dict.fromkeys(user_ids_in(field, value), field))
        await self._check_users(named_users)
        await self._save(dict(zip(changed, checked, strict=True)))

    def _check_access(self, field: ProfileFieldRecord) -> None:
        if not field.editable_by_user and not self._ctx.user.role.at_least(Role.ADMIN):
            message = f"{field.name} can only be changed by an administrator."
            raise BadRequestError(message)

    async def _check_users(self, named: dict[UserId, ProfileFieldRecord]) -> None:
        """A profile may name only active users whom its owner may see, and no bots."""
        users = UserRepository(self._ctx.db, self._ctx.realm.id)
        found = await users.list_some(list(named)) if named else []
        visibility = await user_visibility(self._ctx)
        people = {
            user.id
            for user in found
            if user.is_active and not user.is_bot and visibility.can_see(user)
        }
        for user_id, field in named.items():
            if user_id not in people:
                message = f"{field.name}: Invalid user ID: {user_id}"
                raise BadRequestError(message)

    async def _save(self, values: Values) -> None:
        before = await self._profile.list_values()
        changes = {id_: new for id_, new in values.items() if new != before.get(id_)}
        await self._profile.delete([id_ for id_, new in changes.items() if new is None])
        await self._profile.replace({id_: new for id_, new in changes.items() if new is not None})
        for field_id, value in changes.items():
            self._ctx.emit(
                UserUpdated(
                    person={
                        "user_id": self._user.id,
                        "custom_profile_field": _change(field_id, value),
                    }
                ),
                to=user_visible_to(self._user),
            )


def _change(field_id: ProfileFieldId, value: FieldValue | None) -> CustomProfileFieldChange:
    if value is None:
        return {"id": field_id, "value": None}
    if value.rendered is None:
        return {"id": field_id, "value": value.text}
    return {"id": field_id, "value": value.text, "rendered_value": value.rendered}


async def has_profile_values(ctx: RealmContext, user_id: UserId) -> bool:
    """Whether a user has a value in any custom profile field."""
    return bool(await UserRepository(ctx.db, ctx.realm.id).profile_of(user_id))
