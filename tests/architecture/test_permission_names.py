"""The source names permissions by their enums, so that mypy finds names that do not exist."""

import ast
from pathlib import Path

import pytest

from chatapi.permissions.settings import ChannelPermission, GroupPermission, RealmPermission
from tests.support.server_process import PROJECT

SOURCE = PROJECT / "src" / "chatapi"
DECLARED_IN = SOURCE / "permissions" / "settings.py"
NAMES = {*RealmPermission, *ChannelPermission, *GroupPermission}

_FIELDS = ("value", "attr", "id", "arg")
"""Where nodes keep strings, attributes, names and keywords."""


def names_in(file: Path) -> set[str]:
    """The permissions that a file names by a string, an attribute or a key."""
    nodes = list(ast.walk(ast.parse(file.read_text())))
    found = {getattr(node, field, None) for node in nodes for field in _FIELDS}
    return {str(name) for name in NAMES & found}


def test_declarations_are_found() -> None:
    assert names_in(DECLARED_IN) == NAMES


@pytest.mark.parametrize("permissions", [RealmPermission, ChannelPermission, GroupPermission])
def test_every_permission_says_what_it_allows(
    permissions: type[RealmPermission | ChannelPermission | GroupPermission],
) -> None:
    assert all(each.setting.allows_to[:1].islower() for each in permissions)


def test_no_other_file_names_a_permission_by_a_string() -> None:
    named = {
        str(file.relative_to(SOURCE)): names
        for file in sorted(SOURCE.rglob("*.py"))
        if file != DECLARED_IN and (names := names_in(file))
    }
    assert named == {}
