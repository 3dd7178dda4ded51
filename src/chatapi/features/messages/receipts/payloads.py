"""Payloads of read receipts."""

from typing_extensions import TypedDict


class ReadReceiptsPayload(TypedDict):
    """The users who have read a message, without its sender."""

    user_ids: list[int]
    """Ids of the users who have read the message, in order; never its sender."""
