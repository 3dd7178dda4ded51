"""A headless Chromium, driven over its DevTools protocol, that can reach nothing but 127.0.0.1."""

import asyncio
import shutil
import signal
from base64 import b64decode
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import orjson
from typing_extensions import override
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
_PATIENCE = 120


class DevTools:
    """A connection to the browser or to one of its pages: commands, and notes in between."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def read(self) -> None:
        """Dispatch the browser's messages; runs for as long as the connection is open."""
        async for text in self._connection:
            message = orjson.loads(text)
            if "id" in message:
                self._waiting.pop(message["id"]).set_result(message)
            else:
                self.note(message["method"], message.get("params", {}))

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

    def note(self, method: str, params: dict[str, Any]) -> None:
        """Handle a notification, which is not the response to a command."""


DevToolsT = TypeVar("DevToolsT", bound=DevTools)


@asynccontextmanager
async def _connected(kind: type[DevToolsT], address: str) -> AsyncIterator[DevToolsT]:
    async with connect(address, max_size=None, proxy=None) as connection:
        tools = kind(connection)
        reading = asyncio.create_task(tools.read())
        try:
            yield tools
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


class Page(DevTools):
    """One tab: what it loads, what it complains about, and what a person would do with it."""

    def __init__(self, connection: ClientConnection) -> None:
        super().__init__(connection)
        self.requested: list[str] = []
        """Addresses of all requests that were to leave the page."""
        self.complaints: list[str] = []
        """Errors in the console, refusals by the content security policy among them."""
        self._begun: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        """Documents that have taken the place of the one before, by the id of their loader."""

    async def open(self, address: str) -> None:
        """Begin to load a page; what is evaluated next belongs to it."""
        opened = await self.command("Page.navigate", url=address)
        if "loaderId" in opened:  # otherwise it was another place of the same page
            await asyncio.wait_for(self._begun[opened["loaderId"]].wait(), _PATIENCE)

    async def leave_for(self, address: str) -> None:
        """End everything that runs in the page, and forget what it has requested and said."""
        await self.command("Emulation.setScriptExecutionDisabled", value=False)
        await self.open(address)
        self.requested.clear()
        self.complaints.clear()

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
        await self.wait_for(f"document.querySelector({quoted})")
        await self.evaluate(f"document.querySelector({quoted}).click()")

    async def type(self, selector: str, text: str) -> None:
        """Replace what a field holds, by the keyboard's own path through the page."""
        quoted = orjson.dumps(selector).decode()
        await self.wait_for(f"document.querySelector({quoted})")
        await self.evaluate(
            f"(() => {{ const field = document.querySelector({quoted});"
            " field.focus(); field.select(); })()"
        )
        await self.command("Input.insertText", text=text)
        # Fields that wait for a pause in typing take the value when they are left.
        await self.evaluate("document.activeElement.blur()")

    async def choose(self, selector: str, option: str) -> None:
        """Select an option of a list, and notify the page as a click would."""
        quoted = orjson.dumps(selector).decode()
        await self.wait_for(f"document.querySelector({quoted})")
        await self.evaluate(
            f"(() => {{ const list = document.querySelector({quoted});"
            f" list.value = {orjson.dumps(option).decode()};"
            " list.dispatchEvent(new Event('change', { bubbles: true })); })()"
        )

    async def press(self, key: str) -> None:
        """Press and release a key, wherever the focus is."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        await self.command("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        await self.command("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def choose_file(self, selector: str, file: Path) -> None:
        """Choose a file in a file field, and notify the page as the browser's dialog would."""
        quoted = orjson.dumps(selector).decode()
        await self.wait_for(f"document.querySelector({quoted})")
        field = await self.command(
            "Runtime.evaluate", expression=f"document.querySelector({quoted})"
        )
        await self.command(
            "DOM.setFileInputFiles", files=[str(file)], objectId=field["result"]["objectId"]
        )

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

    @override
    def note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requested.append(params["request"]["url"])
        elif method == "Page.frameNavigated":
            self._begun[params["frame"]["loaderId"]].set()
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.complaints.append(str([argument.get("value") for argument in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(params["entry"]["text"])


class Browser:
    """Opens pages that know nothing of each other."""

    def __init__(self, tools: DevTools, endpoint: str) -> None:
        self._tools = tools
        self._host = urlsplit(endpoint).netloc

    @asynccontextmanager
    async def new_page(self) -> AsyncIterator[Page]:
        context = await self._tools.command("Target.createBrowserContext")
        target = await self._tools.command("Target.createTarget", url="about:blank", **context)
        address = f"ws://{self._host}/devtools/page/{target['targetId']}"
        try:
            async with _connected(Page, address) as page:
                for domain in ("Page", "Network", "Runtime", "Log"):
                    await page.command(f"{domain}.enable")
                yield page
        finally:
            await self._tools.command("Target.disposeBrowserContext", **context)


@asynccontextmanager
async def open_browser(profile: Path) -> AsyncIterator[Browser]:
    """A browser of its own; the profile's folder must be new."""
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
        async with _connected(DevTools, endpoint) as tools:
            yield Browser(tools, endpoint)
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
