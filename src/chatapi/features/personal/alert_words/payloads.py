"""Payloads of alert words."""

from typing_extensions import TypedDict


class AlertWordsPayload(TypedDict):
    """All alert words of a user."""

    alert_words: list[str]
    """All your alert words after the request, in the case in which they were added."""
