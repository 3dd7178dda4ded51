"""An index for topics that end: what was noted about them is found without looking at all."""

from collections.abc import Sequence

from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_index(
        op.f("ix_read_exception_conversation_id"), "read_exception", ["conversation_id"]
    )


def downgrade() -> None:
    op.drop_index(op.f("ix_read_exception_conversation_id"), "read_exception")
