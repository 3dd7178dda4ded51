"""Realms (organizations): creating them, their settings, and the server they live on."""

from chatapi.features.realm.audit_log.payloads import entry_payload
from chatapi.features.realm.audit_log.records import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    AuditLogFilter,
    AuditLogPage,
    AuditLogRecord,
)
from chatapi.features.realm.audit_log.service import list_audit_log
from chatapi.features.realm.creation import add_organization, create_organization
from chatapi.features.realm.deletion import delete_organization
from chatapi.features.realm.errors import SubdomainTakenError
from chatapi.features.realm.first_channel import add_first_channel
from chatapi.features.realm.renaming import rename_organization
from chatapi.features.realm.rules import OWNER_ONLY
from chatapi.features.realm.stored_files import list_file_keys

__all__ = [
    "DEFAULT_LIMIT",
    "MAX_LIMIT",
    "OWNER_ONLY",
    "AuditLogFilter",
    "AuditLogPage",
    "AuditLogRecord",
    "SubdomainTakenError",
    "add_first_channel",
    "add_organization",
    "create_organization",
    "delete_organization",
    "entry_payload",
    "list_audit_log",
    "list_file_keys",
    "rename_organization",
]
