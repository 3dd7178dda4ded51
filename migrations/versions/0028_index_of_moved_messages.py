"""An index of the messages that were moved to their channel."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0028"
down_revision: str | None = "0027"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

NAME = "ix_message_channel_id_id_moved"
IS_MOVED = sa.text("arrival IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        NAME,
        "message",
        ["channel_id", "id"],
        sqlite_where=IS_MOVED,
        postgresql_where=IS_MOVED,
    )


def downgrade() -> None:
    op.drop_index(NAME, table_name="message")
