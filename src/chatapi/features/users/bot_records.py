"""What is stored about bots beyond their accounts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BotServiceRecord:
    """The service that an outgoing webhook bot calls."""

    base_url: str
    interface: int
    token: str
