"""Markdown to safe HTML, and the mentions and links of a text; pure: text in, text out."""

from chatapi.rendering.channel_addresses import channel_address, encode_fragment
from chatapi.rendering.directory import (
    EMPTY_DIRECTORY,
    Directory,
    NamedChannel,
    NamedGroup,
    NamedUser,
    RealmEmoji,
)
from chatapi.rendering.emoji_names import (
    emoji_names_by_code,
    is_unicode_emoji,
    is_unicode_emoji_code,
    unicode_emoji_code,
)
from chatapi.rendering.linkifiers import (
    NO_LINKIFIERS,
    InvalidPatternError,
    Linkifier,
    Linkifiers,
    Pattern,
)
from chatapi.rendering.message import (
    is_quick_to_render,
    render_markdown,
    render_message,
)
from chatapi.rendering.placeholders import finish_pictures, without_placeholders
from chatapi.rendering.quoting import quoted
from chatapi.rendering.references import References, find_references
from chatapi.rendering.rendered import RenderedMessage
from chatapi.rendering.upload_links import find_upload_paths
from chatapi.rendering.uploaded_media import (
    LOADING_CLASS,
    UploadedMedia,
    UploadedPicture,
    UploadedSound,
    UploadedVideo,
)
from chatapi.rendering.url_templates import InvalidTemplateError, UrlTemplate

__all__ = [
    "EMPTY_DIRECTORY",
    "LOADING_CLASS",
    "NO_LINKIFIERS",
    "Directory",
    "InvalidPatternError",
    "InvalidTemplateError",
    "Linkifier",
    "Linkifiers",
    "NamedChannel",
    "NamedGroup",
    "NamedUser",
    "Pattern",
    "RealmEmoji",
    "References",
    "RenderedMessage",
    "UploadedMedia",
    "UploadedPicture",
    "UploadedSound",
    "UploadedVideo",
    "UrlTemplate",
    "channel_address",
    "emoji_names_by_code",
    "encode_fragment",
    "find_references",
    "find_upload_paths",
    "finish_pictures",
    "is_quick_to_render",
    "is_unicode_emoji",
    "is_unicode_emoji_code",
    "quoted",
    "render_markdown",
    "render_message",
    "unicode_emoji_code",
    "without_placeholders",
]
