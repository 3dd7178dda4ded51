"""The addresses of users' pictures: uploaded ones, or the default of the organization; pure."""

import hashlib
import re
import unicodedata
from typing import Literal, NamedTuple, TypeAlias

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord

DefaultAvatar: TypeAlias = Literal["G", "J"]
"""The picture of users without one of their own: from gravatar.com, or drawn by this server."""
AvatarSource: TypeAlias = Literal["U", "G", "J"]
"""U: uploaded."""

PREFIX = "/user_avatars/"
"""The path prefix of pictures, outside the API and without authentication."""
DRAWN_PREFIX = PREFIX + "default/"
SIZE = 100
MEDIUM_SIZE = 500
MEDIUM = "medium"
_NOT_IN_INITIALS = re.compile(r"[^A-Z0-9]")
_HUES = 360
_GOLDEN_ANGLE = 137
"""In degrees: users with neighbouring ids get colours that differ well."""


class Avatar(NamedTuple):
    """What the picture of a user depends on, beside the address that gravatar.com knows."""

    user_id: int
    full_name: str
    version: int
    path: str | None = None
    """Of an uploaded picture."""
    default: DefaultAvatar = "G"

    @classmethod
    def of(cls, user: UserRecord, realm: RealmRecord) -> "Avatar":
        return cls(
            user.id,
            user.full_name,
            user.avatar_version,
            user.avatar_path,
            realm.options.default_avatar_source,
        )

    @property
    def source(self) -> AvatarSource:
        return self.default if self.path is None else "U"


def avatar_url(avatar: Avatar, email: str, *, client_computes: bool) -> str | None:
    """None if the client computes it from the address; a hidden address is never hashed."""
    if client_computes and avatar.source == "G":
        return None
    return shown_avatar_url(avatar, email)


def shown_avatar_url(avatar: Avatar, email: str) -> str:
    """The address of the picture; `email` is the one that the reader may see."""
    if avatar.path is not None:
        return PREFIX + avatar.path
    if avatar.default == "J":
        return drawn_picture_url(avatar.user_id, avatar.full_name)
    digest = hashlib.md5(email.lower().encode(), usedforsecurity=False).hexdigest()
    return f"https://secure.gravatar.com/avatar/{digest}?d=identicon&version={avatar.version}"


def medium_avatar_url(avatar: Avatar, email: str) -> str:
    url = shown_avatar_url(avatar, email)
    if avatar.source == "G":
        return f"{url}&s={MEDIUM_SIZE}"
    return f"{url.removesuffix('.png')}-{MEDIUM}.png"


def drawn_picture_url(number: int, name: str) -> str:
    """The address of a picture that the server draws: initials on a colour.

    The address says all that is drawn, so nothing has to be stored or looked up.
    """
    hue = number * _GOLDEN_ANGLE % _HUES
    return f"{DRAWN_PREFIX}{hue}/{initials_of(name) or '_'}.png"


def initials_of(name: str) -> str:
    """The first letters of the first and the last word, as far as Latin letters can show them."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().upper()
    words = [letters for word in plain.split() if (letters := _NOT_IN_INITIALS.sub("", word))]
    if not words:
        return ""
    return words[0][0] if len(words) == 1 else words[0][0] + words[-1][0]
