"""Visibility policies a user can choose for a topic (SPEC 2.8)."""

from enum import IntEnum


class VisibilityPolicy(IntEnum):
    """Larger numbers show more, except the first, which inherits from the channel."""

    INHERIT = 0
    MUTED = 1
    UNMUTED = 2
    FOLLOWED = 3
