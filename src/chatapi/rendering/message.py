"""Rendering of messages: their HTML, and the data the service stores about them."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from markdown_it.token import Token

from chatapi.core.ids import GroupId, UserId
from chatapi.rendering.budget import TooMuchWorkError
from chatapi.rendering.directory import EMPTY_DIRECTORY, Directory
from chatapi.rendering.emoticons import has_emoticon
from chatapi.rendering.environment import Environment
from chatapi.rendering.images import IMAGE
from chatapi.rendering.markdown import parse, write_html
from chatapi.rendering.plain import as_written, plain_html
from chatapi.rendering.previews import insert_previews
from chatapi.rendering.uploaded_media import LOADING_CLASS, UPLOADS

_QUICK_LENGTH = 1_000
_MAX_HTML = 128 * 1024
"""In characters; the longest message of normal text or code needs a fraction of it."""
_ME = "/me "
_ONE_PARAGRAPH = ["paragraph_open", "inline", "paragraph_close"]
_PATH = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?(?://[^/?#]*)?/?(?P<path>[^?#]*)", re.IGNORECASE)
_IMAGE_ENDINGS = (".avif", ".bmp", ".gif", ".heic", ".jpeg", ".jpg", ".png", ".tiff", ".webp")


@dataclass(slots=True)
class RenderedMessage:
    """The HTML of a message, and what it mentions and links to. Treat it as immutable.

    Built for every message sent: building a frozen one would take three times as long.
    """

    html: str
    mentioned_user_ids: frozenset[UserId]
    """Users mentioned by name; not those in a quote, in code, or in a silent mention."""
    mentioned_group_ids: frozenset[GroupId]
    mentions_channel: bool
    mentions_topic: bool
    has_link: bool
    has_image: bool
    upload_paths: frozenset[str]
    """The files of this service it links to: `/user_uploads/...`, without escapes."""
    is_me_message: bool
    has_loading_picture: bool = False
    """Whether a thumbnail that is being drawn has to be inserted later."""


def is_quick_to_render(content: str) -> bool:
    """Whether it takes a few milliseconds at most; otherwise render in another process."""
    if len(content) > _QUICK_LENGTH:
        return False
    # Code and formulas: their libraries are large, and loaded when they are first needed.
    return not ("```" in content or "~~~" in content or "$$" in content)


def render_markdown(text: str) -> str:
    """Render a text without recipients, such as a description, to safe HTML.

    Callers limit the length of the text: any text of up to 10,000 characters takes a fraction of a
    second.
    """
    return render_message(text, EMPTY_DIRECTORY).html


def render_message(content: str, directory: Directory) -> RenderedMessage:
    """Render a message to safe HTML and find its mentions and links; thread-safe.

    Callers limit the length of the text, as for `render_markdown`. Markup that would take too much
    work, or become too long, is shown as it was written.
    """
    html = plain_html(content)
    if (
        html is None
        or (directory.linkifiers and directory.linkifiers.find(content.encode()))
        or (directory.translates_emoticons and has_emoticon(content))
    ):
        return _render_markup(content, directory)
    return _plain_message(html)


def _plain_message(html: str) -> RenderedMessage:
    return RenderedMessage(
        html=html,
        mentioned_user_ids=frozenset(),
        mentioned_group_ids=frozenset(),
        mentions_channel=False,
        mentions_topic=False,
        has_link=False,
        has_image=False,
        upload_paths=frozenset(),
        is_me_message=False,
    )


def _render_markup(content: str, directory: Directory) -> RenderedMessage:
    environment = Environment(directory)
    try:
        tokens = parse(content, environment)
    except TooMuchWorkError:
        return _plain_message(as_written(content))
    elements = _elements_by_type(tokens)
    is_paragraph = [token.type for token in tokens] == _ONE_PARAGRAPH
    if directory.media:
        tokens = insert_previews(tokens, directory.media)
    html = write_html(tokens, environment)
    if len(html) > _MAX_HTML:
        # A page of such messages would be hundreds of times as large as their source.
        return _plain_message(as_written(content))
    # Links whose target was refused became text when the HTML was written.
    links = [link for link in elements["link_open"] if link.type == "link_open"]
    paths = [_path(str(link.attrs["href"])) for link in links]
    return RenderedMessage(
        html=html,
        mentioned_user_ids=frozenset(
            UserId(int(mention.attrs["data-user-id"])) for mention in elements["user_mention_open"]
        ),
        mentioned_group_ids=frozenset(
            GroupId(int(mention.attrs["data-user-group-id"]))
            for mention in elements["group_mention_open"]
        ),
        mentions_channel=bool(elements["channel_mention_open"]),
        mentions_topic=bool(elements["topic_mention_open"]),
        has_link=bool(links),
        has_image=any(IMAGE in link.meta for link in links)
        or any(path.lower().endswith(_IMAGE_ENDINGS) for path in paths),
        upload_paths=frozenset(path for path in paths if path.startswith(UPLOADS)),
        is_me_message=content.startswith(_ME) and is_paragraph,
        has_loading_picture=LOADING_CLASS in html,
    )


def _elements_by_type(tokens: Sequence[Token]) -> defaultdict[str, list[Token]]:
    elements = defaultdict[str, list[Token]](list)
    for token in tokens:
        for element in token.children or ():
            elements[element.type].append(element)
    return elements


def _path(href: str) -> str:
    """The unescaped path of an address, on this server or another."""
    found = _PATH.match(href)
    return f"/{unquote(found['path'])}" if found else ""
