"""The types of custom profile fields and their differences; pure."""

from enum import IntEnum
from typing import NamedTuple


class FieldType(IntEnum):
    """The type of a field; the number is the one clients use."""

    SHORT_TEXT = 1
    PARAGRAPH = 2
    DROPDOWN = 3
    DATE = 4
    URL = 5
    USER = 6
    EXTERNAL_ACCOUNT = 7
    PRONOUNS = 8

    @property
    def label(self) -> str:
        return _LABELS[self]

    @property
    def has_markdown(self) -> bool:
        return self in {FieldType.SHORT_TEXT, FieldType.PARAGRAPH}

    @property
    def fits_summary(self) -> bool:
        """Whether a value is short enough for the summary card of a user."""
        return self not in {FieldType.PARAGRAPH, FieldType.USER}

    @property
    def can_match_users(self) -> bool:
        """Whether clients can find a user by the value of such a field."""
        return self in {FieldType.SHORT_TEXT, FieldType.EXTERNAL_ACCOUNT}


_LABELS = {
    FieldType.SHORT_TEXT: "Text (short)",
    FieldType.PARAGRAPH: "Text (long)",
    FieldType.DROPDOWN: "List of options",
    FieldType.DATE: "Date picker",
    FieldType.URL: "Link",
    FieldType.USER: "Users",
    FieldType.EXTERNAL_ACCOUNT: "External account",
    FieldType.PRONOUNS: "Pronouns",
}


class KnownSite(NamedTuple):
    """A site whose accounts need no URL pattern of their own."""

    title: str
    name: str
    """The default name of a field for accounts there."""
    url_pattern: str


CUSTOM_SITE = "custom"
USERNAME_MARK = "%(username)s"
KNOWN_SITES = {
    "github": KnownSite("GitHub", "GitHub username", f"https://github.com/{USERNAME_MARK}"),
    "twitter": KnownSite("Twitter", "Twitter username", f"https://twitter.com/{USERNAME_MARK}"),
}
