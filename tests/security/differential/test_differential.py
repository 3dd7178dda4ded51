"""Readers get responses as if nothing existed that they may not see.

Random organizations are built, and a copy of their database is made from which everything that
one reader of each may not see was deleted. All responses of the two must be the same bytes.
"""

import os
import re
from collections.abc import AsyncIterator
from itertools import takewhile
from pathlib import Path
from random import Random

import httpx
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from chatapi.http.route import API_PREFIX
from chatapi.main import ChatApp
from tests.factories import Person
from tests.security.differential.copies import Pair, postgres_pair, sqlite_pair
from tests.security.differential.deletion import Deletion
from tests.security.differential.organization import Organization, build_organization
from tests.security.differential.requests import Request, RequestMaker
from tests.security.differential.visibility import Reader, load_facts
from tests.support.apps import make_settings, running_app
from tests.support.client import basic_auth, encode_form
from tests.support.clock import MovableClock
from tests.support.databases import SqliteTemplate
from tests.support.servers import Servers

READERS = int(os.environ.get("CHATAPI_TEST_READERS", "120"))
"""How many readers are tested on SQLite; PostgreSQL tests a tenth of them."""
_SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
_PARTS = 3
_ROUNDS = 10
"""Readers of each organization."""
_APART = re.compile(rb'"(queue_id|first_message_id|max_message_id)":("[^"]*"|-?\d+|null)')
"""Values that always differ, or only reveal the highest id and nothing about a message."""
_SUBSCRIBERS = re.compile(rb'("subscribers":\[)([\d,]*)')
"""PostgreSQL lists them in the order in which it stores the rows."""


@pytest.fixture
async def pair(
    backend: str,
    sqlite_template: SqliteTemplate,
    servers: Servers,
    worker_name: str,
    tmp_path: Path,
) -> AsyncIterator[Pair]:
    kind = (
        sqlite_pair(sqlite_template, tmp_path)
        if backend == "sqlite"
        else postgres_pair(servers.postgres, worker_name, tmp_path)
    )
    async with kind as made:
        yield made


@pytest.mark.parametrize("part", range(_PARTS))
async def test_hidden_rows_change_no_response(backend: str, pair: Pair, part: int) -> None:
    readers = READERS if backend == "sqlite" else READERS // 10
    random = Random(f"{_SEED} {part}")
    clock = MovableClock()
    settings = [make_settings(url, pair.folder) for url in (pair.original, pair.copy)]
    rounds = min(_ROUNDS, max(1, readers // _PARTS))
    async with running_app(settings[0], clock) as app:
        organizations = [
            await build_organization(app, number, random)
            for number in range(max(1, readers // _PARTS // rounds))
        ]
    for _ in range(rounds):
        chosen = [(each, _reader_of(each, random)) for each in organizations]
        await pair.refresh_copy()
        await _delete_hidden(pair.copy, chosen)
        async with (
            running_app(settings[0], clock) as app,
            running_app(settings[1], clock) as copy,
            _client(app) as original,
            _client(copy) as reduced,
        ):
            for organization, reader in chosen:
                await _compare(original, reduced, organization, reader, random)


def _reader_of(organization: Organization, random: Random) -> Person | None:
    return random.choice([*organization.persons.values(), None])


async def _delete_hidden(url: str, chosen: list[tuple[Organization, Person | None]]) -> None:
    engine = create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://"))
    async with engine.begin() as db:
        readers = [
            Reader(await load_facts(db, each.realm.id), None if person is None else person.user_id)
            for each, person in chosen
        ]
        await Deletion(db, readers).run()
    await engine.dispose()


def _client(app: ChatApp) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, timeout=30)


async def _compare(
    original: httpx.AsyncClient,
    reduced: httpx.AsyncClient,
    organization: Organization,
    reader: Person | None,
    random: Random,
) -> None:
    name = "anonymous" if reader is None else reader.full_name
    for request in RequestMaker(organization, random).requests():
        response = await _ask(original, organization, reader, request)
        expected = await _ask(reduced, organization, reader, request)
        assert response == expected, f"{name}: {request}\n{_first_difference(response, expected)}"


async def _ask(
    client: httpx.AsyncClient, organization: Organization, reader: Person | None, request: Request
) -> bytes:
    """The body of the response, without what is compared separately."""
    params = encode_form(request.params)
    response = await client.request(
        request.method,
        f"http://{organization.host}{API_PREFIX}{request.path}",
        auth=basic_auth(reader),
        params=params if request.method == "GET" else None,
        data=None if request.method == "GET" else params,
    )
    assert response.status_code < 500, (request, response.text)
    return _SUBSCRIBERS.sub(_in_order, _APART.sub(rb'"\1":0', response.content))


def _in_order(listed: re.Match[bytes]) -> bytes:
    return listed[1] + b",".join(sorted(listed[2].split(b",")))


def _first_difference(response: bytes, expected: bytes) -> str:
    pairs = zip(response, expected, strict=False)
    start = max(0, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) - 200)
    return f"is   {response[start : start + 400]!r}\nnot  {expected[start : start + 400]!r}"
