"""Packages that are imported without what their `__init__` imports."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from chatapi.core.lean_imports import defer_package

PACKAGE = "package_for_lean_imports"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package whose `__init__` imports both of its modules."""
    folder = tmp_path / PACKAGE
    folder.mkdir()
    (folder / "__init__.py").write_text("from .small import SMALL\nfrom .large import LARGE\n")
    (folder / "small.py").write_text("SMALL = 1\n")
    (folder / "large.py").write_text("from . import small\nLARGE = small.SMALL + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield PACKAGE
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


def test_a_module_is_imported_without_the_others(package: str) -> None:
    defer_package(package)
    assert import_module(f"{package}.small").SMALL == 1
    assert f"{package}.large" not in sys.modules


def test_modules_that_import_each_other_do_not_need_init(package: str) -> None:
    (Path(sys.path[0]) / PACKAGE / "__init__.py").write_text("raise AssertionError\n")
    defer_package(package)
    assert import_module(f"{package}.large").LARGE == 2


def test_a_name_with_a_known_module_does_not_need_init(package: str) -> None:
    defer_package(package, SMALL="small")
    assert import_module(package).SMALL == 1
    assert f"{package}.large" not in sys.modules


def test_the_package_itself_has_what_its_init_imports(package: str) -> None:
    defer_package(package)
    small = import_module(f"{package}.small")
    whole = import_module(package)
    assert (whole.SMALL, whole.LARGE, whole.small) == (1, 2, small)
    with pytest.raises(AttributeError):
        _ = whole.missing


def test_a_module_that_needs_init_is_found_in_the_whole_package(package: str) -> None:
    defer_package(package, ("small",))
    assert import_module(package).small.SMALL == 1
    assert f"{package}.large" in sys.modules


def test_a_loaded_package_stays_as_it_is(package: str) -> None:
    loaded = import_module(package)
    defer_package(package)
    assert sys.modules[package] is loaded


def test_a_package_that_is_not_installed_is_reported() -> None:
    with pytest.raises(ModuleNotFoundError):
        defer_package("package_that_does_not_exist")
