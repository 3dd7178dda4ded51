"""Schemathesis against a real server: no 5xx, and no undocumented response."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.factories import Person
from tests.support.command import Command
from tests.support.server_process import ServerProcess, inherited_environment, server_process

# The document's example, so that the request does not change the caller's account.
OWNER = "iago@example.com"
ENDS_ITS_OWN_CREDENTIALS = "^(regenerate|revoke)_api_key$"
IGNORED_CHECKS = (
    # A well-formed request may still name a user who does not exist.
    "positive_data_acceptance",
    # `null` stands for "not passed", which existing clients rely on and no type shows.
    "negative_data_rejection",
)
EXAMPLES = {"sqlite": 20, "postgresql": 5}
"""Random requests for each operation."""
PHASES = {"sqlite": "examples,coverage,fuzzing,stateful", "postgresql": "examples,fuzzing,stateful"}
"""The boundary values of all parameters (coverage) take four times as long as everything else, and
are refused before any statement."""
PATIENCE_SECONDS = 1_800
MAX_REQUEST_SECONDS = 120
"""A request that hangs fails the test; one that is slow because the machine is busy does not."""


@pytest.fixture
def command(database_url: str, tmp_path: Path) -> Command:
    return Command(
        tmp_path,
        {
            "database_url": database_url,
            "rate_limits": "off",
            "password_hash_kib": "64",
            "password_hash_rounds": "1",
            # A poll of a real queue must not delay the other requests.
            "heartbeat_seconds": "0.2",
        },
    )


@pytest.fixture
def owner(command: Command) -> Person:
    command.answer("org", "create", "--name", "Acme")
    created = command.answer(
        "user", "create", "--email", OWNER, "--name", "Iago", "--role", "owner"
    )
    return Person(created["user_id"], OWNER, created["api_key"])


def schemathesis(server: ServerProcess, person: Person, folder: Path, *options: str) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"),
            *("--auth", f"{person.email}:{person.api_key}"),
            *("--exclude-checks", ",".join(IGNORED_CHECKS)),
            *("--seed", "1", "--no-color"),
            *("--request-timeout", str(MAX_REQUEST_SECONDS)),
            *options,
        ],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=inherited_environment(),
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stdout
    assert "request_failed" not in server.log


@pytest.mark.slow
def test_every_response_is_documented(
    command: Command, owner: Person, backend: str, tmp_path: Path
) -> None:
    extent = ("--max-examples", str(EXAMPLES[backend]), "--phases", PHASES[backend])
    with server_process(tmp_path, **command.settings) as server:
        # Built once, before anything else: the other requests do not wait for it.
        httpx.get(f"{server.url}/openapi.json", timeout=PATIENCE_SECONDS).raise_for_status()
        for option in ("--exclude-operation-id-regex", "--include-operation-id-regex"):
            schemathesis(server, owner, tmp_path, *extent, option, ENDS_ITS_OWN_CREDENTIALS)
