"""Secrets in answers: marked in the type of the payload, so that no answer with one is kept."""

from typing import Annotated, Any, TypeAlias, get_args, get_type_hints

from typing_extensions import is_typeddict


class _SecretMark:
    """Stands on the type of a key whose value lets its holder in."""


Secret: TypeAlias = Annotated[str, _SecretMark()]
"""A password, an API key, or anything else that is shown once and kept as a digest only."""


def holds_secret(kind: Any) -> bool:  # noqa: ANN401 (an annotation)
    """Whether a value of the type can have a secret somewhere inside."""
    return _holds_secret(kind, set())


def _holds_secret(kind: Any, seen: set[int]) -> bool:  # noqa: ANN401 (an annotation)
    if id(kind) in seen:
        return False
    seen.add(id(kind))
    if any(isinstance(mark, _SecretMark) for mark in getattr(kind, "__metadata__", ())):
        return True
    members = get_type_hints(kind, include_extras=True).values() if is_typeddict(kind) else ()
    return any(_holds_secret(member, seen) for member in (*members, *get_args(kind)))
