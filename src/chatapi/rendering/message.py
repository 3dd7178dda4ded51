"""Rendering of messages: their HTML, and the data the service stores about them."""

from chatapi.rendering.directory import EMPTY_DIRECTORY, Directory
from chatapi.rendering.emoticon_names import has_emoticon
from chatapi.rendering.plain import plain_html
from chatapi.rendering.rendered import RenderedMessage, plain_message

_QUICK_LENGTH = 1_000


def is_quick_to_render(content: str) -> bool:
    """Whether it takes a few milliseconds at most; otherwise render in another process.

    The first text with markup takes some 50 more, to load the parser.
    """
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
        # Only now: a server that has just started need not load the parser.
        from chatapi.rendering.markup import render_markup  # noqa: PLC0415

        return render_markup(content, directory)
    return plain_message(html)
