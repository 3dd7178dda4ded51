"""A headless Chromium, driven over its DevTools protocol, that can reach nothing but 127.0.0.1."""

import asyncio
import shutil
import signal
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
from websockets.asyncio.client import ClientConnection, connect

from tests.support.child_server import dying_with_parent

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
_PATIENCE = 30


class Page:
    """One tab: what it loads, what it complains about, and what a person would do with it."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.requested: list[str] = []
        """Addresses of all requests that were to leave the page."""
        self.complaints: list[str] = []
        """Errors in the console, refusals by the content security policy among them."""

    async def read(self) -> None:
        """Sort what the browser says; runs for as long as the page is open."""
        async for text in self._connection:
            message = orjson.loads(text)
            if "id" in message:
                self._waiting.pop(message["id"]).set_result(message)
            else:
                self._note(message["method"], message.get("params", {}))

    async def command(self, method: str, **params: object) -> dict[str, Any]:
        number = next(self._numbers)
        answered = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._connection.send(
            orjson.dumps({"id": number, "method": method, "params": params}).decode()
        )
        message = await asyncio.wait_for(answered, _PATIENCE)
        assert "error" not in message, message["error"]
        result: dict[str, Any] = message["result"]
        return result

    async def open(self, address: str) -> None:
        await self.command("Page.navigate", url=address)

    async def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression, awaited if it is a promise."""
        result = await self.command(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    async def wait_for(self, condition: str) -> Any:
        """The first value of an expression that is not false, looked at on every frame."""
        return await self.evaluate(
            f"""new Promise((resolve) => {{
                const look = () => {{
                    const found = {condition};
                    if (found) resolve(found instanceof Node || found);
                    else requestAnimationFrame(look);
                }};
                look();
            }})"""
        )

    async def click(self, selector: str) -> None:
        quoted = orjson.dumps(selector).decode()
        await self.wait_for(f"document.querySelector({quoted}) !== null")
        await self.evaluate(f"document.querySelector({quoted}).click()")

    async def type(self, selector: str, text: str) -> None:
        """Replace what a field holds, by the keyboard's own path through the page."""
        quoted = orjson.dumps(selector).decode()
        await self.wait_for(f"document.querySelector({quoted}) !== null")
        await self.evaluate(
            f"(() => {{ const field = document.querySelector({quoted});"
            " field.focus(); field.select(); })()"
        )
        await self.command("Input.insertText", text=text)

    async def look_like(self, *, width: int, height: int, is_dark: bool = False) -> None:
        await self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        await self.command("Emulation.setEmulatedMedia", features=[scheme])

    async def screenshot(self) -> bytes:
        shot = await self.command("Page.captureScreenshot", format="png")
        return b64decode(shot["data"])

    def hosts(self) -> set[str | None]:
        """The hosts of all requests; data: and blob: addresses go nowhere."""
        addresses = [urlsplit(address) for address in self.requested]
        return {parts.hostname for parts in addresses if parts.scheme not in {"data", "blob"}}

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requested.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.complaints.append(str([argument.get("value") for argument in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(params["entry"]["text"])


@asynccontextmanager
async def open_browser(profile: Path) -> AsyncIterator[Page]:
    """A browser of its own with one empty page; the profile's folder must be new."""
    process = await asyncio.create_subprocess_exec(
        _find_chromium(),
        *_FLAGS,
        f"--user-data-dir={profile}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=dying_with_parent(signal.SIGKILL),
    )
    try:
        endpoint = await asyncio.wait_for(_devtools_endpoint(process), _PATIENCE)
        async with _first_page(endpoint) as page:
            yield page
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


def _find_chromium() -> str:
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    message = f"no Chromium on this machine; install one of: {', '.join(_NAMES)}"
    raise FileNotFoundError(message)


async def _devtools_endpoint(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    async for line in process.stderr:
        _, found, endpoint = line.decode().strip().partition("DevTools listening on ")
        if found:
            return endpoint
    message = "Chromium ended before it could be talked to"
    raise RuntimeError(message)


@asynccontextmanager
async def _first_page(endpoint: str) -> AsyncIterator[Page]:
    target = await _new_target(endpoint)
    address = f"ws://{urlsplit(endpoint).netloc}/devtools/page/{target}"
    async with connect(address, max_size=None, proxy=None) as connection:
        page = Page(connection)
        reading = asyncio.create_task(page.read())
        try:
            for domain in ("Page", "Network", "Runtime", "Log"):
                await page.command(f"{domain}.enable")
            yield page
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def _new_target(endpoint: str) -> str:
    async with connect(endpoint, max_size=None, proxy=None) as connection:
        browser = Page(connection)
        reading = asyncio.create_task(browser.read())
        try:
            created = await browser.command("Target.createTarget", url="about:blank")
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
    return str(created["targetId"])
