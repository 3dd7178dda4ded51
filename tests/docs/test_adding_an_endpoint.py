"""docs/adding-an-endpoint.md followed to the letter, in a copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.throwaway_feature import FEATURE, MIGRATION, OWN_TESTS, STEPS, TABLE
from tests.support.server_process import PROJECT

PAGE = PROJECT / "docs/adding-an-endpoint.md"
PARTS = ("src", "tests", "docs", "deploy", "migrations", "benchmarks", "reference")
PATIENCE_SECONDS = 600
SOME_OR_ALL_PASSED = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.OK)
NEW_FILES = (FEATURE, TABLE, OWN_TESTS)
CHANGED_FILES = (
    "src/chatapi/permissions/settings.py",
    "src/chatapi/db/models/__init__.py",
    "src/chatapi/features/registry.py",
    "tests/contract/test_audited_routes.py",
    "tests/contract/test_permission_matrix.py",
    "tests/examples/organization.py",
    "tests/model/client_view/organization.py",
)
ARCHITECTURE = "tests/architecture"
EVERY_ROUTE = ("tests/contract/test_every_route.py", "tests/contract/test_webhook_bots.py")
TABLES = {
    "tests/contract/test_permission_matrix.py": ["announcements", "has_a_row"],
    "tests/contract/test_audited_routes.py": ["decided"],
    "tests/model/test_client_view.py": ["known_to_the_model"],
}
DOCUMENTED = {
    "tests/docs/test_pages.py": ["test_pages"],
    **{
        f"tests/contract/test_{name}.py": [f"test_{name}"]
        for name in ("openapi_document", "descriptions", "examples")
    },
}
MIGRATIONS = "tests/db/test_migrations.py"
TESTS: dict[str, list[str]] = {
    ARCHITECTURE: ["architecture"],
    OWN_TESTS: ["announcements"],
    **{file: ["announcements"] for file in EVERY_ROUTE},
    **TABLES,
    **DOCUMENTED,
    MIGRATIONS: ["tables_of_the_models", "up_again"],
}
"""The tests of a new feature: files and folders, and parts of the names of tests, or their own."""


class Copy:
    """A copy of the project in which commands run, on the source of the copy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in PARTS:
            # Bytecode comes along: files keep their times, so it is valid in the copy as well.
            ignored = shutil.ignore_patterns("node_modules")
            shutil.copytree(PROJECT / part, folder / part, ignore=ignored)
        for file in PROJECT.glob("[!.]*"):
            if file.is_file():
                shutil.copy2(file, folder / file.name)
        # The type checker need not look again at what is the same as in the project.
        if (PROJECT / ".mypy_cache").exists():
            shutil.copytree(PROJECT / ".mypy_cache", folder / ".mypy_cache")

    def run(self, *command: str) -> str:
        """Run a tool of the development environment; fails the test if the tool fails."""
        done = self._start(*command)
        assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def run_tests(self, names: Iterable[str], files: Iterable[str]) -> "Outcomes":
        """Run those tests of some files of the copy that have one of the names."""
        alone = ("-p", "no:cacheprovider", "-p", "no:xdist")
        options = ("-q", "-rA", "--show-capture=no", *alone, "-k", " or ".join(names))
        done = self._start("pytest", *options, *files)
        assert done.returncode in SOME_OR_ALL_PASSED, f"{done.stdout}\n{done.stderr}"
        return Outcomes(done.stdout)

    def _start(self, *command: str) -> subprocess.CompletedProcess[str]:
        own = {"PYTHONPATH", "CHATAPI_DATABASE_URL", "CHATAPI_DATA_DIR"}
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name not in own and not name.startswith("PYTEST_")
        }
        return subprocess.run(
            [sys.executable, "-m", *command],
            cwd=self.folder,
            env={
                **inherited,
                "PYTHONPATH": f"{self.folder / 'src'}{os.pathsep}{self.folder}",
                "CHATAPI_DATA_DIR": str(self.folder / "data"),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )

    def write_migration(self) -> None:
        """What `python3 dev.py migration` does, without its virtual environment."""
        (self.folder / "data").mkdir()
        numbers = [int(path.name[:4]) for path in self.versions()]
        self.run("alembic", "upgrade", "head")
        revision = ["revision", "--autogenerate", "--rev-id", f"{max(numbers) + 1:04}"]
        self.run("alembic", *revision, "-m", MIGRATION)
        self.run("ruff", "check", "--quiet", "--select", "I", "--fix-only", "migrations")
        self.run("ruff", "format", "migrations")

    def versions(self) -> list[Path]:
        return sorted((self.folder / "migrations/versions").glob("[0-9]*.py"))


@dataclass(frozen=True)
class Outcomes:
    """What became of tests."""

    printed: str

    def passed(self, *places: str) -> int:
        """How many tests of these files and folders passed; each of them must have."""
        summary = re.findall(r"^([A-Z]+) (tests/\S*)", self.printed, re.MULTILINE)
        here = [outcome for outcome, name in summary if name.startswith(places)]
        assert set(here) == {"PASSED"}, self.printed
        return len(here)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy in which all steps are done."""
    copy = Copy(tmp_path_factory.mktemp("copy") / "project")
    for changes in STEPS.values():
        for change in changes:
            change.apply(copy.folder)
    copy.write_migration()
    copy.run("reference")
    copy.run("tests.examples")
    return copy


@pytest.fixture(scope="module")
def outcomes(copy: Copy) -> Outcomes:
    """Those of all tests that concern a new feature, in one run: a start takes several seconds."""
    names = [name for chosen in TESTS.values() for name in chosen]
    return copy.run_tests(names, TESTS)


def test_every_step_of_the_page_is_followed() -> None:
    headings = re.findall(r"^## (\d+)\. (.+)$", PAGE.read_text(), re.MULTILINE)
    assert [heading for _number, heading in headings] == list(STEPS)
    assert [int(number) for number, _heading in headings] == list(range(1, len(STEPS) + 1))


@pytest.mark.slow
class TestThrowawayFeature:
    def test_is_typed(self, copy: Copy) -> None:
        copy.run("mypy", *NEW_FILES, *CHANGED_FILES)

    def test_passes_the_linter(self, copy: Copy) -> None:
        newest = str(copy.versions()[-1])
        copy.run("ruff", "check", "--no-cache", *NEW_FILES, *CHANGED_FILES, newest)
        copy.run("ruff", "format", "--check", *NEW_FILES, *CHANGED_FILES, newest)

    def test_keeps_the_rules_of_the_architecture(self, outcomes: Outcomes) -> None:
        """These include the contracts of import-linter."""
        assert outcomes.passed(ARCHITECTURE) > 0

    def test_passes_its_own_tests_on_both_databases(self, outcomes: Outcomes) -> None:
        assert outcomes.passed(OWN_TESTS) == 2 * 7

    def test_passes_the_tests_of_every_route(self, outcomes: Outcomes) -> None:
        assert outcomes.passed(*EVERY_ROUTE) >= 6

    def test_is_in_the_tables_of_the_tests(self, outcomes: Outcomes) -> None:
        assert outcomes.passed(*TABLES) == 4

    def test_is_documented(self, copy: Copy, outcomes: Outcomes) -> None:
        for file in DOCUMENTED:
            assert outcomes.passed(file) > 0
        document = copy.run("chatapi", "openapi")
        assert "/announcements" in document
        assert "can_announce_group" in document

    def test_migration_makes_the_table_on_both_databases(self, outcomes: Outcomes) -> None:
        assert outcomes.passed(MIGRATIONS) == 4
