"""Endpoint of the audit log."""

from chatapi.auth.guards import Admin
from chatapi.features.realm.audit_log.params import GetAuditLogParams
from chatapi.features.realm.audit_log.payloads import AuditLogPayload
from chatapi.features.realm.audit_log.service import AuditLogService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Audit log", "Who changed what, and who logged in.")


@router.get("/realm/audit_log")
async def get_audit_log(ctx: Admin, params: GetAuditLogParams) -> AuditLogPayload:
    """Get the audit log.

    For administrators, not for bots. Contains changes of settings, roles, permissions, groups, API
    keys and passwords, new users and bots, and logins. An entry is written together with its
    change. Failed logins are counted: an account has one entry about them within a minute, and
    then at most one an hour from each process. Entries are deleted after a year, unless the
    operator of the server chose another time.
    """
    return await AuditLogService(ctx).list_entries(params)
