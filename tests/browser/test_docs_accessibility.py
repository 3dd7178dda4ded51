"""What axe-core finds: contrast, names, roles and order, in both color schemes and widths."""

from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from tests.browser.conftest import HEIGHTS, KeepScreenshot
from tests.support.docs_page import DocsPage
from tests.support.server_process import PROJECT

pytestmark = [pytest.mark.browser, pytest.mark.node]

AXE = PROJECT / "tests/node/node_modules/axe-core/axe.min.js"
VIEWS = ["", "#tag/Messages", "#send_message", "#get_messages", "#get_events", "#guide/errors"]


@pytest.fixture(scope="module")
def axe() -> str:
    return Path(AXE).read_text()


RULES_ABOUT_COLORS = ["color-contrast", "link-in-text-block"]
"""Of the rules about serious faults, those that a color scheme matters to."""


async def serious_faults(docs: DocsPage, axe: str, rules: Sequence[str] | None = None) -> list[str]:
    """The faults that keep people from using the page, with the elements they are in."""
    # Describing elements without faults would take longer than finding those with faults.
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules is not None:
        options["runOnly"] = {"type": "rule", "values": rules}
    await docs.page.evaluate(f"{axe}; undefined")
    found = await docs.page.evaluate(
        f"axe.run(document, {orjson.dumps(options).decode()})"
        """.then(({ violations }) => violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`))"""
    )
    return list(found)


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("view", VIEWS)
async def test_view_has_no_serious_faults(
    docs: DocsPage,
    axe: str,
    view: str,
    width: int,
    is_dark: bool,
    keep_screenshot: KeepScreenshot,
) -> None:
    await docs.page.look_like(width=width, height=HEIGHTS[width], is_dark=is_dark)
    await docs.open(view)
    await docs.page.evaluate(
        "document.querySelectorAll('main details').forEach((each) => each.open = true)"
    )
    await keep_screenshot("dark" if is_dark else "light")

    # Nothing but colors differs from the light page.
    rules = RULES_ABOUT_COLORS if is_dark else None
    assert await serious_faults(docs, axe, rules) == []


async def test_response_has_no_serious_faults(docs: DocsPage, axe: str) -> None:
    await docs.log_in()
    await (await docs.operation("get_own_user")).send()
    assert await serious_faults(docs, axe) == []


async def test_login_has_no_serious_faults(docs: DocsPage, axe: str) -> None:
    await docs.page.click("#log-in")
    assert await serious_faults(docs, axe) == []


async def test_search_results_have_no_serious_faults(docs: DocsPage, axe: str) -> None:
    await docs.search("message")
    assert await serious_faults(docs, axe) == []


async def test_menu_has_no_serious_faults(docs: DocsPage, axe: str) -> None:
    await docs.page.click("#menu")
    assert await serious_faults(docs, axe) == []
