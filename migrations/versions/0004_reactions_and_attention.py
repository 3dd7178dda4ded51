"""Reactions, custom emoji, muted users and alert words."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "reaction",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column(
            "message_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("reaction_type", sa.String(length=20), nullable=False),
        sa.Column("emoji_code", sa.String(length=100), nullable=False),
        sa.Column("emoji_name", sa.String(length=100), nullable=False),
        sa.ForeignKeyConstraint(
            ["message_id"], ["message.id"], name=op.f("fk_reaction_message_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_reaction_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reaction")),
        sa.UniqueConstraint(
            "message_id",
            "user_id",
            "reaction_type",
            "emoji_code",
            name=op.f("uq_reaction_message_id_user_id_reaction_type_emoji_code"),
        ),
        sqlite_autoincrement=True,
    )

    op.create_table(
        "realm_emoji",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("realm_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("author_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("path_id", sa.String(length=400), nullable=False),
        sa.Column("still_path_id", sa.String(length=400), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deactivated", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"], ["account.id"], name=op.f("fk_realm_emoji_author_id")
        ),
        sa.ForeignKeyConstraint(["realm_id"], ["realm.id"], name=op.f("fk_realm_emoji_realm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_realm_emoji")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_realm_emoji_realm_id"), "realm_emoji", ["realm_id"])

    op.create_table(
        "muted_user",
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "muted_user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("muted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["muted_user_id"], ["account.id"], name=op.f("fk_muted_user_muted_user_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_muted_user_user_id")),
        sa.PrimaryKeyConstraint("user_id", "muted_user_id", name=op.f("pk_muted_user")),
    )
    op.create_index(op.f("ix_muted_user_muted_user_id"), "muted_user", ["muted_user_id"])

    op.create_table(
        "alert_word",
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("word_key", sa.String(length=300), nullable=False),
        sa.Column("realm_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("word", sa.String(length=100), nullable=False),
        sa.ForeignKeyConstraint(["realm_id"], ["realm.id"], name=op.f("fk_alert_word_realm_id")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_alert_word_user_id")),
        sa.PrimaryKeyConstraint("user_id", "word_key", name=op.f("pk_alert_word")),
    )
    op.create_index(op.f("ix_alert_word_realm_id"), "alert_word", ["realm_id"])

    op.add_column(
        "message_flag",
        sa.Column("has_alert_word", sa.Boolean(), server_default=sa.false(), nullable=False),
    )


def downgrade() -> None:
    op.drop_column("message_flag", "has_alert_word")
    op.drop_table("alert_word")
    op.drop_table("muted_user")
    op.drop_table("realm_emoji")
    op.drop_table("reaction")
