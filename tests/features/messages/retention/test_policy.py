"""Retention policies of messages."""

from datetime import UTC, datetime, timedelta

import pytest

from chatapi.core.ids import ChannelId
from chatapi.features.messages.retention.policy import RetentionPolicy

NOW = datetime(2026, 5, 1, tzinfo=UTC)
CHANNEL = ChannelId(7)


@pytest.mark.parametrize(
    ("realm_days", "channel_days", "in_channel", "in_direct", "ever"),
    [
        (-1, None, None, None, False),
        (-1, -1, None, None, False),
        (-1, 3, 3, None, True),
        (5, None, 5, 5, True),
        (5, -1, None, 5, True),
        (5, 100, 100, 5, True),
        (100, 5, 5, 100, True),
    ],
)
def test_channel_policy_overrides_the_realm_policy(
    realm_days: int,
    channel_days: int | None,
    in_channel: int | None,
    in_direct: int | None,
    ever: bool,
) -> None:
    policy = RetentionPolicy(realm_days, {CHANNEL: channel_days})
    for place, days in ((CHANNEL, in_channel), (None, in_direct)):
        expected = None if days is None else NOW - timedelta(days=days)
        assert policy.deletes_before(place, NOW) == expected
    assert policy.ever_deletes is ever
