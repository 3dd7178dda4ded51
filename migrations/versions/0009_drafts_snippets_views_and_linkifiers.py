"""Drafts, saved snippets, navigation views and linkifiers."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "draft",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column(
            "recipient_ids",
            sa.JSON().with_variant(postgresql.JSONB(), "postgresql"),
            nullable=False,
        ),
        sa.Column("topic", sa.String(length=60), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("last_edited_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_draft_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_draft_user_id"), "draft", ["user_id"])

    op.create_table(
        "saved_snippet",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("title", sa.String(length=60), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_saved_snippet_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_snippet")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_saved_snippet_user_id"), "saved_snippet", ["user_id"])

    op.create_table(
        "navigation_view",
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("fragment", sa.String(length=500), nullable=False),
        sa.Column("is_pinned", sa.Boolean(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["account.id"], name=op.f("fk_navigation_view_user_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "fragment", name=op.f("pk_navigation_view")),
    )

    op.create_table(
        "linkifier",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("realm_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("pattern", sa.String(length=500), nullable=False),
        sa.Column("url_template", sa.String(length=1000), nullable=False),
        sa.Column("example_input", sa.String(length=500), nullable=True),
        sa.Column("reverse_template", sa.String(length=1000), nullable=True),
        sa.Column(
            "alternative_url_templates",
            sa.JSON().with_variant(postgresql.JSONB(), "postgresql"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["realm_id"], ["realm.id"], name=op.f("fk_linkifier_realm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_linkifier")),
        sa.UniqueConstraint("realm_id", "pattern", name=op.f("uq_linkifier_realm_id_pattern")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("linkifier")
    op.drop_table("navigation_view")
    op.drop_table("saved_snippet")
    op.drop_table("draft")
