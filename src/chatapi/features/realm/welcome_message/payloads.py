"""Payloads of the welcome message."""

from typing_extensions import TypedDict


class SentWelcomeMessagePayload(TypedDict):
    """The message that was sent to the caller."""

    message_id: int
    """The direct message that the welcome bot sent you."""
