"""Validation of web addresses that can be opened in a browser."""

import re
from urllib.parse import urlsplit

MAX_LENGTH = 2_000

_NOT_IN_ADDRESSES = re.compile(r"[\s\x00-\x1f\x7f<>\"\\^`{|}]")


def is_web_address(text: str) -> bool:
    """Whether a text is an http or https address with a host."""
    if len(text) > MAX_LENGTH or _NOT_IN_ADDRESSES.search(text):
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
