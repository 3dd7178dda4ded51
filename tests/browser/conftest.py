"""A server after its first start, and a browser that can reach nothing but this server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.support.chromium import Browser, Page, open_browser
from tests.support.command import Command
from tests.support.docs_page import DocsPage, Site

HEIGHTS = {1280: 900, 390: 844}
"""Of the windows that pages are tried in, by width: a laptop and a phone."""

SMALL_FILE = "/docs/assets/loader.svg"

KeepScreenshot = Callable[[str], Awaitable[None]]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    command = Command(folder, {"data_dir": str(folder), "rate_limits": "off"})
    with command.serving() as server:
        server.read_greeting(last="^curl ")
        yield Site(
            server.url,
            server.greeted("email"),
            server.greeted("API key"),
            server.greeted("Password"),
        )


@pytest.fixture(scope="session")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    async with open_browser(tmp_path_factory.mktemp("browser") / "profile") as browser:
        yield browser


@pytest.fixture(params=HEIGHTS)
def width(request: pytest.FixtureRequest) -> int:
    """The width of the window."""
    value: int = request.param
    return value


@pytest.fixture(scope="session")
async def tab(browser: Browser) -> AsyncIterator[Page]:
    """A tab that loads the page anew for each test, with its files in the browser's cache.

    A tab for each test would take twice the processor time to load it. Nothing is lost: the page
    stores nothing in the browser.
    """
    async with browser.new_page() as tab:
        yield tab


@pytest.fixture
async def page(tab: Page, site: Site, width: int) -> AsyncIterator[Page]:
    await tab.look_like(width=width, height=HEIGHTS[width])
    yield tab
    assert tab.hosts() == {"127.0.0.1"}
    # A file of the same site: for any other, the browser would start another process.
    await tab.leave_for(f"{site.url}{SMALL_FILE}")


@pytest.fixture
async def docs(page: Page, site: Site) -> DocsPage:
    docs = DocsPage(page, site)
    await docs.open()
    return docs


@pytest.fixture
def keep_screenshot(page: Page, tmp_path: Path, width: int) -> KeepScreenshot:
    """Saves a screenshot for manual inspection after the run."""

    async def keep(name: str) -> None:
        await asyncio.to_thread(
            (tmp_path / f"{name}-{width}.png").write_bytes, await page.screenshot()
        )

    return keep
