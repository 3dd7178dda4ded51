"""Another name or another subdomain for an organization, while clients are connected."""

import pytest

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import BadRequestError
from chatapi.core.settings import Settings
from chatapi.features.realm import SubdomainTakenError, rename_organization
from chatapi.main import ChatApp
from tests import factories
from tests.factories import Person
from tests.support.apps import StartApp
from tests.support.audit import audit_log
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until_true


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"root_domain": "chat.example.com"})


@pytest.fixture
async def other(start_app: StartApp) -> Runtime:
    """The process of the command."""
    return (await start_app()).runtime


async def rename(
    runtime: Runtime, realm: RealmRecord, name: str | None = None, subdomain: str | None = None
) -> RealmRecord:
    async with runtime.begin() as work:
        ctx = RealmContext.without_request(runtime, work, realm)
        return await rename_organization(ctx, name, subdomain)


async def status_at(app: ChatApp, host: str, person: Person) -> int:
    return (await ApiClient(app, host).get("/users/me", person)).status


async def test_is_in_the_audit_log(
    client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person
) -> None:
    await rename(runtime, realm, name="Globex", subdomain="globex")
    entries = await audit_log(client, owner, kind="realm_setting_changed")
    assert [(entry["property"], entry["old_value"], entry["new_value"]) for entry in entries] == [
        ("subdomain", realm.subdomain, "globex"),
        ("name", realm.name, "Globex"),
    ]


@pytest.mark.any_database
class TestName:
    async def test_is_told_to_clients_and_shown_to_new_ones(
        self, client: ApiClient, other: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        queue = assert_success(await client.post("/register", member, event_types=["realm"]))
        await rename(other, realm, name=" Acme Limited ")
        poll = {"queue_id": queue["queue_id"], "last_event_id": queue["last_event_id"]}
        [event] = (await client.get("/events", member, **poll))["events"]
        del event["id"]
        assert event == {
            "type": "realm",
            "op": "update",
            "property": "name",
            "value": "Acme Limited",
        }
        registered = await client.post("/register", member, fetch_event_types=["realm"])
        assert registered["realm_name"] == "Acme Limited"

    async def test_that_stays_the_same_is_no_event(
        self, client: ApiClient, other: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        queue = assert_success(await client.post("/register", member))["queue_id"]
        await rename(other, realm, realm.name, realm.subdomain.upper())
        poll = {"queue_id": queue, "last_event_id": -1, "dont_block": True}
        assert (await client.get("/events", member, **poll))["events"] == []


class TestSubdomain:
    async def test_of_one_among_several_moves_it_to_another_host(
        self, app: ChatApp, other: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        await factories.make_realm(app.runtime, "Globex", "globex")
        assert await status_at(app, "acme.chat.example.com", member) == 200
        await rename(other, realm, subdomain="initech")

        async def is_moved() -> bool:
            return await status_at(app, "initech.chat.example.com", member) == 200

        await until_true(is_moved)
        assert await status_at(app, "acme.chat.example.com", member) == 404

    @pytest.mark.any_database
    async def test_of_the_only_one_lets_clients_register_again(
        self, client: ApiClient, other: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        """Generated addresses of users contain the subdomain; no event describes their change."""
        queue = assert_success(await client.post("/register", member))["queue_id"]
        await rename(other, realm, subdomain="initech")
        polled = await client.get("/events", member, queue_id=queue, last_event_id=-1)
        assert_error(polled, "BAD_EVENT_QUEUE_ID")
        assert_success(await client.post("/register", member))

    async def test_of_another_organization_is_refused(
        self, app: ChatApp, other: Runtime, realm: RealmRecord
    ) -> None:
        await factories.make_realm(app.runtime, "Globex", "globex")
        with pytest.raises(SubdomainTakenError):
            await rename(other, realm, "Changed", "globex")
        assert (await other.realms.of_id(realm.id)).name == realm.name

    @pytest.mark.any_database
    @pytest.mark.parametrize("subdomain", ["", "-a", "a.b", "é", "a" * 64, "www", "Admin", "mail"])
    async def test_that_cannot_be_used_is_refused(
        self, other: Runtime, realm: RealmRecord, subdomain: str
    ) -> None:
        with pytest.raises(BadRequestError, match="subdomain"):
            await rename(other, realm, subdomain=subdomain)
        with pytest.raises(BadRequestError, match="subdomain"):
            await factories.make_realm(other, "Any name", subdomain)
