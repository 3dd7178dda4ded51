"""Sections of POST /register: each feature's state.py says what a client begins with."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile

Loader = Callable[[Context, ClientProfile], Awaitable[Mapping[str, Any]]]
LoaderT = TypeVar("LoaderT", bound=Loader)


@dataclass(frozen=True)
class Section:
    """A part of the initial state, fetched when all its types are asked for."""

    fetch_types: frozenset[str]
    load: Loader
    payload: type
    """The TypedDict the loader returns, for the documentation."""


sections: list[Section] = []


def state_section(*fetch_types: str, payload: type | None = None) -> Callable[[LoaderT], LoaderT]:
    """Add a loader to POST /register; `payload` for what a return annotation cannot say."""

    def add(loader: LoaderT) -> LoaderT:
        returned = payload or get_type_hints(loader)["return"]
        sections.append(Section(frozenset(fetch_types), loader, returned))
        return loader

    return add
