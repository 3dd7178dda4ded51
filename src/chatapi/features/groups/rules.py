"""Rules for names of user groups; pure."""

from chatapi.core.errors import BadRequestError
from chatapi.core.names import name_key

MAX_NAME_LENGTH = 100
MAX_DESCRIPTION_LENGTH = 1024
RESERVED_PREFIXES = ("@", "role:", "user:", "stream:", "channel:")
"""They have another meaning where groups are mentioned or searched for."""


def check_name(name: str) -> str:
    """The name without surrounding spaces, if it is valid for a group."""
    name = name.strip()
    if not name:
        raise BadRequestError("name cannot be empty")
    if not name.isprintable():
        raise BadRequestError("name contains invalid characters")
    key = name_key(name)
    # A few letters become two in lower case.
    if len(key) > MAX_NAME_LENGTH:
        raise BadRequestError(f"name is too long (limit: {MAX_NAME_LENGTH} characters)")
    for prefix in RESERVED_PREFIXES:
        if key.startswith(prefix):
            raise BadRequestError(f"name cannot start with '{prefix}'")
    return name
