"""HTTP Basic: accepted credentials, and the errors for refused ones."""

import base64

import httpx
import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import EmailVisibility
from tests.factories import MakeUser, Person
from tests.support.account_changes import deactivate, replace_api_key
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success


async def ask(client: ApiClient, name: str, key: str) -> ApiResponse:
    return client.read(await client.http.get("/api/v1/users/me", auth=httpx.BasicAuth(name, key)))


async def ask_with(client: ApiClient, header: str | bytes) -> ApiResponse:
    value = header.encode("latin-1") if isinstance(header, str) else header
    return client.read(await client.http.get("/api/v1/users/me", headers={b"Authorization": value}))


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


class TestCredentials:
    @pytest.mark.any_database
    async def test_email_and_key_are_accepted(self, client: ApiClient, member: Person) -> None:
        assert assert_success(await client.get("/users/me", member))["user_id"] == member.user_id

    @pytest.mark.parametrize("spelling", [str.upper, str.title, lambda name: f" {name} "])
    async def test_email_ignores_case(
        self, client: ApiClient, make_user: MakeUser, spelling: "type[str]"
    ) -> None:
        person = await make_user(email="Ana.Lopez@Example.com")
        assert_success(await ask(client, spelling(person.email), person.api_key))

    async def test_key_is_case_sensitive(self, client: ApiClient, member: Person) -> None:
        response = await ask(client, member.email, member.api_key.swapcase())
        assert_error(response, "UNAUTHORIZED", 401)

    async def test_generated_address_is_accepted(
        self, client: ApiClient, member: Person, realm: RealmRecord
    ) -> None:
        for host in (f"{realm.subdomain}.localhost", f"{realm.subdomain.upper()}.LOCALHOST"):
            name = f"user{member.user_id}@{host}"
            assert_success(await ask(client, name, member.api_key))

    @pytest.mark.any_database
    @pytest.mark.parametrize("spelling", ["user0{}", "user00{}", "user+{}", "user{} "])
    async def test_other_spelling_of_the_generated_address_is_refused(
        self, client: ApiClient, member: Person, realm: RealmRecord, spelling: str
    ) -> None:
        """Password attempts are counted by name: an account must not have many names."""
        name = f"{spelling.format(member.user_id)}@{realm.subdomain}.localhost"
        assert_error(await ask(client, name, member.api_key), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_generated_address_of_another_host_is_refused(
        self, client: ApiClient, member: Person
    ) -> None:
        response = await ask(client, f"user{member.user_id}@elsewhere.localhost", member.api_key)
        assert_error(response, "UNAUTHORIZED", 401)

    async def test_scheme_ignores_case(self, client: ApiClient, member: Person) -> None:
        text = encoded(f"{member.email}:{member.api_key}")
        for scheme in ("Basic", "basic", "BASIC"):
            assert_success(await ask_with(client, f"{scheme} {text}"))


class TestRefusals:
    async def test_unknown_wrong_and_deactivated_look_the_same(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, make_user: MakeUser
    ) -> None:
        active, gone = await make_user(), await make_user()
        await deactivate(runtime, realm, gone)
        responses = [
            await ask(client, "nobody@example.com", active.api_key),
            await ask(client, active.email, "wrong"),
            await ask(client, active.email, ""),
            await ask(client, active.email, gone.api_key),
            await ask(client, gone.email, gone.api_key),
            await ask(client, f"user{gone.user_id}@{realm.subdomain}.localhost", gone.api_key),
            await ask(client, f"user99999@{realm.subdomain}.localhost", gone.api_key),
        ]
        for response in responses:
            assert_error(response, "UNAUTHORIZED", 401)
        assert len({str(response.body) for response in responses}) == 1
        headers = [dict(response.headers) for response in responses]
        for entry in headers:
            del entry["x-request-id"]
        assert all(entry == headers[0] for entry in headers)

    @pytest.mark.any_database
    async def test_says_how_to_authenticate(self, client: ApiClient, realm: RealmRecord) -> None:
        response = await client.get("/users/me")
        assert_error(response, "UNAUTHORIZED", 401)
        assert response.headers["www-authenticate"].startswith("Basic ")

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "header",
        [
            "",
            "Basic",
            "Basic ",
            "Basic !!!",
            "Basic \xff",
            "Basic é",
            "Basic " + encoded("no colon"),
            "Basic " + encoded(":"),
            "Basic " + encoded("a\0b@example.com:key"),
            "Basic " + encoded("a@example.com:\0"),
            "Basic " + base64.b64encode(b"\xff\xfe:\xff").decode(),
            "Basic " + "A" * 60_000,
            "Basic " + encoded("user9999999999999999999999@acme.localhost:key"),
            "Basic " + encoded("user999999999999999999@acme.localhost:key"),
            "Bearer token",
            "Digest username=x",
        ],
        ids=lambda header: header[:30],
    )
    async def test_malformed_headers(
        self, client: ApiClient, realm: RealmRecord, header: str
    ) -> None:
        assert_error(await ask_with(client, header), "UNAUTHORIZED", 401)


@pytest.mark.any_database
class TestChangesTakeEffectAtOnce:
    async def test_a_replaced_key(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        assert_success(await client.get("/users/me", member))
        new_key = await replace_api_key(runtime, realm, member)
        assert_error(await client.get("/users/me", member), "UNAUTHORIZED", 401)
        assert_success(await ask(client, member.email, new_key))

    async def test_a_deactivation(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
    ) -> None:
        assert_success(await client.get("/users/me", member))
        await deactivate(runtime, realm, member)
        assert_error(await client.get("/users/me", member), "UNAUTHORIZED", 401)
        assert_success(await client.get("/users/me", owner))

    async def test_a_setting(self, client: ApiClient, member: Person) -> None:
        hidden = EmailVisibility.ADMINS
        assert_success(await client.patch("/settings", member, email_address_visibility=hidden))
        me = assert_success(await client.get("/users/me", member))
        assert me["email"] == f"user{member.user_id}@acme.localhost"
