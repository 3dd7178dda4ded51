"""Epochs: where the log of each realm stood when a process began, and which of them queues know.

Event queues end with this migration: ids of events have changed.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0015"
down_revision: str | None = "0014"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "epoch",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_epoch")),
    )
    op.create_table(
        "epoch_start",
        sa.Column("epoch_id", BIG_ID, nullable=False),
        sa.Column("realm_id", BIG_ID, nullable=False),
        sa.Column("last_event", BIG_ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["epoch_id"], ["epoch.id"], name=op.f("fk_epoch_start_epoch_id_epoch")
        ),
        sa.ForeignKeyConstraint(
            ["realm_id"], ["realm.id"], name=op.f("fk_epoch_start_realm_id_realm")
        ),
        sa.PrimaryKeyConstraint("epoch_id", "realm_id", name=op.f("pk_epoch_start")),
    )
    op.execute("DELETE FROM event_queue")
    op.add_column(
        "event_queue", sa.Column("epoch", BIG_ID, nullable=False, server_default=sa.text("0"))
    )


def downgrade() -> None:
    op.execute("DELETE FROM event_queue")
    op.drop_column("event_queue", "epoch")
    op.drop_table("epoch_start")
    op.drop_table("epoch")
