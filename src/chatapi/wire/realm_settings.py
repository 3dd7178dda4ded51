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
    """What the organization is, in Markdown; shown to people who log in."""
    default_language: LanguageCode = "en"
    """The language of notices, and of the interface for new users."""
    welcome_message_custom_text: Annotated[str, Field(max_length=8000), UsersOnly()] = ""
    """What new users are told by the welcome bot, in Markdown; empty for nothing. Visitors without
    an account always get an empty text."""
    digest_emails_enabled: bool = False
    """Whether users get a digest by email. Stored for clients: this server sends no email."""
    digest_weekday: Annotated[int, Field(ge=0, le=6)] = 1
    """The day of the digest. 0: Monday, 6: Sunday."""
    disallow_disposable_email_addresses: bool = False
    """Whether addresses of disposable mail services are refused. Stored for clients."""
    email_changes_disabled: bool = False
    """Whether users cannot change their own email address. Stored for clients: here only
    administrators can."""
    name_changes_disabled: bool = False
    """Whether only administrators can change names."""
    avatar_changes_disabled: bool = False
    """Whether only administrators can change pictures of users."""
    emails_restricted_to_domains: bool = False
    """Whether new users must have an address of one of the mail domains (`GET /realm/domains`)."""
    invite_required: bool = True
    """Whether an account needs an invitation. Stored for clients: here administrators create
    accounts."""
    media_preview_size: Literal[100, 150, 200] = 150
    """The height of image previews in clients, in pixels."""
    inline_image_preview: bool = True
    """Whether messages show previews of the images they link."""
    inline_url_embed_preview: bool = False
    """Whether messages show previews of the web pages they link. Stored for clients: this server
    makes none."""
    topics_policy: Literal["allow_empty_topic", "disable_empty_topic"] = "allow_empty_topic"
    """Whether messages of channels may have an empty topic, where the channel has no policy of its
    own."""
    message_retention_days: Annotated[Days, _unless_unlimited(-1), OwnersOnly()] = -1
    """Days after which messages of channels are deleted, where the channel has no number of its
    own; -1 for never."""
    message_edit_history_visibility_policy: Literal["all", "moves", "none"] = "all"
    """What users see of earlier versions of messages: `all`, only `moves`, or `none`."""
    allow_message_editing: Annotated[bool, SentInUpdateDict()] = True
    """Whether users may edit the texts of their messages."""
    message_content_edit_limit_seconds: Annotated[TimeLimit, SentInUpdateDict()] = 600
    """How long after sending a text may be edited, in seconds; null for no limit."""
    message_content_delete_limit_seconds: TimeLimit = 600
    """How long after sending users may delete their own messages, in seconds; null for no limit."""
    move_messages_within_stream_limit_seconds: TimeLimit = 604800
    """How long after sending a message may be moved to another topic, in seconds; null for no
    limit. Moderators have none."""
    move_messages_between_streams_limit_seconds: TimeLimit = 604800
    """How long after sending a message may be moved to another channel, in seconds; null for no
    limit. Moderators have none."""
    require_e2ee_push_notifications: bool = False
    """Whether mobile notifications must be encrypted. Stored for clients: this server sends none.
    """
    require_unique_names: bool = False
    """Whether no two users may have the same name. Stored for clients."""
    send_channel_events_messages: bool = True
    """Whether changes of a channel are told by a notice in it."""
    new_stream_announcements_stream_id: OptionalChannel = NO_CHANNEL
    """The channel in which new channels are announced; -1 for none."""
    moderation_request_channel_id: OptionalChannel = NO_CHANNEL
    """The private channel in which reports of messages are posted; -1 for none."""
    send_welcome_emails: bool = False
    """Whether new users get an email. Stored for clients: this server sends no email."""
    message_content_allowed_in_email_notifications: bool = True
    """Whether emails may contain the text of messages. Stored for clients: this server sends no
    email."""
    enable_spectator_access: bool = False
    """Whether visitors without an account can read web-public channels."""
    want_advertise_in_communities_directory: bool = False
    """Whether the organization wants to be listed in a public directory. Stored for clients."""
    video_chat_provider: Literal[0, 1] = 0
    """What clients offer for video calls. 0: nothing, 1: Jitsi Meet."""
    jitsi_server_url: JitsiServerUrl = None
    """The Jitsi Meet server of the organization; null for that of the whole server."""
    gif_rating_policy: Literal[0] = 0
    """Which GIFs clients offer. 0, the only value: none."""
    waiting_period_threshold: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Days after which a new member becomes a full member."""
    default_code_block_language: Annotated[str, Field(max_length=100)] = ""
    """The language of code blocks that name none; empty for plain text."""
    enable_read_receipts: bool = True
    """Whether users can see who has read a message."""
    presence_disabled: bool = False
    """Whether users do not see who is online."""
    org_type: Annotated[int, Field(ge=0, le=1000)] = 0
    """A number for the kind of organization, such as 10 for a business; 0 if it is not said."""
    owner_full_content_access: bool = False
    """Whether owners may export private messages. Stored for clients."""
    enable_guest_user_dm_warning: bool = True
    """Whether clients warn before a direct message to a guest."""
    enable_guest_user_indicator: bool = True
    """Whether clients mark the names of guests."""
    default_avatar_source: Literal["G", "J"] = "G"
    """What users without a picture of their own get. `G`: a picture of Gravatar, `J`: their
    initials, drawn by this server."""

    @classmethod
    def marked(cls, marker: type) -> frozenset[str]:
        """The names of the settings that have a marker."""
        return frozenset(
            name
            for name, field in cls.model_fields.items()
            if any(isinstance(item, marker) for item in field.metadata)
        )
