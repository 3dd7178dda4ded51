"""Payloads of alert words."""

from typing_extensions import TypedDict


class AlertWordsPayload(TypedDict):
    """All alert words of a user."""

    alert_words: list[str]
