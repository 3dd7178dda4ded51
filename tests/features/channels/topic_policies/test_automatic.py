"""Changes of the sender's topic policy by sending."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.ids import ChannelId
from chatapi.core.roles import BotType
from chatapi.features.channels.topic_policies.automatic import (
    TopicSend,
    apply_automatic_policies,
    automatic_policy,
    may_change,
)
from chatapi.features.users.repository import UserRepository
from tests.factories import MakeChannel, Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements

INHERIT, MUTED, UNMUTED, FOLLOWED = VisibilityPolicy
PARTICIPATING, SENDING, STARTING, NEVER = 1, 2, 3, 4


@pytest.fixture
async def sender(runtime: Runtime, realm: RealmRecord, member: Person) -> UserRecord:
    work = runtime.begin()
    try:
        return await UserRepository(work.db, realm.id).get(member.user_id)
    finally:
        await work.db.close()


def wants(sender: UserRecord, follow: int = NEVER, unmute: int = NEVER) -> UserRecord:
    return replace(
        sender,
        settings={
            "automatically_follow_topics_policy": follow,
            "automatically_unmute_topics_in_muted_streams_policy": unmute,
        },
    )


def send(sender: UserRecord, channel_id: int = 1, topic: str = "lunch", **facts: Any) -> TopicSend:
    return TopicSend(
        sender=sender,
        channel_id=ChannelId(channel_id),
        topic=topic,
        **{"starts_topic": False, "is_channel_muted": False, **facts},
    )


@pytest.mark.any_database
class TestRule:
    @pytest.mark.parametrize(
        ("follow", "starts", "current", "expected"),
        [
            (PARTICIPATING, False, INHERIT, FOLLOWED),
            (SENDING, False, INHERIT, FOLLOWED),
            (SENDING, False, MUTED, FOLLOWED),
            (SENDING, False, UNMUTED, FOLLOWED),
            (SENDING, False, FOLLOWED, None),
            (STARTING, False, INHERIT, None),
            (STARTING, True, INHERIT, FOLLOWED),
            (STARTING, True, MUTED, None),
            (NEVER, True, INHERIT, None),
        ],
    )
    async def test_follow(
        self,
        sender: UserRecord,
        follow: int,
        starts: bool,
        current: VisibilityPolicy,
        expected: VisibilityPolicy | None,
    ) -> None:
        sent = send(wants(sender, follow=follow), starts_topic=starts)
        assert automatic_policy(sent, current) is expected

    @pytest.mark.parametrize(
        ("unmute", "is_channel_muted", "starts", "current", "expected"),
        [
            (PARTICIPATING, True, False, INHERIT, UNMUTED),
            (SENDING, True, False, INHERIT, UNMUTED),
            (SENDING, True, False, MUTED, UNMUTED),
            (SENDING, True, False, UNMUTED, None),
            (SENDING, True, False, FOLLOWED, None),
            (SENDING, False, False, INHERIT, None),
            (STARTING, True, True, INHERIT, UNMUTED),
            (STARTING, True, False, INHERIT, None),
            (NEVER, True, True, INHERIT, None),
        ],
    )
    async def test_unmute(
        self,
        sender: UserRecord,
        unmute: int,
        is_channel_muted: bool,
        starts: bool,
        current: VisibilityPolicy,
        expected: VisibilityPolicy | None,
    ) -> None:
        sent = send(
            wants(sender, unmute=unmute), starts_topic=starts, is_channel_muted=is_channel_muted
        )
        assert automatic_policy(sent, current) is expected

    async def test_following_has_priority_over_unmuting(self, sender: UserRecord) -> None:
        sent = send(wants(sender, follow=SENDING, unmute=SENDING), is_channel_muted=True)
        assert automatic_policy(sent, INHERIT) is FOLLOWED

    async def test_defaults_follow_started_topics(self, sender: UserRecord) -> None:
        assert automatic_policy(send(sender, starts_topic=True), INHERIT) is FOLLOWED
        assert not may_change(send(sender))
        assert automatic_policy(send(sender, is_channel_muted=True), INHERIT) is UNMUTED

    async def test_bots_have_no_topic_policies(self, sender: UserRecord) -> None:
        bot = replace(wants(sender, follow=SENDING), bot_type=BotType.GENERIC)
        assert not may_change(send(bot))


async def apply(
    runtime: Runtime, realm: RealmRecord, sends: Sequence[TopicSend]
) -> list[int | None]:
    work = runtime.begin()
    try:
        await work.db.lock_realm(realm.id)
        changed = await apply_automatic_policies(work, realm.id, runtime.clock.now(), sends)
        await work.commit()
    finally:
        await work.db.close()
    return changed


class TestApply:
    @pytest.mark.any_database
    async def test_is_stored_and_emitted(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        sender: UserRecord,
        make_channel: MakeChannel,
    ) -> None:
        channel = (await make_channel("general", subscribers=[member])).id
        listener = await listen(client, member, event_types=["user_topic"])
        sends = [
            send(sender, channel, "new", starts_topic=True),
            send(sender, channel, "NEW"),
            send(sender, channel, "old"),
            send(wants(sender, follow=SENDING), channel, "old"),
            send(wants(sender, follow=SENDING), channel, "Old"),
        ]
        assert await apply(runtime, realm, sends) == [3, None, None, 3, None]
        events = await listener.new_events()
        assert [(event["topic_name"], event["visibility_policy"]) for event in events] == [
            ("new", 3),
            ("old", 3),
        ]
        again = await listen(client, member, fetch_event_types=["user_topic"])
        assert [topic["topic_name"] for topic in again.state["user_topics"]] == ["new", "old"]
        assert await apply(runtime, realm, sends) == [None] * 5
        assert await listener.new_events() == []

    @pytest.mark.any_database
    async def test_unmutes_a_muted_topic(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        sender: UserRecord,
        make_channel: MakeChannel,
    ) -> None:
        channel = (await make_channel("general", subscribers=[member])).id
        muted = {"stream_id": channel, "topic": "lunch", "visibility_policy": 1}
        assert_success(await client.post("/user_topics", member, **muted))
        listener = await listen(client, member)
        sent = send(wants(sender, unmute=SENDING), channel, is_channel_muted=True)
        assert await apply(runtime, realm, [sent]) == [2]
        seen = {event["type"]: event for event in await listener.new_events()}
        assert seen["user_topic"]["visibility_policy"] == 2
        assert seen["muted_topics"]["muted_topics"] == []

    async def test_costs_two_statements_at_most(
        self,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        sender: UserRecord,
        make_channel: MakeChannel,
    ) -> None:
        channel = (await make_channel("general", subscribers=[member])).id
        plain = [send(sender, channel, str(number)) for number in range(50)]
        with recorded_statements(runtime.database, "user_topic") as statements:
            assert await apply(runtime, realm, plain) == [None] * 50
            assert await apply(runtime, realm, []) == []
        assert statements == []
        started = [sent._replace(starts_topic=True) for sent in plain]
        with recorded_statements(runtime.database, "user_topic ") as statements:
            assert await apply(runtime, realm, started) == [3] * 50
        writes = [statement for statement in statements if "INSERT INTO user_topic" in statement]
        assert (len(statements), len(writes)) == (2, 1)
