"""POST and DELETE /messages/{message_id}/reactions."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.features.messages.reactions import service
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.features.messages.fetch.conversations import read, send, send_direct
from tests.features.messages.reactions.reacting import (
    OCTOPUS,
    listen_to_reactions,
    react,
    reactions_to,
    take_back,
)
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements
from tests.support.unsubscribing import unsubscribe


class TestAdd:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner], is_web_public=True)
        message_id = await send(client, owner, channel)
        assert_error(await react(client, None, message_id), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_is_stored_and_emitted(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        message_id = await send(client, owner, channel)
        listener = await listen_to_reactions(client, owner)
        assert assert_success(await react(client, member, message_id)) == {}
        reaction = {**OCTOPUS, "user_id": member.user_id}
        assert await reactions_to(client, owner, message_id) == [reaction]
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "reaction",
            "op": "add",
            "message_id": message_id,
            **reaction,
            "user": {
                "user_id": member.user_id,
                "email": member.email,
                "full_name": member.full_name,
            },
        }

    async def test_reactions_of_several_users_keep_their_order(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member)
        for person, name in [(owner, "heart"), (member, "octopus"), (member, "heart")]:
            assert_success(await react(client, person, message_id, emoji_name=name))
        shown = await reactions_to(client, owner, message_id)
        assert [(each["user_id"], each["emoji_name"]) for each in shown] == [
            (owner.user_id, "heart"),
            (member.user_id, "octopus"),
            (member.user_id, "heart"),
        ]

    @pytest.mark.any_database
    async def test_duplicate_is_refused(self, client: ApiClient, member: Person) -> None:
        message_id = await send_direct(client, member, member)
        assert_success(await react(client, member, message_id, emoji_name="thumbs_up"))
        listener = await listen_to_reactions(client, member)
        for values in ({"emoji_name": "thumbs_up"}, {"emoji_name": "+1"}):
            response = await react(client, member, message_id, **values)
            assert_error(response, "REACTION_ALREADY_EXISTS")
        assert len(await reactions_to(client, member, message_id)) == 1
        assert await listener.new_events() == []

    @pytest.mark.any_database
    async def test_keeps_the_first_name(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member)
        assert_success(await react(client, owner, message_id, emoji_name="+1"))
        assert_success(await react(client, member, message_id, emoji_name="thumbs_up"))
        names = {each["emoji_name"] for each in await reactions_to(client, owner, message_id)}
        assert names == {"+1"}

    @pytest.mark.any_database
    @pytest.mark.parametrize("spelling", ["zulip_extra_emoji", "service_extra_emoji", None])
    async def test_extra_emoji_has_two_spellings(
        self, client: ApiClient, member: Person, spelling: str | None
    ) -> None:
        message_id = await send_direct(client, member, member)
        values = {"emoji_name": "zulip", "emoji_code": "zulip", "reaction_type": spelling}
        passed = {name: value for name, value in values.items() if value is not None}
        assert_success(await react(client, member, message_id, **passed))
        [reaction] = await reactions_to(client, member, message_id)
        assert reaction["reaction_type"] == "zulip_extra_emoji"
        assert reaction["emoji_code"] == "zulip"
        assert_success(await take_back(client, member, message_id, **passed))

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"emoji_code": "1f419"}, "Missing 'emoji_name' argument"),
            ({"emoji_name": ""}, "emoji_name"),
            ({"emoji_name": "x" * 101}, "emoji_name"),
            ({"emoji_name": "no_such_emoji"}, "Emoji 'no_such_emoji' does not exist"),
            ({"emoji_name": "octopus", "emoji_code": "ffff"}, "Invalid emoji code"),
            ({"emoji_name": "octopus", "emoji_code": "1f44d"}, "Invalid emoji name"),
            ({**OCTOPUS, "reaction_type": "realm_emoji"}, "Invalid emoji code"),
            ({**OCTOPUS, "reaction_type": "realm_emoji", "emoji_code": "7"}, "Invalid emoji code"),
            ({**OCTOPUS, "reaction_type": "realm_emoji", "emoji_code": "07"}, "Invalid emoji code"),
            ({**OCTOPUS, "reaction_type": "zulip_extra_emoji"}, "Invalid emoji code"),
            ({"emoji_name": "octopus", "reaction_type": "realm_emoji"}, "does not exist"),
            ({**OCTOPUS, "reaction_type": "smoke_signal"}, "Invalid reaction_type"),
        ],
    )
    async def test_refuses_what_is_no_emoji(
        self, client: ApiClient, member: Person, values: dict[str, Any], message: str
    ) -> None:
        message_id = await send_direct(client, member, member)
        assert message in assert_error(await react(client, member, message_id, **values))
        assert await reactions_to(client, member, message_id) == []

    @pytest.mark.any_database
    async def test_reports_ignored_parameters(self, client: ApiClient, member: Person) -> None:
        message_id = await send_direct(client, member, member)
        response = await react(client, member, message_id, message_id=message_id, **OCTOPUS)
        assert assert_success(response) == {"ignored_parameters_unsupported": ["message_id"]}

    @pytest.mark.any_database
    async def test_number_is_limited(
        self, client: ApiClient, owner: Person, member: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "MAX_EMOJI", 2)
        monkeypatch.setattr(service, "MAX_REACTIONS", 3)
        message_id = await send_direct(client, owner, member)
        assert_success(await react(client, owner, message_id, emoji_name="heart"))
        assert_success(await react(client, owner, message_id, emoji_name="octopus"))
        refusal = assert_error(await react(client, owner, message_id, emoji_name="tada"))
        assert refusal == "A message can have 2 different reactions at most"
        assert_success(await react(client, member, message_id, emoji_name="heart"))
        refusal = assert_error(await react(client, member, message_id, emoji_name="octopus"))
        assert refusal == "A message can have 3 reactions at most"


@pytest.mark.any_database
class TestRemove:
    @pytest.mark.parametrize(
        "values",
        [
            {"emoji_name": "thumbs_up"},
            {"emoji_name": "+1"},
            {"emoji_code": "1f44d"},
            {"emoji_code": "1f44d", "reaction_type": "unicode_emoji"},
            {"emoji_name": "thumbs_up", "emoji_code": "1f44d"},
        ],
    )
    async def test_by_name_or_code(
        self, client: ApiClient, owner: Person, member: Person, values: dict[str, str]
    ) -> None:
        message_id = await send_direct(client, owner, member)
        assert_success(await react(client, member, message_id, emoji_name="thumbs_up"))
        assert_success(await react(client, owner, message_id, emoji_name="thumbs_up"))
        listener = await listen_to_reactions(client, owner)
        assert assert_success(await take_back(client, member, message_id, **values)) == {}
        left = await reactions_to(client, owner, message_id)
        assert [each["user_id"] for each in left] == [owner.user_id]
        [event] = await listener.new_events()
        assert (event["op"], event["user_id"]) == ("remove", member.user_id)
        assert event["emoji_name"] == "thumbs_up"
        assert event["emoji_code"] == "1f44d"
        assert event["user"]["full_name"] == member.full_name

    @pytest.mark.parametrize(
        "values",
        [
            {"emoji_name": "heart"},
            {"emoji_code": "2764"},
            {"emoji_code": "zulip"},
            {**OCTOPUS, "reaction_type": "zulip_extra_emoji", "emoji_code": "zulip"},
        ],
    )
    async def test_missing_reaction_is_refused(
        self, client: ApiClient, owner: Person, member: Person, values: dict[str, str]
    ) -> None:
        message_id = await send_direct(client, owner, member)
        assert_success(await react(client, owner, message_id, emoji_name="heart"))
        assert_success(await react(client, member, message_id))
        response = await take_back(client, member, message_id, **values)
        assert_error(response, "REACTION_DOES_NOT_EXIST")
        assert len(await reactions_to(client, owner, message_id)) == 2

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"reaction_type": "unicode_emoji"}, "Pass at least one of"),
            ({"emoji_name": "no_such_emoji"}, "Emoji 'no_such_emoji' does not exist"),
            ({"emoji_code": "ffff"}, "Invalid emoji code"),
            ({"emoji_code": "1f419", "reaction_type": "realm_emoji"}, "Invalid emoji code"),
        ],
    )
    async def test_refuses_what_is_no_emoji(
        self, client: ApiClient, member: Person, values: dict[str, str], message: str
    ) -> None:
        message_id = await send_direct(client, member, member)
        assert message in assert_error(await take_back(client, member, message_id, **values))


@pytest.mark.any_database
class TestAccess:
    async def test_hidden_messages_are_unknown(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        private = await make_channel(subscribers=[owner], invite_only=True)
        hidden = [
            await send(client, owner, private),
            await send_direct(client, owner, await make_user()),
        ]
        public = await send(client, owner, await make_channel(subscribers=[owner]))
        for message_id in (*hidden, 4711):
            for attempt in (react, take_back):
                refusal = assert_error(await attempt(client, member, message_id))
                assert refusal == "Invalid message(s)"
        assert_success(await react(client, member, public))
        assert assert_error(await react(client, guest, public)) == "Invalid message(s)"

    async def test_former_subscribers_cannot_react(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        channel = await make_channel(subscribers=[owner, member], invite_only=True)
        message_id = await send(client, owner, channel)
        assert_success(await react(client, member, message_id))
        listener = await listen_to_reactions(client, member)
        await unsubscribe(runtime, realm, member, channel)
        assert_error(await take_back(client, member, message_id))
        assert_error(await react(client, member, message_id, emoji_name="heart"))
        assert_success(await react(client, owner, message_id))
        assert await listener.new_events() == []

    async def test_archived_channels_refuse_reactions(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        message_id = await send(client, owner, channel)
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert assert_error(await react(client, owner, message_id)) == "Invalid message(s)"

    async def test_protected_history_is_protected_from_events_too(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        before = await send(client, owner, channel)
        joined = await subscribe(
            client,
            owner,
            channel.name,
            principals=[member.user_id],
            send_new_subscription_messages=False,
        )
        assert_success(joined)
        after = await send(client, owner, channel)
        listener = await listen_to_reactions(client, member)
        for message_id in (before, after):
            assert_success(await react(client, owner, message_id))
        assert [event["message_id"] for event in await listener.new_events()] == [after]
        assert_error(await react(client, member, before))
        assert_success(await react(client, member, after))

    async def test_event_is_sent_to_participants(
        self, client: ApiClient, make_user: MakeUser, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member)
        outside = await listen_to_reactions(client, await make_user(), all_public_streams=True)
        inside = [await listen_to_reactions(client, person) for person in (owner, member)]
        assert_success(await react(client, member, message_id))
        assert [len(await listener.new_events()) for listener in inside] == [1, 1]
        assert await outside.new_events() == []

    async def test_event_is_sent_to_queues_for_all_public_channels(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        message_id = await send(client, owner, await make_channel(subscribers=[owner]))
        one, all_of_them = (
            await listen_to_reactions(client, member),
            await listen_to_reactions(client, member, all_public_streams=True),
        )
        assert_success(await react(client, owner, message_id))
        assert await one.new_events() == []
        assert len(await all_of_them.new_events()) == 1


class TestCost:
    async def test_history_reads_all_reactions_in_one_statement(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        message_ids = [await send_direct(client, owner, member) for _ in range(5)]
        for message_id in message_ids:
            assert_success(await react(client, member, message_id))
        with recorded_statements(runtime.database, "FROM reaction") as statements:
            found = await read(client, owner)
        assert [len(message["reactions"]) for message in found["messages"]] == [1] * 5
        assert len(statements) == 1
