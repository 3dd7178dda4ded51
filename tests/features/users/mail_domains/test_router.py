"""GET and POST /realm/domains, PATCH and DELETE /realm/domains/{domain}."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

DOMAINS = "/realm/domains"
ACME: dict[str, object] = {"domain": "acme.example", "allow_subdomains": False}


async def domains_seen_by(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = assert_success(await client.get(DOMAINS, person))["domains"]
    state = (await listen(client, person, fetch_event_types=["realm_domains"])).state
    assert state["realm_domains"] == listed
    return listed


@pytest.mark.any_database
async def test_is_for_administrators(client: ApiClient, admin: Person, member: Person) -> None:
    assert_success(await client.post(DOMAINS, admin, **ACME))
    for response in (
        await client.post(DOMAINS, member, domain="x.example", allow_subdomains=True),
        await client.patch(f"{DOMAINS}/acme.example", member, allow_subdomains=True),
        await client.delete(f"{DOMAINS}/acme.example", member),
    ):
        assert_error(response, "UNAUTHORIZED_PRINCIPAL")
    assert await domains_seen_by(client, member) == [ACME]
    assert_error(await client.get(DOMAINS), "UNAUTHORIZED", 401)


async def test_changes_are_sent_to_all_users(
    client: ApiClient, realm: RealmRecord, admin: Person, guest: Person
) -> None:
    listener = await listen(client, guest, event_types=["realm_domains"])
    values = {"domain": " Acme.Example", "allow_subdomains": False}
    added = assert_success(await client.post(DOMAINS, admin, **values))
    assert added == {"new_domain": [realm.id, "acme.example"]}
    for _ in range(2):
        change = await client.patch(f"{DOMAINS}/ACME.example", admin, allow_subdomains=True)
        assert_success(change)
    assert_success(await client.delete(f"{DOMAINS}/acme.example", admin))
    first, second, third = await listener.new_events()
    assert (first["op"], first["realm_domain"]) == ("add", ACME)
    assert (second["op"], second["realm_domain"]) == ("change", {**ACME, "allow_subdomains": True})
    assert (third["op"], third["domain"]) == ("remove", "acme.example")
    assert await domains_seen_by(client, guest) == []


@pytest.mark.any_database
@pytest.mark.parametrize(
    "domain", ["", "acme", "a b.example", "@acme.example", "-.example", "ä.de"]
)
async def test_invalid_ones_are_refused(client: ApiClient, admin: Person, domain: str) -> None:
    refused = await client.post(DOMAINS, admin, domain=domain, allow_subdomains=False)
    assert assert_error(refused) == "domain: Invalid domain"


@pytest.mark.any_database
async def test_known_and_unknown_ones_are_refused(client: ApiClient, admin: Person) -> None:
    assert_success(await client.post(DOMAINS, admin, **ACME))
    refused = await client.post(DOMAINS, admin, **ACME)
    assert "already a part of your organization" in assert_error(refused)
    path = f"{DOMAINS}/other.example"
    for response in (
        await client.delete(path, admin),
        await client.patch(path, admin, allow_subdomains=True),
    ):
        assert assert_error(response) == "No entry found for domain other.example."


class TestRestriction:
    async def create(self, client: ApiClient, admin: Person, email: str) -> Any:
        values = {"email": email, "full_name": "Ada", "password": "correct horse"}
        return await client.post("/users", admin, **values)

    async def test_new_users_must_have_an_address_of_a_domain(
        self, client: ApiClient, admin: Person
    ) -> None:
        assert_success(await client.post(DOMAINS, admin, **ACME))
        assert_success(await client.patch("/realm", admin, emails_restricted_to_domains=True))
        for wrong in ("ada@other.example", "ada@sub.acme.example"):
            refused = await self.create(client, admin, wrong)
            assert "email: " in assert_error(refused)
        assert_success(await self.create(client, admin, "ada@acme.example"))
        path = f"{DOMAINS}/acme.example"
        assert_success(await client.patch(path, admin, allow_subdomains=True))
        assert_success(await self.create(client, admin, "ada@sub.acme.example"))
