"""Every SQL statement on users and their custom profile values."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import asdict
from sqlalchemy import (
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)

from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import PastRoleRow, UserRecord, user_records
from chatapi.core.ids import ApiKeyId, RealmId, UserId, hash_api_key
from chatapi.core.roles import BotType, EmailVisibility, Role
from chatapi.db.base import UtcDateTime, aliased
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import ApiKey, BotService, ProfileValue, Realm, User, UserGroup
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.db.upsert import upsert
from chatapi.db.user_facts import OwnedRows
from chatapi.features.users.api_key_records import ApiKeyRecord
from chatapi.features.users.bot_records import BotServiceRecord
from chatapi.features.users.payloads import ProfileData, ProfileValuePayload
from chatapi.wire.realm_settings import RealmSettings

_api_key_records = RecordReader(ApiKeyRecord, ApiKey)
_ACTIVE_BOTS = (
    user_records.select()
    .where(
        User.realm_id == bindparam("realm_id"),
        not_(User.is_system_bot),
        User.bot_type.is_not(None),
        User.is_active,
    )
    .order_by(User.id)
)
_owned_bots = OwnedRows(User.bot_owner_id)
_ACTIVE_BOTS_OF_OWNER = _ACTIVE_BOTS.where(User.bot_owner_id == bindparam("owner_id"))
_UPDATE_PAST_ROLES = (
    update(User)
    .where(User.id == bindparam("of_user"))
    .values(past_roles=bindparam("new_past_roles"))
)
_UPDATE_SETTINGS = (
    update(User).where(User.id == bindparam("of_user")).values(settings=bindparam("stored"))
)

_owner = aliased(User)


class UserRepository(UserRows):
    """Users of one realm, and what only their own domain reads and writes about them."""

    async def list_system_bots(self) -> list[UserRecord]:
        """The bots of the service itself."""
        rows = await self._db.execute(
            user_records.select()
            .where(User.realm_id == self._realm_id, User.is_system_bot)
            .order_by(User.id)
        )
        return user_records.read_all(rows)

    async def get_password_hash(self, user_id: UserId) -> str | None:
        rows = await self._db.execute(
            select(User.password_hash).where(User.realm_id == self._realm_id, User.id == user_id)
        )
        return rows.scalar_one()

    async def list_active_bots(self, of: UserId | None = None) -> list[UserRecord]:
        """The active bots of one owner, or of all owners."""
        values = {"realm_id": self._realm_id}
        if of is None:
            rows = await self._db.fetch(_ACTIVE_BOTS, values)
        elif not await _owned_bots.may_exist(self._db, of):
            return []
        else:
            rows = await self._db.fetch(_ACTIVE_BOTS_OF_OWNER, {**values, "owner_id": of})
        return user_records.read_all(rows)

    async def list_bots_above(self, role: Role, of: UserId) -> list[UserRecord]:
        """The bots of an owner with a higher role than the given one, deactivated ones included."""
        rows = await self._db.execute(
            user_records.select()
            .where(User.realm_id == self._realm_id, User.bot_owner_id == of, User.role < role)
            .order_by(User.id)
        )
        return user_records.read_all(rows)

    async def list_administrators(self) -> frozenset[UserId]:
        """The ids of administrators, owners included."""
        rows = await self._db.execute(
            select(User.id).where(
                User.realm_id == self._realm_id, User.role <= Role.ADMIN, User.is_active
            )
        )
        return frozenset(UserId(user_id) for (user_id,) in rows)

    async def has_others_with_visibility(
        self, user_id: UserId, visibilities: Sequence[EmailVisibility]
    ) -> bool:
        """Whether other users have one of these address visibilities."""
        rows = await self._db.execute(
            select(User.id)
            .where(
                *self._ordinary(),
                User.id != user_id,
                User.bot_type.is_(None),
                User.email_visibility.in_(visibilities),
            )
            .limit(1)
        )
        return rows.first() is not None

    async def count_active_owners(self) -> int:
        """Active owners who are not bots: a bot can have the role but cannot manage a realm."""
        rows = await self._db.execute(
            select(func.count())
            .select_from(User)
            .where(
                User.realm_id == self._realm_id,
                User.role == Role.OWNER,
                User.is_active,
                User.bot_type.is_(None),
            )
        )
        return rows.scalar_one()

    async def add(self, **values: object) -> UserId:
        rows = await self._db.execute(
            insert(User).values(realm_id=self._realm_id, **values).returning(User.id)
        )
        return UserId(rows.scalar_one())

    async def change(self, user_id: UserId, **values: object) -> None:
        await self._db.execute(
            update(User).where(User.realm_id == self._realm_id, User.id == user_id).values(**values)
        )

    async def has_avatar(self, path: str) -> bool:
        """Whether a user has this uploaded picture."""
        rows = await self._db.execute(
            select(User.id).where(User.realm_id == self._realm_id, User.avatar_path == path)
        )
        return rows.first() is not None

    async def list_avatar_paths(self) -> list[str]:
        """The paths of all uploaded pictures, of the service's own bots too."""
        rows = await self._db.execute(
            select(User.avatar_path).where(
                User.realm_id == self._realm_id, User.avatar_path.is_not(None)
            )
        )
        return [path for (path,) in rows if path is not None]

    async def update_past_roles(self, notes: Mapping[UserId, Sequence[PastRoleRow]]) -> None:
        """One statement, however many users."""
        rows = [
            {"of_user": user_id, "new_past_roles": list(each)} for user_id, each in notes.items()
        ]
        if rows:
            await self._db.execute(_UPDATE_PAST_ROLES, rows)

    async def profile_of(self, user_id: UserId) -> ProfileData:
        profiles = await self.profiles([user_id])
        return profiles.get(user_id, {})

    async def profiles(self, user_ids: Sequence[UserId] | None = None) -> dict[UserId, ProfileData]:
        """Users' custom profile values: of the whole realm, or of some users."""
        statement = (
            select(
                ProfileValue.user_id,
                ProfileValue.field_id,
                ProfileValue.value,
                ProfileValue.rendered_value,
            )
            .join(User, User.id == ProfileValue.user_id)
            .where(User.realm_id == self._realm_id)
            .order_by(ProfileValue.user_id, ProfileValue.field_id)
        )
        values = {}
        if user_ids is not None:
            statement = statement.where(is_one_of(ProfileValue.user_id, "user_ids"))
            values = {"user_ids": list(user_ids)}
        profiles: defaultdict[UserId, ProfileData] = defaultdict(dict)
        for user_id, field_id, value, rendered_value in await self._db.execute(statement, values):
            entry: ProfileValuePayload = {"value": value}
            if rendered_value is not None:
                entry["rendered_value"] = rendered_value
            profiles[UserId(user_id)][str(field_id)] = entry
        return profiles


class LongestWait(NamedTuple):
    """The user who has waited longest in a realm, and the realm's waiting period."""

    realm_id: RealmId
    joined_at: datetime
    days: int


class BotServiceRepository:
    """The services of bots; the caller has checked that the bots belong to the realm."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def list_of(self, bots: Iterable[UserRecord]) -> dict[UserId, BotServiceRecord]:
        """The services of those bots that have one; without a statement if none can."""
        bot_ids = [bot.id for bot in bots if bot.bot_type is BotType.OUTGOING_WEBHOOK]
        if not bot_ids:
            return {}
        rows = await self._db.execute(
            select(
                BotService.user_id, BotService.base_url, BotService.interface, BotService.token
            ).where(is_one_of(BotService.user_id, "bot_ids")),
            {"bot_ids": bot_ids},
        )
        return {
            UserId(bot_id): BotServiceRecord(base_url, interface, token)
            for bot_id, base_url, interface, token in rows
        }

    async def put(self, bot_id: UserId, service: BotServiceRecord) -> None:
        await upsert(self._db, BotService, [{"user_id": bot_id, **asdict(service)}])


class FullMemberRepository:
    """The full-member flag, in all realms: it is maintained by the service itself."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def get_waiting_days(self, realm_id: RealmId) -> int:
        """The current value; the request's realm record may be older than its own change."""
        rows = await self._db.execute(select(Realm.settings).where(Realm.id == realm_id))
        return _waiting_days(rows.scalar_one())

    async def list_longest_waits(self) -> list[LongestWait]:
        # A bot waits as long as its owner.
        since = case(
            (_owner.date_joined > User.date_joined, _owner.date_joined), else_=User.date_joined
        )
        rows = await self._db.execute(
            select(User.realm_id, func.min(since, type_=UtcDateTime).label("joined_at"))
            .outerjoin(_owner, _owner.id == User.bot_owner_id)
            .where(~User.is_full_member)
            .group_by(User.realm_id)
        )
        joined_at = {row.realm_id: row.joined_at for row in rows}
        realms = await self._db.execute(
            select(Realm.id, Realm.settings).where(Realm.id.in_(list(joined_at)))
        )
        return [
            LongestWait(RealmId(id_), joined_at[id_], _waiting_days(settings))
            for id_, settings in realms
        ]

    async def recount(self, realm_id: RealmId, joined_until: datetime) -> list[UserRecord]:
        """Set the flag by the joining time; returns the users for whom it changed, as updated.

        Bots do not become full members before their owners.
        """
        owner_waits = exists().where(
            _owner.id == User.bot_owner_id, _owner.date_joined > joined_until
        )
        is_over = and_(User.date_joined <= joined_until, ~owner_waits)
        rows = await self._db.execute(
            update(User)
            .where(User.realm_id == realm_id, User.is_full_member != is_over)
            .values(is_full_member=is_over)
            .returning(User.id)
        )
        changed = [UserId(user_id) for (user_id,) in rows]
        return await UserRepository(self._db, realm_id).list_some(changed)


def _waiting_days(settings: dict[str, Any]) -> int:
    return RealmSettings.model_validate(settings).waiting_period_threshold


class ApiKeyRepository:
    """The API keys of all users."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def add(
        self, user_id: UserId, api_key: str, created_at: datetime, *, name: str, is_primary: bool
    ) -> ApiKeyId:
        rows = await self._db.execute(
            insert(ApiKey)
            .values(
                user_id=user_id,
                key_hash=hash_api_key(api_key),
                is_primary=is_primary,
                name=name,
                created_at=created_at,
            )
            .returning(ApiKey.id)
        )
        return ApiKeyId(rows.scalar_one())

    async def list_all(self, user_id: UserId) -> list[ApiKeyRecord]:
        """The keys of a user, oldest first."""
        rows = await self._db.execute(
            _api_key_records.select().where(ApiKey.user_id == user_id).order_by(ApiKey.id)
        )
        return _api_key_records.read_all(rows)

    async def delete(self, user_id: UserId, key_id: ApiKeyId) -> bool:
        """Delete one key; returns whether the user had it."""
        deleted = await self._db.execute(
            delete(ApiKey).where(ApiKey.user_id == user_id, ApiKey.id == key_id)
        )
        return deleted.rowcount > 0

    async def delete_all(self, user_id: UserId) -> int:
        """Delete all keys of a user; returns how many there were."""
        deleted = await self._db.execute(delete(ApiKey).where(ApiKey.user_id == user_id))
        return deleted.rowcount

    async def delete_oldest_logins(self, user_id: UserId, keep: int) -> int:
        """Delete all but the newest few login keys; returns how many were deleted."""
        logins = (ApiKey.user_id == user_id, ~ApiKey.is_primary)
        newest = select(ApiKey.id).where(*logins).order_by(ApiKey.id.desc()).limit(keep)
        deleted = await self._db.execute(delete(ApiKey).where(*logins, ApiKey.id.not_in(newest)))
        return deleted.rowcount

    async def store_use(
        self, key_ids: Collection[ApiKeyId], now: datetime, *, unless_since: datetime
    ) -> None:
        """Store when keys were used, except for those whose stored time is recent enough."""
        await self._db.execute(
            update(ApiKey)
            .where(
                is_one_of(ApiKey.id, "key_ids"),
                or_(ApiKey.last_used_at.is_(None), ApiKey.last_used_at < unless_since),
            )
            .values(last_used_at=now),
            {"key_ids": sorted(key_ids)},
        )


class BulkSettingsRepository:
    """Settings of many users of one realm."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def change(self, settings: Mapping[UserId, Mapping[str, Any]]) -> None:
        """Store the settings of each user."""
        await self._db.execute_many(
            _UPDATE_SETTINGS,
            ({"of_user": user_id, "stored": dict(each)} for user_id, each in settings.items()),
        )

    async def list_groups_among(self, group_ids: Sequence[int]) -> set[int]:
        """Those of the ids that are groups of the realm."""
        rows = await self._db.execute(
            select(UserGroup.id).where(
                UserGroup.realm_id == self._realm_id, is_one_of(UserGroup.id, "group_ids")
            ),
            {"group_ids": sorted(set(group_ids))},
        )
        return set(rows.scalars())


class DefaultSettingsRepository:
    """The defaults of one realm: what differs from those of the service."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get(self) -> dict[str, Any]:
        rows = await self._db.execute(
            select(Realm.user_settings_defaults).where(Realm.id == self._realm_id)
        )
        return rows.scalar_one() or {}

    async def change(self, defaults: dict[str, Any]) -> None:
        await self._db.execute(
            update(Realm).where(Realm.id == self._realm_id).values(user_settings_defaults=defaults)
        )
