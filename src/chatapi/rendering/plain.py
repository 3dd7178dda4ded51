"""Texts without any markup, which most messages are: their HTML is known without parsing."""

import html
import re

# One line of letters, digits and harmless punctuation that begins with a letter: no list, no
# heading, no emphasis, no mention, no emoji. Addresses need a colon, an @ or `www.`.
_PLAIN = re.compile(
    r"(?!.*www\.)[A-Za-z](?:[A-Za-z0-9 ,.;?!()'%=+/-]*[A-Za-z0-9,.;?!()'%=+/-])?", re.IGNORECASE
)


def plain_html(content: str) -> str | None:
    """What rendering would give for a text without markup; None for any other text."""
    return f"<p>{content}</p>" if _PLAIN.fullmatch(content) else None


def as_written(content: str) -> str:
    """A text as HTML that shows its markup instead of following it."""
    return "<p>" + html.escape(content, quote=False).replace("\n", "<br>\n") + "</p>"
