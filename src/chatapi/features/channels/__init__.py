"""Channels: places for conversations with topics."""

from chatapi.features.channels.access import (
    ChannelFinder,
    list_channels,
    list_channels_named,
    require_not_archived,
)
from chatapi.features.channels.creation import ChannelCreator, NewChannel
from chatapi.features.channels.notices import mention, names_of
from chatapi.features.channels.params import ChannelOptions
from chatapi.features.channels.personal_state.visibility_diff import PersonalStateDiff
from chatapi.features.channels.repository import UserTopicKey
from chatapi.features.channels.subscriptions.subscriber_counts import (
    add_to_subscriber_counts,
    join_default_channels,
    remove_from_subscriber_counts,
)
from chatapi.features.channels.subscriptions.writer import SubscriptionWriter
from chatapi.features.channels.topic_policies.automatic import TopicSend, apply_automatic_policies
from chatapi.features.channels.topic_policies.changes import (
    PolicyChange,
    find_policies,
    list_policies_of_topic,
    write_policies,
)
from chatapi.features.channels.user_visibility_diff import UserVisibilityDiff
from chatapi.features.channels.visibility_events import emit_visibility_change, names_any_group
from chatapi.features.channels.visible_subscribers import (
    emit_subscribers_hidden,
    emit_subscribers_shown,
)

__all__ = [
    "ChannelCreator",
    "ChannelFinder",
    "ChannelOptions",
    "NewChannel",
    "PersonalStateDiff",
    "PolicyChange",
    "SubscriptionWriter",
    "TopicSend",
    "UserTopicKey",
    "UserVisibilityDiff",
    "add_to_subscriber_counts",
    "apply_automatic_policies",
    "emit_subscribers_hidden",
    "emit_subscribers_shown",
    "emit_visibility_change",
    "find_policies",
    "join_default_channels",
    "list_channels",
    "list_channels_named",
    "list_policies_of_topic",
    "mention",
    "names_any_group",
    "names_of",
    "remove_from_subscriber_counts",
    "require_not_archived",
    "write_policies",
]
