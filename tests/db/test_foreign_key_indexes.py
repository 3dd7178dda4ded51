"""Every foreign key has an index, so that deleting what it refers to does not read whole tables.

Both databases look for referring rows for each row that is deleted, as `chatapi org delete` does
with all users and channels of an organization.
"""

from sqlalchemy import Column, Table, UniqueConstraint

from chatapi.db.models import metadata

FEW_ROWS = "has few rows: one for each thing that administrators create"
OF_A_REALM = "is asked only when a realm is removed, which happens once"
SHORT_LIVED = "has rows for a short time only"

WITHOUT_INDEX = {
    "account.bot_owner_id": "is cleared for the whole realm before users are removed",
    "attachment.realm_id": OF_A_REALM,
    "audit_log_entry.acting_user_id": "begins indexes after the realm; entries are removed first",
    "audit_log_entry.channel_id": "entries are removed first",
    "audit_log_entry.group_id": "entries are removed first",
    "audit_log_entry.user_id": "begins indexes after the realm; entries are removed first",
    "channel.creator_id": FEW_ROWS,
    "channel.folder_id": FEW_ROWS,
    "channel_folder.creator_id": FEW_ROWS,
    "epoch_start.realm_id": OF_A_REALM,
    "event_queue.realm_id": OF_A_REALM,
    "outgoing_webhook_call.bot_id": SHORT_LIVED,
    "outgoing_webhook_call.realm_id": SHORT_LIVED,
    "pending_move.mover_id": SHORT_LIVED,
    "pending_move.realm_id": SHORT_LIVED,
    "pending_move.source_channel_id": SHORT_LIVED,
    "pending_move.target_channel_id": SHORT_LIVED,
    "profile_value.field_id": "is asked when one of a few fields is removed",
    "realm_emoji.author_id": FEW_ROWS,
    "scheduled_message.channel_id": SHORT_LIVED,
    "scheduled_message.realm_id": OF_A_REALM,
    "user_group.creator_id": FEW_ROWS,
}
"""Columns that need no index of their own, each with the reason."""


def first_columns(table: Table) -> set[Column[object]]:
    """The columns by which rows are found without reading the whole table."""
    unique = [each for each in table.constraints if isinstance(each, UniqueConstraint)]
    constraints = [list(each.columns) for each in (table.primary_key, *unique)]
    indexes = [list(each.columns) for each in table.indexes]
    return {columns[0] for columns in (*constraints, *indexes) if columns}


def test_foreign_keys_without_an_index_are_listed_with_a_reason() -> None:
    found = {
        f"{table.name}.{key.columns[0].name}"
        for table in metadata.sorted_tables
        for key in table.foreign_key_constraints
        if key.columns[0] not in first_columns(table)
    }
    assert found == WITHOUT_INDEX.keys()
