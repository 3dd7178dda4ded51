"""Every permission: its name, its default, which groups it may include, what it allows.

Parameters, `{new, old}` changes, keys of responses, register section and documentation derive from
these enums: a new permission is one entry here, and the place that asks for it. An organization,
a channel or a group without a stored value has the default, so stored rows need no change.
"""

from enum import StrEnum
from functools import partial
from typing import Literal, Self, TypeVar

from msgspec import Struct

from chatapi.core.system_groups import SystemGroup

Creator = Literal["group_creator", "stream_creator_or_nobody"]
"""Defaults that depend on who creates the group or channel; the names are those of the API."""

_NOT_EVERYONE = frozenset({SystemGroup.INTERNET, SystemGroup.EVERYONE})
_NOT_INTERNET = frozenset({SystemGroup.INTERNET})
_NOT_NOBODY = _NOT_EVERYONE | {SystemGroup.NOBODY}


class PermissionSetting(Struct, frozen=True):
    """The properties of a permission."""

    default: SystemGroup | Creator
    allows_to: str
    """What users with the permission may do, as a verb phrase for the documentation."""
    default_for_system_groups: SystemGroup | None = None
    """The default of a group's permission if the group is a system group."""
    require_system_group: bool = False
    allowed_system_groups: tuple[SystemGroup, ...] = ()
    """If not empty, the only system groups the setting may name."""
    forbidden: frozenset[SystemGroup] = _NOT_EVERYONE
    owner_only: bool = False
    """Whether only owners may change the setting."""

    @property
    def description(self) -> str:
        """What the setting means, for the documentation."""
        return f"Which users may {self.allows_to}."

    def allows(self, group: SystemGroup) -> bool:
        if self.allowed_system_groups and group not in self.allowed_system_groups:
            return False
        return group not in self.forbidden


class Permission(StrEnum):
    """A permission by the name that clients and stored rows use."""

    setting: PermissionSetting

    def __new__(cls, name: str, setting: PermissionSetting) -> Self:
        permission = str.__new__(cls, name)
        permission._value_ = name
        permission.setting = setting
        return permission


PermissionT = TypeVar("PermissionT", bound=Permission)
PermissionT_contra = TypeVar("PermissionT_contra", bound=Permission, contravariant=True)


class RealmPermission(Permission):
    """The permissions of an organization."""

    CAN_ACCESS_ALL_USERS = (
        "can_access_all_users_group",
        PermissionSetting(
            SystemGroup.EVERYONE,
            "see all users of the organization",
            require_system_group=True,
            allowed_system_groups=(SystemGroup.EVERYONE, SystemGroup.MEMBERS),
            forbidden=_NOT_INTERNET,
        ),
    )
    CAN_ADD_CUSTOM_EMOJI = (
        "can_add_custom_emoji_group",
        PermissionSetting(SystemGroup.MEMBERS, "add custom emoji, and remove their own"),
    )
    CAN_ADD_SUBSCRIBERS = (
        "can_add_subscribers_group",
        PermissionSetting(SystemGroup.MEMBERS, "subscribe others to channels they can read"),
    )
    CAN_CREATE_BOTS = (
        "can_create_bots_group",
        PermissionSetting(SystemGroup.MEMBERS, "create bots of all kinds"),
    )
    CAN_CREATE_GROUPS = (
        "can_create_groups",
        PermissionSetting(SystemGroup.MEMBERS, "create user groups"),
    )
    CAN_CREATE_PRIVATE_CHANNEL = (
        "can_create_private_channel_group",
        PermissionSetting(SystemGroup.MEMBERS, "create private channels"),
    )
    CAN_CREATE_PUBLIC_CHANNEL = (
        "can_create_public_channel_group",
        PermissionSetting(SystemGroup.MEMBERS, "create public channels"),
    )
    CAN_CREATE_WEB_PUBLIC_CHANNEL = (
        "can_create_web_public_channel_group",
        PermissionSetting(
            SystemGroup.OWNERS,
            "create channels that can be read without an account",
            owner_only=True,
            require_system_group=True,
            allowed_system_groups=(
                SystemGroup.MODERATORS,
                SystemGroup.ADMINISTRATORS,
                SystemGroup.OWNERS,
                SystemGroup.NOBODY,
            ),
        ),
    )
    CAN_CREATE_WRITE_ONLY_BOTS = (
        "can_create_write_only_bots_group",
        PermissionSetting(SystemGroup.MEMBERS, "create bots that can only send messages"),
    )
    CAN_DELETE_ANY_MESSAGE = (
        "can_delete_any_message_group",
        PermissionSetting(SystemGroup.ADMINISTRATORS, "delete messages of others"),
    )
    CAN_DELETE_OWN_MESSAGE = (
        "can_delete_own_message_group",
        PermissionSetting(
            SystemGroup.EVERYONE, "delete their own messages", forbidden=_NOT_INTERNET
        ),
    )
    CAN_INVITE_USERS = (
        "can_invite_users_group",
        PermissionSetting(SystemGroup.MEMBERS, "invite users", owner_only=True),
    )
    CAN_MANAGE_ALL_GROUPS = (
        "can_manage_all_groups",
        PermissionSetting(
            SystemGroup.OWNERS, "manage all user groups", forbidden=_NOT_NOBODY, owner_only=True
        ),
    )
    CAN_MANAGE_BILLING = (
        "can_manage_billing_group",
        PermissionSetting(
            SystemGroup.ADMINISTRATORS,
            "manage plans and billing",
            forbidden=_NOT_NOBODY,
            owner_only=True,
        ),
    )
    CAN_MENTION_MANY_USERS = (
        "can_mention_many_users_group",
        PermissionSetting(
            SystemGroup.ADMINISTRATORS, "use wildcard mentions that notify many users"
        ),
    )
    CAN_MOVE_MESSAGES_BETWEEN_CHANNELS = (
        "can_move_messages_between_channels_group",
        PermissionSetting(SystemGroup.MEMBERS, "move messages to another channel"),
    )
    CAN_MOVE_MESSAGES_BETWEEN_TOPICS = (
        "can_move_messages_between_topics_group",
        PermissionSetting(
            SystemGroup.EVERYONE, "move messages to another topic", forbidden=_NOT_INTERNET
        ),
    )
    CAN_RESOLVE_TOPICS = (
        "can_resolve_topics_group",
        PermissionSetting(SystemGroup.EVERYONE, "mark topics as resolved", forbidden=_NOT_INTERNET),
    )
    CAN_SET_DELETE_MESSAGE_POLICY = (
        "can_set_delete_message_policy_group",
        PermissionSetting(
            SystemGroup.MODERATORS, "change who may delete messages in channels they administer"
        ),
    )
    CAN_SET_TOPICS_POLICY = (
        "can_set_topics_policy_group",
        PermissionSetting(
            SystemGroup.MEMBERS, "change the topics policy of channels they administer"
        ),
    )
    CAN_SUMMARIZE_TOPICS = (
        "can_summarize_topics_group",
        PermissionSetting(SystemGroup.EVERYONE, "summarize topics", forbidden=_NOT_INTERNET),
    )
    CREATE_MULTIUSE_INVITE = (
        "create_multiuse_invite_group",
        PermissionSetting(
            SystemGroup.ADMINISTRATORS, "create reusable invitation links", owner_only=True
        ),
    )
    DIRECT_MESSAGE_INITIATOR = (
        "direct_message_initiator_group",
        PermissionSetting(
            SystemGroup.EVERYONE, "start direct message conversations", forbidden=_NOT_INTERNET
        ),
    )
    DIRECT_MESSAGE_PERMISSION = (
        "direct_message_permission_group",
        PermissionSetting(
            SystemGroup.EVERYONE,
            "send direct messages, and receive them from any user",
            forbidden=_NOT_INTERNET,
        ),
    )
    WORKPLACE_USERS = (
        "workplace_users_group",
        PermissionSetting(
            SystemGroup.EVERYONE, "be billed as workplace users", forbidden=_NOT_INTERNET
        ),
    )


class ChannelPermission(Permission):
    """The permissions of a channel."""

    CAN_ADD_SUBSCRIBERS = (
        "can_add_subscribers_group",
        PermissionSetting(SystemGroup.NOBODY, "subscribe themselves and others"),
    )
    CAN_ADMINISTER_CHANNEL = (
        "can_administer_channel_group",
        PermissionSetting("stream_creator_or_nobody", "change the settings of the channel"),
    )
    CAN_CREATE_TOPIC = (
        "can_create_topic_group",
        PermissionSetting(SystemGroup.EVERYONE, "start topics", forbidden=_NOT_INTERNET),
    )
    CAN_DELETE_ANY_MESSAGE = (
        "can_delete_any_message_group",
        PermissionSetting(SystemGroup.NOBODY, "delete messages of others"),
    )
    CAN_DELETE_OWN_MESSAGE = (
        "can_delete_own_message_group",
        PermissionSetting(SystemGroup.NOBODY, "delete their own messages", forbidden=_NOT_INTERNET),
    )
    CAN_MOVE_MESSAGES_OUT_OF_CHANNEL = (
        "can_move_messages_out_of_channel_group",
        PermissionSetting(SystemGroup.NOBODY, "move messages to another channel"),
    )
    CAN_MOVE_MESSAGES_WITHIN_CHANNEL = (
        "can_move_messages_within_channel_group",
        PermissionSetting(
            SystemGroup.NOBODY, "move messages to another topic", forbidden=_NOT_INTERNET
        ),
    )
    CAN_REMOVE_SUBSCRIBERS = (
        "can_remove_subscribers_group",
        PermissionSetting(SystemGroup.ADMINISTRATORS, "unsubscribe others"),
    )
    CAN_RESOLVE_TOPICS = (
        "can_resolve_topics_group",
        PermissionSetting(SystemGroup.NOBODY, "mark topics as resolved", forbidden=_NOT_INTERNET),
    )
    CAN_SEND_MESSAGE = (
        "can_send_message_group",
        PermissionSetting(SystemGroup.EVERYONE, "send messages", forbidden=_NOT_INTERNET),
    )
    CAN_SUBSCRIBE = (
        "can_subscribe_group",
        PermissionSetting(SystemGroup.NOBODY, "subscribe themselves, if the channel is private"),
    )


_GroupSetting = partial(PermissionSetting, default_for_system_groups=SystemGroup.NOBODY)


class GroupPermission(Permission):
    """The permissions of a user group."""

    CAN_ADD_MEMBERS = (
        "can_add_members_group",
        _GroupSetting("group_creator", "add members"),
    )
    CAN_JOIN = (
        "can_join_group",
        _GroupSetting(SystemGroup.NOBODY, "join the group"),
    )
    CAN_LEAVE = (
        "can_leave_group",
        _GroupSetting(SystemGroup.EVERYONE, "leave the group", forbidden=_NOT_INTERNET),
    )
    CAN_MANAGE = (
        "can_manage_group",
        _GroupSetting("group_creator", "change the group, its permissions and its members"),
    )
    CAN_MENTION = (
        "can_mention_group",
        _GroupSetting(
            SystemGroup.EVERYONE,
            "mention the group",
            forbidden=frozenset({SystemGroup.INTERNET, SystemGroup.OWNERS}),
        ),
    )
    CAN_REMOVE_MEMBERS = (
        "can_remove_members_group",
        _GroupSetting(SystemGroup.NOBODY, "remove members"),
    )
