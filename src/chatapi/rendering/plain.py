"""Texts without any markup, as most messages are: rendered without the parser."""

import html
import re

# One line of letters, digits and harmless punctuation that begins with a letter: no list, no
# heading, no emphasis, no mention, no emoji. Addresses need a colon, an @ or a dot within a word.
_PLAIN = re.compile(
    r"(?!.*[a-z0-9]\.[a-z])[A-Za-z](?:[A-Za-z0-9 ,.;?!()'%=+/-]*[A-Za-z0-9,.;?!()'%=+/-])?",
    re.IGNORECASE,
)


def plain_html(content: str) -> str | None:
    """Returns the rendered HTML of a text without markup; None for any other text."""
    return f"<p>{content}</p>" if _PLAIN.fullmatch(content) else None


def as_written(content: str) -> str:
    """Returns a text as HTML that shows its markup literally."""
    return "<p>" + html.escape(content, quote=False).replace("\n", "<br>\n") + "</p>"
