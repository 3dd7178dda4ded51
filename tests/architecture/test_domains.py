"""Domains and their features: packages that do not import each other in circles."""

from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

from chatapi.features import registry
from tests.support.server_process import PROJECT

FEATURES = "chatapi.features"
SOURCE = PROJECT / "src" / "chatapi" / "features"


def package_of(module: str) -> str | None:
    """The feature a module belongs to, or its domain if the features of the domain share it.

    None for the root of a domain, which only re-exports what other domains may use.
    """
    names = module.removeprefix(f"{FEATURES}.").split(".")
    if len(names) == 1:
        return None
    is_feature = (SOURCE / names[0] / names[1]).is_dir() and names[1] != "repository"
    return f"{names[0]}.{names[1]}" if is_feature else names[0]


def imports_between_packages() -> dict[str, set[str]]:
    graph = grimp.build_graph("chatapi")
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module in graph.find_descendants(FEATURES):
        importer = package_of(module)
        for imported in graph.find_modules_directly_imported_by(module):
            package = package_of(imported) if imported.startswith(f"{FEATURES}.") else None
            if importer is not None and package is not None and package != importer:
                found[importer].add(package)
    return found


def test_features_do_not_import_each_other_in_circles() -> None:
    packages = imports_between_packages()
    assert len(packages) > 20
    TopologicalSorter(packages).prepare()


def test_repository_is_imported_by_its_own_domain_or_feature_only() -> None:
    graph = grimp.build_graph("chatapi")
    repositories = {
        module
        for module in graph.find_descendants(FEATURES)
        if "repository" in module.removeprefix(f"{FEATURES}.").split(".")
    }
    assert len(repositories) > 20
    for repository in repositories:
        owner = repository.partition(".repository")[0]
        for importer in graph.find_modules_that_directly_import(repository):
            assert importer.startswith(owner), f"{importer} imports {repository}"


def test_unlisted_feature_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "FEATURES", registry.FEATURES[1:])
    with pytest.raises(registry.UnlistedFeatureError, match=registry.__name__):
        list(registry.load_from_features("router", Path))
