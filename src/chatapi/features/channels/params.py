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
from chatapi.wire.params import JsonOrString, Params, with_example
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

    announce: bool = Field(
        default=False,
        description="Whether the new channel is announced where the organization wants that.",
    )
    invite_only: bool = Field(default=False, description="Whether the channel is private.")
    is_web_public: bool = Field(
        default=False, description="Whether people without an account can read it."
    )
    is_default_stream: bool = Field(default=False, description="Whether new users join it.")
    history_public_to_subscribers: bool | None = Field(
        default=None,
        description="Whether newcomers see what was sent before; always so in public channels.",
    )
    message_retention_days: Retention = Field(
        default="realm_default",
        description="Days until messages are deleted, `realm_default` or `unlimited`.",
    )
    topics_policy: TopicsPolicyParam = "inherit"
    default_push_notifications: bool = False
    folder_id: Id | None = Field(default=None, description="The folder the channel is in.")

    def chosen_permissions(self) -> dict[ChannelPermission, GroupSettingParam]:
        """The permissions that were passed."""
        return passed_permissions(ChannelPermission, self)


class CreateChannelParams(ChannelOptions):
    """POST /channels/create: a new channel and its first subscribers."""

    model_config = with_example(name="lunch", description="What to eat", subscribers=[2])

    name: ChannelName
    description: ChannelDescription = ""
    subscribers: Annotated[list[Id], Field(max_length=MAX_USERS)] = Field(
        description="Ids of the users who are in the channel from the start."
    )


class ChangeChannelParams(_PermissionChanges):  # type: ignore[misc,valid-type]  # from a table
    """PATCH /streams/{stream_id}: what is not passed stays unchanged."""

    model_config = with_example(description="For everyone, about everything.")

    new_name: ChannelName | None = None
    description: ChannelDescription | None = None
    is_private: bool | None = None
    is_web_public: bool | None = None
    history_public_to_subscribers: bool | None = None
    is_default_stream: bool | None = None
    message_retention_days: Annotated[RetentionParam | None, JsonOrString()] = None
    topics_policy: TopicsPolicyParam | None = None
    default_push_notifications: bool | None = None
    folder_id: Id | None = Field(
        default=None, description="The folder the channel is in; `null` takes it out."
    )
    is_archived: bool | None = Field(
        default=None, description="`false` unarchives the channel; `true` archives it."
    )

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

    include_public: bool = Field(default=True, description="All public channels.")
    include_web_public: bool = Field(default=False, description="All web-public channels.")
    include_subscribed: bool = Field(default=True, description="Channels the caller is in.")
    include_owner_subscribed: bool = Field(
        default=False, description="For bots: channels the owner of the bot is in."
    )
    include_can_access_content: bool = Field(
        default=False, description="All channels in which the caller can read."
    )
    include_all: bool = Field(default=False, description="All channels that exist for the caller.")
    include_all_active: bool = Field(default=False, description="The same.")
    exclude_archived: bool = True
    include_default: bool = Field(
        default=False, description="Whether each channel comes with `is_default`."
    )


class GetChannelIdParams(Params):
    """GET /get_stream_id."""

    stream: Annotated[str, Field(max_length=MAX_CHANNEL_NAME_LENGTH, examples=["general"])]


class GetChannelEmailParams(Params):
    """GET /streams/{stream_id}/email_address."""

    sender_id: Id | None = None
    """The user in whose name mail would be posted."""


class ListTopicsParams(Params):
    """GET /users/me/{stream_id}/topics."""

    allow_empty_topic_name: bool = Field(
        default=False, description="Whether the client understands a topic without a name."
    )


class DefaultChannelParams(Params):
    """POST and DELETE /default_streams."""

    stream_id: Id
