"""Rules for names of custom emoji; pure."""

import re

from chatapi.core.errors import BadRequestError

_NAME = re.compile(r"[0-9a-z_-]{0,59}[0-9a-z]")
"""Names that are valid between colons in a text."""


def check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise BadRequestError(
            "Emoji names must contain only lowercase English letters, digits, dashes and"
            " underscores, end with a letter or digit and have at most 60 characters"
        )
    return name
