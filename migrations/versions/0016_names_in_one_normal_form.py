"""Names are compared in one Unicode normal form: what they are compared by is worked out anew.

Where two names of one place turn out to be the same, the older one has it; the other one keeps the
key it had and is reached by its id until it is renamed. Nothing is merged or deleted, but for
what a user chose for the same topic twice: the newer choice stays.
"""

import hashlib
from collections.abc import Sequence
from typing import Any
from unicodedata import normalize

import sqlalchemy as sa
from alembic import op

revision: str = "0016"
down_revision: str | None = "0015"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

LONGEST_KEY = 100
NAMES = (
    ("channel", "realm_id", "name", "name_key"),
    ("channel_folder", "realm_id", "name", "name_key"),
    ("user_group", "realm_id", "name", "name_key"),
    ("account", "realm_id", "delivery_email", "email_key"),
    ("conversation", "channel_id", "topic", "topic_key"),
)
"""Table, what a name is unique in, name and key."""


def upgrade() -> None:
    for table, scope, name, key in NAMES:
        _renew(sa.table(table, *map(sa.column, ("id", scope, name, key))), scope, name, key)
    _renew_user_topics()


def downgrade() -> None:
    """Keys of names in another form than before find the same names: nothing to do."""


def _renew(table: sa.TableClause, scope: str, name: str, key: str) -> None:
    columns = table.c
    rows = op.get_bind().execute(
        sa.select(columns.id, columns[scope], columns[name], columns[key])
        .where(_is_not_ascii(columns[name]), columns[key].is_not(None))
        .order_by(columns.id)
    )
    for row_id, place, text, old in rows.all():
        new = _name_key(text)
        is_taken = sa.exists().where(columns[scope] == place, columns[key] == new)
        if new != old and not op.get_bind().execute(sa.select(is_taken)).scalar():
            op.execute(sa.update(table).where(columns.id == row_id).values({key: new}))


def _renew_user_topics() -> None:
    names = ("user_id", "channel_id", "topic_key", "topic", "last_updated")
    table = sa.table("user_topic", *map(sa.column, names))
    columns = table.c
    rows = op.get_bind().execute(
        sa.select(columns.user_id, columns.channel_id, columns.topic_key, columns.topic)
        .where(_is_not_ascii(columns.topic))
        .order_by(columns.last_updated)
    )
    for user_id, channel_id, old, topic in rows.all():
        new = _name_key(topic)
        if new == old:
            continue
        own = sa.and_(columns.user_id == user_id, columns.channel_id == channel_id)
        spellings = own & columns.topic_key.in_([old, new])
        newest = sa.select(sa.func.max(columns.last_updated)).where(spellings).scalar_subquery()
        op.execute(sa.delete(table).where(spellings, columns.last_updated < newest))
        is_taken = sa.select(sa.exists().where(own, columns.topic_key == new))
        if not op.get_bind().execute(is_taken).scalar():
            renamed = sa.update(table).where(own, columns.topic_key == old)
            op.execute(renamed.values(topic_key=new))


def _is_not_ascii(column: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """Whether a text takes more bytes than it has characters."""
    if op.get_bind().dialect.name == "sqlite":
        return sa.func.length(sa.cast(column, sa.LargeBinary)) != sa.func.length(column)
    return sa.func.octet_length(column) != sa.func.char_length(column)


def _name_key(name: str) -> str:
    name = name.strip()
    key = normalize("NFC", normalize("NFC", name).lower())
    if len(key) <= max(LONGEST_KEY, len(name)):
        return key
    return key[:60] + hashlib.sha256(key.encode()).hexdigest()[:32]
