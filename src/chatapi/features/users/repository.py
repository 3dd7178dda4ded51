"""Every SQL statement on users and on what they wrote into their profiles."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, insert, select, update

from chatapi.auth.people import UserRecord, user_records
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import RealmId, UserId, hash_api_key
from chatapi.core.roles import Role
from chatapi.db.models import ApiKey, ProfileValue, User
from chatapi.db.session import DatabaseSession
from chatapi.features.users.payloads import ProfileData, ProfileValuePayload

_IDS_PER_STATEMENT = 10_000
"""Both databases limit how many parameters one statement may have."""


class UserRepository:
    """Users of one realm; the others do not exist here."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get(self, user_id: UserId) -> UserRecord:
        user = await self.find(user_id)
        if user is None:
            raise BadRequestError("No such user")
        return user

    async def find(self, user_id: UserId) -> UserRecord | None:
        rows = await self._db.execute(
            user_records.select().where(User.realm_id == self._realm_id, User.id == user_id)
        )
        row = rows.one_or_none()
        return None if row is None else user_records.read(row)

    async def find_by_delivery_email(self, email: str) -> UserRecord | None:
        rows = await self._db.execute(
            user_records.select().where(
                User.realm_id == self._realm_id, User.email_key == email.strip().lower()
            )
        )
        row = rows.one_or_none()
        return None if row is None else user_records.read(row)

    async def list_all(self) -> list[UserRecord]:
        rows = await self._db.execute(
            user_records.select().where(User.realm_id == self._realm_id).order_by(User.id)
        )
        return [user_records.read(row) for row in rows]

    async def list_some(self, user_ids: Sequence[int]) -> list[UserRecord]:
        """The users that exist among the given ids, by id."""
        wanted = sorted(set(user_ids))
        users: list[UserRecord] = []
        for start in range(0, len(wanted), _IDS_PER_STATEMENT):
            rows = await self._db.execute(
                user_records.select()
                .where(
                    User.realm_id == self._realm_id,
                    User.id.in_(wanted[start : start + _IDS_PER_STATEMENT]),
                )
                .order_by(User.id)
            )
            users += [user_records.read(row) for row in rows]
        return users

    async def get_password_hash(self, user_id: UserId) -> str | None:
        rows = await self._db.execute(
            select(User.password_hash).where(User.realm_id == self._realm_id, User.id == user_id)
        )
        return rows.scalar_one()

    async def count_active_owners(self) -> int:
        rows = await self._db.execute(
            select(func.count())
            .select_from(User)
            .where(User.realm_id == self._realm_id, User.role == Role.OWNER, User.is_active)
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

    async def profile_of(self, user_id: UserId) -> ProfileData:
        profiles = await self.profiles([user_id])
        return profiles.get(user_id, {})

    async def profiles(self, user_ids: Sequence[UserId] | None = None) -> dict[UserId, ProfileData]:
        """What users wrote into their profiles: of the whole realm, or of a few users."""
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
        if user_ids is not None and len(user_ids) <= _IDS_PER_STATEMENT:
            statement = statement.where(ProfileValue.user_id.in_(user_ids))
        profiles: defaultdict[UserId, ProfileData] = defaultdict(dict)
        for user_id, field_id, value, rendered_value in await self._db.execute(statement):
            entry: ProfileValuePayload = {"value": value}
            if rendered_value is not None:
                entry["rendered_value"] = rendered_value
            profiles[UserId(user_id)][str(field_id)] = entry
        return profiles


class ApiKeyRepository:
    """The keys of users, of which only digests are kept."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def add(
        self, user_id: UserId, api_key: str, created_at: datetime, *, is_primary: bool
    ) -> None:
        await self._db.execute(
            insert(ApiKey).values(
                user_id=user_id,
                key_hash=hash_api_key(api_key),
                is_primary=is_primary,
                created_at=created_at,
            )
        )

    async def delete_all(self, user_id: UserId) -> None:
        await self._db.execute(delete(ApiKey).where(ApiKey.user_id == user_id))

    async def delete_oldest_logins(self, user_id: UserId, keep: int) -> int:
        """Delete the keys of logins but for the newest few; how many that were."""
        logins = (ApiKey.user_id == user_id, ~ApiKey.is_primary)
        newest = select(ApiKey.id).where(*logins).order_by(ApiKey.id.desc()).limit(keep)
        deleted = await self._db.execute(delete(ApiKey).where(*logins, ApiKey.id.not_in(newest)))
        return deleted.rowcount
