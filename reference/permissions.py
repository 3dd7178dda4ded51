"""Generates docs/permissions.md from the enums of permissions."""

from collections.abc import Callable, Iterable

from chatapi.core.system_groups import SystemGroup
from chatapi.features.realm import OWNER_ONLY
from chatapi.permissions.settings import (
    ChannelPermission,
    GroupPermission,
    Permission,
    PermissionSetting,
    RealmPermission,
)

_INTRODUCTION = """\
# Permissions

Written by `python3 dev.py reference`; a test fails when this page is out of date.

A permission setting names the people who may do one thing. Its value is the id of a user group, or
`{"direct_members": [...], "direct_subgroups": [...]}`: people and groups without a name of their
own. It is changed as `{"new": value, "old": value}`; where `old` is passed and is not the present
value, the answer is `EXPECTATION_MISMATCH` and nothing changes.

Deactivated groups cannot be named. Guests never get a permission that `role:everyone` cannot have.
"""
Describe = Callable[[PermissionSetting], str]

_CREATORS = {
    "group_creator": "the user who creates the group",
    "stream_creator_or_nobody": "the user who creates the channel",
}


def permissions_page() -> str:
    """Generate the page of all system groups and permission settings."""
    plain = [f"`{name}`" for name in sorted(OWNER_ONLY - {*RealmPermission})]
    return "\n".join(
        [
            _INTRODUCTION,
            "## System groups",
            "",
            "Every organization has them; roles and the waiting period decide who is in them.",
            "",
            *_table(
                ("Group", "Who is in it"),
                ((f"`{group}`", group.description) for group in SystemGroup),
            ),
            "## Of the organization",
            "",
            "Changed by administrators with `PATCH /realm`, in `POST /register` as `realm_...`.",
            f"Beside permissions, only owners may change {', '.join(plain)}.",
            "",
            *_settings(RealmPermission, **{"Changed by": _changed_by}),
            "## Of a channel",
            "",
            *_settings(ChannelPermission),
            "## Of a user group",
            "",
            "Changed by those who may manage the group with `PATCH /user_groups/{user_group_id}`.",
            "",
            *_settings(GroupPermission, **{"Of system groups": _for_system_groups}),
        ]
    )


def _settings(permissions: type[Permission], **more: Describe) -> list[str]:
    """One row per permission; `more` adds columns by title."""
    columns: dict[str, Describe] = {
        "Allows to": lambda setting: setting.allows_to,
        "Default": _default,
        "Cannot be": _cannot_be,
        **more,
    }
    return _table(
        ["Setting", *columns],
        (
            [f"`{each}`", *(describe(each.setting) for describe in columns.values())]
            for each in permissions
        ),
    )


def _default(setting: PermissionSetting) -> str:
    return _CREATORS.get(setting.default, f"`{setting.default}`")


def _cannot_be(setting: PermissionSetting) -> str:
    if setting.require_system_group:
        allowed = [f"`{group}`" for group in SystemGroup if setting.allows(group)]
        return f"anything but {', '.join(allowed)}"
    return ", ".join(f"`{group}`" for group in SystemGroup if not setting.allows(group))


def _changed_by(setting: PermissionSetting) -> str:
    return "owners" if setting.owner_only else "administrators"


def _for_system_groups(setting: PermissionSetting) -> str:
    return f"`{setting.default_for_system_groups}`"


def _table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    lines = [list(titles), ["---" for _ in titles], *rows]
    return [*(f"| {' | '.join(cells)} |" for cells in lines), ""]
