"""Secrets in responses: marked in the payload type, so that no response with one is stored."""

from typing import Annotated, Any, TypeAlias, get_args, get_type_hints

from msgspec import Struct
from typing_extensions import is_typeddict


class _SecretMark(Struct, frozen=True):
    """Marks the type of a key whose value grants access."""

    to_this_server: bool


Secret: TypeAlias = Annotated[str, _SecretMark(to_this_server=True)]
"""A password, an API key, or another secret that is shown once and stored only as a digest."""

ServiceToken: TypeAlias = Annotated[str, _SecretMark(to_this_server=False)]
"""A secret by which another service recognizes this server; it gives no access to this one."""


def holds_secret(kind: Any) -> bool:  # noqa: ANN401 (an annotation)
    """Whether a value of the type can contain a secret of any kind."""
    return bool(_marks_in(kind, {}))


def holds_credential(kind: Any) -> bool:  # noqa: ANN401 (an annotation)
    """Whether a value of the type can contain a secret that gives access to this server."""
    return any(mark.to_this_server for mark in _marks_in(kind, {}))


def _marks_in(kind: Any, seen: dict[int, object]) -> set[_SecretMark]:  # noqa: ANN401 (an annotation)
    if id(kind) in seen:
        return set()
    # Kept: an object that is made here and dropped would leave its id to another one.
    seen[id(kind)] = kind
    marks = {mark for mark in getattr(kind, "__metadata__", ()) if isinstance(mark, _SecretMark)}
    members = get_type_hints(kind, include_extras=True).values() if is_typeddict(kind) else ()
    return marks.union(*(_marks_in(member, seen) for member in (*members, *get_args(kind))))
