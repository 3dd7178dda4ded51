"""Rules for names and kinds of channels; pure."""

from enum import IntEnum
from typing import Annotated, Literal

from msgspec import Struct
from pydantic import Field

from chatapi.auth.realm_cache import RealmRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import GroupId
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.settings import ChannelPermission
from chatapi.permissions.stored import channel_permissions

REALM_DEFAULT = "realm_default"
_FOR_EVER = -1
_MAX_DAYS = 100_000
RetentionParam = Literal["realm_default", "unlimited"] | Annotated[int, Field(ge=1, le=_MAX_DAYS)]


class PostPolicy(IntEnum):
    """Which users may send messages, in the coarse values that older clients know."""

    EVERYONE = 1
    ADMINISTRATORS = 2
    FULL_MEMBERS = 3
    MODERATORS = 4


_POLICY_OF = {
    SystemGroup.ADMINISTRATORS: PostPolicy.ADMINISTRATORS,
    SystemGroup.FULL_MEMBERS: PostPolicy.FULL_MEMBERS,
    SystemGroup.MODERATORS: PostPolicy.MODERATORS,
}


def post_policy(channel: ChannelRecord, realm: RealmRecord) -> PostPolicy:
    """The nearest value that older clients know; settings without such a value appear as open."""
    only_group = (
        channel_permissions(realm, channel)
        .permission(ChannelPermission.CAN_SEND_MESSAGE)
        .only_group
    )
    for group, policy in _POLICY_OF.items():
        if only_group == GroupId(realm.system_groups[group]):
            return policy
    return PostPolicy.EVERYONE


class ChannelKind(Struct, frozen=True):
    """Which users can see a channel, and how much history new subscribers see."""

    invite_only: bool
    is_web_public: bool
    history_public_to_subscribers: bool

    @classmethod
    def of(cls, channel: ChannelRecord) -> "ChannelKind":
        return cls(
            channel.invite_only, channel.is_web_public, channel.history_public_to_subscribers
        )

    def check(self) -> "ChannelKind":
        """Returns the kind if the combination is valid, else raises."""
        if self.is_web_public and self.invite_only:
            raise BadRequestError("is_web_public: A web-public channel cannot be private")
        if not self.invite_only and not self.history_public_to_subscribers:
            raise BadRequestError(
                "history_public_to_subscribers: Only private channels can have protected history"
            )
        return self


def check_name(name: str, parameter: str = "name") -> str:
    """The name without surrounding spaces, if it is valid for a channel."""
    name = name.strip()
    if not name:
        raise BadRequestError(f"{parameter} cannot be empty")
    if not name.isprintable():
        raise BadRequestError(f"{parameter} contains invalid characters")
    return name


def one_line(description: str) -> str:
    """The description on one line: lists show descriptions in a single line."""
    return " ".join(description.split())


def retention_days(value: RetentionParam) -> int | None:
    """The value to store: None for the realm's default."""
    if value == REALM_DEFAULT:
        return None
    return value if isinstance(value, int) else _FOR_EVER
