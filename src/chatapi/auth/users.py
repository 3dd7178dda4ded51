"""User records as the rest of the service uses them: frozen, and without secrets."""

import re
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

import orjson
from msgspec import Struct
from sqlalchemy import ColumnElement, and_
from typing_extensions import TypedDict

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.ids import RealmId, UserId
from chatapi.core.names import name_key
from chatapi.core.roles import BotType, EmailVisibility, Role
from chatapi.db.models import User
from chatapi.db.records import RecordReader
from chatapi.wire.user_settings import UserSettings


class PastRoleRow(TypedDict):
    """The role a user had up to an event."""

    until_event: int
    changed_at: int
    """When that role ended, in seconds; the event log is truncated by age."""
    role: int


class UserRecord(Struct, frozen=True, dict=True):
    """A row of the user table: a person or a bot."""

    id: UserId
    realm_id: RealmId
    delivery_email: str
    full_name: str
    role: Role
    is_full_member: bool
    is_active: bool
    bot_type: BotType | None
    bot_owner_id: UserId | None
    date_joined: datetime
    timezone: str
    email_visibility: EmailVisibility
    avatar_version: int
    is_imported_stub: bool
    is_system_bot: bool
    settings: dict[str, Any]
    past_roles: list[PastRoleRow] | None = None
    """Past roles, oldest first; audiences of events are evaluated with them."""
    avatar_path: str | None = None
    """Of an uploaded picture."""
    has_devices: bool = False
    seen_onboarding_steps: list[str] | None = None

    @property
    def is_bot(self) -> bool:
        return self.bot_type is not None

    @cached_property
    def options(self) -> UserSettings:
        """The personal settings with their defaults filled in."""
        return _settings_with_defaults(orjson.dumps(self.settings, option=orjson.OPT_SORT_KEYS))

    def api_email(self, realm: RealmRecord, root_domain: str) -> str:
        """The address the API shows: the real one, or a made-up one if that is not for everyone."""
        if self.is_bot or self.email_visibility is EmailVisibility.EVERYONE:
            return self.delivery_email
        return self.made_up_email(realm, root_domain)

    def made_up_email(self, realm: RealmRecord, root_domain: str) -> str:
        """An address that reveals nothing but the id; visitors see only this one of a person."""
        return f"user{self.id}@{realm.host(root_domain)}"

    def shows_email_to(self, reader: "UserRecord | None") -> bool:
        """Whether a reader (None: not logged in) may see the real address; bots always show it."""
        if self.is_bot:
            return True
        if reader is None:
            return False
        return reader.id == self.id or self.email_visibility.shows_to(reader.role)


@lru_cache(maxsize=1_000)
def _settings_with_defaults(differences: bytes) -> UserSettings:
    """Users with the same settings, as most have the defaults, share 2 KB of them."""
    return UserSettings.model_validate(orjson.loads(differences))


user_records = RecordReader(UserRecord, User)


def user_id_in(api_email: str, realm_host: str) -> UserId | None:
    """Returns the user id in a made-up address, None for any other address.

    Only one spelling of an id is accepted: each further spelling of a name would allow a further
    set of attempts at its password.
    """
    match = re.fullmatch(r"user([1-9][0-9]{0,17})@(.+)", name_key(api_email))
    is_made_up = match is not None and match[2] == realm_host.lower()
    return UserId(int(match[1])) if match and is_made_up else None


def looks_made_up(email: str, realm_host: str) -> bool:
    """Whether an address has the form of made-up ones; it cannot be a user's real address."""
    match = re.fullmatch(r"user\d+@(.+)", name_key(email))
    return match is not None and match[1] == realm_host.lower()


def is_named(realm: RealmRecord, root_domain: str, name: str) -> ColumnElement[bool]:
    """Condition for the user with this login name: a delivery email, or the address in the API."""
    user_id = user_id_in(name, realm.host(root_domain))
    if user_id is not None:
        return and_(User.realm_id == realm.id, User.id == user_id)
    return and_(User.realm_id == realm.id, User.email_key == name_key(name))
