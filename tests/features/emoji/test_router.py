"""GET, POST and DELETE of /realm/emoji, and where custom emoji can be used."""

import io
from collections.abc import Callable

import pytest
from PIL import Image

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.system_groups import SystemGroup
from chatapi.features.emoji import service
from tests.factories import MakeUser, Person
from tests.features.emoji.adding import add_emoji, list_emoji, try_add_emoji
from tests.features.emoji.pictures import moving_picture, picture
from tests.features.messages.fetch.conversations import send_direct, show
from tests.features.messages.reactions.reacting import react, reactions_to, take_back
from tests.features.realm.settings import allow
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


class TestAdd:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await try_add_emoji(client, None, "party"), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_is_listed_and_emitted(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        listener = await listen(client, owner, event_types=["realm_emoji"])
        assert listener.state["realm_emoji"] == {}
        emoji = await add_emoji(client, member, "party_parrot")
        assert emoji == {
            "id": emoji["id"],
            "name": "party_parrot",
            "source_url": emoji["source_url"],
            "still_url": None,
            "deactivated": False,
            "author_id": member.user_id,
        }
        [event] = await listener.new_events()
        assert (event["type"], event["op"]) == ("realm_emoji", "update")
        assert event["realm_emoji"] == {emoji["id"]: emoji}
        again = await listen(client, owner)
        assert again.state["realm_emoji"] == {emoji["id"]: emoji}

    @pytest.mark.any_database
    @pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
    async def test_is_reencoded_and_readable_without_credentials(
        self, client: ApiClient, member: Person, kind: str
    ) -> None:
        emoji = await add_emoji(client, member, "party", picture(kind))
        response = await client.http.get(emoji["source_url"])
        assert response.status_code == 200
        assert response.headers["content-type"] == "image/png"
        assert "immutable" in response.headers["cache-control"]
        assert response.headers["x-content-type-options"] == "nosniff"
        with Image.open(io.BytesIO(response.content)) as image:
            assert (image.format, image.size) == ("PNG", (64, 64))
            corner, middle = (image.convert("RGBA").getpixel(at) for at in [(0, 0), (32, 32)])
        assert isinstance(corner, tuple)
        assert isinstance(middle, tuple)
        assert corner[3] == 0
        assert middle[0] > 200

    @pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
    async def test_animated_pictures_stay_animated(
        self, client: ApiClient, member: Person, kind: str
    ) -> None:
        emoji = await add_emoji(client, member, "party", moving_picture(kind=kind))
        moving = await client.http.get(emoji["source_url"])
        with Image.open(io.BytesIO(moving.content)) as image:
            assert (image.format, image.size) == ("GIF", (64, 64))
            assert getattr(image, "n_frames", 1) == 3
        still = await client.http.get(emoji["still_url"])
        with Image.open(io.BytesIO(still.content)) as image:
            assert (image.format, image.size) == ("PNG", (64, 64))

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: b"", "Invalid image format"),
            (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "Invalid image format"),
            (lambda: b"GIF89a", "Invalid image format"),
            (lambda: picture()[:60], "The image could not be read"),
            (lambda: picture(size=(5000, 4000)), "The image has too many pixels"),
            (lambda: moving_picture(frames=201, size=(8, 8)), "The animation is too long"),
            (
                lambda: moving_picture(frames=5, size=(2000, 2000)),
                "The animation is too long or too large",
            ),
            (lambda: b"\x00" * (5 * 1024 * 1024 + 1), "The image is larger than 5 MiB"),
        ],
        ids=["empty", "svg", "head", "cut", "wide", "long", "large", "heavy"],
    )
    async def test_refuses_bad_pictures(
        self, client: ApiClient, member: Person, make: Callable[[], bytes], message: str
    ) -> None:
        assert message in assert_error(await try_add_emoji(client, member, "party", make()))
        assert await list_emoji(client, member) == []

    @pytest.mark.any_database
    @pytest.mark.parametrize("name", ["Party", "party!", "party_", "a" * 61, "pärty", "a b", "-"])
    async def test_refuses_bad_names(self, client: ApiClient, member: Person, name: str) -> None:
        assert "Emoji names must" in assert_error(await try_add_emoji(client, member, name))

    @pytest.mark.any_database
    async def test_needs_a_file(self, client: ApiClient, member: Person) -> None:
        response = await client.post("/realm/emoji/party", member)
        assert "filename" in assert_error(response)

    async def test_names_are_unique(self, client: ApiClient, owner: Person) -> None:
        await add_emoji(client, owner, "party")
        refusal = assert_error(await try_add_emoji(client, owner, "party"))
        assert refusal == "A custom emoji with this name already exists."

    @pytest.mark.any_database
    async def test_only_administrators_override_default_emoji(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        refusal = assert_error(await try_add_emoji(client, member, "octopus"))
        assert refusal == "Only administrators can override default emoji."
        await add_emoji(client, admin, "octopus")

    @pytest.mark.any_database
    async def test_needs_the_permission(
        self, client: ApiClient, realm: RealmRecord, owner: Person, member: Person, guest: Person
    ) -> None:
        assert_error(await try_add_emoji(client, guest, "party"))
        await allow(client, owner, realm, can_add_custom_emoji_group=SystemGroup.ADMINISTRATORS)
        refusal = assert_error(await try_add_emoji(client, member, "party"))
        assert refusal == "Insufficient permission"
        await add_emoji(client, owner, "party")

    @pytest.mark.any_database
    async def test_number_is_limited(
        self, client: ApiClient, owner: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "MAX_EMOJI", 1)
        await add_emoji(client, owner, "party")
        refusal = assert_error(await try_add_emoji(client, owner, "another"))
        assert refusal == "An organization can have 1 custom emoji at most"

    async def test_unknown_addresses_are_not_found(
        self, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        emoji = await add_emoji(client, member, "party")
        path, _, filename = emoji["source_url"].rpartition("/")
        for address in (f"{path}/other.{filename}", f"/custom_emoji/{realm.id}/a/b/emoji.png"):
            assert (await client.http.get(address)).status_code == 404


class TestRemove:
    async def test_removed_emoji_stays_where_it_is_in_use(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        emoji = await add_emoji(client, member, "party")
        message_id = await send_direct(client, owner, member, content=":party:")
        assert_success(await react(client, owner, message_id, emoji_name="party"))
        listener = await listen(client, owner, event_types=["realm_emoji"])
        assert_success(await client.delete("/realm/emoji/party", member))
        [event] = await listener.new_events()
        assert event["realm_emoji"][emoji["id"]]["deactivated"] is True
        assert (await client.http.get(emoji["source_url"])).status_code == 200
        refused = {"emoji_name": "party", "emoji_code": emoji["id"], "reaction_type": "realm_emoji"}
        other_id = await send_direct(client, owner, member, content=":party:")
        assert "<img" not in (await show(client, owner, other_id))["content"]
        refusal = assert_error(await react(client, owner, other_id, **refused))
        assert refusal == "This custom emoji has been deactivated"
        # Existing reactions with it can be joined by others and removed by their authors.
        assert_success(await react(client, member, message_id, **refused))
        assert_success(await take_back(client, owner, message_id, emoji_name="party"))
        assert len(await reactions_to(client, owner, message_id)) == 1

    async def test_name_can_be_reused(self, client: ApiClient, owner: Person) -> None:
        first = await add_emoji(client, owner, "party")
        assert_success(await client.delete("/realm/emoji/party", owner))
        second = await add_emoji(client, owner, "party")
        assert first["id"] != second["id"]
        assert len(await list_emoji(client, owner)) == 2

    async def test_only_author_and_administrators_may_remove(
        self,
        client: ApiClient,
        realm: RealmRecord,
        make_user: MakeUser,
        owner: Person,
        admin: Person,
        member: Person,
    ) -> None:
        await add_emoji(client, member, "party")
        refusal = assert_error(await client.delete("/realm/emoji/party", await make_user()))
        assert refusal == "Must be an organization administrator or emoji author"
        await allow(client, owner, realm, can_add_custom_emoji_group=SystemGroup.ADMINISTRATORS)
        assert_error(await client.delete("/realm/emoji/party", member))
        assert_success(await client.delete("/realm/emoji/party", admin))
        gone = await client.delete("/realm/emoji/party", admin)
        assert assert_error(gone, "BAD_REQUEST", 400) == "Emoji 'party' does not exist"


class TestUse:
    @pytest.mark.any_database
    async def test_in_messages(self, client: ApiClient, owner: Person, member: Person) -> None:
        emoji = await add_emoji(client, owner, "octopus")
        message_id = await send_direct(client, member, owner, content="Look, an :octopus:!")
        content = (await show(client, owner, message_id))["content"]
        assert f'src="{emoji["source_url"]}"' in content
        assert 'class="emoji"' in content

    @pytest.mark.parametrize("says_which", [True, False])
    async def test_in_reactions(
        self, client: ApiClient, owner: Person, member: Person, says_which: bool
    ) -> None:
        emoji = await add_emoji(client, owner, "octopus")
        message_id = await send_direct(client, owner, member)
        reaction = {
            "emoji_name": "octopus",
            "emoji_code": emoji["id"],
            "reaction_type": "realm_emoji",
        }
        values = reaction if says_which else {"emoji_name": "octopus"}
        assert_success(await react(client, member, message_id, **values))
        shown = await reactions_to(client, owner, message_id)
        assert shown == [{**reaction, "user_id": member.user_id}]
        wrong = {**reaction, "emoji_name": "heart"}
        assert assert_error(await react(client, owner, message_id, **{**wrong, "emoji_code": "99"}))
        assert_success(await take_back(client, member, message_id, **values))
