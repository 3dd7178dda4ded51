"""Static files of the pages, all of them ours: they work without internet access."""

import hashlib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from functools import cache, cached_property
from pathlib import Path
from string import Template

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chatapi.http.pages._static_content import StaticContent

_STATIC = Path(__file__).parent / "static"
_ROOT = "/docs/assets"
# Not guessed: a guess would depend on the machine.
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_HEADERS = {
    "x-content-type-options": "nosniff",
    # The path changes with the content of the files.
    "cache-control": "public, max-age=31536000, immutable",
}
_IN_MESSAGES = ("loader.svg",)
"""Stored messages link these files, so their paths have no digest and never change."""


class Assets(Struct, frozen=True, dict=True):
    """The static files, at paths that begin with a digest of all of them.

    One digest for all: modules import each other by relative paths, which then lead to the same
    version.
    """

    files: Mapping[str, Path]
    """By name: their path below the folder of static files."""

    @cached_property
    def root(self) -> str:
        digest = hashlib.sha256()
        for name, file in self.files.items():
            content = file.read_bytes()
            digest.update(f"{name} {len(content)} ".encode() + content)
        return f"{_ROOT}/{digest.hexdigest()[:12]}"

    def link(self, name: str) -> str:
        return f"{self.root}/{name}"

    def links(self) -> dict[str, str]:
        """The links by the names templates use: that of `home.css` is `home_css`."""
        return {
            name.replace(".", "_").replace("-", "_").replace("/", "_"): self.link(name)
            for name in self.files
        }

    def modules(self, folder: str) -> list[str]:
        """The links of the JavaScript modules in a folder."""
        return [self.link(name) for name in self.files if fnmatch(name, f"{folder}/*.js")]

    def routes(self) -> Iterator[Route]:
        for name, file in self.files.items():
            yield _route(self.link(name), file)
        for name in _IN_MESSAGES:
            yield _route(f"{_ROOT}/{name}", self.files[name])


def _route(path: str, file: Path) -> Route:
    content = StaticContent(file.read_bytes(), _MEDIA_TYPES[file.suffix], _HEADERS)

    async def give_file(request: Request) -> Response:
        return content.respond(request)

    return Route(path, give_file)


@cache
def find_assets() -> Assets:
    """All static files that are no templates; read once for all apps of a process."""
    found = sorted(file for file in _STATIC.rglob("*") if file.suffix in _MEDIA_TYPES)
    return Assets({file.relative_to(_STATIC).as_posix(): file for file in found})


@cache
def read_template(name: str) -> Template:
    return Template((_STATIC / name).read_text(encoding="utf-8"))
