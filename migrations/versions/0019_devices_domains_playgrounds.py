"""Devices and push tokens, mail domains, playgrounds, defaults of personal settings."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0019"
down_revision: str | None = "0018"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
JSON_OBJECT = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True), "postgresql"
)


def upgrade() -> None:
    _add_devices()
    _add_organization_lists()
    op.add_column(
        "account",
        sa.Column("has_devices", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    op.add_column("account", sa.Column("seen_onboarding_steps", JSON_OBJECT, nullable=True))
    op.add_column("realm", sa.Column("user_settings_defaults", JSON_OBJECT, nullable=True))


def _add_devices() -> None:
    op.create_table(
        "device",
        sa.Column("id", BIG_ID, sa.Identity(always=False), nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("push_key_id", BIG_ID, nullable=True),
        sa.Column("push_key", sa.String(length=200), nullable=True),
        sa.Column("push_token_kind", sa.String(length=4), nullable=True),
        sa.Column("pending_push_token_id", sa.String(length=100), nullable=True),
        sa.Column("push_registration", sa.Text(), nullable=True),
        sa.Column("push_token_updated_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_device_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_device")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_device_user_id"), "device", ["user_id"], unique=False)
    op.create_table(
        "push_token",
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(length=4), nullable=False),
        sa.Column("token", sa.String(length=1000), nullable=False),
        sa.Column("app_id", sa.String(length=200), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_push_token_user_id")),
        sa.PrimaryKeyConstraint("user_id", "kind", "token", name=op.f("pk_push_token")),
    )


def _add_organization_lists() -> None:
    op.create_table(
        "realm_domain",
        sa.Column("realm_id", BIG_ID, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("allow_subdomains", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["realm_id"], ["realm.id"], name=op.f("fk_realm_domain_realm_id")),
        sa.PrimaryKeyConstraint("realm_id", "domain", name=op.f("pk_realm_domain")),
    )
    op.create_table(
        "playground",
        sa.Column("id", BIG_ID, sa.Identity(always=False), nullable=False),
        sa.Column("realm_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("pygments_language", sa.String(length=40), nullable=False),
        sa.Column("url_template", sa.String(length=1000), nullable=False),
        sa.ForeignKeyConstraint(["realm_id"], ["realm.id"], name=op.f("fk_playground_realm_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_playground")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_playground_realm_id"), "playground", ["realm_id"], unique=False)


def downgrade() -> None:
    op.drop_column("realm", "user_settings_defaults")
    op.drop_column("account", "seen_onboarding_steps")
    op.drop_column("account", "has_devices")
    op.drop_table("playground")
    op.drop_table("realm_domain")
    op.drop_table("push_token")
    op.drop_table("device")
