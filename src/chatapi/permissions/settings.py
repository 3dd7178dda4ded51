"""Every permission setting: name, default, and which groups it may not name.

Column, parameter, `{new, old}` change, register section and documentation derive from here;
adding a permission is one line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from chatapi.core.system_groups import SystemGroup

Creator = Literal["group_creator", "stream_creator_or_nobody"]
"""Defaults that depend on who creates the group or channel; the names are those of the API."""


@dataclass(frozen=True)
class PermissionSetting:
    """A permission setting: which users may do one thing."""

    name: str
    default: SystemGroup | Creator
    default_for_system_groups: SystemGroup | None = None
    require_system_group: bool = False
    allowed_system_groups: tuple[SystemGroup, ...] = ()
    """If not empty, the only system groups the setting may name."""
    forbidden: frozenset[SystemGroup] = frozenset({SystemGroup.INTERNET, SystemGroup.EVERYONE})
    owner_only: bool = False
    """Whether only owners may change the setting."""

    def allows(self, group: SystemGroup) -> bool:
        if self.allowed_system_groups and group not in self.allowed_system_groups:
            return False
        return group not in self.forbidden


_NOT_INTERNET = frozenset({SystemGroup.INTERNET})
_NOT_NOBODY = frozenset({SystemGroup.INTERNET, SystemGroup.EVERYONE, SystemGroup.NOBODY})


def _table(*settings: PermissionSetting) -> Mapping[str, PermissionSetting]:
    return {setting.name: setting for setting in settings}


REALM_PERMISSIONS = _table(
    PermissionSetting(
        "can_access_all_users_group",
        SystemGroup.EVERYONE,
        require_system_group=True,
        allowed_system_groups=(SystemGroup.EVERYONE, SystemGroup.MEMBERS),
        forbidden=_NOT_INTERNET,
    ),
    PermissionSetting("can_add_custom_emoji_group", SystemGroup.MEMBERS),
    PermissionSetting("can_add_subscribers_group", SystemGroup.MEMBERS),
    PermissionSetting("can_create_bots_group", SystemGroup.MEMBERS),
    PermissionSetting("can_create_groups", SystemGroup.MEMBERS),
    PermissionSetting("can_create_private_channel_group", SystemGroup.MEMBERS),
    PermissionSetting("can_create_public_channel_group", SystemGroup.MEMBERS),
    PermissionSetting(
        "can_create_web_public_channel_group",
        SystemGroup.OWNERS,
        owner_only=True,
        require_system_group=True,
        allowed_system_groups=(
            SystemGroup.MODERATORS,
            SystemGroup.ADMINISTRATORS,
            SystemGroup.OWNERS,
            SystemGroup.NOBODY,
        ),
    ),
    PermissionSetting("can_create_write_only_bots_group", SystemGroup.MEMBERS),
    PermissionSetting("can_delete_any_message_group", SystemGroup.ADMINISTRATORS),
    PermissionSetting(
        "can_delete_own_message_group", SystemGroup.EVERYONE, forbidden=_NOT_INTERNET
    ),
    PermissionSetting("can_invite_users_group", SystemGroup.MEMBERS, owner_only=True),
    PermissionSetting(
        "can_manage_all_groups", SystemGroup.OWNERS, forbidden=_NOT_NOBODY, owner_only=True
    ),
    PermissionSetting(
        "can_manage_billing_group",
        SystemGroup.ADMINISTRATORS,
        forbidden=_NOT_NOBODY,
        owner_only=True,
    ),
    PermissionSetting("can_mention_many_users_group", SystemGroup.ADMINISTRATORS),
    PermissionSetting("can_move_messages_between_channels_group", SystemGroup.MEMBERS),
    PermissionSetting(
        "can_move_messages_between_topics_group", SystemGroup.EVERYONE, forbidden=_NOT_INTERNET
    ),
    PermissionSetting("can_resolve_topics_group", SystemGroup.EVERYONE, forbidden=_NOT_INTERNET),
    PermissionSetting("can_set_delete_message_policy_group", SystemGroup.MODERATORS),
    PermissionSetting("can_set_topics_policy_group", SystemGroup.MEMBERS),
    PermissionSetting("can_summarize_topics_group", SystemGroup.EVERYONE, forbidden=_NOT_INTERNET),
    PermissionSetting("create_multiuse_invite_group", SystemGroup.ADMINISTRATORS, owner_only=True),
    PermissionSetting(
        "direct_message_initiator_group", SystemGroup.EVERYONE, forbidden=_NOT_INTERNET
    ),
    PermissionSetting(
        "direct_message_permission_group", SystemGroup.EVERYONE, forbidden=_NOT_INTERNET
    ),
    PermissionSetting("workplace_users_group", SystemGroup.EVERYONE, forbidden=_NOT_INTERNET),
)

CHANNEL_PERMISSIONS = _table(
    PermissionSetting("can_add_subscribers_group", SystemGroup.NOBODY),
    PermissionSetting("can_administer_channel_group", "stream_creator_or_nobody"),
    PermissionSetting("can_create_topic_group", SystemGroup.EVERYONE, forbidden=_NOT_INTERNET),
    PermissionSetting("can_delete_any_message_group", SystemGroup.NOBODY),
    PermissionSetting("can_delete_own_message_group", SystemGroup.NOBODY, forbidden=_NOT_INTERNET),
    PermissionSetting("can_move_messages_out_of_channel_group", SystemGroup.NOBODY),
    PermissionSetting(
        "can_move_messages_within_channel_group", SystemGroup.NOBODY, forbidden=_NOT_INTERNET
    ),
    PermissionSetting("can_remove_subscribers_group", SystemGroup.ADMINISTRATORS),
    PermissionSetting("can_resolve_topics_group", SystemGroup.NOBODY, forbidden=_NOT_INTERNET),
    PermissionSetting("can_send_message_group", SystemGroup.EVERYONE, forbidden=_NOT_INTERNET),
    PermissionSetting("can_subscribe_group", SystemGroup.NOBODY),
)

GROUP_PERMISSIONS = _table(
    PermissionSetting(
        "can_add_members_group",
        "group_creator",
        default_for_system_groups=SystemGroup.NOBODY,
        forbidden=_NOT_INTERNET | {SystemGroup.EVERYONE},
    ),
    PermissionSetting(
        "can_join_group", SystemGroup.NOBODY, default_for_system_groups=SystemGroup.NOBODY
    ),
    PermissionSetting(
        "can_leave_group",
        SystemGroup.EVERYONE,
        default_for_system_groups=SystemGroup.NOBODY,
        forbidden=_NOT_INTERNET,
    ),
    PermissionSetting(
        "can_manage_group", "group_creator", default_for_system_groups=SystemGroup.NOBODY
    ),
    PermissionSetting(
        "can_mention_group",
        SystemGroup.EVERYONE,
        default_for_system_groups=SystemGroup.NOBODY,
        forbidden=frozenset({SystemGroup.INTERNET, SystemGroup.OWNERS}),
    ),
    PermissionSetting(
        "can_remove_members_group",
        SystemGroup.NOBODY,
        default_for_system_groups=SystemGroup.NOBODY,
    ),
)
