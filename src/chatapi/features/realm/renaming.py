"""Use case: give a realm another name or another address."""

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.user_rows import UserRows
from chatapi.events.audience import Everyone, Nobody
from chatapi.events.restarts import restart_clients
from chatapi.features.realm.events import RealmMoved, RealmSettingChanged
from chatapi.features.realm.repository import RealmRepository
from chatapi.features.realm.rules import check_name
from chatapi.features.realm.subdomains import check_subdomain


async def rename_organization(
    ctx: RealmContext, name: str | None, subdomain: str | None
) -> RealmRecord:
    """Change the display name, the subdomain or both; only actual changes are emitted.

    With the subdomain, the addresses change that hidden email addresses are replaced by; no event
    tells that, so clients must register again. Where the organization is found by its host name,
    they find it only at the new one.
    """
    await ctx.lock()
    realms = RealmRepository(ctx.db)
    before = await realms.get(ctx.realm.id)
    if name is not None and check_name(name) != before.name:
        name = check_name(name)
        await realms.change(before.id, name=name)
        _audit(ctx, "name", before.name, name)
        ctx.emit(RealmSettingChanged(property="name", value=name), to=Everyone())
    if subdomain is not None and subdomain.lower() != before.subdomain:
        subdomain = check_subdomain(subdomain)
        await realms.move(before.id, subdomain)
        _audit(ctx, "subdomain", before.subdomain, subdomain)
        ctx.emit(RealmMoved(), to=Nobody())
        users = await UserRows(ctx.db, before.id).list_all()
        active = [user.id for user in users if user.is_active]
        await restart_clients(ctx.work, before.id, active)
    return await realms.get(before.id)


def _audit(ctx: RealmContext, name: str, old: str, new: str) -> None:
    ctx.audit(AuditChange(AuditKind.REALM_SETTING_CHANGED, property=name, old=old, new=new))
