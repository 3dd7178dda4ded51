"""What follows from an organization's record; pure."""

import hashlib

from chatapi.auth.realms import RealmRecord


def icon_url(realm: RealmRecord) -> str:
    """A picture made from the organization's id, since nobody can upload one yet."""
    digest = hashlib.md5(realm.uuid.encode(), usedforsecurity=False).hexdigest()
    return f"https://secure.gravatar.com/avatar/{digest}?d=identicon"
