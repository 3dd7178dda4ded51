"""`CHATAPI_FIRST_OWNER_EMAIL`: who owns the organization of the first start."""

import pytest

from tests.support.command import Command


@pytest.mark.slow
async def test_owner_has_the_address_of_the_setting(empty_command: Command) -> None:
    command = empty_command.with_settings(first_owner_email="ada@example.org")
    with command.serving() as serving:
        serving.read_greeting(last="^curl ")
        assert serving.greeted("Owner's email") == "ada@example.org"
        async with serving.client("ada@example.org", serving.greeted("API key")) as client:
            assert (await client.get("/users/me")).json()["is_owner"]


@pytest.mark.parametrize("address", ["ada", "ada@", "a b@example.org"])
def test_bad_address_ends_the_start_before_anything_is_created(
    empty_command: Command, address: str
) -> None:
    refused = empty_command.with_settings(first_owner_email=address).run("serve", "--port", "0")
    assert (refused.status, refused.stdout) == (2, "")
    assert refused.stderr == (
        "Error: CHATAPI_FIRST_OWNER_EMAIL: email is not a valid email address\n"
    )
    assert empty_command.answer("org", "list")["organizations"] == []
