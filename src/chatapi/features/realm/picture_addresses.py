"""The addresses of an organization's icon and logos: uploaded ones, or a default; pure."""

import hashlib
from enum import StrEnum
from typing import TypeAlias

from chatapi.auth.realm_cache import RealmRecord
from chatapi.features.users import drawn_picture_url
from chatapi.wire.group_values import GroupSettingPayload

PREFIX = "/realm_pictures/"
"""The path prefix of uploaded ones, outside the API and without authentication."""


PictureValue: TypeAlias = bool | str | GroupSettingPayload | None
"""Of an event, whose values may be others as well."""


class RealmPicture(StrEnum):
    """A picture of the organization; the value is the name that events and state give it."""

    ICON = "icon"
    LOGO = "logo"
    NIGHT_LOGO = "night_logo"

    @property
    def column(self) -> str:
        return f"{self.value}_path"

    def path_in(self, realm: RealmRecord) -> str | None:
        path: str | None = getattr(realm, self.column)
        return path

    def url_in(self, realm: RealmRecord) -> str:
        path = self.path_in(realm)
        return _default_url(realm) if path is None else PREFIX + path

    def source_in(self, realm: RealmRecord) -> str:
        """U: uploaded; G: gravatar.com, J: drawn by this server; D: the default logo."""
        if self.path_in(realm) is not None:
            return "U"
        return realm.options.default_avatar_source if self is RealmPicture.ICON else "D"

    def changes_in(self, realm: RealmRecord) -> dict[str, PictureValue]:
        """Its address and source, as clients receive them when they change."""
        return {
            f"{self.value}_url": self.url_in(realm),
            f"{self.value}_source": self.source_in(realm),
        }


def _default_url(realm: RealmRecord) -> str:
    """Derived from what never changes: a change of it could not be announced."""
    if realm.options.default_avatar_source == "J":
        return drawn_picture_url(realm.id, realm.subdomain)
    digest = hashlib.md5(realm.uuid.encode(), usedforsecurity=False).hexdigest()
    return f"https://secure.gravatar.com/avatar/{digest}?d=identicon"
