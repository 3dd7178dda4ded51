"""Payloads of the avatar endpoints."""

from typing_extensions import TypedDict


class AvatarPayload(TypedDict):
    """The address of the caller's picture."""

    avatar_url: str
    """Where your picture is now."""
