"""Reads the audit log; `audit/log.py` writes it."""

from sqlalchemy import ColumnElement

from chatapi.core.ids import RealmId
from chatapi.db.models import AuditLogEntry
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.realm.audit_log.records import AuditLogFilter, AuditLogPage, AuditLogRecord

_records = RecordReader(AuditLogRecord, AuditLogEntry)
_COMPARED = ("acting_user_id", "user_id", "channel_id", "group_id", "kind", "source")


class AuditLogRepository:
    """The audit log of one realm."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_page(self, wanted: AuditLogFilter) -> AuditLogPage:
        rows = await self._db.execute(
            _records.select()
            .where(AuditLogEntry.realm_id == self._realm_id, *_conditions(wanted))
            .order_by(AuditLogEntry.id.desc())
            .limit(wanted.limit + 1)
        )
        entries = _records.read_all(rows)
        return AuditLogPage(entries[: wanted.limit], has_more=len(entries) > wanted.limit)


def _conditions(wanted: AuditLogFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [
        getattr(AuditLogEntry, name) == getattr(wanted, name)
        for name in _COMPARED
        if getattr(wanted, name) is not None
    ]
    if wanted.since is not None:
        conditions.append(AuditLogEntry.created_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(AuditLogEntry.created_at < wanted.until)
    if wanted.after_id is not None:
        conditions.append(AuditLogEntry.id > wanted.after_id)
    if wanted.before_id is not None:
        conditions.append(AuditLogEntry.id < wanted.before_id)
    return conditions
