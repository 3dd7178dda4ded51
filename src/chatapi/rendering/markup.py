"""Rendering of messages with markup. Imported when there is one: the parser is large."""

import re
from collections import defaultdict
from collections.abc import Sequence
from urllib.parse import unquote

from markdown_it.token import Token

from chatapi.core.ids import GroupId, UserId
from chatapi.rendering.budget import TooMuchWorkError
from chatapi.rendering.directory import Directory
from chatapi.rendering.environment import Environment
from chatapi.rendering.images import IMAGE
from chatapi.rendering.markdown import parse, write_html
from chatapi.rendering.plain import as_written
from chatapi.rendering.previews import insert_previews
from chatapi.rendering.rendered import RenderedMessage, plain_message
from chatapi.rendering.uploaded_media import LOADING_CLASS, UPLOADS

_MAX_HTML = 128 * 1024
"""In characters; the longest message of normal text or code needs a fraction of it."""
_ME = "/me "
_ONE_PARAGRAPH = ["paragraph_open", "inline", "paragraph_close"]
_PATH = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?(?://[^/?#]*)?/?(?P<path>[^?#]*)", re.IGNORECASE)
_IMAGE_ENDINGS = (".avif", ".bmp", ".gif", ".heic", ".jpeg", ".jpg", ".png", ".tiff", ".webp")


def render_markup(content: str, directory: Directory) -> RenderedMessage:
    """Render a message that its plain text would not show as meant; thread-safe."""
    environment = Environment(directory)
    try:
        tokens = parse(content, environment)
    except TooMuchWorkError:
        return plain_message(as_written(content))
    elements = _elements_by_type(tokens)
    is_paragraph = [token.type for token in tokens] == _ONE_PARAGRAPH
    if directory.media:
        tokens = insert_previews(tokens, directory.media)
    html = write_html(tokens, environment)
    if len(html) > _MAX_HTML:
        # A page of such messages would be hundreds of times as large as their source.
        return plain_message(as_written(content))
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
