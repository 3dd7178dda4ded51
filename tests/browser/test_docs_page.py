"""The pages as a person sees them, in a browser that can reach nothing but this server."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import orjson
import pytest

from tests.factories import Person
from tests.support.chromium import Browser, Page, open_browser
from tests.support.command import Command
from tests.support.server_process import server_process

pytestmark = pytest.mark.browser

OWNER = "iago@example.com"


@dataclass(frozen=True)
class Site:
    """A running server and an owner of its realm."""

    url: str
    owner: Person


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    command = Command(folder, {"data_dir": str(folder)})
    command.run("db", "upgrade")
    command.answer("org", "create", "--name", "Acme")
    created = command.answer(
        "user", "create", "--email", OWNER, "--name", "Iago", "--role", "owner"
    )
    with server_process(folder, **command.settings) as server:
        yield Site(server.url, Person(created["user_id"], OWNER, created["api_key"]))


@pytest.fixture(scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    async with open_browser(tmp_path_factory.mktemp("browser") / "profile") as browser:
        yield browser


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    async with browser.new_page() as page:
        await page.look_like(width=1200, height=1000)
        yield page
        assert page.hosts() == {"127.0.0.1"}


class DocsPage:
    """What a person does on the docs page."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self._site = site

    async def open(self) -> None:
        await self.page.open(f"{self._site.url}/docs")
        await self.page.wait_for("document.querySelector('.opblock-tag')")

    async def authorize(self) -> None:
        await self.page.click(".auth-wrapper .authorize")
        await self.page.type("#auth-basic-username", self._site.owner.email)
        await self.page.type("#auth-basic-password", self._site.owner.api_key)
        await self.page.click(".auth-btn-wrapper .authorize")
        await self.page.click(".close-modal")

    async def unfold(self, tag: str, operation: str) -> "Call":
        await self.page.click(f"#operations-tag-{tag}")
        call = Call(self.page, f"#operations-{tag}-{operation}")
        await self.page.click(f"{call.place} .opblock-summary-control")
        # Before the responses are listed, the page is still reading the document.
        await self.page.wait_for(f"document.querySelector('{call.place} .responses-wrapper')")
        return call


class Call:
    """One unfolded operation: its parameters, and the response once it is sent."""

    def __init__(self, page: Page, place: str) -> None:
        self._page = page
        self.place = place

    async def fill(self, name: str, text: str) -> None:
        """Type into the field of a parameter."""
        await self._page.type(f"{self._row(name)} :is(input[type=text], textarea)", text)

    async def choose(self, name: str, option: str) -> None:
        await self._page.choose(f"{self._row(name)} select", option)

    async def add_item(self, name: str, text: str) -> None:
        """Type a further item of a list."""
        items = f"{self._row(name)} .json-schema-form-item"
        before = await self._page.evaluate(f"document.querySelectorAll('{items}').length")
        await self._page.click(f"{self._row(name)} .json-schema-form-item-add")
        await self._page.wait_for(f"document.querySelectorAll('{items}').length > {before}")
        await self._page.type(f"{items}:nth-child({before + 1}) input", text)

    async def execute(self) -> tuple[int, dict[str, Any]]:
        """Send it; status and body of the response as the page shows them."""
        await self._page.click(f"{self.place} .execute")
        answer = f"document.querySelector('{self.place} .live-responses-table .response')"
        body = await self._page.wait_for(
            f"{answer}?.querySelector('.highlight-code code')?.innerText"
        )
        status = await self._page.evaluate(
            f"parseInt({answer}.querySelector('.response-col_status').innerText)"
        )
        return status, orjson.loads(body)

    async def form(self) -> dict[str, str]:
        """What was sent, as the command that the page offers for the same call has it."""
        command = await self._page.evaluate(
            f"document.querySelector('{self.place} .curl').innerText"
        )
        return dict(parse_qsl(command.rpartition("-d '")[2].rstrip("'"), keep_blank_values=True))

    def _row(self, name: str) -> str:
        return f"{self.place} :is([data-property-name={name}], [data-param-name={name}])"


@pytest.fixture
async def docs(page: Page, site: Site) -> DocsPage:
    docs = DocsPage(page, site)
    await docs.open()
    return docs


class TestHome:
    async def test_says_that_all_is_well(self, page: Page, site: Site, tmp_path: Path) -> None:
        await page.open(site.url)

        await page.wait_for("document.querySelector('#state')?.innerText.includes('healthy')")
        shown = await page.evaluate("document.body.innerText")
        assert f"curl {site.url}/api/v1/server_settings" in shown
        await keep_screenshot(page, tmp_path / "home.png")
        assert page.complaints == []

    @pytest.mark.parametrize("is_dark", [False, True])
    async def test_fits_a_narrow_screen(
        self, page: Page, site: Site, tmp_path: Path, is_dark: bool
    ) -> None:
        await page.look_like(width=320, height=640, is_dark=is_dark)
        await page.open(site.url)

        await page.wait_for("document.querySelector('#state')?.className")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 320
        await keep_screenshot(page, tmp_path / "narrow.png")


class TestDocs:
    async def test_sends_a_query(self, docs: DocsPage, site: Site, tmp_path: Path) -> None:
        await docs.authorize()
        call = await docs.unfold("Users", "get_users")
        await call.add_item("user_ids", str(site.owner.user_id))

        status, body = await call.execute()

        assert (status, body["result"]) == (200, "success")
        assert [user["email"] for user in body["members"]] == [OWNER]
        assert "ignored_parameters_unsupported" not in body
        await keep_screenshot(docs.page, tmp_path / "users.png")
        assert docs.page.complaints == []

    async def test_sends_a_form_with_json_in_it(self, docs: DocsPage, tmp_path: Path) -> None:
        await docs.authorize()
        call = await docs.unfold("Event_queues", "register_queue")
        await call.add_item("event_types", "realm_user")
        await call.add_item("event_types", "5")
        await call.add_item("narrow", '["is", "dm"]')
        await call.fill("client_capabilities", '{"bulk_message_deletion": true}')
        await call.fill("presence_history_limit_days", "7")
        await call.fill("idle_queue_timeout", "mobile")
        await call.choose("slim_presence", "true")

        status, body = await call.execute()

        assert (status, body["result"]) == (200, "success")
        assert body["queue_id"]
        assert await call.form() == {
            "event_types": '["realm_user","5"]',
            "narrow": '[["is", "dm"]]',
            "client_capabilities": '{"bulk_message_deletion": true}',
            "presence_history_limit_days": "7",
            "idle_queue_timeout": '"mobile"',
            "slim_presence": "true",
        }
        await keep_screenshot(docs.page, tmp_path / "register.png")
        assert docs.page.complaints == []

    async def test_sends_text_as_it_was_typed(self, docs: DocsPage) -> None:
        await docs.authorize()
        call = await docs.unfold("Settings", "change_settings")
        await call.fill("full_name", "1.0")

        status, body = await call.execute()

        assert (status, body["result"]) == (200, "success")
        assert await call.form() == {"full_name": "1.0"}

    async def test_fills_in_what_is_required(self, docs: DocsPage) -> None:
        call = await docs.unfold("Accounts", "fetch_api_key")

        status, body = await call.execute()

        assert (status, body["code"]) == (401, "AUTHENTICATION_FAILED")
        assert (await call.form()).keys() == {"username", "password"}

    async def test_shows_a_refusal_instead_of_asking_for_a_password(self, docs: DocsPage) -> None:
        call = await docs.unfold("Users", "get_own_user")

        status, body = await call.execute()

        assert (status, body["code"]) == (401, "UNAUTHORIZED")

    async def test_key_is_not_kept_after_leaving_the_page(self, docs: DocsPage) -> None:
        await docs.authorize()
        assert await docs.page.evaluate("localStorage.length + sessionStorage.length") == 0
        await docs.open()

        status, body = await (await docs.unfold("Users", "get_own_user")).execute()

        assert (status, body["code"]) == (401, "UNAUTHORIZED")

    async def test_follows_the_dark_color_scheme(self, docs: DocsPage, tmp_path: Path) -> None:
        await docs.page.look_like(width=1200, height=1000, is_dark=True)

        await docs.page.wait_for("document.documentElement.classList.contains('dark-mode')")
        await keep_screenshot(docs.page, tmp_path / "dark.png")


async def keep_screenshot(page: Page, file: Path) -> None:
    """Save a screenshot for manual inspection after the run."""
    await asyncio.to_thread(file.write_bytes, await page.screenshot())
