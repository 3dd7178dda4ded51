"""Channel folders, statuses of users, and presence."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "channel_folder",
        sa.Column("id", _BIG_ID, sa.Identity(always=False), nullable=False),
        sa.Column("realm_id", _BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("name_key", sa.String(length=120), nullable=False),
        sa.Column("description", sa.String(length=1024), nullable=False),
        sa.Column("rendered_description", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("date_created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("creator_id", _BIG_ID, nullable=True),
        sa.Column("is_archived", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["account.id"], name=op.f("fk_channel_folder_creator_id")
        ),
        sa.ForeignKeyConstraint(
            ["realm_id"], ["realm.id"], name=op.f("fk_channel_folder_realm_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_channel_folder")),
        sa.UniqueConstraint(
            "realm_id", "name_key", name=op.f("uq_channel_folder_realm_id_name_key")
        ),
        sqlite_autoincrement=True,
    )
    op.add_column(
        "channel",
        sa.Column(
            "folder_id",
            _BIG_ID,
            sa.ForeignKey("channel_folder.id", name=op.f("fk_channel_folder_id")),
            nullable=True,
        ),
        # The only way SQLite knows; there the constraint has no name.
        inline_references=op.get_context().dialect.name == "sqlite",
    )

    op.create_table(
        "user_status",
        sa.Column("user_id", _BIG_ID, nullable=False),
        sa.Column("status_text", sa.String(length=60), nullable=False),
        sa.Column("emoji_name", sa.String(length=100), nullable=False),
        sa.Column("emoji_code", sa.String(length=100), nullable=False),
        sa.Column("reaction_type", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_user_status_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_user_status")),
    )

    op.create_table(
        "presence_clock",
        sa.Column("realm_id", _BIG_ID, nullable=False),
        sa.Column("last_update_id", _BIG_ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["realm_id"], ["realm.id"], name=op.f("fk_presence_clock_realm_id")
        ),
        sa.PrimaryKeyConstraint("realm_id", name=op.f("pk_presence_clock")),
    )
    op.create_table(
        "presence",
        sa.Column("user_id", _BIG_ID, nullable=False),
        sa.Column("realm_id", _BIG_ID, nullable=False),
        sa.Column("update_id", _BIG_ID, nullable=False),
        sa.Column("active_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("idle_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("is_hidden", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["realm_id"], ["realm.id"], name=op.f("fk_presence_realm_id")),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_presence_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_presence")),
    )
    op.create_index(op.f("ix_presence_realm_id_update_id"), "presence", ["realm_id", "update_id"])
    op.create_index(
        "ix_presence_hidden",
        "presence",
        ["realm_id"],
        sqlite_where=sa.text("is_hidden = 1"),
        postgresql_where=sa.text("is_hidden"),
    )
    _hide_whoever_wants_it()


def _hide_whoever_wants_it() -> None:
    """The setting could be changed before there was anything to hide."""
    settings = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    account = sa.table(
        "account", sa.column("id"), sa.column("realm_id"), sa.column("settings", settings)
    )
    columns = ("user_id", "realm_id", "update_id", "is_hidden")
    presence = sa.table("presence", *(sa.column(name) for name in columns))
    hidden = sa.select(account.c.id, account.c.realm_id, sa.literal(0), sa.true()).where(
        account.c.settings["presence_enabled"].as_boolean().is_(sa.false())
    )
    op.execute(presence.insert().from_select(columns, hidden))


def downgrade() -> None:
    op.drop_table("presence")
    op.drop_table("presence_clock")
    op.drop_table("user_status")
    op.drop_column("channel", "folder_id")
    op.drop_table("channel_folder")
