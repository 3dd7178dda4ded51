"""Realms (organizations): creating them, their settings, and the server they live on."""

from chatapi.features.realm.creation import add_organization, create_organization
from chatapi.features.realm.deletion import delete_organization
from chatapi.features.realm.errors import SubdomainTakenError
from chatapi.features.realm.first_channel import add_first_channel
from chatapi.features.realm.renaming import rename_organization
from chatapi.features.realm.rules import OWNER_ONLY
from chatapi.features.realm.stored_files import list_file_keys

__all__ = [
    "OWNER_ONLY",
    "SubdomainTakenError",
    "add_first_channel",
    "add_organization",
    "create_organization",
    "delete_organization",
    "list_file_keys",
    "rename_organization",
]
