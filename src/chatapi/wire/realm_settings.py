"""Settings of a realm: wire name (without `realm_`), type and default of each."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from chatapi.core.ids import MAX_ID
from chatapi.core.web_addresses import is_web_address
from chatapi.wire.params import WireModel
from chatapi.wire.types import LanguageCode

Seconds = Annotated[int, Field(ge=0, le=10 * 365 * 24 * 3600)]
Days = Literal[-1] | Annotated[int, Field(ge=1, le=100_000)]
"""How long something is kept; -1: for ever."""


NO_CHANNEL = -1
OptionalChannel = Annotated[int, Field(ge=NO_CHANNEL, le=MAX_ID)]
"""The id of a channel for announcements, -1 for none."""


class OwnersOnly:
    """Marks a setting that only owners of the organization may change."""


class UsersOnly:
    """Marks a setting that visitors without an account must not see."""


class SentInUpdateDict:
    """Marks a setting whose changes clients expect in `realm/update_dict`."""


def _unless_unlimited(unlimited: int | None) -> BeforeValidator:
    """Accept "unlimited" for the value that is stored for it."""

    def read(value: Any) -> Any:  # noqa: ANN401 (validated next)
        return unlimited if value == "unlimited" else value

    kind: Any = Seconds | None if unlimited is None else Days
    return BeforeValidator(read, json_schema_input_type=kind | Literal["unlimited"])


def _jitsi_server_url(value: Any) -> Any:  # noqa: ANN401 (validated next)
    """Accept "default" and "null" for the server that the operator has configured."""
    if value in {"default", "null", None}:
        return None
    if isinstance(value, str) and is_web_address(value):
        return value.rstrip("/")
    raise ValueError("Must be a web address")


JitsiServerUrl = Annotated[str | None, Field(max_length=200), BeforeValidator(_jitsi_server_url)]
"""The server of an organization for video calls; None: the one that the operator has configured."""
TimeLimit = Annotated[Seconds | None, _unless_unlimited(None)]


class RealmSettings(WireModel):
    """The settings of a realm; stored as the differences from these defaults."""

    model_config = ConfigDict(extra="ignore")

    description: Annotated[str, Field(max_length=1000)] = ""
    default_language: LanguageCode = "en"
    welcome_message_custom_text: Annotated[str, Field(max_length=8000), UsersOnly()] = ""
    digest_emails_enabled: bool = False
    digest_weekday: Annotated[int, Field(ge=0, le=6)] = 1
    disallow_disposable_email_addresses: bool = False
    email_changes_disabled: bool = False
    name_changes_disabled: bool = False
    avatar_changes_disabled: bool = False
    emails_restricted_to_domains: bool = False
    invite_required: bool = True
    media_preview_size: Literal[100, 150, 200] = 150
    inline_image_preview: bool = True
    inline_url_embed_preview: bool = False
    topics_policy: Literal["allow_empty_topic", "disable_empty_topic"] = "allow_empty_topic"
    message_retention_days: Annotated[Days, _unless_unlimited(-1), OwnersOnly()] = -1
    message_edit_history_visibility_policy: Literal["all", "moves", "none"] = "all"
    allow_message_editing: Annotated[bool, SentInUpdateDict()] = True
    message_content_edit_limit_seconds: Annotated[TimeLimit, SentInUpdateDict()] = 600
    message_content_delete_limit_seconds: TimeLimit = 600
    move_messages_within_stream_limit_seconds: TimeLimit = 604800
    move_messages_between_streams_limit_seconds: TimeLimit = 604800
    require_e2ee_push_notifications: bool = False
    require_unique_names: bool = False
    send_channel_events_messages: bool = True
    new_stream_announcements_stream_id: OptionalChannel = NO_CHANNEL
    moderation_request_channel_id: OptionalChannel = NO_CHANNEL
    send_welcome_emails: bool = False
    message_content_allowed_in_email_notifications: bool = True
    enable_spectator_access: bool = False
    want_advertise_in_communities_directory: bool = False
    video_chat_provider: Literal[0, 1] = 0
    jitsi_server_url: JitsiServerUrl = None
    gif_rating_policy: Literal[0] = 0
    waiting_period_threshold: Annotated[int, Field(ge=0, le=100_000)] = 0
    default_code_block_language: Annotated[str, Field(max_length=100)] = ""
    enable_read_receipts: bool = True
    presence_disabled: bool = False
    org_type: Annotated[int, Field(ge=0, le=1000)] = 0
    owner_full_content_access: bool = False
    enable_guest_user_dm_warning: bool = True
    enable_guest_user_indicator: bool = True
    default_avatar_source: Literal["G", "J"] = "G"

    @classmethod
    def marked(cls, marker: type) -> frozenset[str]:
        """The names of the settings that have a marker."""
        return frozenset(
            name
            for name, field in cls.model_fields.items()
            if any(isinstance(item, marker) for item in field.metadata)
        )
