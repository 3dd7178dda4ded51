"""PUT, GET and DELETE /bot_storage, on both databases."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.features.users.bot_storage import service
from tests.factories import MakeUser, Person
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success


@pytest.fixture
async def bot(make_user: MakeUser, owner: Person) -> Person:
    return await make_user(bot_owner=owner)


async def stored(client: ApiClient, person: Person, **params: object) -> dict[str, str]:
    storage: dict[str, str] = assert_success(await client.get("/bot_storage", person, **params))[
        "storage"
    ]
    return storage


async def put(client: ApiClient, person: Person, **entries: str) -> None:
    assert assert_success(await client.put("/bot_storage", person, storage=entries)) == {}


@pytest.mark.any_database
class TestPut:
    async def test_stores_and_replaces_entries_and_keeps_the_others(
        self, client: ApiClient, bot: Person
    ) -> None:
        await put(client, bot, game="chess", score="1")
        await put(client, bot, score="2", turn='{"of": "ann"}')
        assert await stored(client, bot) == {
            "game": "chess",
            "score": "2",
            "turn": '{"of": "ann"}',
        }

    async def test_storage_of_another_bot_is_separate(
        self, client: ApiClient, bot: Person, make_user: MakeUser, owner: Person
    ) -> None:
        other = await make_user(bot_owner=owner)
        await put(client, bot, game="chess")
        await put(client, other, game="go")
        assert await stored(client, bot) == {"game": "chess"}

    async def test_person_who_runs_a_bot_as_themselves_has_a_storage(
        self, client: ApiClient, owner: Person
    ) -> None:
        await put(client, owner, game="chess")
        assert await stored(client, owner) == {"game": "chess"}

    @pytest.mark.parametrize(
        ("params", "complaint"),
        [
            ({}, "storage"),
            ({"storage": "text"}, "storage"),
            ({"storage": ["a"]}, "storage"),
            ({"storage": {"key": 1}}, "storage"),
            ({"storage": {"key": None}}, "storage"),
            ({"storage": {"": "value"}}, "storage"),
            ({"storage": {"k" * 256: "value"}}, "storage"),
            ({"storage": {"key": "a\0b"}}, "storage"),
            ({"storage": {str(n): "" for n in range(1_001)}}, "storage"),
        ],
    )
    async def test_bad_value_is_refused_and_nothing_is_stored(
        self, client: ApiClient, bot: Person, params: dict[str, object], complaint: str
    ) -> None:
        assert complaint in assert_error(await client.put("/bot_storage", bot, **params))
        assert await stored(client, bot) == {}

    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await client.put("/bot_storage", storage={}), "UNAUTHORIZED", 401)


class TestQuota:
    @pytest.fixture(autouse=True)
    def small_quota(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "MAX_STORED_CHARACTERS", 20)
        monkeypatch.setattr(service, "MAX_ENTRIES", 3)

    @pytest.mark.any_database
    async def test_entries_up_to_the_quota_are_stored_and_one_character_more_is_refused(
        self, client: ApiClient, bot: Person
    ) -> None:
        await put(client, bot, a="x" * 9, b="y" * 9)
        response = await client.put("/bot_storage", bot, storage={"a": "x", "b": "y" * 18})
        assert "21 characters in total (limit: 20)" in assert_error(response)
        assert await stored(client, bot) == {"a": "x" * 9, "b": "y" * 9}

    async def test_replaced_and_deleted_entries_do_not_count(
        self, client: ApiClient, bot: Person
    ) -> None:
        await put(client, bot, a="x" * 19)
        await put(client, bot, a="y" * 19)
        assert_success(await client.delete("/bot_storage", bot, keys=["a"]))
        await put(client, bot, b="z" * 19)
        assert await stored(client, bot) == {"b": "z" * 19}

    @pytest.mark.any_database
    async def test_number_of_entries_is_limited(self, client: ApiClient, bot: Person) -> None:
        await put(client, bot, a="", b="", c="")
        response = await client.put("/bot_storage", bot, storage={"d": ""})
        assert "4 entries in total (limit: 3)" in assert_error(response)

    @pytest.mark.any_database
    async def test_characters_are_counted_not_bytes(self, client: ApiClient, bot: Person) -> None:
        await put(client, bot, ä="ü" * 19)
        assert await stored(client, bot) == {"ä": "ü" * 19}


class TestGet:
    async def test_returns_the_entries_with_the_given_keys(
        self, client: ApiClient, bot: Person
    ) -> None:
        await put(client, bot, a="1", b="2", c="3")
        assert await stored(client, bot, keys=["a", "c", "a"]) == {"a": "1", "c": "3"}
        assert await stored(client, bot, keys=[]) == {}

    @pytest.mark.any_database
    async def test_missing_key_is_an_error_that_names_it(
        self, client: ApiClient, bot: Person
    ) -> None:
        await put(client, bot, a="1")
        response = await client.get("/bot_storage", bot, keys=["a", "gone"])
        assert assert_error(response) == "keys: There is no entry with the key 'gone'"


class TestDelete:
    async def test_deletes_the_entries_with_the_given_keys(
        self, client: ApiClient, bot: Person
    ) -> None:
        await put(client, bot, a="1", b="2")
        assert assert_success(await client.delete("/bot_storage", bot, keys=["a"])) == {}
        assert await stored(client, bot) == {"b": "2"}

    async def test_without_keys_everything_is_deleted(self, client: ApiClient, bot: Person) -> None:
        await put(client, bot, a="1", b="2")
        assert_success(await client.delete("/bot_storage", bot))
        assert await stored(client, bot) == {}

    @pytest.mark.any_database
    async def test_missing_key_deletes_nothing(self, client: ApiClient, bot: Person) -> None:
        await put(client, bot, a="1")
        response = await client.delete("/bot_storage", bot, keys=["a", "gone"])
        assert "gone" in assert_error(response)
        assert await stored(client, bot) == {"a": "1"}
