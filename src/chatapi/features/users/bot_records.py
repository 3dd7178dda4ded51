"""What is stored about bots beyond their accounts."""

from msgspec import Struct


class BotServiceRecord(Struct, frozen=True):
    """The service that an outgoing webhook bot calls."""

    base_url: str
    interface: int
    token: str
