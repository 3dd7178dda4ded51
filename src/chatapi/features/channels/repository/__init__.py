"""Every SQL statement on channels, their groups and folders, subscriptions and topic policies."""

from chatapi.features.channels.repository._channels import ChannelRepository
from chatapi.features.channels.repository._default_groups import (
    DefaultGroupRecord,
    DefaultGroupRepository,
)
from chatapi.features.channels.repository._folders import FolderRecord, FolderRepository
from chatapi.features.channels.repository._subscriptions import (
    Choices,
    ClockPosition,
    MembershipDelta,
    MembershipKey,
    SubscriptionRepository,
    UserChannelPairs,
)
from chatapi.features.channels.repository._topic_policies import (
    UserTopicKey,
    UserTopicRecord,
    UserTopicRepository,
)

__all__ = [
    "ChannelRepository",
    "Choices",
    "ClockPosition",
    "DefaultGroupRecord",
    "DefaultGroupRepository",
    "FolderRecord",
    "FolderRepository",
    "MembershipDelta",
    "MembershipKey",
    "SubscriptionRepository",
    "UserChannelPairs",
    "UserTopicKey",
    "UserTopicRecord",
    "UserTopicRepository",
]
