"""The docs page as a person uses it: opens an operation, types, sends and reads the response."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from tests.support.chromium import Page


@dataclass(frozen=True)
class Site:
    """A server after its first start, and the secrets it has printed."""

    url: str
    email: str
    api_key: str
    password: str


class DocsPage:
    """The page in one tab."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self.site = site

    async def open(self, hash_: str = "") -> None:
        await self.page.open(f"{self.site.url}/docs{hash_}")
        await self.wait_until_loaded()

    async def wait_until_loaded(self) -> None:
        """Wait for the groups of operations, which come with the document."""
        await self.page.wait_for("document.querySelector('.sidebar .group')")

    async def log_in(self) -> None:
        await self._fill_login("key", self.site.api_key)

    async def log_in_by_password(self) -> None:
        await self._fill_login("password", self.site.password)

    async def _fill_login(self, field: str, secret: str) -> None:
        await self.page.click("#log-in")
        await self.page.type("#login [name=email]", self.site.email)
        await self.page.type(f"#login [name={field}]", secret)
        await self.page.click("#login [type=submit]")
        await self.page.wait_for("document.querySelector('#log-out')")

    async def go_to(self, hash_: str) -> None:
        """Follow a link of the page."""
        await self.page.evaluate(f"location.hash = {quoted(hash_)}")
        await self.page.wait_for(
            f"document.querySelector('.sidebar [aria-current]')?.hash === {quoted(hash_)}"
        )

    async def operation(self, name: str) -> "Call":
        await self.go_to(f"#{name}")
        return Call(self.page)

    async def title(self) -> Any:
        return await self.page.evaluate("document.querySelector('#view h1').innerText")

    async def search(self, text: str) -> list[str]:
        """The results of a search: each with its title, place and excerpt."""
        await self.page.type("#search-field", text)
        await self.page.evaluate("document.querySelector('#search-field').focus()")
        return list(
            await self.page.evaluate(
                "[...document.querySelectorAll('#search-results [data-href]')].map("
                "(result) => `${result.dataset.href} ${result.innerText}`)"
            )
        )

    async def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        excess: int = await self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return excess


class Call:
    """The operation that is shown: its form, and the response once it is sent."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def fill(self, name: str, text: str) -> None:
        await self._page.type(f"{_row(name)} input", text)

    async def choose(self, name: str, option: str) -> None:
        await self._page.choose(f"{_row(name)} select", option)

    async def choose_file(self, name: str, file: Path) -> None:
        await self._page.choose_file(f"{_row(name)} input[type=file]", file)

    async def value(self, name: str) -> Any:
        return await self._page.evaluate(
            f"document.querySelector({quoted(_row(name))}).querySelector('input, select').value"
        )

    async def send_as(self, media_type: str) -> None:
        await self._page.click(f".try [name=body][value='{media_type}']")

    async def answer_as(self, media_type: str) -> None:
        await self._page.click(f".try [name=accept][value='{media_type}']")

    async def write_body(self, body: object) -> None:
        await self._page.type(".try .editor", orjson.dumps(body).decode())

    async def body(self) -> Any:
        return orjson.loads(await self._page.evaluate("document.querySelector('.editor').value"))

    async def start(self) -> None:
        """Press the button, without waiting for the response."""
        await self._page.click(".try .send")

    async def send(self) -> tuple[int, Any]:
        """Send it; status and body of the response as the page shows them."""
        await self.start()
        return await self.response()

    async def response(self) -> tuple[int, Any]:
        await self.wait_for_state("done")
        status = await self._page.evaluate(
            "parseInt(document.querySelector('.response .status strong').innerText)"
        )
        body = await self._page.evaluate(
            "document.querySelector('.response .content > .json').textContent"
        )
        return status, orjson.loads(body)

    async def wait_for_state(self, state: str) -> None:
        await self._page.wait_for(f"document.querySelector('.response[data-state={state}]')")

    async def cancel(self) -> None:
        await self._page.click(".try .cancel")

    async def wait_for_event(self, text: str) -> str:
        """The first event of a stream that contains a text, as soon as it is shown."""
        found = await self._page.wait_for(
            "[...document.querySelectorAll('.response .events > li')].map((event) =>"
            f" event.textContent).find((shown) => shown.includes({quoted(text)}))"
        )
        return str(found)

    async def message(self) -> Any:
        """What the page says instead of a response."""
        return await self._page.evaluate("document.querySelector('.response').innerText")

    async def sample(self, language: str) -> str:
        """The code for the request as it is typed."""
        await self._page.evaluate(
            "[...document.querySelectorAll('.samples [role=tab]')].find("
            f"(tab) => tab.innerText === {quoted(language)}).click()"
        )
        return str(await self._page.evaluate("document.querySelector('.samples code').textContent"))


def _row(name: str) -> str:
    return f'.try [data-name="{name}"]'


def quoted(text: str) -> str:
    """A text as a JavaScript string."""
    return orjson.dumps(text).decode()
