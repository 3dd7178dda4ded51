"""The second line of defence: only HTML on this allow-list leaves the package."""

import re

import nh3
from pygments.token import STANDARD_TYPES

from chatapi.rendering import mathml
from chatapi.rendering.link_schemes import LINK_SCHEMES

_TEXT = {"a", "audio", "br", "code", "del", "em", "img", "span", "strong", "time", "video"}
_BLOCKS = {
    *("blockquote", "div", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul")
}
_TABLES = {"table", "tbody", "td", "th", "thead", "tr"}
_FORMULAS = mathml.ELEMENTS | {"annotation", "math", "semantics"}

_ATTRIBUTES = {
    "a": {"class", "data-stream-id", "href", "title"},
    "annotation": {"encoding"},
    "audio": {"controls", "preload", "src", "title"},
    "div": {"aria-hidden", "class", "data-code-language"},
    "img": {
        *("alt", "class", "data-animated", "data-original-content-type"),
        *("data-original-dimensions", "data-original-src", "src", "title"),
    },
    "math": {"display", "xmlns"},
    "ol": {"start"},
    "span": {
        *("aria-hidden", "aria-label", "class", "data-user-group-id", "data-user-id"),
        *("role", "title"),
    },
    "time": {"datetime"},
    "video": {"preload", "src"},
    **{element: set(mathml.ATTRIBUTES) for element in mathml.ELEMENTS},
}
_CLASSES = {
    "a": {"stream", "stream-topic", "message-link"},
    "div": {
        *("codehilite", "message_inline_image", "message_inline_image message_inline_video"),
        *("spoiler-block", "spoiler-content", "spoiler-header"),
    },
    "img": {
        *("emoji", "image-loading-placeholder"),
        *("inline-image", "inline-image image-loading-placeholder"),
    },
    "span": {
        *("katex", "katex-display", "katex-html", "katex-mathml"),
        # Classes of syntax highlighting.
        *filter(None, STANDARD_TYPES.values()),
        *(
            f"{mention}{silent}"
            for mention in (
                "topic-mention",
                "user-group-mention",
                "user-mention",
                "user-mention channel-wildcard-mention",
            )
            for silent in ("", " silent")
        ),
    },
}
_EMOJI_CLASSES = re.compile(r"emoji emoji-[0-9a-f]{4,6}(?:-[0-9a-f]{4,6}){0,12}")
_ALIGNMENTS = {"style": {f"text-align: {side};" for side in ("left", "center", "right")}}
_VALUES = {"td": _ALIGNMENTS, "th": _ALIGNMENTS}


def sanitize_html(html: str) -> str:
    """Remove everything that is not allowed: nothing in the result can run, load or send."""
    return _cleaner.clean(html)


def _only_known_classes(tag: str, attribute: str, value: str) -> str | None:
    if attribute != "class" or value in _CLASSES[tag]:
        return value
    return value if tag == "span" and _EMOJI_CLASSES.fullmatch(value) else None


_cleaner = nh3.Cleaner(
    tags=_TEXT | _BLOCKS | _TABLES | _FORMULAS,
    attributes=_ATTRIBUTES,
    attribute_filter=_only_known_classes,
    tag_attribute_values=_VALUES,
    url_schemes=set(LINK_SCHEMES),
    link_rel="noopener noreferrer nofollow",
)
