"""`chatapi db`, and what commands say when the database is not as it should be."""

import asyncio

import asyncpg
import pytest
from sqlalchemy import make_url

from chatapi.db.migrate import MIGRATION_LOCK
from tests.support.command import Command
from tests.support.waiting import until_true

_WAITS_FOR_LONGER_THAN_TWO_CLOCK_CHECKS = """
    SELECT count(*) > 0 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'advisory'
        AND clock_timestamp() - query_start > interval '1.1 seconds'
"""


def test_check_finds_what_upgrade_does(new_command: Command) -> None:
    before = new_command.run("db", "check", "--json")
    assert before.status == 1
    assert "revision None" in before.json["pending"][0]
    outdated = new_command.run("user", "list")
    assert outdated.status == 1
    assert outdated.stderr == "Error: The database is not up to date; run: chatapi db upgrade\n"
    new_command.answer("db", "upgrade")
    assert new_command.answer("db", "check")["pending"] == []


@pytest.mark.parametrize(
    ("address", "complaint", "status"),
    [
        ("mysql://somewhere/chat", "CHATAPI_DATABASE_URL: must start with sqlite:// or", 2),
        ("postgresql://u:hidden@127.0.0.1:1/chat", "127.0.0.1", 1),
        ("sqlite:////dev/null/chat.sqlite3", "/dev/null", 1),
    ],
)
def test_a_missing_database_is_one_line(
    empty_command: Command, address: str, complaint: str, status: int
) -> None:
    refused = empty_command.with_settings(database_url=address).run("org", "list")
    assert (refused.status, refused.stdout) == (status, "")
    assert complaint in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert "hidden" not in refused.stderr


def test_an_unknown_postgresql_database_ends_serve_at_once(postgres_command: Command) -> None:
    address = postgres_command.settings["database_url"]
    refused = postgres_command.with_settings(
        database_url=address.replace("chatapi_cli", "chatapi_none")
    ).run("serve", "--port", "0")
    assert (refused.status, refused.stdout) == (1, "")
    assert "does not exist" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_without_organization_the_next_step_is_named(empty_command: Command) -> None:
    empty_command.answer("db", "upgrade")
    refused = empty_command.run("user", "list", "--json")
    assert refused.status == 1
    assert "chatapi org create" in refused.json["msg"]


async def test_upgrade_that_waits_for_another_one_logs_nothing(postgres_command: Command) -> None:
    address = make_url(postgres_command.settings["database_url"]).set(drivername="postgresql")
    other = await asyncpg.connect(address.render_as_string(hide_password=False))
    try:
        await other.execute("SELECT pg_advisory_lock($1)", MIGRATION_LOCK)
        upgrade = asyncio.create_task(asyncio.to_thread(postgres_command.run, "db", "upgrade"))

        async def has_waited() -> bool:
            return bool(await other.fetchval(_WAITS_FOR_LONGER_THAN_TWO_CLOCK_CHECKS))

        await until_true(has_waited)
    finally:
        await other.close()
    outcome = await upgrade
    assert (outcome.status, outcome.stderr) == (0, "")
