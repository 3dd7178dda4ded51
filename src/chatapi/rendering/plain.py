"""Texts without any markup, as most messages are: rendered without the parser."""

import html
import re

# One line of letters, digits and harmless punctuation that begins with a letter: no list, no
# heading, no emphasis, no mention, no emoji. Addresses need a colon, an @ or a dot within a word.
_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9 ,.;?!()'%=+/-]*[A-Za-z0-9,.;?!()'%=+/-])?")
_DOT_IN_WORD = re.compile(r"[A-Za-z0-9]\.[A-Za-z]")


def plain_html(content: str) -> str | None:
    """Returns the rendered HTML of a text without markup; None for any other text."""
    if not content:
        # As most descriptions.
        return ""
    if _PLAIN.fullmatch(content) and not _DOT_IN_WORD.search(content):
        return f"<p>{content}</p>"
    return None


def as_written(content: str) -> str:
    """Returns a text as HTML that shows its markup literally."""
    return "<p>" + html.escape(content, quote=False).replace("\n", "<br>\n") + "</p>"
