"""Secrets in responses: marked in the payload type, so that no response with one is stored."""

from typing import Annotated, Any, TypeAlias, get_args, get_type_hints

from typing_extensions import is_typeddict


class _SecretMark:
    """Marks the type of a key whose value grants access."""


Secret: TypeAlias = Annotated[str, _SecretMark()]
"""A password, an API key, or another secret that is shown once and stored only as a digest."""


def holds_secret(kind: Any) -> bool:  # noqa: ANN401 (an annotation)
    """Whether a value of the type can contain a secret."""
    return _holds_secret(kind, set())


def _holds_secret(kind: Any, seen: set[int]) -> bool:  # noqa: ANN401 (an annotation)
    if id(kind) in seen:
        return False
    seen.add(id(kind))
    if any(isinstance(mark, _SecretMark) for mark in getattr(kind, "__metadata__", ())):
        return True
    members = get_type_hints(kind, include_extras=True).values() if is_typeddict(kind) else ()
    return any(_holds_secret(member, seen) for member in (*members, *get_args(kind)))
