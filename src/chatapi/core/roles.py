"""The five roles of an organization, from most to least powerful."""

from enum import IntEnum


class Role(IntEnum):
    """Smaller numbers have more permissions."""

    OWNER = 100
    ADMIN = 200
    MODERATOR = 300
    MEMBER = 400
    GUEST = 600

    def at_least(self, other: "Role") -> bool:
        return self <= other

    def capped_at(self, limit: "Role") -> "Role":
        """The role itself, or the limit if the role has more permissions."""
        return max(self, limit)

    @property
    def is_member(self) -> bool:
        """Whether the role gives access to the realm's public channels: all but guests."""
        return self is not Role.GUEST


class BotType(IntEnum):
    """How a bot is driven."""

    GENERIC = 1
    INCOMING_WEBHOOK = 2
    OUTGOING_WEBHOOK = 3
    EMBEDDED = 4


class EmailVisibility(IntEnum):
    """Who may see the real address of a user."""

    EVERYONE = 1
    MEMBERS = 2
    ADMINS = 3
    NOBODY = 4
    MODERATORS = 5

    def shows_to(self, role: Role | None) -> bool:
        """Whether a reader of this role (None: not logged in) may see the address."""
        match self:
            case EmailVisibility.EVERYONE:
                return role is not None
            case EmailVisibility.MEMBERS:
                return role is not None and role.at_least(Role.MEMBER)
            case EmailVisibility.MODERATORS:
                return role is not None and role.at_least(Role.MODERATOR)
            case EmailVisibility.ADMINS:
                return role is not None and role.at_least(Role.ADMIN)
            case EmailVisibility.NOBODY:
                return False
