"""Personal settings: wire name, type and default of each; adding one is one line."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from chatapi.wire.params import WireModel
from chatapi.wire.types import LanguageCode

NOTIFICATION_SOUNDS = ["chime", "ding", "zulip"]
EMOJI_SETS = {"google": "Google", "twitter": "Twitter", "text": "Plain text"}

OneToThree = Literal[1, 2, 3]
OneToFour = Literal[1, 2, 3, 4]


class UserSettings(WireModel):
    """The settings of a user; stored as the differences from these defaults."""

    # Users with the same settings share one object.
    model_config = ConfigDict(extra="ignore", frozen=True)

    twenty_four_hour_time: bool = False
    """Whether clients show times as 17:00 instead of 5:00 PM."""
    web_mark_read_on_scroll_policy: OneToThree = 1
    """When the web client marks messages as read by scrolling. 1: always, 2: only in views of one
    conversation, 3: never."""
    web_channel_default_view: Literal[1, 2, 3, 4] = 1
    """Where a click on a channel leads. 1: its newest topic, 2: all its messages, 3: the list of
    its topics, 4: its newest unread topic."""
    starred_message_counts: bool = True
    """Whether clients show the number of starred messages."""
    receives_typing_notifications: bool = True
    """Whether this user's clients receive `typing` events."""
    web_suggest_update_timezone: bool = True
    """Whether the web client offers to change `timezone` when the device is in another time zone.
    """
    fluid_layout_width: bool = False
    """Whether the web client uses the whole width of the screen."""
    high_contrast_mode: bool = False
    """Whether clients use stronger colours. Stored for clients."""
    web_font_size_px: Annotated[int, Field(ge=8, le=48)] = 16
    """The size of text in the web client, in pixels."""
    web_line_height_percent: Annotated[int, Field(ge=50, le=300)] = 140
    """The height of a line in the web client, in percent of the size of text."""
    color_scheme: OneToThree = 1
    """1: as the device is set, 2: dark, 3: light."""
    translate_emoticons: bool = False
    """Whether `:)` and the like become emoji in messages this user sends."""
    display_emoji_reaction_users: bool = True
    """Whether clients show the names of the users who reacted instead of a number, where there are
    few."""
    default_language: LanguageCode = "en"
    """The language in which clients show their interface."""
    web_home_view: Literal["inbox", "recent_topics", "recent", "all_messages"] = "inbox"
    """The first view of the web client. `recent` and `recent_topics` mean the same."""
    web_escape_navigates_to_home_view: bool = True
    """Whether the Escape key leads to the home view in the web client."""
    left_side_userlist: bool = False
    """Whether the list of users is at the left in narrow windows."""
    emojiset: Literal["google", "twitter", "text"] = "google"
    """The pictures that clients use for emoji; `text` for their names instead of pictures."""
    demote_inactive_streams: OneToThree = 1
    """When clients show channels without recent messages at the end of the list. 1: if there are
    many channels, 2: always, 3: never."""
    user_list_style: OneToThree = 2
    """What the list of users shows. 1: names, 2: names and statuses, 3: pictures, names and
    statuses."""
    web_animate_image_previews: Literal["always", "on_hover", "never"] = "on_hover"
    """When the web client plays animated images in messages."""
    web_stream_unreads_count_display_policy: OneToThree = 2
    """Which channels have a number of unread messages in the web client. 1: all, 2: all but muted
    ones, 3: none."""
    hide_ai_features: bool = False
    """Whether clients hide features that use language models. This server has none."""
    web_inbox_show_channel_folders: bool = True
    """Whether the inbox of the web client groups channels by folder."""
    web_left_sidebar_show_channel_folders: bool = True
    """Whether the sidebar of the web client groups channels by folder."""
    web_left_sidebar_unreads_count_summary: bool = True
    """Whether the sidebar of the web client shows numbers of unread messages for whole sections."""
    enter_sends: bool = False
    """Whether the Enter key sends a message; otherwise it begins a new line."""
    enable_drafts_synchronization: bool = True
    """Whether drafts are stored on the server. If not, `GET /drafts` and the `drafts` of `POST
    /register` are refused or empty."""
    enable_stream_desktop_notifications: bool = False
    """Whether every message of a channel makes a desktop notification, unless the subscription has
    a setting of its own."""
    enable_stream_email_notifications: bool = False
    """Whether every message of a channel is to be sent by email. Stored for clients: this server
    sends no email."""
    enable_stream_push_notifications: bool = False
    """Whether every message of a channel makes a mobile notification. Stored for clients: this
    server sends none."""
    enable_stream_audible_notifications: bool = False
    """Whether every message of a channel makes a sound, unless the subscription has a setting of
    its own."""
    notification_sound: Literal["none", "chime", "ding", "zulip"] = "zulip"
    """The sound of notifications; `none` for silence."""
    enable_desktop_notifications: bool = True
    """Whether direct messages, mentions and alert words make desktop notifications."""
    enable_sounds: bool = True
    """Whether direct messages, mentions and alert words make a sound."""
    enable_followed_topic_desktop_notifications: bool = True
    """Whether messages of followed topics make desktop notifications."""
    enable_followed_topic_email_notifications: bool = True
    """Whether messages of followed topics are to be sent by email. Stored for clients: this server
    sends no email."""
    enable_followed_topic_push_notifications: bool = True
    """Whether messages of followed topics make mobile notifications. Stored for clients: this
    server sends none."""
    enable_followed_topic_audible_notifications: bool = True
    """Whether messages of followed topics make a sound."""
    email_notifications_batching_period_seconds: Annotated[int, Field(ge=0, le=604800)] = 120
    """How long to wait for further messages before sending them in one email, in seconds. Stored
    for clients: this server sends no email."""
    enable_offline_email_notifications: bool = True
    """Whether direct messages and mentions are to be sent by email while the user is away. Stored
    for clients: this server sends no email."""
    enable_offline_push_notifications: bool = True
    """Whether direct messages and mentions make mobile notifications while the user is away. Stored
    for clients: this server sends none."""
    enable_online_push_notifications: bool = True
    """Whether mobile notifications are made also while the user is online. Stored for clients: this
    server sends none."""
    enable_digest_emails: bool = True
    """Whether the user wants a digest by email. Stored for clients: this server sends no email."""
    enable_marketing_emails: bool = True
    """Whether the user wants news about the product by email. Stored for clients: this server sends
    no email."""
    enable_login_emails: bool = True
    """Whether the user wants an email about each new login. Stored for clients: this server sends
    no email."""
    message_content_in_email_notifications: bool = True
    """Whether emails contain the text of messages. Stored for clients: this server sends no email.
    """
    pm_content_in_desktop_notifications: bool = True
    """Whether desktop notifications show the text of direct messages."""
    wildcard_mentions_notify: bool = True
    """Whether mentions of a whole channel or topic notify like mentions of the user."""
    enable_followed_topic_wildcard_mentions_notify: bool = True
    """The same for mentions in followed topics."""
    desktop_icon_count_display: OneToFour = 1
    """Which unread messages the icon of the desktop app counts. 1: all, 2: direct messages,
    mentions and followed topics, 3: direct messages and mentions, 4: none."""
    realm_name_in_email_notifications_policy: OneToThree = 1
    """Whether subjects of emails name the organization. 1: if the user is in several, 2: always, 3:
    never. Stored for clients."""
    automatically_follow_topics_policy: OneToFour = 3
    """Which topics the user follows automatically. 1: those they take part in in any way, 2: those
    they write in, 3: those they start, 4: none."""
    automatically_unmute_topics_in_muted_streams_policy: OneToFour = 2
    """Which topics of muted channels are unmuted automatically; the values are those of
    `automatically_follow_topics_policy`."""
    automatically_follow_topics_where_mentioned: bool = True
    """Whether the user follows topics in which they are mentioned. Stored for clients."""
    resolved_topic_notice_auto_read_policy: Literal["always", "except_followed", "never"] = (
        "except_followed"
    )
    """Which notices about resolved topics count as read at once. Stored for clients."""
    presence_enabled: bool = True
    """Whether others see when this user is online."""
    send_private_typing_notifications: bool = True
    """Whether others see that this user is typing a direct message."""
    send_stream_typing_notifications: bool = True
    """Whether others see that this user is typing a message to a channel."""
    send_read_receipts: bool = True
    """Whether this user is listed among those who have read a message."""
    allow_private_data_export: bool = False
    """Whether administrators may export private data of this user. Stored for clients."""
    web_navigate_to_sent_message: bool = True
    """Whether the web client shows the conversation of a message after sending it."""
