"""An id for the deployment, so that others on the same Redis are told apart."""

import secrets
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0011"
down_revision: str | None = "0010"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    deployment = op.create_table(
        "deployment",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deployment")),
    )
    op.bulk_insert(deployment, [{"id": secrets.token_hex(16)}])


def downgrade() -> None:
    op.drop_table("deployment")
