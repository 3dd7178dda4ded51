"""Static files of the pages, all served from here: they work without internet access."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from string import Template

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

_STATIC = Path(__file__).parent / "static"
_OURS = ("home.css", "home.js", "docs.css", "docs.js", "icon.svg", "loader.svg")
_SWAGGER = ("swagger-ui.css", "swagger-ui-bundle.js")
# Not guessed: a guess would depend on the machine.
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_HEADERS = {
    "x-content-type-options": "nosniff",
    # The link changes with the file's content.
    "cache-control": "public, max-age=31536000, immutable",
}


@dataclass(frozen=True)
class Asset:
    """A static file and its URL path."""

    file: Path

    @property
    def placeholder(self) -> str:
        """The name templates use for it: `home.css` is `home_css`."""
        return self.file.name.replace(".", "_").replace("-", "_")

    @property
    def path(self) -> str:
        return f"/docs/assets/{self.file.name}"

    def link(self) -> str:
        """The path with a digest, so that no cache serves an old version of the file."""
        return f"{self.path}?v={_digest_of(self.file)}"

    def route(self) -> Route:
        async def give_file(_request: Request) -> Response:
            media_type = _MEDIA_TYPES[self.file.suffix]
            return FileResponse(self.file, headers=_HEADERS, media_type=media_type)

        return Route(self.path, give_file)


@cache
def _digest_of(file: Path) -> str:
    """Made once for all apps of a process: the files come with the package."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


@cache
def find_assets() -> tuple[Asset, ...]:
    """Our own files and those of Swagger UI."""
    swagger = find_spec("fastapi_swagger")
    if swagger is None or not swagger.submodule_search_locations:
        message = "the package fastapi-swagger, which brings the docs browser, is not installed"
        raise FileNotFoundError(message)
    swagger_files = Path(swagger.submodule_search_locations[0]) / "resources"
    return (
        *(Asset(_STATIC / name) for name in _OURS),
        *(Asset(swagger_files / name) for name in _SWAGGER),
    )


@cache
def read_template(name: str) -> Template:
    return Template((_STATIC / name).read_text(encoding="utf-8"))
