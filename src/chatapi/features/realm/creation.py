"""The only code that creates realms; used by the command line and at the first start."""

import uuid
from datetime import datetime

from chatapi.audit.entries import AuditChange, AuditKind, AuditOrigin, AuditSource
from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.events.log import EventLog
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.realm.first_channel import add_first_channel
from chatapi.features.realm.repository import RealmRepository
from chatapi.features.realm.rules import check_name
from chatapi.features.realm.subdomains import check_subdomain, subdomain_from
from chatapi.features.users import add_notification_bot, notification_bot
from chatapi.permissions.creation import add_system_groups


async def create_organization(
    runtime: Runtime, name: str, subdomain: str | None = None
) -> RealmRecord:
    """Create a realm with its first channel, in a transaction of its own."""
    async with runtime.begin() as work:
        realm = await add_organization(work, runtime.clock.now(), name, subdomain)
        bot = await notification_bot(work.db, realm.id)
        ctx = RealmContext.without_request(runtime, work, realm, AuditSource.COMMAND_LINE)
        await add_first_channel(ctx, bot)
    runtime.realms.reload_soon()
    return realm


async def add_organization(
    work: UnitOfWork,
    now: datetime,
    name: str,
    subdomain: str | None = None,
    source: AuditSource = AuditSource.COMMAND_LINE,
) -> RealmRecord:
    """Create a realm, its clock and its groups; a subdomain can be derived from the name."""
    name = check_name(name)
    subdomain = check_subdomain(subdomain_from(name) if subdomain is None else subdomain)
    await work.db.write()
    realms = RealmRepository(work.db)
    realm_id = await realms.add(
        name=name,
        subdomain=subdomain,
        uuid=str(uuid.uuid4()),
        date_created=now,
        settings={},
        system_groups={},
    )
    await EventLog(work.db).start_clock(realm_id)
    await add_system_groups(work.db, realm_id)
    await add_notification_bot(work.db, realm_id, now)
    await work.db.lock_realm(realm_id)
    work.audit(realm_id, AuditChange(AuditKind.REALM_CREATED, new=name), AuditOrigin(source))
    return await realms.get(realm_id)
