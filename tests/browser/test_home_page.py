"""The start page in a browser."""

import pytest

from tests.browser.conftest import KeepScreenshot
from tests.support.chromium import Page
from tests.support.docs_page import Site

pytestmark = pytest.mark.browser


async def test_says_that_all_is_well(
    page: Page, site: Site, keep_screenshot: KeepScreenshot
) -> None:
    await page.open(site.url)

    await page.wait_for("document.querySelector('#state')?.innerText.includes('healthy')")
    shown = await page.evaluate("document.body.innerText")
    assert f"curl {site.url}/api/v1/server_settings" in shown
    await keep_screenshot("home")
    assert page.complaints == []


@pytest.mark.parametrize("is_dark", [False, True])
async def test_fits_a_narrow_screen(page: Page, site: Site, is_dark: bool) -> None:
    await page.look_like(width=320, height=640, is_dark=is_dark)
    await page.open(site.url)

    await page.wait_for("document.querySelector('#state')?.className")
    assert await page.evaluate("document.documentElement.scrollWidth") <= 320
