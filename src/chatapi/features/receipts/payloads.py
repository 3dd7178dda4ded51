"""Read receipts as clients see them."""

from typing_extensions import TypedDict


class ReadReceiptsPayload(TypedDict):
    """Who has read a message, without its sender."""

    user_ids: list[int]
