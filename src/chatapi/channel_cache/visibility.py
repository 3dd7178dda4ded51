"""What a person can choose for a topic (SPEC 2.8)."""

from enum import IntEnum


class VisibilityPolicy(IntEnum):
    """Larger numbers show more, but for the first, which leaves it to the channel."""

    INHERIT = 0
    MUTED = 1
    UNMUTED = 2
    FOLLOWED = 3
