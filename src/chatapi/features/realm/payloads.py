"""Payloads about a realm and its server."""

from typing import Annotated, Any, NotRequired, get_type_hints

from typing_extensions import TypedDict

from chatapi.permissions.settings import RealmPermission
from chatapi.wire.group_values import GroupSettingPayload
from chatapi.wire.realm_settings import RealmSettings
from chatapi.wire.types import DEPRECATED


class AuthenticationMethodPayload(TypedDict):
    """Whether a login method is available."""

    enabled: bool
    available: bool
    unavailable_reason: NotRequired[str]


class ChoicePayload(TypedDict):
    """One of the values of a setting with a fixed list of values."""

    name: str
    id: int


class ExternalAccountPayload(TypedDict):
    """A service a profile field can link to."""

    name: str
    text: str
    hint: str
    url_pattern: str


class ThumbnailFormatPayload(TypedDict):
    """A size in which the server offers images."""

    name: str
    max_width: int
    max_height: int
    format: str
    animated: bool


class ReportTypePayload(TypedDict):
    """A reason for which a message can be reported."""

    key: str
    name: str


class RealmIdentityPayload(TypedDict):
    """The identity of the realm."""

    realm_name: str
    realm_url: str
    realm_uri: Annotated[str, DEPRECATED]
    realm_uuid: str
    realm_date_created: int
    realm_bot_domain: str
    realm_icon_url: str
    realm_icon_source: str
    realm_logo_url: str
    realm_logo_source: str
    realm_night_logo_url: str
    realm_night_logo_source: str
    realm_plan_type: int
    zulip_plan_is_not_limited: bool
    upgrade_text_for_wide_organization_logo: str


class RealmFeaturesPayload(TypedDict):
    """Features of the realm, beside the settings that administrators can change."""

    realm_allow_edit_history: bool
    realm_mandatory_topics: bool
    realm_authentication_methods: dict[str, AuthenticationMethodPayload]
    realm_email_auth_enabled: bool
    realm_password_auth_enabled: bool
    realm_push_notifications_enabled: bool
    realm_push_notifications_enabled_end_timestamp: int | None
    realm_upload_quota_mib: int | None
    jitsi_server_url: str
    """The server for video calls: the organization's, else that of the whole server, or empty."""
    realm_available_video_chat_providers: dict[str, ChoicePayload]
    realm_default_external_accounts: dict[str, ExternalAccountPayload]
    realm_empty_topic_display_name: str
    realm_signup_announcements_stream_id: int
    realm_zulip_update_announcements_stream_id: int
    gif_rating_policy_options: dict[str, ChoicePayload]
    settings_send_digest_emails: bool


class LegacyPoliciesPayload(TypedDict):
    """Permissions as numbers, for clients that know no groups here."""

    realm_create_public_stream_policy: int
    realm_create_private_stream_policy: int
    realm_create_web_public_stream_policy: int
    realm_wildcard_mention_policy: int


class ServerLimitsPayload(TypedDict):
    """Limits of parameters, and intervals at which clients should call."""

    max_message_length: int
    max_topic_length: int
    max_stream_name_length: int
    max_stream_description_length: int
    max_channel_folder_name_length: int
    max_channel_folder_description_length: int
    max_reminder_note_length: int
    max_bulk_new_subscription_messages: int
    max_icon_file_size_mib: int
    max_logo_file_size_mib: int
    max_avatar_file_size_mib: int
    max_file_upload_size_mib: int
    password_min_length: int
    password_max_length: int
    password_min_guesses: int
    event_queue_longpoll_timeout_seconds: int
    server_presence_ping_interval_seconds: int
    server_presence_offline_threshold_seconds: int
    server_typing_started_expiry_period_milliseconds: int
    server_typing_stopped_wait_period_milliseconds: int
    server_typing_started_wait_period_milliseconds: int
    server_min_deactivated_realm_deletion_days: int | None
    server_max_deactivated_realm_deletion_days: int | None


class ServerFeaturesPayload(TypedDict):
    """Features of this server, independent of a realm's settings."""

    development_environment: bool
    server_generation: int
    server_needs_upgrade: bool
    server_web_public_streams_enabled: bool
    server_inline_image_preview: bool
    server_inline_url_embed_preview: bool
    server_thumbnail_formats: list[ThumbnailFormatPayload]
    server_avatar_changes_disabled: bool
    server_name_changes_disabled: bool
    server_jitsi_server_url: str | None
    server_can_summarize_topics: bool
    server_report_message_types: list[ReportTypePayload]


class PermissionSettingPayload(TypedDict):
    """The values that a permission setting accepts."""

    require_system_group: bool
    allow_internet_group: bool
    allow_nobody_group: bool
    allow_everyone_group: bool
    default_group_name: str
    default_for_system_groups: str | None
    allowed_system_groups: list[str]


class SupportedPermissionsPayload(TypedDict):
    """Every permission setting."""

    realm: dict[str, PermissionSettingPayload]
    stream: dict[str, PermissionSettingPayload]
    group: dict[str, PermissionSettingPayload]


class PermissionsPayload(TypedDict):
    """What clients need to offer permission settings."""

    server_supported_permission_settings: SupportedPermissionsPayload


def realm_settings_payload() -> type:
    """Every setting and every permission under its wire name."""
    keys = {f"realm_{name}": kind for name, kind in _setting_types().items()}
    return TypedDict("RealmSettingsPayload", keys)  # type: ignore[operator,no-any-return]  # dynamic


def changed_realm_payload() -> type:
    """The settings that changed, each under the name it was passed by."""
    keys = {"name": str, **_setting_types()}
    return TypedDict("ChangedRealmPayload", keys, total=False)  # type: ignore[operator,no-any-return]  # dynamic


def _setting_types() -> dict[str, Any]:
    hints = get_type_hints(RealmSettings, include_extras=True)
    plain = {name: hints[name] for name in RealmSettings.model_fields}
    permissions = [permission.value for permission in RealmPermission]
    return {**plain, **dict.fromkeys(permissions, GroupSettingPayload)}
