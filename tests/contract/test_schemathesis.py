"""Schemathesis against a real server: no 5xx, and no undocumented response."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import orjson
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


async def save_document(server: ServerProcess, folder: Path) -> Path:
    """The server's own, except for the limit of unnamed groups.

    Dozens of parameters take one. Half of the processor time of a run went into sending each of
    them too many entries, half a megabyte at a time; `test_unnamed_groups.py` does that instead.
    """
    async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_SECONDS) as http:
        document: dict[str, Any] = (await http.get("/openapi.json")).raise_for_status().json()
    for entries in document["components"]["schemas"]["UnnamedGroup"]["properties"].values():
        del entries["maxItems"]
    file = folder / "openapi.json"
    file.write_bytes(orjson.dumps(document))
    return file


def schemathesis(server: ServerProcess, person: Person, document: Path, *options: str) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", str(document), "--url", server.url),
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
        cwd=document.parent,
        env=inherited_environment(),
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stdout
    assert "request_failed" not in server.log


@pytest.mark.slow
async def test_every_response_is_documented(
    command: Command, owner: Person, backend: str, tmp_path: Path
) -> None:
    extent = ("--max-examples", str(EXAMPLES[backend]), "--phases", PHASES[backend])
    async with server_process(tmp_path, **command.settings) as server:
        document = await save_document(server, tmp_path)
        for option in ("--exclude-operation-id-regex", "--include-operation-id-regex"):
            options = (*extent, option, ENDS_ITS_OWN_CREDENTIALS)
            await asyncio.to_thread(schemathesis, server, owner, document, *options)
