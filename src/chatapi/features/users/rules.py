"""Payloads of users, and rules for their names and addresses; pure."""

import re

from chatapi.auth.passwords import MIN_LENGTH
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord, looks_made_up
from chatapi.core.errors import BadRequestError
from chatapi.core.roles import Role
from chatapi.features.users.avatar_addresses import Avatar, avatar_url
from chatapi.features.users.params import MAX_EMAIL_LENGTH, MAX_NAME_LENGTH
from chatapi.features.users.payloads import ProfileData, UserPayload

_HOST_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_EMAIL = re.compile(rf"[^\s@<>\"',;:\\()\[\]]+@{_HOST_LABEL}(\.{_HOST_LABEL})*")
_BAD_IN_NAMES = re.compile(r'[*`\\<>"@]|[^\S ]|\|\d+$')


def user_payload(
    user: UserRecord,
    api_email: str,
    *,
    realm: RealmRecord,
    shows_email: bool,
    client_gravatar: bool,
    profile_data: ProfileData | None,
) -> UserPayload:
    """A user's payload for a reader who may, or may not, see the real address."""
    payload: UserPayload = {
        "user_id": user.id,
        "delivery_email": user.delivery_email if shows_email else None,
        "email": api_email,
        "full_name": user.full_name,
        "date_joined": user.date_joined.isoformat(timespec="seconds"),
        "is_active": user.is_active,
        "is_owner": user.role is Role.OWNER,
        "is_admin": user.role.at_least(Role.ADMIN),
        "is_guest": user.role is Role.GUEST,
        "is_bot": user.is_bot,
        "bot_type": user.bot_type,
        "bot_owner_id": user.bot_owner_id,
        "role": user.role,
        "timezone": user.timezone,
        "avatar_url": avatar_url(
            Avatar.of(user, realm),
            user.delivery_email if shows_email else api_email,
            client_computes=client_gravatar and shows_email,
        ),
        "avatar_version": user.avatar_version,
        "is_imported_stub": user.is_imported_stub,
    }
    if user.is_system_bot:
        payload["is_system_bot"] = True
    if profile_data is not None and not user.is_bot:
        payload["profile_data"] = profile_data
    return payload


def check_email(email: str, realm_host: str) -> str:
    """A valid real address; those the API generates for users with hidden ones are refused."""
    email = email.strip()
    if not _EMAIL.fullmatch(email) or looks_made_up(email, realm_host):
        raise BadRequestError("email is not a valid email address")
    _check_length("email", email, MAX_EMAIL_LENGTH)
    return email


def check_full_name(full_name: str) -> str:
    """Names must be mentionable, and must not look like markup."""
    full_name = full_name.strip()
    if not full_name:
        raise BadRequestError("full_name cannot be empty")
    if _BAD_IN_NAMES.search(full_name) or not full_name.isprintable():
        raise BadRequestError("full_name contains invalid characters")
    _check_length("full_name", full_name, MAX_NAME_LENGTH)
    return full_name


def check_password(password: str, parameter: str = "password") -> str:
    if len(password) < MIN_LENGTH:
        raise BadRequestError(f"{parameter} is too short (at least: {MIN_LENGTH} characters)")
    return password


def _check_length(parameter: str, text: str, limit: int) -> None:
    """Request parameters have length limits of their own; the command line calls this directly."""
    if len(text) > limit:
        raise BadRequestError(f"{parameter} is too long (limit: {limit} characters)")
