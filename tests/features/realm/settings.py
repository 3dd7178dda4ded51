"""The organization's settings as an administrator changes them."""

from typing import Any

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.system_groups import SystemGroup
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success


async def change_realm(client: ApiClient, person: Person, **changes: object) -> dict[str, Any]:
    """PATCH /realm; the response."""
    return assert_success(await client.patch("/realm", person, **changes))


async def allow(
    client: ApiClient, person: Person, realm: RealmRecord, **permissions: SystemGroup
) -> None:
    """Let system groups do things: `can_create_groups=SystemGroup.MODERATORS`."""
    changes = {name: {"new": realm.system_groups[group]} for name, group in permissions.items()}
    await change_realm(client, person, **changes)


async def setting_seen_by(client: ApiClient, person: Person, name: str) -> Any:
    """The value of a setting for a client that registers now."""
    listener = await listen(client, person, fetch_event_types=["realm"])
    return listener.state[f"realm_{name}"]
