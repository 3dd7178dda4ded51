"""Every SQL statement on channels, subscriptions and channel folders."""

from chatapi.features.channels.repository._channels import ChannelRepository
from chatapi.features.channels.repository._folders import FolderRecord, FolderRepository
from chatapi.features.channels.repository._subscriptions import (
    Choices,
    ClockPosition,
    MembershipDelta,
    MembershipKey,
    SubscriptionRepository,
    UserChannelPairs,
)

__all__ = [
    "ChannelRepository",
    "Choices",
    "ClockPosition",
    "FolderRecord",
    "FolderRepository",
    "MembershipDelta",
    "MembershipKey",
    "SubscriptionRepository",
    "UserChannelPairs",
]
