"""`chatapi settings`, `chatapi openapi` and `chatapi --version`."""

import json
import subprocess

from chatapi import __version__
from chatapi.core.settings import Settings
from tests.support.command import COMMAND, Command


class TestSettings:
    def test_lists_every_setting(self, empty_command: Command) -> None:
        changed = empty_command.with_settings(log_level="error", migrate_on_start="0")
        rows = {row.pop("name"): row for row in changed.answer("settings")["settings"]}
        assert set(rows) == {f"CHATAPI_{name.upper()}" for name in Settings.model_fields}
        assert rows["CHATAPI_LOG_LEVEL"]["value"] == "error"
        assert rows["CHATAPI_MIGRATE_ON_START"]["value"] == "false"
        assert rows["CHATAPI_MIGRATE_ON_START"]["default"] == "true"
        assert all(row["description"] for row in rows.values())

    def test_hides_secrets(self, empty_command: Command) -> None:
        shown = empty_command.with_settings(
            database_url="postgresql://me:hidden@db/chat?password=hidden",
            redis_url="rediss://:hid@den@cache/0",
        ).answer("settings")
        values = {row["name"]: row["value"] for row in shown["settings"]}
        assert values["CHATAPI_DATABASE_URL"] == "postgresql+asyncpg://***@db/chat?password=***"
        assert values["CHATAPI_REDIS_URL"] == "rediss://***@cache/0"

    def test_prints_lines_by_default(self, empty_command: Command) -> None:
        shown = empty_command.with_settings(queues_per_user="7").run("settings").stdout
        assert "CHATAPI_QUEUES_PER_USER=7\n" in shown
        assert "; default: 100\n" in shown

    def test_refuses_nonsense(self, empty_command: Command) -> None:
        refused = empty_command.with_settings(log_level="loud", max_body_bytes="-1").run("settings")
        assert (refused.status, refused.stdout) == (2, "")
        assert "CHATAPI_LOG_LEVEL" in refused.stderr
        assert "CHATAPI_MAX_BODY_BYTES" in refused.stderr


def test_openapi_needs_no_database(empty_command: Command) -> None:
    printed = empty_command.with_settings(database_url="postgresql://127.0.0.1:1/x").run("openapi")
    document = json.loads(printed.stdout)
    assert document["openapi"].startswith("3.1")
    assert "/api/v1/users/me" in document["paths"]
    written = empty_command.folder / "openapi.json"
    empty_command.run("openapi", "--output", str(written))
    assert written.read_text() == printed.stdout


def test_openapi_can_declare_json_bodies_only(empty_command: Command) -> None:
    document = json.loads(empty_command.run("openapi", "--json-bodies").stdout)
    body = document["paths"]["/api/v1/messages"]["post"]["requestBody"]
    assert list(body["content"]) == ["application/json"]


def test_the_module_is_the_command() -> None:
    said = subprocess.check_output([*COMMAND, "--version"], text=True)
    assert said == f"chatapi {__version__}\n"
