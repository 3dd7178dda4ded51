"""`chatapi org`: a second organization, other names, and the end of one."""

import pytest

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.support.command import Command
from tests.support.pseudo_terminal import type_into_terminal
from tests.support.waiting import until_true

SECOND = ("org", "create", "--name", "Globex")
AT_HOME = {"public_url": "https://chat.example.com", "root_domain": "example.com"}


def subdomains(command: Command) -> list[str]:
    return [org["subdomain"] for org in command.answer("org", "list")["organizations"]]


class TestSecondOrganization:
    def test_is_created_for_a_script_with_a_warning(self, command: Command) -> None:
        created = command.with_settings(**AT_HOME).run(*SECOND, "--json")
        assert created.json["subdomain"] == "globex"
        assert "https://chat.example.com now" in created.stderr
        assert "only at https://acme.example.com" in created.stderr
        third = command.run("org", "create", "--name", "Initech", "--json")
        assert (third.json["result"], third.stderr) == ("success", "")

    def test_needs_no_warning_if_the_address_stays(self, command: Command) -> None:
        settled = command.with_settings(
            public_url="https://acme.example.com", root_domain="example.com"
        )
        assert settled.run(*SECOND).stderr == ""

    @pytest.mark.parametrize(
        ("typed", "expected"),
        [
            ("y", ["acme", "globex"]),
            pytest.param("n", ["acme"], marks=pytest.mark.slow),
        ],
    )
    def test_is_asked_about_on_a_terminal(
        self, command: Command, typed: str, expected: list[str]
    ) -> None:
        status, shown = type_into_terminal(command, SECOND, {"Go on? [y/N]: ": typed})
        assert status == (0 if typed == "y" else 1)
        assert "acme.localhost" in shown
        assert subdomains(command) == expected

    @pytest.mark.parametrize("name", ["Admin", "www"])
    def test_cannot_have_a_reserved_subdomain(self, command: Command, name: str) -> None:
        refused = command.run("org", "create", "--name", name, "--yes", "--json")
        assert refused.status == 1
        assert f"subdomain {name.lower()} is reserved: " in refused.json["msg"]


def test_file_for_clients_names_the_address_of_the_organization(command: Command) -> None:
    several = command.with_settings(**AT_HOME)
    zuliprc = command.folder / "zuliprc"
    new_key = ("user", "api-key", "--email", OWNER_EMAIL, "--zuliprc", str(zuliprc))
    several.answer(*new_key)
    assert "site=https://chat.example.com\n" in zuliprc.read_text()
    several.answer(*SECOND, "--yes")
    several.answer(*new_key, "--org", "acme")
    assert "site=https://acme.example.com\n" in zuliprc.read_text()


class TestRename:
    def test_says_what_the_name_is(self, command: Command) -> None:
        renamed = command.run("org", "rename", "acme", "--name", "Acme Limited")
        assert renamed.stdout == "acme is called Acme Limited.\n"

    def test_of_the_only_one_says_that_clients_find_it_as_before(self, command: Command) -> None:
        renamed = command.run("org", "rename", "acme", "--subdomain", "initech")
        assert "reached at every host name as before" in renamed.stdout

    def test_of_one_among_several_names_both_addresses(self, command: Command) -> None:
        several = command.with_settings(**AT_HOME)
        several.answer(*SECOND, "--yes")
        renamed = several.run("org", "rename", "acme", "--subdomain", "initech")
        assert "now reached at https://initech.example.com" in renamed.stdout
        assert "still use https://acme.example.com get an error" in renamed.stdout
        listed = several.answer("org", "list")["organizations"]
        assert [org["address"] for org in listed] == [
            "https://initech.example.com",
            "https://globex.example.com",
        ]

    def test_without_anything_to_change_says_what_could(self, command: Command) -> None:
        refused = command.run("org", "rename", "acme", "--json")
        assert refused.status == 1
        assert refused.json["code"] == "NOTHING_TO_CHANGE"

    def test_of_an_unknown_one_names_the_known(self, command: Command) -> None:
        refused = command.run("org", "rename", "nowhere", "--name", "X")
        assert (refused.status, refused.stdout) == (1, "")
        assert refused.stderr == "Error: Name one of the organizations: acme\n"


class TestDelete:
    @pytest.mark.slow
    def test_needs_the_subdomain_to_be_typed(self, command: Command) -> None:
        prompt = "Type acme to go on: "
        status, shown = type_into_terminal(command, ("org", "delete", "acme"), {prompt: "yes"})
        assert status == 1
        assert "for ever" in shown
        assert subdomains(command) == ["acme"]
        status, _ = type_into_terminal(command, ("org", "delete", "acme"), {prompt: "acme"})
        assert status == 0
        assert subdomains(command) == []

    def test_needs_yes_from_scripts(self, command: Command) -> None:
        refused = command.run("org", "delete", "acme", "--json")
        assert (refused.status, refused.json["code"]) == (1, "CONFIRMATION_NEEDED")
        assert subdomains(command) == ["acme"]
        deleted = command.answer("org", "delete", "ACME", "--yes")
        assert deleted["subdomain"] == "acme"
        assert deleted["removed_rows"] > 10
        assert subdomains(command) == []

    @pytest.mark.slow
    async def test_ends_keys_at_a_running_server(
        self, command: Command, prepared: Prepared
    ) -> None:
        with command.serving() as serving:
            serving.read_greeting(last="Docs")
            async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
                assert (await client.get("/users/me")).status_code == 200
                command.answer("org", "delete", "acme", "--yes")

                async def is_gone() -> bool:
                    return (await client.get("/users/me")).status_code == 404

                await until_true(is_gone)
            assert "Traceback" not in serving.errors.read_text()
