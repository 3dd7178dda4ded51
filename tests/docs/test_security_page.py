"""The security page names the test behind each promise; each of them must exist."""

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PAGE = PROJECT / "docs/security.md"
NAMED_TESTS = sorted(set(re.findall(r"`(tests/[^`]+)`", PAGE.read_text())))


@pytest.mark.parametrize("named", NAMED_TESTS)
def test_named_test_exists(named: str) -> None:
    path, _, name = named.partition("::")
    assert (PROJECT / path).exists()
    if name:
        module = ast.parse((PROJECT / path).read_text())
        definitions = {node.name for node in module.body if hasattr(node, "name")}
        assert name in definitions


def test_every_class_has_a_test() -> None:
    rows = re.findall(r"^\| \d+ \|.*$", PAGE.read_text(), re.MULTILINE)
    assert rows
    assert [row for row in rows if "`tests/" not in row] == []
