"""Hostile requests to every operation: no server error, and no undocumented response.

CHATAPI_TEST_FUZZ_CASES says how many, CHATAPI_TEST_SEED which ones.
"""

import os
import random
from collections.abc import Sequence
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import BotType, Role
from chatapi.core.settings import Settings
from tests import factories
from tests.contract.fuzzing import Fuzzer, check
from tests.factories import MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.support.client import ApiClient
from tests.support.responses import assert_success

CASES = int(os.environ.get("CHATAPI_TEST_FUZZ_CASES", "5000"))
SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
PARTS = 5
CASES_PER_ORGANIZATION = 250
"""After these requests no user of the realm may have permissions left: a new realm is made."""


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A poll of a real queue must not delay the following requests."""
    return settings.model_copy(update={"heartbeat_seconds": 0.05})


async def make_people(make_user: MakeUser, owner: Person) -> list[Person | None]:
    """Some of each kind of caller, and anonymous ones."""
    return [
        *[owner] * 5,
        await make_user(Role.ADMIN),
        await make_user(Role.MODERATOR),
        await make_user(),
        await make_user(),
        await make_user(Role.GUEST),
        await make_user(bot_owner=owner),
        await make_user(bot_owner=owner, bot_type=BotType.INCOMING_WEBHOOK),
        Person(owner.user_id, owner.email, "wrong"),
        None,
    ]


async def fill(client: ApiClient, owner: Person, people: Sequence[Person | None]) -> list[int]:
    """Create objects of most kinds for requests to use, and return ids that may match any."""
    others = [person.user_id for person in people if person is not None]
    for name, options in (("general", {}), ("secret", {"invite_only": True})):
        assert_success(await subscribe(client, owner, name, principals=others[:6], **options))
    message = {"type": "channel", "to": "general", "topic": "greetings"}
    ids = [
        assert_success(await client.post("/messages", owner, **message, content=text))["id"]
        for text in ("Hello", "@**all** look at http://example.com", "```\ncode\n```")
    ]
    direct = {"type": "direct", "to": others[2:4], "content": "Psst"}
    ids.append(assert_success(await client.post("/messages", owner, **direct))["id"])
    made: list[tuple[str, dict[str, Any]]] = [
        ("/user_groups/create", {"name": "team", "description": "", "members": others[:3]}),
        ("/channel_folders/create", {"name": "folder", "description": ""}),
        ("/realm/profile_fields", {"name": "Field", "field_type": 1}),
        ("/saved_snippets", {"title": "Title", "content": "Text"}),
        ("/register", {}),
    ]
    for path, params in made:
        assert_success(await client.post(path, owner, **params))
    return [*ids, *others, *range(1, 12)]


@pytest.mark.parametrize("part", range(PARTS))
async def test_hostile_requests_get_documented_responses(
    client: ApiClient, runtime: Runtime, backend: str, part: int
) -> None:
    cases = CASES // PARTS if backend == "sqlite" else CASES // PARTS // 10
    generator = random.Random(f"{SEED} {part}")
    subdomains = iter(range(1_000_000))
    for start in range(0, cases, CASES_PER_ORGANIZATION):
        realm = await factories.make_realm(runtime, "Acme", f"acme{next(subdomains)}")
        await fuzz_organization(
            client, runtime, realm, generator, min(CASES_PER_ORGANIZATION, cases - start)
        )


async def fuzz_organization(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    generator: random.Random,
    cases: int,
) -> None:
    client.http.headers["Host"] = realm.host(runtime.settings.root_domain)

    async def make_user(role: Role = Role.MEMBER, **details: Any) -> Person:
        return await factories.make_user(runtime, realm, role, **details)

    owner = await make_user(Role.OWNER)
    people = await make_people(make_user, owner)
    fuzzer = Fuzzer(generator, people, await fill(client, owner, people))
    for _ in range(cases):
        case = fuzzer.draw()
        response = await case.send(client)
        try:
            check(case, response)
        except AssertionError as error:
            pytest.fail(f"seed {SEED}: {case}\nanswered {response.status_code}: {error}")
    await check_organization(client, await make_user(Role.OWNER))


async def check_organization(client: ApiClient, newcomer: Person) -> None:
    """After all the requests, a new user can work normally."""
    assert_success(await client.post("/register", newcomer))
    assert_success(await client.get("/users", newcomer))
    message = {"type": "direct", "to": [newcomer.user_id], "content": "Still here"}
    sent = assert_success(await client.post("/messages", newcomer, **message))
    page = {"anchor": "newest", "num_before": 100, "num_after": 0}
    read = assert_success(await client.get("/messages", newcomer, **page))
    assert sent["id"] in [each["id"] for each in read["messages"]]
