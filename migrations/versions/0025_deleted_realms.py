"""Realms whose deletion has begun."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0025"
down_revision: str | None = "0024"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("realm", sa.Column("deletion_began_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("realm", "deletion_began_at")
