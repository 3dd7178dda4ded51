"""`chatapi org` and `chatapi user`, as scripts and operators use them."""

import pytest

from tests.cli.conftest import OWNER, OWNER_EMAIL, OWNER_PASSWORD, Prepared
from tests.support.command import Command


class TestSettingUp:
    def test_output_is_json_only(self, prepared: Prepared) -> None:
        assert prepared.upgrade.json == {"result": "success"}
        assert prepared.organization.json == {
            "result": "success",
            "realm_id": 1,
            "subdomain": "acme",
            "name": "Acme",
        }
        assert prepared.owner.json == {
            "result": "success",
            "user_id": 2,  # the notification bot was there first
            "email": OWNER_EMAIL,
            "full_name": "Iago",
            "role": "owner",
            "is_active": True,
            "is_bot": False,
            "api_key": prepared.owner_key,
        }
        assert len(prepared.owner_key) == 32

    def test_works_on_postgresql(self, postgres_command: Command) -> None:
        postgres_command.answer("db", "upgrade")
        postgres_command.answer("org", "create", "--name", "Acme", "--subdomain", "here")
        created = postgres_command.answer("user", "create", *OWNER, stdin=OWNER_PASSWORD)
        (listed,) = postgres_command.answer("user", "list")["users"]
        assert listed == {key: created[key] for key in listed}


class TestRefusals:
    def test_come_as_one_line_on_stderr(self, command: Command) -> None:
        refused = command.run("user", "create", *OWNER, stdin=OWNER_PASSWORD)
        assert refused.status == 1
        assert refused.stdout == ""
        assert refused.stderr == f"Error: email {OWNER_EMAIL} is already in use\n"

    def test_come_as_json_if_asked_for(self, command: Command) -> None:
        refused = command.run("user", "role", "--email", OWNER_EMAIL, "--role", "guest", "--json")
        assert refused.status == 1
        assert refused.json["result"] == "error"
        assert refused.json["code"] == "CANNOT_DEACTIVATE_LAST_USER"
        assert refused.json["msg"] == "Cannot change the role of the only organization owner"
        assert refused.stderr == ""

    def test_name_an_unknown_user(self, command: Command) -> None:
        refused = command.run("user", "deactivate", "--email", "nobody@example.com")
        assert (refused.status, refused.stdout) == (1, "")
        assert "nobody@example.com" in refused.stderr

    def test_of_a_mistyped_role_have_another_status(self, command: Command) -> None:
        refused = command.run("user", "role", "--email", OWNER_EMAIL, "--role", "emperor")
        assert refused.status == 2
        assert "emperor" in refused.stderr

    def test_of_a_short_password_name_it(self, command: Command) -> None:
        somebody = ("--email", "a@b.example", "--name", "A", "--password-stdin")
        refused = command.run("user", "create", *somebody, stdin="short\n")
        assert refused.status == 1
        assert "password is too short" in refused.stderr


class TestApiKeys:
    def test_new_key_leaves_the_others_valid_and_says_so(self, command: Command) -> None:
        added = command.run("user", "api-key", "--email", OWNER_EMAIL, "--name", "backup script")
        assert "Earlier keys stay valid" in added.stderr
        first, second = command.answer("user", "api-keys", "--email", OWNER_EMAIL)["api_keys"]
        assert (first["name"], second["name"]) == ("", "backup script")
        assert not second["is_login"]
        assert second["last_used_at"] is None

    def test_one_key_is_revoked_by_its_number(self, command: Command) -> None:
        command.answer("user", "api-key", "--email", OWNER_EMAIL)
        first, second = command.answer("user", "api-keys", "--email", OWNER_EMAIL)["api_keys"]
        command.answer("user", "revoke-api-key", "--email", OWNER_EMAIL, "--id", str(first["id"]))
        assert command.answer("user", "api-keys", "--email", OWNER_EMAIL)["api_keys"] == [second]

    @pytest.mark.parametrize("choice", [(), ("--all", "--id", "1"), ("--id", "77")])
    def test_revoking_without_a_clear_choice_changes_nothing(
        self, command: Command, choice: tuple[str, ...]
    ) -> None:
        refused = command.run("user", "revoke-api-key", "--email", OWNER_EMAIL, *choice)
        assert refused.status == 1
        assert len(command.answer("user", "api-keys", "--email", OWNER_EMAIL)["api_keys"]) == 1

    def test_deactivated_user_gets_none_until_reactivated(self, command: Command) -> None:
        user = ("--email", "emilia@example.com")
        command.answer("user", "create", *user, "--name", "Emilia")
        command.answer("user", "deactivate", *user)
        refused = command.run("user", "api-key", *user)
        assert refused.stderr == "Error: Deactivated users cannot have API keys\n"
        assert command.answer("user", "reactivate", *user)["is_active"]
        assert command.answer("user", "api-key", *user)["api_key"]


class TestSeveralOrganizations:
    def test_need_an_explicit_choice(self, command: Command) -> None:
        command.answer("org", "create", "--name", "Other", "--yes")
        assert [org["subdomain"] for org in command.answer("org", "list")["organizations"]] == [
            "acme",
            "other",
        ]
        refused = command.run("user", "list", "--json")
        assert refused.status == 1
        assert refused.json["organizations"] == ["acme", "other"]
        assert command.answer("user", "list", "--org", "other")["users"] == []

    def test_have_different_subdomains(self, command: Command) -> None:
        refused = command.run("org", "create", "--name", "ACME", "--yes", "--json")
        assert refused.status == 1
        assert refused.json["code"] == "SUBDOMAIN_TAKEN"


def test_names_cannot_send_terminal_escapes(command: Command) -> None:
    created = command.run("org", "create", "--name", "Evil\x1b[2J\x9b1m\u202e", "--yes")
    listed = command.run("org", "list")
    for shown in (created.stdout, listed.stdout):
        assert "Evil\\x1b[2J\\x9b1m\\u202e" in shown
        assert not {"\x1b", "\x9b", "\u202e"} & set(shown)


@pytest.mark.slow
def test_demo_fills_an_organization_once(command: Command) -> None:
    first = command.run("demo", "--people", "30", "--json")
    users = command.answer("user", "list")["users"]
    assert first.status == 0
    assert first.json["password"]
    assert len(users) == 31
    assert {user["role"] for user in users} == {"owner", "admin", "moderator", "member", "guest"}
    assert any(user["is_bot"] for user in users)
    assert any(not user["is_active"] for user in users)
    command.answer("demo", "--people", "30")
    assert command.answer("user", "list")["users"] == users


@pytest.mark.parametrize("arguments", [(), ("--help",), ("user",), ("user", "create", "--help")])
def test_has_help_texts(empty_command: Command, arguments: tuple[str, ...]) -> None:
    assert "Usage: " in empty_command.run(*arguments).stdout
