"""Rules about the source that hold for every file: imports, sizes, guards."""

import subprocess
import sys
from pathlib import Path

import pytest

from chatapi.http.route import FeatureRouter
from chatapi.main import FEATURES
from tests.support.server_process import PROJECT

SOURCE = PROJECT / "src" / "chatapi"
MAX_LINES = 400
FORBIDDEN_NAMES = {"utils", "helpers", "common", "lib", "misc"}
FILES = sorted(SOURCE.rglob("*.py"))


def test_packages_import_downwards_only() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    checked = subprocess.run(
        [linter], cwd=PROJECT, capture_output=True, text=True, check=False, timeout=120
    )
    assert checked.returncode == 0, checked.stdout


class TestFiles:
    @pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
    def test_are_short_and_have_a_docstring(self, file: Path) -> None:
        lines = file.read_text().splitlines()
        assert len(lines) <= MAX_LINES
        assert lines[0].startswith('"""')

    def test_have_no_catch_all_names(self) -> None:
        assert not [file for file in FILES if file.stem in FORBIDDEN_NAMES]

    def test_have_structs_for_what_is_frozen(self) -> None:
        assert not [file for file in FILES if "@dataclass(frozen=True" in file.read_text()]


class TestSessions:
    @pytest.mark.parametrize("package", ["features", "permissions", "jobs", "cli", "http"])
    def test_are_not_closed_by_hand(self, package: str) -> None:
        files = sorted((SOURCE / package).rglob("*.py"))
        assert files
        assert not [file for file in files if "db.close()" in file.read_text()]

    def test_contexts_are_built_where_they_are_defined(self) -> None:
        outside = [file for file in FILES if file.parent != SOURCE / "auth"]
        assert not [file for file in outside if "RealmContext(" in file.read_text()]


class TestGuards:
    def test_endpoint_without_guard_cannot_be_built(self) -> None:
        async def open_door() -> None:
            """An endpoint without a guard, by oversight."""

        with pytest.raises(TypeError, match="open_door declares no guard"):
            FeatureRouter("Tests").get("/test/open_door")(open_door)

    def test_every_route_has_a_guard(self) -> None:
        routes = [route for feature in FEATURES for route in feature.chat_routes]
        assert routes
        assert all(callable(route.operation.guard) for route in routes)
