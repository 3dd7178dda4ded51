"""The realm and server part of the POST /register response.

The context is of the snapshot, so nothing has to be read again.
"""

from collections.abc import Hashable, Mapping
from typing import Any

from chatapi.auth.context import RealmContext
from chatapi.auth.passwords import MAX_LENGTH as MAX_PASSWORD_LENGTH
from chatapi.auth.passwords import MIN_LENGTH as MIN_PASSWORD_LENGTH
from chatapi.core.clock import unix_seconds
from chatapi.core.names import EMPTY_TOPIC_DISPLAY_NAME
from chatapi.events.client import ClientProfile
from chatapi.features.messages import REPORT_TYPES
from chatapi.features.realm.payloads import (
    AuthenticationMethodPayload,
    LegacyPoliciesPayload,
    PermissionsPayload,
    RealmFeaturesPayload,
    RealmIdentityPayload,
    ReportTypePayload,
    ServerFeaturesPayload,
    ServerLimitsPayload,
    realm_settings_payload,
)
from chatapi.features.realm.picture_addresses import RealmPicture
from chatapi.features.realm.rules import MAX_PICTURE_MIB, supported_permissions
from chatapi.features.realm.settings.legacy_policies import (
    create_channel_policy,
    create_web_public_channel_policy,
    wildcard_mention_policy,
)
from chatapi.features.realm.settings.video_calls import VIDEO_CALL_PROVIDERS, jitsi_server_url
from chatapi.features.state import public_section
from chatapi.features.uploads import thumbnail_formats
from chatapi.features.users import (
    KNOWN_SITES,
    MAX_AVATAR_MIB,
    OFFLINE_AFTER_SECONDS,
    PING_EVERY_SECONDS,
)
from chatapi.permissions.settings import ChannelPermission, GroupPermission, RealmPermission
from chatapi.permissions.stored import realm_permissions
from chatapi.wire import limits
from chatapi.wire.realm_settings import NO_CHANNEL, RealmSettings, UsersOnly

_AUTHENTICATION_METHODS: dict[str, AuthenticationMethodPayload] = {
    "Email": {"enabled": True, "available": True}
}
_HIDDEN_FROM_VISITORS = {
    name: RealmSettings.model_fields[name].default for name in RealmSettings.marked(UsersOnly)
}
"""Settings of which visitors without an account see the default only."""
_REPORT_TYPES: list[ReportTypePayload] = [
    {"key": key, "name": name} for key, name in REPORT_TYPES.items()
]
_SELF_HOSTED = 1

# Longer than the heartbeat interval of a poll: a client that receives nothing this long retries.
_LONGPOLL_TIMEOUT_SECONDS = 90
_TYPING_EXPIRES_MILLISECONDS = 15_000
_TYPING_STOPPED_WAIT_MILLISECONDS = 5_000
_TYPING_STARTED_WAIT_MILLISECONDS = 10_000


def _cache_key(ctx: RealmContext, _profile: ClientProfile) -> Hashable | None:
    """By whether the reader is a visitor; None if the realm changed since the request began."""
    return ctx.reader is None if ctx.runtime.realms.is_current(ctx.realm) else None


@public_section("realm", payload=realm_settings_payload(), cache_key=_cache_key)
async def load_settings(ctx: RealmContext, _profile: ClientProfile) -> Mapping[str, Any]:
    permissions = realm_permissions(ctx.realm).to_wire()
    settings = ctx.realm.options.model_dump()
    if ctx.reader is None:
        settings |= _HIDDEN_FROM_VISITORS
    return {
        **{f"realm_{name}": value for name, value in settings.items()},
        **{f"realm_{name}": value for name, value in permissions.items()},
    }


@public_section("realm")
async def load_identity(ctx: RealmContext, _profile: ClientProfile) -> RealmIdentityPayload:
    realm = ctx.realm
    return {
        "realm_name": realm.name,
        "realm_url": ctx.public_url,
        "realm_uri": ctx.public_url,
        "realm_uuid": realm.uuid,
        "realm_date_created": unix_seconds(realm.date_created),
        "realm_bot_domain": ctx.bot_domain,
        "realm_icon_url": RealmPicture.ICON.url_in(realm),
        "realm_icon_source": RealmPicture.ICON.source_in(realm),
        "realm_logo_url": RealmPicture.LOGO.url_in(realm),
        "realm_logo_source": RealmPicture.LOGO.source_in(realm),
        "realm_night_logo_url": RealmPicture.NIGHT_LOGO.url_in(realm),
        "realm_night_logo_source": RealmPicture.NIGHT_LOGO.source_in(realm),
        "realm_plan_type": _SELF_HOSTED,
        "zulip_plan_is_not_limited": True,
        "upgrade_text_for_wide_organization_logo": "",
    }


@public_section("realm", cache_key=_cache_key)
async def load_realm_features(ctx: RealmContext, _profile: ClientProfile) -> RealmFeaturesPayload:
    options = ctx.realm.options
    return {
        "realm_allow_edit_history": options.message_edit_history_visibility_policy != "none",
        "realm_mandatory_topics": options.topics_policy == "disable_empty_topic",
        "realm_authentication_methods": _AUTHENTICATION_METHODS,
        "realm_email_auth_enabled": True,
        "realm_password_auth_enabled": True,
        "realm_push_notifications_enabled": False,
        "realm_push_notifications_enabled_end_timestamp": None,
        "realm_upload_quota_mib": ctx.settings.upload_quota_mib or None,
        "jitsi_server_url": jitsi_server_url(ctx.realm.options, ctx.settings) or "",
        "realm_available_video_chat_providers": VIDEO_CALL_PROVIDERS,
        "realm_default_external_accounts": {
            key: {
                "name": site.name,
                "text": site.title,
                "hint": "",
                "url_pattern": site.url_pattern,
            }
            for key, site in KNOWN_SITES.items()
        },
        "realm_empty_topic_display_name": EMPTY_TOPIC_DISPLAY_NAME,
        "realm_signup_announcements_stream_id": NO_CHANNEL,
        "realm_zulip_update_announcements_stream_id": NO_CHANNEL,
        "gif_rating_policy_options": {"disabled": {"name": "GIFs disabled", "id": 0}},
        "settings_send_digest_emails": False,
    }


@public_section("realm", cache_key=_cache_key)
async def load_legacy_policies(ctx: RealmContext, _profile: ClientProfile) -> LegacyPoliciesPayload:
    realm = ctx.realm
    public, private = (
        RealmPermission.CAN_CREATE_PUBLIC_CHANNEL,
        RealmPermission.CAN_CREATE_PRIVATE_CHANNEL,
    )
    return {
        "realm_create_public_stream_policy": create_channel_policy(realm, public),
        "realm_create_private_stream_policy": create_channel_policy(realm, private),
        "realm_create_web_public_stream_policy": create_web_public_channel_policy(realm),
        "realm_wildcard_mention_policy": wildcard_mention_policy(realm),
    }


@public_section("realm", cache_key=_cache_key)
async def load_permission_settings(
    _ctx: RealmContext, _profile: ClientProfile
) -> PermissionsPayload:
    return {
        "server_supported_permission_settings": {
            "realm": supported_permissions(RealmPermission),
            "stream": supported_permissions(ChannelPermission),
            "group": supported_permissions(GroupPermission),
        }
    }


@public_section("realm", cache_key=_cache_key)
async def load_limits(ctx: RealmContext, _profile: ClientProfile) -> ServerLimitsPayload:
    return {
        "max_message_length": limits.MAX_MESSAGE_LENGTH,
        "max_topic_length": limits.MAX_TOPIC_LENGTH,
        "max_stream_name_length": limits.MAX_CHANNEL_NAME_LENGTH,
        "max_stream_description_length": limits.MAX_CHANNEL_DESCRIPTION_LENGTH,
        "max_channel_folder_name_length": limits.MAX_CHANNEL_FOLDER_NAME_LENGTH,
        "max_channel_folder_description_length": limits.MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH,
        "max_reminder_note_length": limits.MAX_REMINDER_NOTE_LENGTH,
        "max_bulk_new_subscription_messages": limits.MAX_SUBSCRIPTION_MESSAGES,
        "max_icon_file_size_mib": MAX_PICTURE_MIB,
        "max_logo_file_size_mib": MAX_PICTURE_MIB,
        "max_avatar_file_size_mib": MAX_AVATAR_MIB,
        "max_file_upload_size_mib": ctx.settings.max_file_upload_size_mib,
        "password_min_length": MIN_PASSWORD_LENGTH,
        "password_max_length": MAX_PASSWORD_LENGTH,
        "password_min_guesses": 0,
        "event_queue_longpoll_timeout_seconds": _LONGPOLL_TIMEOUT_SECONDS,
        "server_presence_ping_interval_seconds": PING_EVERY_SECONDS,
        "server_presence_offline_threshold_seconds": OFFLINE_AFTER_SECONDS,
        "server_typing_started_expiry_period_milliseconds": _TYPING_EXPIRES_MILLISECONDS,
        "server_typing_stopped_wait_period_milliseconds": _TYPING_STOPPED_WAIT_MILLISECONDS,
        "server_typing_started_wait_period_milliseconds": _TYPING_STARTED_WAIT_MILLISECONDS,
        "server_min_deactivated_realm_deletion_days": None,
        "server_max_deactivated_realm_deletion_days": None,
    }


@public_section("realm", cache_key=_cache_key)
async def load_server_features(ctx: RealmContext, _profile: ClientProfile) -> ServerFeaturesPayload:
    return {
        "development_environment": False,
        "server_generation": unix_seconds(ctx.runtime.started_at),
        "server_needs_upgrade": False,
        "server_web_public_streams_enabled": ctx.settings.web_public_streams_enabled,
        "server_inline_image_preview": True,
        "server_inline_url_embed_preview": False,
        "server_thumbnail_formats": thumbnail_formats(),
        "server_avatar_changes_disabled": False,
        "server_name_changes_disabled": False,
        "server_jitsi_server_url": ctx.settings.jitsi_server_url or None,
        "server_can_summarize_topics": False,
        "server_report_message_types": _REPORT_TYPES,
    }
