"""Backups: one file with all rows and uploaded files, for either database (ADR 30)."""

from chatapi.backup.creation import BackupSummary, create_backup
from chatapi.backup.output import BackupOutput, backup_output
from chatapi.backup.reader import BackupReader
from chatapi.backup.restoring import RestoreSummary, restore_backup
from chatapi.backup.verification import verify_backup

__all__ = [
    "BackupOutput",
    "BackupReader",
    "BackupSummary",
    "RestoreSummary",
    "backup_output",
    "create_backup",
    "restore_backup",
    "verify_backup",
]
