"""The one way an organization comes into being: the command line and the first start use it."""

import re
import uuid

from chatapi.auth.realms import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import BadRequestError
from chatapi.events.log import EventLog
from chatapi.features.realm.repository import RealmRepository

_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LONGEST_NAME = 40


async def create_organization(
    runtime: Runtime, name: str, subdomain: str | None = None
) -> RealmRecord:
    """Make an organization with its clock; without a subdomain, one is made from the name."""
    name = name.strip()
    if not 0 < len(name) <= _LONGEST_NAME:
        raise BadRequestError(f"name must have 1 to {_LONGEST_NAME} characters")
    subdomain = subdomain_from(name) if subdomain is None else subdomain.lower()
    if not _SUBDOMAIN.fullmatch(subdomain):
        raise BadRequestError("subdomain must consist of letters, digits and inner hyphens")
    work = runtime.begin()
    try:
        await work.db.write()
        realms = RealmRepository(work.db)
        if await realms.find_by_subdomain(subdomain) is not None:
            raise BadRequestError(f"subdomain {subdomain} is already taken")
        realm_id = await realms.add(
            name=name,
            subdomain=subdomain,
            uuid=str(uuid.uuid4()),
            date_created=runtime.clock.now(),
            settings={},
        )
        await EventLog(work.db).start_clock(realm_id)
        realm = await realms.get(realm_id)
        await work.commit()
    finally:
        await work.db.close()
    return realm


def subdomain_from(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:63].strip("-") or "org"
