"""Use case: read the audit log."""

from chatapi.auth.context import Context, RealmContext
from chatapi.core.errors import AdministratorRequiredError
from chatapi.features.realm.audit_log.params import GetAuditLogParams
from chatapi.features.realm.audit_log.payloads import AuditLogPayload, page_payload
from chatapi.features.realm.audit_log.records import AuditLogFilter, AuditLogPage
from chatapi.features.realm.audit_log.repository import AuditLogRepository


class AuditLogService:
    """Reads the audit log for administrators, whom the guard admits."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def list_entries(self, params: GetAuditLogParams) -> AuditLogPayload:
        """GET /realm/audit_log."""
        if self._ctx.user.is_bot:
            # A key of a bot is in some program: it should not give away addresses of people.
            raise AdministratorRequiredError
        async with self._ctx.heavy_read():
            return page_payload(await list_audit_log(self._ctx, params.to_filter()))


async def list_audit_log(ctx: RealmContext, wanted: AuditLogFilter) -> AuditLogPage:
    """Read a page of the audit log; callers have checked the permission."""
    return await AuditLogRepository(ctx.db, ctx.realm.id).list_page(wanted)
