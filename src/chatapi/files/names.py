"""Names of files that are valid in an address and on a disk; pure."""

import re
import secrets
import unicodedata

from chatapi.core.ids import RealmId

MAX_NAME_LENGTH = 255
_MAX_LENGTH_IN_PATH = 100
_TOKEN_BYTES = 13
_SPACES = re.compile(r"\s+")
_UNWANTED = re.compile(r"[^\w.\-]")
_NO_NAME = "upload"


def display_name(name: str) -> str:
    """The name of a file, without folders and without characters that cannot be displayed."""
    name = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    name = "".join(char for char in name if char.isprintable()).strip()
    return name[-MAX_NAME_LENGTH:] or _NO_NAME


def name_in_path(name: str) -> str:
    """The same with letters, digits and a few signs only, so that nothing has to be escaped."""
    name = _UNWANTED.sub("", _SPACES.sub("-", unicodedata.normalize("NFKC", name)))
    # The end of the name holds the file extension.
    name = name[-_MAX_LENGTH_IN_PATH:].lstrip(".-")
    return name or _NO_NAME


def new_path(realm_id: RealmId, name: str, tag: str) -> str:
    """The path of a new file: unguessable, and marked with this deployment's tag."""
    token = secrets.token_urlsafe(_TOKEN_BYTES) + tag
    return f"{realm_id}/{token[:2]}/{token}/{name_in_path(name)}"


def key_of(path: str) -> str:
    """The storage key of the bytes at a path: the part that the server generated."""
    return path.rpartition("/")[0]


def variant_key(path: str, variant: str) -> str:
    """The storage key of an image drawn from the one at a path, such as a smaller one.

    It ends like the key of the original, in this deployment's tag.
    """
    folder, _, token = key_of(path).rpartition("/")
    return f"{folder}/{variant.replace('.', '-')}-{token}"


def new_link_secret() -> str:
    return secrets.token_urlsafe(32)
