"""Entries of the audit log, and which of them a reader asks for."""

from datetime import datetime
from typing import Any

from msgspec import Struct

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000


class AuditLogRecord(Struct, frozen=True):
    """One entry; the fields are the columns of the table."""

    id: int
    created_at: datetime
    kind: str
    source: str
    acting_user_id: int | None
    user_id: int | None
    channel_id: int | None
    group_id: int | None
    property: str | None
    old_value: Any
    new_value: Any
    address: str
    client: str


class AuditLogFilter(Struct, frozen=True):
    """Which entries to return; all conditions must hold, and None is no condition."""

    acting_user_id: int | None = None
    user_id: int | None = None
    channel_id: int | None = None
    group_id: int | None = None
    kind: str | None = None
    source: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    after_id: int | None = None
    before_id: int | None = None
    limit: int = DEFAULT_LIMIT


class AuditLogPage(Struct, frozen=True):
    """The newest entries that match, the newest first."""

    entries: list[AuditLogRecord]
    has_more: bool
    """Whether there are older ones that match."""
