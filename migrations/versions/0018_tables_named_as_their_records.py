"""Tables and columns get the names that the code uses for their records.

Events in the log have other names from now on, too. This version reads both; for an earlier one,
the downgrade writes the names of before.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "0018"
down_revision: str | None = "0017"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TABLES = {
    "given_answer": "stored_response",
    "read_floor": "global_read_position",
    "read_cursor": "conversation_read_position",
}
COLUMNS = (
    ("stored_response", "request", "request_digest"),
    ("stored_response", "answer", "response"),
    ("account", "earlier_standings", "past_roles"),
)
FOREIGN_KEYS = {
    "given_answer": ("user_id",),
    "read_floor": ("user_id",),
    "read_cursor": ("user_id", "conversation_id"),
}
KINDS = {
    "role_at_least": "at_least",
    "user_visible_to": "who_sees",
    "channel_visible_to": "who_knows_channel",
    "channel_readers": "who_reads_channel",
    "can_follow_move": "who_follows_move",
    "cannot_follow_move": "who_loses_sight",
    "subscribed_to_source_only": "who_is_left_behind",
    "visible_only_to_subscribers": "who_knows_only_from_inside",
    "lost_or_gained_visibility": "who_knows_channel_unlike",
}
AUDIENCE_FIELDS = {"visible_to": "knowing", "open_to": "opening", "excluding": "unlike"}
MESSAGE_FIELDS = {"data": "facts", "muted_sender_users": "unheeding_users"}
EVENT = sa.table(
    "event",
    *(sa.column(name) for name in ("realm_id", "number", "name", "audience", "body")),
)
ROWS_AT_ONCE = 1000
INDEXES = {"given_answer": "created_at", "read_cursor": "conversation_id"}


def upgrade() -> None:
    for old, new in TABLES.items():
        _rename_table(old, new, key=old)
    for table, old, new in COLUMNS:
        op.alter_column(table, old, new_column_name=new)


def downgrade() -> None:
    for table, old, new in COLUMNS:
        op.alter_column(table, new, new_column_name=old)
    for old, new in TABLES.items():
        _rename_table(new, old, key=old)
    _write_earlier_names()


def _write_earlier_names() -> None:
    """Rewrite the log in slices; it holds the events of some days at most."""
    connection = op.get_bind()
    place = sa.tuple_(EVENT.c.realm_id, EVENT.c.number)
    last = (-1, -1)
    while True:
        page = (
            sa.select(EVENT)
            .where(place > sa.tuple_(*map(sa.literal, last)))
            .order_by(EVENT.c.realm_id, EVENT.c.number)
            .limit(ROWS_AT_ONCE)
        )
        rows = connection.execute(page).all()
        if not rows:
            return
        connection.execute(
            sa.update(EVENT)
            .where(
                EVENT.c.realm_id == sa.bindparam("of_realm"),
                EVENT.c.number == sa.bindparam("of_number"),
            )
            .values(audience=sa.bindparam("new_audience"), body=sa.bindparam("new_body")),
            [_earlier(row) for row in rows],
        )
        last = (rows[-1].realm_id, rows[-1].number)


def _earlier(row: sa.Row[Any]) -> dict[str, Any]:
    body = json.loads(row.body)
    if row.name == "message":
        body = {MESSAGE_FIELDS.get(name, name): value for name, value in body.items()}
    return {
        "of_realm": row.realm_id,
        "of_number": row.number,
        "new_audience": json.dumps(_earlier_audience(json.loads(row.audience))),
        "new_body": json.dumps(body, ensure_ascii=False),
    }


def _earlier_audience(audience: Mapping[str, Any]) -> dict[str, Any]:
    """Audiences hold others, as those of moves hold the two channels."""
    earlier = {
        AUDIENCE_FIELDS.get(name, name): _earlier_audience(value)
        if isinstance(value, dict) and "kind" in value
        else value
        for name, value in audience.items()
    }
    return {**earlier, "kind": KINDS.get(audience["kind"], audience["kind"])}


def _rename_table(source: str, target: str, *, key: str) -> None:
    """Rename a table with its index; PostgreSQL also knows its constraints by their names."""
    op.rename_table(source, target)
    if key in INDEXES:
        column = INDEXES[key]
        op.drop_index(op.f(f"ix_{source}_{column}"), target)
        op.create_index(op.f(f"ix_{target}_{column}"), target, [column])
    if op.get_bind().dialect.name == "postgresql":
        for name in ("pk_{}", *(f"fk_{{}}_{column}" for column in FOREIGN_KEYS[key])):
            old, new = name.format(source), name.format(target)
            op.execute(f"ALTER TABLE {target} RENAME CONSTRAINT {old} TO {new}")
