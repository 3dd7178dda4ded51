"""Parameters of the channel endpoints."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from chatapi.features.channels.payloads import TopicsPolicy
from chatapi.features.channels.rules import RetentionParam
from chatapi.permissions.changes import (
    passed_permissions,
    permission_change_params,
    permission_params,
)
from chatapi.permissions.settings import ChannelPermission
from chatapi.wire.group_values import GroupSettingChange, GroupSettingParam
from chatapi.wire.limits import MAX_CHANNEL_DESCRIPTION_LENGTH, MAX_CHANNEL_NAME_LENGTH
from chatapi.wire.params import JsonOrString, Params
from chatapi.wire.types import Id

MAX_USERS = 10_000

ChannelName = Annotated[str, Field(max_length=MAX_CHANNEL_NAME_LENGTH, examples=["general"])]
ChannelDescription = Annotated[
    str, Field(max_length=MAX_CHANNEL_DESCRIPTION_LENGTH, examples=["Everything *else*."])
]


def _without_quotes(value: Any) -> Any:  # noqa: ANN401 (validated next)
    """Some clients send the JSON of a string where others send the string."""
    return value.strip('"') if isinstance(value, str) else value


TopicsPolicyParam = Annotated[TopicsPolicy, BeforeValidator(_without_quotes)]
Retention = Annotated[RetentionParam, JsonOrString()]

_PermissionParams = permission_params(ChannelPermission)
_PermissionChanges = permission_change_params(ChannelPermission)


class ChannelOptions(_PermissionParams):  # type: ignore[misc,valid-type]  # from a table
    """SPEC 2.6: the options of a channel that is created."""

    announce: bool = False
    """Whether the new channel is announced, in the channel that the organization chose for
    announcements."""
    invite_only: bool = False
    """Whether the channel is private: only its subscribers, administrators and users whom its
    permissions name know of it."""
    is_web_public: bool = False
    """Whether people without an account can read it. Needs public access to the organization."""
    is_default_stream: bool = False
    """Whether new users join it. For administrators, and not for private channels."""
    history_public_to_subscribers: bool | None = None
    """Whether newcomers see what was sent before; always so in public channels."""
    message_retention_days: Retention = "realm_default"
    """Days until messages are deleted, `realm_default` for the number of the organization, or
    `unlimited`. Only owners may pass a number."""
    topics_policy: TopicsPolicyParam = "inherit"
    """Whether messages may have an empty topic. `inherit`: as the organization decides,
    `empty_topic_only`: there is no other topic."""
    default_push_notifications: bool = False
    """Whether new subscribers get mobile notifications of all messages. Stored for clients: this
    server sends none."""
    folder_id: Id | None = None
    """The folder that the channel is in; null for none."""

    def chosen_permissions(self) -> dict[ChannelPermission, GroupSettingParam]:
        """The permissions that were passed."""
        return passed_permissions(ChannelPermission, self)


class CreateChannelParams(ChannelOptions):
    """POST /channels/create: a new channel and its first subscribers."""

    name: ChannelName
    """The name of the channel; must differ from other channels in more than case."""
    description: ChannelDescription = ""
    """What the channel is for, in Markdown."""
    subscribers: Annotated[list[Id], Field(max_length=MAX_USERS)]
    """Ids of the users who are in the channel from the start. You are not, unless you name
    yourself."""


class ChangeChannelParams(_PermissionChanges):  # type: ignore[misc,valid-type]  # from a table
    """PATCH /streams/{stream_id}: what is not passed stays unchanged."""

    new_name: ChannelName | None = None
    """Replaces the name; must differ from other channels in more than case."""
    description: ChannelDescription | None = None
    """Replaces the description, in Markdown; may be empty."""
    is_private: bool | None = None
    """Whether only its subscribers, administrators and users whom its permissions name know of it.
    """
    is_web_public: bool | None = None
    """Whether visitors without an account can read it. Needs public access to the organization."""
    history_public_to_subscribers: bool | None = None
    """Whether newcomers see what was sent before; always so in public channels."""
    is_default_stream: bool | None = None
    """Whether new users join it. For administrators, and not for private channels."""
    message_retention_days: Annotated[RetentionParam | None, JsonOrString()] = None
    """Days until messages are deleted, `realm_default` for the number of the organization, or
    `unlimited`. For owners."""
    topics_policy: TopicsPolicyParam | None = None
    """Whether messages may have an empty topic. `inherit`: as the organization decides,
    `empty_topic_only`: there is no other topic."""
    default_push_notifications: bool | None = None
    """Whether new subscribers get mobile notifications of all messages. Stored for clients: this
    server sends none."""
    folder_id: Id | None = None
    """The folder that the channel is in; null takes it out of its folder."""
    is_archived: bool | None = None
    """False unarchives the channel, which is for administrators; true archives it."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to change; only a folder can be changed to `null`."""
        passed = {name for name, value in self if value is not None}
        return not passed and "folder_id" not in self.model_fields_set

    def permission_changes(self) -> dict[ChannelPermission, GroupSettingChange]:
        """The permissions that are to change."""
        return passed_permissions(ChannelPermission, self)


class ListChannelsParams(Params):
    """GET /streams: which of the channels that the caller can see."""

    include_public: bool = True
    """Whether all public channels are listed; guests get only those they are subscribed to."""
    include_web_public: bool = False
    """Whether all web-public channels are listed."""
    include_subscribed: bool = True
    """Whether the channels you are subscribed to are listed."""
    include_owner_subscribed: bool = False
    """Of a bot: whether the channels its owner is subscribed to are listed."""
    include_can_access_content: bool = False
    """Whether all channels in which you can read are listed."""
    include_all: bool = False
    """Whether all channels you can see are listed, also private ones in which you cannot read."""
    include_all_active: bool = False
    """The older name of `include_all`."""
    exclude_archived: bool = True
    """Whether archived channels are left out."""
    include_default: bool = False
    """Whether each channel comes with `is_default`."""


class GetChannelIdParams(Params):
    """GET /get_stream_id."""

    stream: Annotated[str, Field(max_length=MAX_CHANNEL_NAME_LENGTH)]
    """The name of the channel; case does not matter."""


class GetChannelEmailParams(Params):
    """GET /streams/{stream_id}/email_address."""

    sender_id: Id | None = None
    """The user in whose name mail would be posted; yourself if left out."""


class ListTopicsParams(Params):
    """GET /users/me/{stream_id}/topics."""

    allow_empty_topic_name: bool = False
    """Whether your client understands a topic with an empty name; otherwise it is called `general
    chat`."""


class DefaultChannelParams(Params):
    """POST and DELETE /default_streams."""

    stream_id: Id
    """The channel that new users join, or no longer join."""
