"""The system groups of every realm: one per role, each part of the next, and two extremes."""

from enum import StrEnum

from chatapi.core.roles import Role


class SystemGroup(StrEnum):
    """From the smallest to the largest; each contains the ones before it."""

    NOBODY = "role:nobody"
    OWNERS = "role:owners"
    ADMINISTRATORS = "role:administrators"
    MODERATORS = "role:moderators"
    FULL_MEMBERS = "role:fullmembers"
    MEMBERS = "role:members"
    EVERYONE = "role:everyone"
    INTERNET = "role:internet"

    @property
    def description(self) -> str:
        return _DESCRIPTIONS[self]

    @property
    def subgroups(self) -> tuple["SystemGroup", ...]:
        """The next smaller group; `role:nobody` is outside the chain."""
        position = _CHAIN.index(self) if self in _CHAIN else 0
        return _CHAIN[position - 1 : position] if position else ()


_CHAIN = tuple(group for group in SystemGroup if group is not SystemGroup.NOBODY)
_DESCRIPTIONS = {
    SystemGroup.NOBODY: "Nobody",
    SystemGroup.OWNERS: "Owners of this organization",
    SystemGroup.ADMINISTRATORS: "Administrators of this organization, including owners",
    SystemGroup.MODERATORS: "Moderators of this organization, including administrators",
    SystemGroup.FULL_MEMBERS: (
        "Members of this organization, not including new accounts and guests"
    ),
    SystemGroup.MEMBERS: "Members of this organization, not including guests",
    SystemGroup.EVERYONE: "Everyone in this organization, including guests",
    SystemGroup.INTERNET: "Everyone on the Internet",
}
_DIRECTLY = {
    Role.OWNER: SystemGroup.OWNERS,
    Role.ADMIN: SystemGroup.ADMINISTRATORS,
    Role.MODERATOR: SystemGroup.MODERATORS,
    Role.GUEST: SystemGroup.EVERYONE,
}


def direct_system_group(role: Role, *, is_full_member: bool) -> SystemGroup:
    """The smallest system group of a user, the only one the user is a direct member of."""
    if role is Role.MEMBER:
        return SystemGroup.FULL_MEMBERS if is_full_member else SystemGroup.MEMBERS
    return _DIRECTLY[role]


def system_groups_of(role: Role, *, is_full_member: bool) -> tuple[SystemGroup, ...]:
    """Every system group a user is in."""
    direct = direct_system_group(role, is_full_member=is_full_member)
    return _CHAIN[_CHAIN.index(direct) :]
