"""Automatic topic policies when a user sends a message, by the sender's settings."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from chatapi.auth.users import UserRecord
from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.ids import ChannelId, RealmId
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.channels.repository import UserTopicKey, UserTopicRepository
from chatapi.features.channels.topic_policies.changes import PolicyChange, change_policies

_WHEN_SENDING = frozenset({1, 2})
"""The setting "when participating" (1) includes "when sending" (2)."""
_WHEN_STARTING = 3


class TopicSend(NamedTuple):
    """A message that a user sends to a topic."""

    sender: UserRecord
    channel_id: ChannelId
    topic: str
    starts_topic: bool
    is_channel_muted: bool

    @property
    def key(self) -> UserTopicKey:
        return UserTopicKey.of(self.sender.id, self.channel_id, self.topic)


def may_change(send: TopicSend) -> bool:
    """Whether the sender's current policy for the topic has to be looked up at all."""
    return automatic_policy(send, VisibilityPolicy.INHERIT) is not None


def automatic_policy(send: TopicSend, current: VisibilityPolicy) -> VisibilityPolicy | None:
    """The new policy after a send, None if it stays: sending only ever shows more of a topic."""
    if send.sender.is_bot or current is VisibilityPolicy.FOLLOWED:
        return None
    options = send.sender.options
    # A sender who already has a policy for the topic does not start it.
    is_start = send.starts_topic and current is VisibilityPolicy.INHERIT
    if _applies(options.automatically_follow_topics_policy, is_start=is_start):
        return VisibilityPolicy.FOLLOWED
    if not send.is_channel_muted or current is VisibilityPolicy.UNMUTED:
        return None
    if _applies(options.automatically_unmute_topics_in_muted_streams_policy, is_start=is_start):
        return VisibilityPolicy.UNMUTED
    return None


async def apply_automatic_policies(
    work: UnitOfWork, realm_id: RealmId, now: datetime, sends: Sequence[TopicSend]
) -> list[int | None]:
    """Change the policies of the senders, in the order of their sends; the realm is locked.

    Returns the new policy for each send that changed one.
    """
    keys = {send.key for send in sends if may_change(send)}
    if not keys:
        return [None] * len(sends)
    before = await UserTopicRepository(work.db).find_policies(keys)
    policies = dict(before)
    changes: dict[UserTopicKey, PolicyChange] = {}
    answers: list[int | None] = []
    for send in sends:
        new = automatic_policy(send, policies.get(send.key, VisibilityPolicy.INHERIT))
        answers.append(None if new is None else new.value)
        if new is not None:
            policies[send.key] = new
            old = before.get(send.key, VisibilityPolicy.INHERIT)
            changes[send.key] = PolicyChange(send.sender.id, send.channel_id, send.topic, old, new)
    await change_policies(work, realm_id, now, list(changes.values()))
    return answers


def _applies(policy: int, *, is_start: bool) -> bool:
    return policy in _WHEN_SENDING or (is_start and policy == _WHEN_STARTING)
