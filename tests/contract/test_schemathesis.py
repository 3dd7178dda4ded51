"""Schemathesis against a real server: no 5xx, and no undocumented response."""

import asyncio
import os
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
EXAMPLES = int(os.environ.get("CHATAPI_TEST_EXAMPLES", "10"))
"""Random requests for each operation on SQLite; PostgreSQL receives half of them."""
RANDOM_PHASES = "examples,fuzzing,stateful"
BOUNDARIES_PHASE = "coverage"
"""The boundary values of all parameters take longer than everything else, and are refused before
any statement, so that they need not be sent on PostgreSQL."""
JSON = "application/json"
SAID_OF_A_PARAMETER = {"title", "description", "default", "example", "examples"}
"""What its schema says besides its type."""
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


async def read_document(server: ServerProcess) -> dict[str, Any]:
    """The server's own, except for the limit of unnamed groups.

    Dozens of parameters take one. Half of the processor time of a run went into sending each of
    them too many entries, half a megabyte at a time; `test_unnamed_groups.py` does that instead.
    """
    async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_SECONDS) as http:
        document: dict[str, Any] = (await http.get("/openapi.json")).raise_for_status().json()
    for entries in document["components"]["schemas"]["UnnamedGroup"]["properties"].values():
        del entries["maxItems"]
    return document


def save_document(document: dict[str, Any], file: Path) -> Path:
    file.write_bytes(orjson.dumps(document))
    return file


def for_boundary_values(document: dict[str, Any]) -> dict[str, Any]:
    """The document without what is validated by the same code as something else in it.

    That is forms, where a JSON body does as well, and of the parameters in a body those of the same
    type as one before: organizations and users have dozens of settings of a few types. Examples and
    random requests have them all, and are sent in both ways.
    """
    copied: dict[str, Any] = orjson.loads(orjson.dumps(document))
    schemas = copied["components"]["schemas"]
    for operations in copied["paths"].values():
        for operation in operations.values():
            content = operation.get("requestBody", {}).get("content", {})
            if JSON in content:
                schema = content[JSON]["schema"]
                schema = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
                operation["requestBody"]["content"] = {JSON: {"schema": one_of_each_type(schema)}}
    return copied


def one_of_each_type(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with fewer properties; those that are required all stay."""
    required = schema.get("required", [])
    kept: dict[str, Any] = {}
    types: set[bytes] = set()
    for name, described in schema.get("properties", {}).items():
        named = {key: value for key, value in described.items() if key not in SAID_OF_A_PARAMETER}
        kind = orjson.dumps(named, option=orjson.OPT_SORT_KEYS)
        if kind not in types or name in required:
            kept[name] = described
        types.add(kind)
    return {**schema, "properties": kept}


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
        # Otherwise its client searches the environment for proxies twice for each request.
        env={**inherited_environment(), "NO_PROXY": "127.0.0.1"},
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stdout
    assert "request_failed" not in server.log


@pytest.mark.slow
async def test_every_response_is_documented(
    command: Command, owner: Person, backend: str, tmp_path: Path
) -> None:
    others = ("--exclude-operation-id-regex", ENDS_ITS_OWN_CREDENTIALS)
    ending = ("--include-operation-id-regex", ENDS_ITS_OWN_CREDENTIALS)
    count = EXAMPLES if backend == "sqlite" else max(1, EXAMPLES // 2)
    examples = ("--max-examples", str(count))
    async with server_process(tmp_path, **command.settings) as server:

        async def run(document: Path, phases: str, *operations: str) -> None:
            options = (*examples, "--phases", phases, *operations)
            await asyncio.to_thread(schemathesis, server, owner, document, *options)

        document = await read_document(server)
        whole = save_document(document, tmp_path / "openapi.json")
        await run(whole, RANDOM_PHASES, *others)
        if backend == "sqlite":
            smaller = save_document(for_boundary_values(document), tmp_path / "boundaries.json")
            await run(smaller, BOUNDARIES_PHASE, *others)
            await run(whole, f"{RANDOM_PHASES},{BOUNDARIES_PHASE}", *ending)
        else:
            await run(whole, RANDOM_PHASES, *ending)
