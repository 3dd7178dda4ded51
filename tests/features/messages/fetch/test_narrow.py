"""Results of narrows, in every form that clients send."""

from dataclasses import dataclass

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.fetch.conversations import Term, ask, ids_read, send, send_direct
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.responses import assert_error


@dataclass(frozen=True)
class Talk:
    """Messages of all kinds, all of them sent to the reader."""

    third: Person
    random: ChannelRecord
    greeting: MessageId
    nameless: MessageId
    other_greeting: MessageId
    direct: MessageId
    group: MessageId
    to_self: MessageId

    @property
    def all(self) -> list[MessageId]:
        return [
            self.greeting,
            self.nameless,
            self.other_greeting,
            self.direct,
            self.group,
            self.to_self,
        ]


@pytest.fixture
async def talk(
    client: ApiClient,
    make_channel: MakeChannel,
    make_user: MakeUser,
    reader: Person,
    writer: Person,
    general: ChannelRecord,
) -> Talk:
    third = await make_user(full_name="Third")
    random = await make_channel("random", subscribers=[reader, writer])
    return Talk(
        third,
        random,
        greeting=await send(client, writer, general, "Greetings"),
        nameless=await send(client, reader, general, ""),
        other_greeting=await send(client, writer, random, "greetings"),
        direct=await send_direct(client, writer, reader),
        group=await send_direct(client, writer, reader, third),
        to_self=await send_direct(client, reader, reader),
    )


class TestChannelsAndTopics:
    async def test_without_a_narrow(self, client: ApiClient, reader: Person, talk: Talk) -> None:
        assert await ids_read(client, reader) == talk.all

    @pytest.mark.parametrize("operator", ["channel", "stream", "Channel"])
    async def test_channel(
        self,
        client: ApiClient,
        reader: Person,
        general: ChannelRecord,
        talk: Talk,
        operator: str,
    ) -> None:
        for operand in ("general", "GENERAL", general.id, str(general.id)):
            term: Term = [operator, operand]
            assert await ids_read(client, reader, term) == [talk.greeting, talk.nameless]

    @pytest.mark.parametrize("operator", ["topic", "subject"])
    async def test_topic_of_a_channel(
        self, client: ApiClient, reader: Person, talk: Talk, operator: str
    ) -> None:
        channel: Term = {"operator": "stream", "operand": "general"}
        topic: Term = {"operator": operator, "operand": "GREETINGS", "negated": False}
        assert await ids_read(client, reader, channel, topic) == [talk.greeting]
        assert await ids_read(client, reader, topic, channel) == [talk.greeting]

    async def test_topic_of_any_channel(
        self, client: ApiClient, reader: Person, talk: Talk
    ) -> None:
        found = await ids_read(client, reader, ["topic", "greetings"])
        assert found == [talk.greeting, talk.other_greeting]

    @pytest.mark.parametrize("topic", ["", "(no topic)", "general chat"])
    async def test_the_empty_topic(
        self, client: ApiClient, reader: Person, talk: Talk, topic: str
    ) -> None:
        found = await ids_read(client, reader, ["channel", "general"], ["topic", topic])
        assert found == [talk.nameless]

    async def test_topic_without_messages(
        self, client: ApiClient, reader: Person, talk: Talk
    ) -> None:
        assert await ids_read(client, reader, ["channel", "general"], ["topic", "x"]) == []

    async def test_two_channels_at_once_match_nothing(
        self, client: ApiClient, reader: Person, talk: Talk
    ) -> None:
        terms: list[Term] = [["channel", "general"], ["channel", "random"]]
        assert await ids_read(client, reader, *terms) == []

    async def test_all_public_channels(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        reader: Person,
        writer: Person,
        guest: Person,
        talk: Talk,
    ) -> None:
        elsewhere = await make_channel("elsewhere", subscribers=[writer])
        secret = await make_channel("secret", subscribers=[writer, reader], invite_only=True)
        found = await send(client, writer, elsewhere)
        await send(client, writer, secret)
        shown = await ids_read(client, reader, ["channels", "public"])
        assert shown == [talk.greeting, talk.nameless, talk.other_greeting, found]
        assert await ids_read(client, guest, ["channels", "public"]) == []


class TestUsers:
    async def test_direct_messages_with_one_user(
        self, client: ApiClient, reader: Person, writer: Person, talk: Talk
    ) -> None:
        operands: list[object] = [
            writer.email,
            writer.user_id,
            [writer.user_id],
            [writer.email],
            [reader.user_id, writer.user_id],
            f"{reader.email}, {writer.email}",
        ]
        for operator in ("dm", "pm-with"):
            for operand in operands:
                term: Term = {"operator": operator, "operand": operand}
                assert await ids_read(client, reader, term) == [talk.direct]

    async def test_direct_messages_with_several_users(
        self, client: ApiClient, reader: Person, writer: Person, talk: Talk
    ) -> None:
        everybody = f"{writer.email},{talk.third.email}"
        assert await ids_read(client, reader, ["pm-with", everybody]) == [talk.group]

    async def test_direct_messages_to_oneself(
        self, client: ApiClient, reader: Person, talk: Talk
    ) -> None:
        assert await ids_read(client, reader, ["dm", [reader.user_id]]) == [talk.to_self]
        assert await ids_read(client, reader, ["dm", []]) == [talk.to_self]

    async def test_users_without_a_conversation(
        self, client: ApiClient, reader: Person, talk: Talk
    ) -> None:
        assert await ids_read(client, reader, ["dm", [talk.third.user_id]]) == []

    async def test_all_direct_messages_that_include_a_user(
        self, client: ApiClient, reader: Person, writer: Person, talk: Talk
    ) -> None:
        including: Term = ["dm-including", writer.user_id]
        assert await ids_read(client, reader, including) == [talk.direct, talk.group]
        groups: Term = ["group-pm-with", writer.email]
        assert await ids_read(client, reader, groups) == [talk.group]
        # Not even a search for oneself returns direct messages between others.
        assert await ids_read(client, talk.third, including) == [talk.group]

    @pytest.mark.parametrize("operand", ["dm", "private"])
    async def test_all_direct_messages(
        self, client: ApiClient, reader: Person, talk: Talk, operand: str
    ) -> None:
        found = await ids_read(client, reader, ["is", operand])
        assert found == [talk.direct, talk.group, talk.to_self]

    async def test_sender(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        reader: Person,
        writer: Person,
        talk: Talk,
    ) -> None:
        own = [talk.nameless, talk.to_self]
        assert await ids_read(client, reader, ["sender", reader.email]) == own
        await deactivate(runtime, realm, writer)
        terms: list[Term] = [["sender", writer.user_id], ["is", "dm"]]
        assert await ids_read(client, reader, *terms) == [talk.direct, talk.group]


class TestIds:
    async def test_one_message(self, client: ApiClient, reader: Person, talk: Talk) -> None:
        for operand in (talk.direct, str(talk.direct)):
            term: Term = ["id", operand]
            assert await ids_read(client, reader, term) == [talk.direct]

    async def test_message_must_match_the_other_terms(
        self, client: ApiClient, reader: Person, talk: Talk
    ) -> None:
        terms: list[Term] = [["id", talk.direct], ["channel", "general"]]
        assert await ids_read(client, reader, *terms) == []

    async def test_a_list_of_ids(self, client: ApiClient, reader: Person, talk: Talk) -> None:
        wanted = [talk.group, talk.greeting, talk.group, 999_999_999]
        response = await client.get("/messages", reader, message_ids=wanted)
        assert [each["id"] for each in response["messages"]] == [talk.greeting, talk.group]
        assert "anchor" not in response.body
        narrow = [["channel", "general"]]
        response = await client.get("/messages", reader, message_ids=wanted, narrow=narrow)
        assert [each["id"] for each in response["messages"]] == [talk.greeting]


class TestNegation:
    @pytest.mark.parametrize(
        ("operator", "operand", "left"),
        [
            ("channel", "general", ["other_greeting", "direct", "group", "to_self"]),
            ("topic", "greetings", ["nameless", "direct", "group", "to_self"]),
            ("is", "dm", ["greeting", "nameless", "other_greeting"]),
            ("channels", "public", ["direct", "group", "to_self"]),
        ],
    )
    async def test_excludes_what_the_term_matches(
        self,
        client: ApiClient,
        reader: Person,
        talk: Talk,
        operator: str,
        operand: str,
        left: list[str],
    ) -> None:
        term: Term = {"operator": operator, "operand": operand, "negated": True}
        assert await ids_read(client, reader, term) == [getattr(talk, name) for name in left]

    async def test_of_users_and_ids(
        self, client: ApiClient, reader: Person, writer: Person, talk: Talk
    ) -> None:
        terms: list[Term] = [
            {"operator": "dm", "operand": [writer.user_id], "negated": True},
            {"operator": "sender", "operand": reader.user_id, "negated": True},
            {"operator": "id", "operand": talk.greeting, "negated": True},
        ]
        assert await ids_read(client, reader, *terms) == [talk.other_greeting, talk.group]

    async def test_a_topic_of_a_channel(
        self, client: ApiClient, reader: Person, talk: Talk
    ) -> None:
        topic: Term = {"operator": "topic", "operand": "greetings", "negated": True}
        assert await ids_read(client, reader, ["channel", "general"], topic) == [talk.nameless]


class TestRefusals:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("term", "desc"),
        [
            (["colour", "red"], "unknown operator colour"),
            (["channel", "nowhere"], "unknown channel nowhere"),
            (["channel", 999], "unknown channel 999"),
            (["channels", "private"], "unknown channels operand private"),
            (["topic", 5], "the operand of topic must be a string"),
            (["dm", "nobody@example.com"], "unknown user nobody@example.com"),
            (["dm", [999]], "unknown user 999"),
            (["sender", ""], "the operand of sender must be one user"),
            (["id", "one"], "invalid message ID one"),
            (["is", "green"], "unknown 'is' operand green"),
        ],
    )
    async def test_unknown_terms(
        self, client: ApiClient, reader: Person, term: Term, desc: str
    ) -> None:
        response = await ask(client, reader, term)
        assert assert_error(response, "BAD_REQUEST") == f"Invalid narrow operator: {desc}"

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "narrow",
        [
            5,
            {},
            ["channel"],
            [["channel"]],
            [["channel", "general", "x"]],
            [{"operator": "channel"}],
            [{"operator": "channel", "operand": "general", "colour": "red"}],
            [{"operator": "channel", "operand": True}],
            [["dm", [1, "a"]]],
            [["dm", [-1]]],
            [["topic", "x"]] * 21,
            [["topic", "x" * 501]],
            [["dm", list(range(101))]],
        ],
    )
    async def test_malformed_narrows(
        self, client: ApiClient, reader: Person, narrow: object
    ) -> None:
        asked = {"anchor": "newest", "num_before": 1, "num_after": 1}
        response = await client.get("/messages", reader, narrow=narrow, **asked)
        assert "narrow" in assert_error(response)
