"""Alert words as clients see them."""

from typing_extensions import TypedDict


class AlertWordsPayload(TypedDict):
    """All words somebody watches for."""

    alert_words: list[str]
