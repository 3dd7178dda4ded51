"""Private attributes of libraries that we use, because the libraries offer no other way.

Each has an upper bound in pyproject.toml: a newer version is tried on purpose, not by accident.
"""

import inspect
import tomllib
from dataclasses import dataclass

import aiosqlite
import asyncpg
import pytest
from starlette.formparsers import MultiPartParser
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from tests.support.server_process import PROJECT


@dataclass(frozen=True)
class PrivateAttribute:
    package: str
    owner: type
    name: str
    reason: str


USED = [
    PrivateAttribute(
        "starlette",
        MultiPartParser,
        "_current_part",
        "the parser decodes text with the charset that the client declares, also an invalid one",
    ),
    PrivateAttribute(
        "starlette",
        MultiPartParser,
        "_files_to_close_on_error",
        "the parser does not report a truncated body as an error",
    ),
    PrivateAttribute(
        "aiosqlite",
        aiosqlite.Connection,
        "_thread",
        "a connection that was never closed would keep the process from ending",
    ),
    PrivateAttribute(
        "asyncpg",
        asyncpg.Connection,
        "_transport",
        "only its socket can be told to notice that packets are lost",
    ),
    PrivateAttribute(
        "uvicorn",
        FlowControl,
        "_is_writable_event",
        "the event of each connection would take memory for waiters that it never has",
    ),
    PrivateAttribute(
        "uvicorn",
        RequestResponseCycle,
        "response_complete",
        "a response that is sent as a whole sets what ASGI's messages set",
    ),
]


@pytest.mark.parametrize("used", USED, ids=lambda used: f"{used.package}.{used.name}")
def test_private_attribute_exists_and_its_package_has_an_upper_bound(
    used: PrivateAttribute,
) -> None:
    assert used.name in inspect.getsource(used.owner), used.reason
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    (declared,) = [
        each
        for each in project["project"]["dependencies"]
        if each.startswith((f"{used.package}>", f"{used.package}["))
    ]
    assert "<" in declared, used.reason
