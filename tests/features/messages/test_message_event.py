"""A message event is encoded once for all readers who receive the same, and only for them."""

import itertools
from collections import defaultdict
from collections.abc import Hashable
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chatapi.core.ids import ChannelId, ConversationId, GroupId, MessageId, QueueId, UserId
from chatapi.core.roles import EmailVisibility, Role
from chatapi.events.client import ClientProfile
from chatapi.events.membership import Membership
from chatapi.features.messages.events import MessageSent
from chatapi.features.messages.message_data import MessageData, SenderData
from tests.support.sample_events import view

QUEUE = QueueId("of-the-sender")
USERS = st.integers(1, 3).map(UserId)
SOME_USERS = st.frozensets(USERS, max_size=2)
GROUPS = st.frozensets(st.integers(1, 2).map(GroupId), max_size=1)


def sent(
    visibility: EmailVisibility, *, in_channel: bool, is_bot: bool, **fields: Any
) -> MessageSent:
    """A message of user 1."""
    sender = SenderData(
        id=UserId(1),
        full_name="Iago",
        email="user1@example.com",
        delivery_email="iago@example.com",
        email_visibility=visibility,
        is_bot=is_bot,
        avatar_version=1,
        made_up_email="user1@example.com",
    )
    data = MessageData(
        id=MessageId(1),
        conversation_id=ConversationId(1),
        channel_id=ChannelId(1) if in_channel else None,
        channel_name="general" if in_channel else "",
        topic="",
        people=(),
        sender=sender,
        realm_subdomain="",
        client="website",
        content="*hello*",
        rendered_content="<p><em>hello</em></p>",
        is_me_message=False,
        timestamp=1,
    )
    return MessageSent(data=data, **fields)


EVENTS = st.builds(
    sent,
    st.sampled_from(EmailVisibility),
    in_channel=st.booleans(),
    is_bot=st.booleans(),
    read_by_sender=st.booleans(),
    muted_sender_users=SOME_USERS,
    mentioned_users=SOME_USERS,
    mentioned_groups=GROUPS,
    mentions_channel=st.booleans(),
    topic_participants=st.none() | SOME_USERS,
    alerted_users=SOME_USERS,
    echo=st.none() | st.just({"queue_id": QUEUE, "local_id": "1.1"}),
)
PROFILES = (
    ClientProfile(),
    ClientProfile(apply_markdown=True),
    ClientProfile(client_gravatar=False),
    ClientProfile(capabilities=frozenset({"empty_topic_name"})),
)
READERS = [
    replace(
        view(user_id, role),
        profile=profile,
        membership=Membership(groups, {}),
        sees_all_users=sees_all_users,
        queue_id=queue_id,
    )
    for user_id, role, profile, groups, sees_all_users, queue_id in itertools.product(
        (1, 2, 3),
        (Role.ADMIN, Role.MEMBER, Role.GUEST),
        PROFILES,
        (frozenset[GroupId](), frozenset({GroupId(1)})),
        (True, False),
        (QUEUE, QueueId("another")),
    )
]


@given(EVENTS)
def test_readers_of_one_variant_receive_the_same(event: MessageSent) -> None:
    bodies: defaultdict[Hashable, set[bytes]] = defaultdict(set)
    for reader in READERS:
        bodies[event.variant(reader)].add(orjson.dumps(event.body(reader)))
    assert all(len(of_variant) == 1 for of_variant in bodies.values())


@pytest.mark.parametrize(
    "field", ["muted_sender_users", "mentioned_users", "topic_participants", "alerted_users"]
)
def test_reader_with_flags_of_their_own_has_another_variant(field: str) -> None:
    users: dict[str, Any] = {field: {UserId(2)}}
    event = sent(
        EmailVisibility.EVERYONE, in_channel=True, is_bot=False, read_by_sender=True, **users
    )
    assert event.variant(view(2)) != event.variant(view(3))


def test_most_readers_of_a_role_share_one_variant() -> None:
    event = sent(
        EmailVisibility.ADMINS,
        in_channel=True,
        is_bot=False,
        read_by_sender=True,
        mentioned_users={UserId(2)},
    )
    assert len({event.variant(view(user_id)) for user_id in range(3, 100)}) == 1
