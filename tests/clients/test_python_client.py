"""The existing Python client, unchanged, against a real server."""

from pathlib import Path

import zulip

from chatapi.core.version import VERSION
from tests.clients.python_client import connect
from tests.factories import MakeUser, Person


class TestPythonClient:
    async def test_reads_server_settings_and_own_user(self, url: str, owner: Person) -> None:
        client = await connect(url, owner)
        settings = await client.call(zulip.Client.get_server_settings)
        assert settings["zulip_version"] == VERSION
        profile = await client.call(zulip.Client.get_profile)
        assert profile["user_id"] == owner.user_id

    async def test_client_with_a_wrong_key_is_refused_on_first_request(
        self, url: str, owner: Person
    ) -> None:
        client = await connect(url, owner, api_key="wrong")
        response = await client.call(zulip.Client.get_profile)
        assert (response["result"], response["code"]) == ("error", "UNAUTHORIZED")

    async def test_gets_the_event_of_the_user_it_creates(self, url: str, owner: Person) -> None:
        client = await connect(url, owner)
        queue = await client.call(zulip.Client.register, event_types=["realm_user"])
        created = await client.call(
            zulip.Client.create_user,
            {"email": "ann@example.com", "password": "a long one", "full_name": "Ann"},
        )
        response = await client.call(
            zulip.Client.get_events,
            queue_id=queue["queue_id"],
            last_event_id=queue["last_event_id"],
        )
        (event,) = response["events"]
        assert (event["type"], event["op"]) == ("realm_user", "add")
        assert event["person"]["user_id"] == created["user_id"]

    async def test_lists_members_with_avatars(
        self, url: str, owner: Person, make_user: MakeUser
    ) -> None:
        member = await make_user()
        client = await connect(url, owner)
        response = await client.call(zulip.Client.get_members, {"client_gravatar": False})
        people = {user["user_id"]: user for user in response["members"]}
        assert people.keys() == {owner.user_id, member.user_id}
        assert people[member.user_id]["avatar_url"].startswith("https://")

    async def test_gets_an_error_for_a_deleted_queue(self, url: str, owner: Person) -> None:
        client = await connect(url, owner)
        queue = await client.call(zulip.Client.register)
        queue_id = queue["queue_id"]
        first = await client.call(zulip.Client.deregister, queue_id)
        again = await client.call(zulip.Client.deregister, queue_id)
        assert first["result"] == "success"
        assert (again["code"], again["queue_id"]) == ("BAD_EVENT_QUEUE_ID", queue_id)

    async def test_uploads_a_file_and_links_it(
        self, url: str, owner: Person, tmp_path: Path
    ) -> None:
        client = await connect(url, owner)
        (tmp_path / "hello.txt").write_text("Hello, world")
        with (tmp_path / "hello.txt").open("rb") as file:
            uploaded = await client.call(zulip.Client.upload_file, file)
        assert (uploaded["result"], uploaded["filename"]) == ("success", "hello.txt")
        message = {
            "type": "private",
            "to": [owner.email],
            "content": f"[hello]({uploaded['uri']})",
        }
        sent = await client.call(zulip.Client.send_message, message)
        response = await client.call(zulip.Client.get_attachments)
        assert [each["message_ids"] for each in response["attachments"]] == [[sent["id"]]]
