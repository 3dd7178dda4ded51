"""Payloads of the organization's pictures."""

from typing_extensions import TypedDict


class IconPayload(TypedDict):
    """The address of the organization's icon."""

    icon_url: str
    """Where the icon is now: a path on this server, or the default one."""
