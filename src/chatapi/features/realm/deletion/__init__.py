"""Deletion of a realm with everything that belongs to it; a command of the operator."""

from chatapi.features.realm.deletion.service import delete_organization

__all__ = ["delete_organization"]
