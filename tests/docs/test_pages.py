"""The pages say what the code does: generated parts, quoted code, links and numbers."""

import re
from pathlib import Path

import pytest

from chatapi.core.version import FEATURE_LEVEL
from reference.events import events_page
from reference.permissions import permissions_page
from reference.settings import settings_table

PROJECT = Path(__file__).resolve().parents[2]
PAGES = [PROJECT / "README.md", PROJECT / "CHANGELOG.md", *sorted(PROJECT.glob("docs/**/*.md"))]
DECISIONS = sorted(PROJECT.glob("docs/adr/*.md"))


def page_name(page: Path) -> str:
    return str(page.relative_to(PROJECT))


def test_readme_lists_every_setting() -> None:
    """Print the table with `python3 dev.py reference`."""
    assert settings_table() in (PROJECT / "README.md").read_text()


def test_events_page_is_current() -> None:
    """Write it with `python3 dev.py reference`."""
    assert (PROJECT / "docs/events.md").read_text() == events_page()


def test_permissions_page_is_current() -> None:
    """Write it with `python3 dev.py reference`."""
    assert (PROJECT / "docs/permissions.md").read_text() == permissions_page()


def test_quoted_code_is_in_the_source() -> None:
    page = (PROJECT / "docs/adding-an-endpoint.md").read_text()
    quotes = re.findall(r"```python\n# (\S+)\n(.*?)```", page, re.DOTALL)
    assert len(quotes) >= 7
    for path, quote in quotes:
        source = (PROJECT / path).read_text()
        for part in quote.split("\n...\n"):
            assert part.strip("\n") in source, f"{path} no longer has:\n{part}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        assert link.startswith("https://") or (page.parent / link).exists(), link


@pytest.mark.parametrize("page", DECISIONS, ids=page_name)
def test_decisions_have_one_form(page: Path) -> None:
    number = int(page.name.partition("-")[0])
    text = page.read_text()
    assert text.startswith(f"# {number}. ")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings == ["Context", "Decision", "Consequences", "Alternatives"]


def test_changelog_mentions_the_feature_level() -> None:
    assert f"**Feature level {FEATURE_LEVEL}**" in (PROJECT / "CHANGELOG.md").read_text()
