"""Realms (organizations): creating them, their settings, and the server they live on."""

from chatapi.features.realm.creation import add_organization, create_organization
from chatapi.features.realm.errors import SubdomainTakenError
from chatapi.features.realm.first_channel import add_first_channel
from chatapi.features.realm.repository import list_realm_picture_paths
from chatapi.features.realm.rules import OWNER_ONLY

__all__ = [
    "OWNER_ONLY",
    "SubdomainTakenError",
    "add_first_channel",
    "add_organization",
    "create_organization",
    "list_realm_picture_paths",
]
