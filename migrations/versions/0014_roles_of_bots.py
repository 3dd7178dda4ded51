"""Bots never have a higher role than their owners, and wait as long as these to be full members."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0014"
down_revision: str | None = "0013"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

ACCOUNT = sa.table(
    "account",
    sa.column("id", sa.BigInteger),
    sa.column("role", sa.SmallInteger),
    sa.column("is_full_member", sa.Boolean),
    sa.column("bot_owner_id", sa.BigInteger),
)


def upgrade() -> None:
    """Roles are numbers, of which smaller ones may do more."""
    owner = ACCOUNT.alias("owner")
    is_owner = owner.c.id == ACCOUNT.c.bot_owner_id
    owner_role = sa.select(owner.c.role).where(is_owner).scalar_subquery()
    op.execute(
        sa.update(ACCOUNT)
        .where(sa.exists().where(is_owner, owner.c.role > ACCOUNT.c.role))
        .values(role=owner_role)
    )
    op.execute(
        sa.update(ACCOUNT)
        .where(ACCOUNT.c.is_full_member, sa.exists().where(is_owner, ~owner.c.is_full_member))
        .values(is_full_member=sa.false())
    )


def downgrade() -> None:
    """Which roles bots had before is not kept; the tables are the same."""
