"""Reading the audit log as an administrator does."""

from typing import Any

from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success


async def audit_log(client: ApiClient, reader: Person, **params: object) -> list[dict[str, Any]]:
    """The entries that match, the newest first."""
    page = assert_success(await client.get("/realm/audit_log", reader, **params))
    entries: list[dict[str, Any]] = page["entries"]
    return entries


async def last_id(client: ApiClient, reader: Person) -> int:
    """The id of the newest entry, to look for what comes after it; 0 if there is none."""
    entries = await audit_log(client, reader, limit=1)
    return int(entries[0]["id"]) if entries else 0
