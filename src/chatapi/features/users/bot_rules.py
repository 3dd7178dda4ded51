"""Payloads of bots, and which users manage them; pure."""

import re
from urllib.parse import urlsplit

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.roles import BotType, Role
from chatapi.core.web_addresses import is_web_address
from chatapi.features.users.avatar_addresses import Avatar, shown_avatar_url
from chatapi.features.users.bot_payloads import (
    NO_DEFAULTS,
    BotPayload,
    OwnBotPayload,
    ServicePayload,
)
from chatapi.features.users.bot_records import BotServiceRecord

_SHORT_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._+-]*[A-Za-z0-9])?", re.ASCII)
_SUPPORTED = (BotType.GENERIC, BotType.INCOMING_WEBHOOK, BotType.OUTGOING_WEBHOOK)
GENERIC_INTERFACE = 1


def bot_payload(bot: UserRecord, service: BotServiceRecord | None) -> BotPayload:
    services: list[ServicePayload] = []
    if service is not None:
        services.append(
            {
                "base_url": service.base_url,
                "interface": service.interface,
                "token": service.token,
            }
        )
    return {"user_id": bot.id, "services": services, **NO_DEFAULTS}


def own_bot_payload(bot: UserRecord, realm: RealmRecord) -> OwnBotPayload:
    return {
        "user_id": bot.id,
        "username": bot.delivery_email,
        "full_name": bot.full_name,
        "avatar_url": shown_avatar_url(Avatar.of(bot, realm), bot.delivery_email),
        **NO_DEFAULTS,
    }


def may_manage(reader: UserRecord, bot: UserRecord) -> bool:
    """The owner and administrators may; a bot with the owner role only owners."""
    if reader.id == bot.bot_owner_id:
        return True
    return reader.role.at_least(Role.OWNER if bot.role is Role.OWNER else Role.ADMIN)


def check_bot_type(bot_type: int) -> BotType:
    if bot_type not in _SUPPORTED:
        message = f"bot_type {bot_type} is not supported (supported: 1, 2, 3)"
        raise BadRequestError(message)
    return BotType(bot_type)


def check_service_url(name: str, url: str) -> str:
    """The address of a service; some clients send it as JSON, in quotation marks."""
    url = url.strip().removeprefix('"').removesuffix('"')
    if not is_web_address(url) or "@" in urlsplit(url).netloc:
        raise BadRequestError(f"{name} must be an http or https address without credentials")
    return url


def check_interface(name: str, interface: int) -> int:
    if interface != GENERIC_INTERFACE:
        raise BadRequestError(f"{name} {interface} is not supported (supported: 1)")
    return interface


def bot_email(short_name: str, domain: str) -> str:
    """The email address of a bot."""
    short_name = short_name.strip()
    if not _SHORT_NAME.fullmatch(short_name):
        raise BadRequestError("short_name cannot be part of an email address")
    return f"{short_name}-bot@{domain}"


def check_bot_role(role: Role, owner: UserRecord | None) -> None:
    """A bot never has a higher role than its owner, who can act as it."""
    if owner is not None and role is not role.capped_at(owner.role):
        raise BadRequestError("role: A bot cannot have a higher role than its owner")


def check_owner(user: UserRecord | None) -> UserRecord:
    """Only an active human user can own a bot."""
    if user is None:
        raise BadRequestError("Failed to change owner, no such user")
    if not user.is_active:
        raise BadRequestError("Failed to change owner, user is deactivated")
    if user.is_bot:
        raise BadRequestError("Failed to change owner, bots can't own other bots")
    return user
