"""The notification bot, the sender of the service's own messages; each realm has one."""

from datetime import datetime

from chatapi.auth.users import UserRecord
from chatapi.core.ids import RealmId
from chatapi.core.roles import BotType, EmailVisibility, Role
from chatapi.db.session import DatabaseSession
from chatapi.features.users.repository import UserRepository

NOTIFICATION_BOT_EMAIL = "notification-bot@chatapi.invalid"
_NOTIFICATION_BOT_NAME = "Notification Bot"


async def add_notification_bot(db: DatabaseSession, realm_id: RealmId, now: datetime) -> None:
    """Create the bot of a new realm; it has neither a password nor an API key."""
    await UserRepository(db, realm_id).add(
        delivery_email=NOTIFICATION_BOT_EMAIL,
        email_key=NOTIFICATION_BOT_EMAIL,
        full_name=_NOTIFICATION_BOT_NAME,
        role=Role.MEMBER,
        is_full_member=True,
        is_active=True,
        bot_type=BotType.GENERIC,
        bot_owner_id=None,
        date_joined=now,
        timezone="",
        email_visibility=EmailVisibility.EVERYONE,
        avatar_version=1,
        is_imported_stub=False,
        is_system_bot=True,
        settings={},
        password_hash=None,
    )


async def notification_bot(db: DatabaseSession, realm_id: RealmId) -> UserRecord:
    """The sender of the service's own messages in a realm."""
    bots = await UserRepository(db, realm_id).list_system_bots()
    return next(bot for bot in bots if bot.delivery_email == NOTIFICATION_BOT_EMAIL)
