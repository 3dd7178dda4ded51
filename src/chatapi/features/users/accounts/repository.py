"""The SQL statement of a login."""

from msgspec import Struct

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord, is_named, user_records
from chatapi.db.models import User
from chatapi.db.session import DatabaseSession


class Login(Struct, frozen=True):
    """A user and the hash against which their password is checked."""

    user: UserRecord
    password_hash: str | None
    """None for bots: their owner can change, and with it who may act as them."""

    def matches(self, checked: "Login") -> bool:
        """Whether the result of checking the other record holds for this one as well."""
        return (
            self.user.id == checked.user.id
            and self.user.is_active
            and self.password_hash == checked.password_hash
        )


class LoginRepository:
    """Users of one realm by their login names."""

    def __init__(self, db: DatabaseSession, realm: RealmRecord, root_domain: str) -> None:
        self._db = db
        self._realm = realm
        self._root_domain = root_domain

    async def find(self, username: str) -> Login | None:
        rows = await self._db.execute(
            user_records.select()
            .add_columns(User.password_hash)
            .where(is_named(self._realm, self._root_domain, username))
        )
        row = rows.one_or_none()
        if row is None:
            return None
        user = user_records.read(tuple(row)[:-1])
        return Login(user, None if user.is_bot else row[-1])
