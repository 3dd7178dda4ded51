"""Clients in tests wait as long as a busy machine needs, not the five seconds of httpx."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.server_process import PROJECT

TESTS = PROJECT / "tests"
REQUESTS = {"AsyncClient", "Client", "get", "post", "request", "stream"}
LIMITED_BY = {"timeout", "transport"}
"""A transport of the tests' own calls the application without a limit."""


def httpx_calls(file: Path) -> Iterator[ast.Call]:
    source = file.read_text()
    for node in ast.walk(ast.parse(source)) if "httpx." in source else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called = node.func
            is_httpx = isinstance(called.value, ast.Name) and called.value.id == "httpx"
            if is_httpx and called.attr in REQUESTS:
                yield node


def test_every_client_has_a_limit_of_its_own() -> None:
    calls = [
        (file, call)
        for file in TESTS.rglob("*.py")
        if "node_modules" not in file.parts
        for call in httpx_calls(file)
    ]
    assert calls
    assert not [
        f"{file.relative_to(TESTS)}:{call.lineno}"
        for file, call in calls
        if not LIMITED_BY & {keyword.arg for keyword in call.keywords}
    ]
