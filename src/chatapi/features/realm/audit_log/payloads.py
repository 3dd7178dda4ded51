"""Payloads of the audit log."""

from typing import Any

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.realm.audit_log.records import AuditLogPage, AuditLogRecord


class AuditLogEntryPayload(TypedDict):
    """Who did what, when, and from where."""

    id: int
    """The number of the entry; later entries have higher ones."""
    created_at: int
    """When the change was made, in seconds since 1970."""
    kind: str
    """The kind of change, such as `user_role_changed`; later versions can add kinds."""
    source: str
    """Where the change came from: `api`, `command_line`, or `server` for the server itself."""
    acting_user_id: int | None
    """Who made the change; null for the command line and the server, and for failed logins."""
    user_id: int | None
    """The user whom it concerns."""
    stream_id: int | None
    """The channel that it concerns."""
    group_id: int | None
    """The user group that it concerns."""
    property: str | None
    """The setting or permission that changed."""
    old_value: Any
    """The value before; null where there was none, or where it is not stored, as for secrets."""
    new_value: Any
    """The value afterwards; null where there is none, or where it is not stored, as for secrets."""
    address: str
    """The network address of the client; empty if no client sent a request."""
    client: str
    """What the client calls itself; empty if unknown."""


class AuditLogPayload(TypedDict):
    """A page of the audit log."""

    entries: list[AuditLogEntryPayload]
    """The newest entries that match, the newest first."""
    has_more: bool
    """Whether older entries match, too."""


def page_payload(page: AuditLogPage) -> AuditLogPayload:
    return {
        "entries": [entry_payload(entry) for entry in page.entries],
        "has_more": page.has_more,
    }


def entry_payload(entry: AuditLogRecord) -> AuditLogEntryPayload:
    return {
        "id": entry.id,
        "created_at": unix_seconds(entry.created_at),
        "kind": entry.kind,
        "source": entry.source,
        "acting_user_id": entry.acting_user_id,
        "user_id": entry.user_id,
        "stream_id": entry.channel_id,
        "group_id": entry.group_id,
        "property": entry.property,
        "old_value": entry.old_value,
        "new_value": entry.new_value,
        "address": entry.address,
        "client": entry.client,
    }
