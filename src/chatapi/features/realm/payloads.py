"""Payloads about a realm and its server."""

from typing import Annotated, Any, NotRequired, get_type_hints

from pydantic import Field
from typing_extensions import TypedDict

from chatapi.permissions.payloads import permission_hints
from chatapi.permissions.settings import RealmPermission
from chatapi.wire.docstrings import SameAs
from chatapi.wire.realm_settings import RealmSettings
from chatapi.wire.types import DEPRECATED


class AuthenticationMethodPayload(TypedDict):
    """Whether a login method is available."""

    enabled: bool
    """Whether people can log in in this way."""
    available: bool
    """Whether administrators can choose it."""
    unavailable_reason: NotRequired[str]
    """Why they cannot; absent if they can."""


class ChoicePayload(TypedDict):
    """One of the values of a setting with a fixed list of values."""

    name: str
    """What clients call the value."""
    id: int
    """The value for the setting."""


class ExternalAccountPayload(TypedDict):
    """A service a profile field can link to."""

    name: str
    """What clients call the field."""
    text: str
    """The name of the service."""
    hint: str
    """A help for those who fill it in; may be empty."""
    url_pattern: str
    """The address of a profile there, with `%(username)s` for the value."""


class ThumbnailFormatPayload(TypedDict):
    """A size in which the server offers images."""

    name: str
    """The last part of the thumbnail's address."""
    max_width: int
    """The largest width, in pixels."""
    max_height: int
    """The largest height, in pixels."""
    format: str
    """The file format, such as `webp`."""
    animated: bool
    """Whether it is for animated images, and moves."""


class ReportTypePayload(TypedDict):
    """A reason for which a message can be reported."""

    key: str
    """The value for `report_type`."""
    name: str
    """What clients call it."""


class RealmIdentityPayload(TypedDict):
    """The identity of the realm."""

    realm_name: str
    """The name of the organization."""
    realm_url: str
    """The address of the organization, without a path."""
    realm_uri: Annotated[str, DEPRECATED]
    """The same as `realm_url`."""
    realm_uuid: str
    """Identifies the organization; it stays when its name and address change."""
    realm_date_created: int
    """When the organization was created, in Unix seconds."""
    realm_bot_domain: str
    """The host name in the email addresses of bots."""
    realm_icon_url: str
    """The icon of the organization."""
    realm_icon_source: str
    """Where the icon comes from. `U`: uploaded, `G`: Gravatar, `J`: drawn by this server."""
    realm_logo_url: str
    """The logo for light backgrounds."""
    realm_logo_source: str
    """Where that logo comes from. `U`: uploaded, `D`: the default."""
    realm_night_logo_url: str
    """The logo for dark backgrounds."""
    realm_night_logo_source: str
    """Where that logo comes from. `U`: uploaded, `D`: the default."""
    realm_plan_type: int
    """Always 1: this server runs without plans."""
    zulip_plan_is_not_limited: bool
    """Always true: no feature depends on a plan."""
    upgrade_text_for_wide_organization_logo: str
    """Always empty: a wide logo needs no plan."""


class RealmFeaturesPayload(TypedDict):
    """Features of the realm, beside the settings that administrators can change."""

    realm_allow_edit_history: bool
    """Whether users see earlier versions of messages; older form of
    `realm_message_edit_history_visibility_policy`."""
    realm_mandatory_topics: bool
    """Whether messages in channels need a topic; older form of `realm_topics_policy`."""
    realm_authentication_methods: dict[str, AuthenticationMethodPayload]
    """The ways to log in, by name."""
    realm_email_auth_enabled: bool
    """Always true: people log in by email address and password."""
    realm_password_auth_enabled: bool
    """Always true: people log in by email address and password."""
    realm_push_notifications_enabled: bool
    """Always false: this server sends no mobile notifications."""
    realm_push_notifications_enabled_end_timestamp: int | None
    """Always null: see `realm_push_notifications_enabled`."""
    realm_upload_quota_mib: int | None
    """How much all files of the organization may take together, in MiB; null for no limit."""
    jitsi_server_url: str
    """The server for video calls: the organization's, else that of the whole server; empty for
    none."""
    realm_available_video_chat_providers: dict[str, ChoicePayload]
    """The values for `video_chat_provider`, by name."""
    realm_default_external_accounts: dict[str, ExternalAccountPayload]
    """The kinds of external accounts that a profile field can link to, by `subtype`."""
    realm_empty_topic_display_name: str
    """What clients call the topic with an empty name."""
    realm_signup_announcements_stream_id: int
    """Always -1: new users are not announced."""
    realm_zulip_update_announcements_stream_id: int
    """Always -1: updates of the server are not announced."""
    gif_rating_policy_options: dict[str, ChoicePayload]
    """The values for `gif_rating_policy`, by name."""
    settings_send_digest_emails: bool
    """Always false: this server sends no email."""


class LegacyPoliciesPayload(TypedDict):
    """Permissions as numbers, for clients that know no groups here."""

    realm_create_public_stream_policy: int
    """Who may create public channels, for clients that do not know groups. 1: members, 2:
    administrators, 3: full members, 4: moderators."""
    realm_create_private_stream_policy: int
    """Who may create private channels; the values are those of `realm_create_public_stream_policy`.
    """
    realm_create_web_public_stream_policy: int
    """Who may create web-public channels. 2: administrators, 4: moderators, 6: nobody, 7: owners.
    """
    realm_wildcard_mention_policy: int
    """Who may mention everyone in large channels. 1: everyone, 2: members, 3: full members, 5:
    administrators, 6: nobody, 7: moderators."""


class ServerLimitsPayload(TypedDict):
    """Limits of parameters, and intervals at which clients should call."""

    max_message_length: int
    """The longest text of a message, in characters."""
    max_topic_length: int
    """The longest topic, in characters."""
    max_stream_name_length: int
    """The longest name of a channel, in characters."""
    max_stream_description_length: int
    """The longest description of a channel, in characters."""
    max_channel_folder_name_length: int
    """The longest name of a channel folder, in characters."""
    max_channel_folder_description_length: int
    """The longest description of a channel folder, in characters."""
    max_reminder_note_length: int
    """The longest note of a reminder, in characters."""
    max_bulk_new_subscription_messages: int
    """How many users can be subscribed in one request so that each still gets a message about it.
    """
    max_icon_file_size_mib: int
    """The largest icon that can be uploaded, in MiB."""
    max_logo_file_size_mib: int
    """The largest logo that can be uploaded, in MiB."""
    max_avatar_file_size_mib: int
    """The largest picture of a user that can be uploaded, in MiB."""
    max_file_upload_size_mib: int
    """The largest file that can be uploaded, in MiB."""
    password_min_length: int
    """The shortest password, in characters."""
    password_max_length: int
    """The longest password, in characters."""
    password_min_guesses: int
    """How hard a password must be to guess. Always 0: only the length counts."""
    event_queue_longpoll_timeout_seconds: int
    """A client that gets no response from `GET /events` for so many seconds should send the request
    again."""
    server_presence_ping_interval_seconds: int
    """How often clients should call `POST /users/me/presence`, in seconds."""
    server_presence_offline_threshold_seconds: int
    """A user who was not seen for so many seconds counts as offline."""
    server_typing_started_expiry_period_milliseconds: int
    """How long a `typing` event with `start` holds, in milliseconds, unless another one follows."""
    server_typing_stopped_wait_period_milliseconds: int
    """After so many milliseconds without a key press, clients should send `stop`."""
    server_typing_started_wait_period_milliseconds: int
    """While a user types, clients should repeat `start` after so many milliseconds."""
    server_min_deactivated_realm_deletion_days: int | None
    """Always null: deactivated organizations are not deleted by themselves."""
    server_max_deactivated_realm_deletion_days: int | None
    """Always null: deactivated organizations are not deleted by themselves."""


class ServerFeaturesPayload(TypedDict):
    """Features of this server, independent of a realm's settings."""

    development_environment: bool
    """Always false: this is a production server."""
    server_generation: int
    """When this process was started, in Unix seconds; another number means a restart."""
    server_needs_upgrade: bool
    """Always false: the server does not judge its own age."""
    server_web_public_streams_enabled: bool
    """Whether the operator allows channels that can be read without an account."""
    server_inline_image_preview: bool
    """Whether the server can show previews of images in messages."""
    server_inline_url_embed_preview: bool
    """Always false: the server shows no previews of web pages."""
    server_thumbnail_formats: list[ThumbnailFormatPayload]
    """The sizes in which uploaded images are offered."""
    server_avatar_changes_disabled: bool
    """Always false: the operator does not restrict pictures of users."""
    server_name_changes_disabled: bool
    """Always false: the operator does not restrict names of users."""
    server_jitsi_server_url: str | None
    """The server for video calls that the operator has configured; null for none."""
    server_can_summarize_topics: bool
    """Always false: this server uses no language models."""
    server_report_message_types: list[ReportTypePayload]
    """The reasons for which a message can be reported."""


class PermissionSettingPayload(TypedDict):
    """The values that a permission setting accepts."""

    require_system_group: bool
    """Whether its value must be a system group."""
    allow_internet_group: bool
    """Whether it may be `role:internet`, which includes visitors without an account."""
    allow_nobody_group: bool
    """Whether it may be `role:nobody`."""
    allow_everyone_group: bool
    """Whether it may be `role:everyone`, which includes guests."""
    default_group_name: str
    """Its default: the name of a system group, or `stream_creator_or_nobody` or `group_creator`."""
    default_for_system_groups: str | None
    """Of a permission of groups: its default where the group is a system group; null for other
    permissions."""
    allowed_system_groups: list[str]
    """If not empty, the only system groups that it may be."""


class SupportedPermissionsPayload(TypedDict):
    """Every permission setting."""

    realm: dict[str, PermissionSettingPayload]
    """Permissions of the organization, by name."""
    stream: dict[str, PermissionSettingPayload]
    """Permissions of a channel, by name."""
    group: dict[str, PermissionSettingPayload]
    """Permissions of a user group, by name."""


class PermissionsPayload(TypedDict):
    """What clients need to offer permission settings."""

    server_supported_permission_settings: SupportedPermissionsPayload
    """Which permissions there are, and which values each accepts."""


def realm_settings_payload() -> type:
    """Every setting and every permission under its wire name."""
    keys = {f"realm_{name}": kind for name, kind in _setting_types().items()}
    return TypedDict("RealmSettingsPayload", keys)  # type: ignore[operator,no-any-return]  # dynamic


def changed_realm_payload() -> type:
    """The settings that changed, each under the name it was passed by."""
    keys = {
        "name": Annotated[str, Field(description="The name of the organization.")],
        **_setting_types(),
    }
    payload = TypedDict("ChangedRealmPayload", keys, total=False)  # type: ignore[misc]  # dynamic
    payload.__doc__ = "The settings and permissions that changed, with their new values."
    return payload


def _setting_types() -> dict[str, Any]:
    hints = get_type_hints(RealmSettings, include_extras=True)
    plain = {
        name: Annotated[hints[name], SameAs(RealmSettings, name)]
        for name in RealmSettings.model_fields
    }
    return {**plain, **permission_hints(RealmPermission)}
