"""Kept answers hold no API keys: of those that do, only remains that there was one."""

from collections.abc import Sequence

from alembic import op

revision: str = "0012"
down_revision: str | None = "0011"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """A repeated request is still not carried out a second time."""
    op.execute("""UPDATE given_answer SET answer = 'null' WHERE answer LIKE '%"api_key":%'""")


def downgrade() -> None:
    """What was removed cannot be brought back; before, every answer was an object."""
    op.execute("DELETE FROM given_answer WHERE answer = 'null'")
