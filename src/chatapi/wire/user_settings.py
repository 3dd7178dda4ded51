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

    model_config = ConfigDict(extra="ignore")

    twenty_four_hour_time: bool = False
    web_mark_read_on_scroll_policy: OneToThree = 1
    web_channel_default_view: Literal[1, 2, 3, 4] = 1
    starred_message_counts: bool = True
    receives_typing_notifications: bool = True
    web_suggest_update_timezone: bool = True
    fluid_layout_width: bool = False
    high_contrast_mode: bool = False
    web_font_size_px: Annotated[int, Field(ge=8, le=48)] = 16
    web_line_height_percent: Annotated[int, Field(ge=50, le=300)] = 140
    color_scheme: OneToThree = 1
    translate_emoticons: bool = False
    display_emoji_reaction_users: bool = True
    default_language: LanguageCode = "en"
    web_home_view: Literal["inbox", "recent_topics", "recent", "all_messages"] = "inbox"
    web_escape_navigates_to_home_view: bool = True
    left_side_userlist: bool = False
    emojiset: Literal["google", "twitter", "text"] = "google"
    demote_inactive_streams: OneToThree = 1
    user_list_style: OneToThree = 2
    web_animate_image_previews: Literal["always", "on_hover", "never"] = "on_hover"
    web_stream_unreads_count_display_policy: OneToThree = 2
    hide_ai_features: bool = False
    web_inbox_show_channel_folders: bool = True
    web_left_sidebar_show_channel_folders: bool = True
    web_left_sidebar_unreads_count_summary: bool = True
    enter_sends: bool = False
    enable_drafts_synchronization: bool = True
    enable_stream_desktop_notifications: bool = False
    enable_stream_email_notifications: bool = False
    enable_stream_push_notifications: bool = False
    enable_stream_audible_notifications: bool = False
    notification_sound: Literal["none", "chime", "ding", "zulip"] = "zulip"
    enable_desktop_notifications: bool = True
    enable_sounds: bool = True
    enable_followed_topic_desktop_notifications: bool = True
    enable_followed_topic_email_notifications: bool = True
    enable_followed_topic_push_notifications: bool = True
    enable_followed_topic_audible_notifications: bool = True
    email_notifications_batching_period_seconds: Annotated[int, Field(ge=0, le=604800)] = 120
    enable_offline_email_notifications: bool = True
    enable_offline_push_notifications: bool = True
    enable_online_push_notifications: bool = True
    enable_digest_emails: bool = True
    enable_marketing_emails: bool = True
    enable_login_emails: bool = True
    message_content_in_email_notifications: bool = True
    pm_content_in_desktop_notifications: bool = True
    wildcard_mentions_notify: bool = True
    enable_followed_topic_wildcard_mentions_notify: bool = True
    desktop_icon_count_display: OneToFour = 1
    realm_name_in_email_notifications_policy: OneToThree = 1
    automatically_follow_topics_policy: OneToFour = 3
    automatically_unmute_topics_in_muted_streams_policy: OneToFour = 2
    automatically_follow_topics_where_mentioned: bool = True
    resolved_topic_notice_auto_read_policy: Literal["always", "except_followed", "never"] = (
        "except_followed"
    )
    presence_enabled: bool = True
    send_private_typing_notifications: bool = True
    send_stream_typing_notifications: bool = True
    send_read_receipts: bool = True
    allow_private_data_export: bool = False
    web_navigate_to_sent_message: bool = True
