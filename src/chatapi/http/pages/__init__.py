"""HTML pages: the start page and the docs page."""

import html
from collections.abc import Sequence
from functools import cache

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from chatapi.core.version import VERSION
from chatapi.http.pages._assets import find_assets, read_template
from chatapi.http.pages._guides import guide_names, read_guides
from chatapi.http.pages._static_content import StaticContent

__all__ = ["guide_names", "page_routes"]

_EVERY_PAGE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    # Text can never become HTML or script, whatever the code of a page does with it.
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
_PAGE_HEADERS = {
    **_EVERY_PAGE,
    "content-security-policy": "; ".join(f"{name} {value}" for name, value in _POLICY.items()),
}


@cache
def page_routes() -> Sequence[BaseRoute]:
    """Routes of `/`, `/docs` and what they load; made once for all apps of a process."""
    assets = find_assets()
    links = assets.links()
    home = read_template("home.html")

    @cache
    def docs_page() -> StaticContent:
        return StaticContent(_docs_page().encode(), "text/html", _PAGE_HEADERS)

    async def show_home(request: Request) -> Response:
        origin = html.escape(request.scope["request"].origin)
        page = home.substitute(links, version=html.escape(VERSION), origin=origin)
        return HTMLResponse(page, headers=_PAGE_HEADERS)

    async def show_docs(request: Request) -> Response:
        return docs_page().respond(request)

    async def show_icon(_request: Request) -> Response:
        return RedirectResponse(links["icon_svg"], headers=_EVERY_PAGE)

    return [
        Route("/", show_home),
        Route("/docs", show_docs),
        Route("/favicon.ico", show_icon),
        *assets.routes(),
    ]


def _docs_page() -> str:
    """The frame of the docs page and the guides; a module adds what the document describes."""
    assets = find_assets()
    preloads = [f'<link rel="modulepreload" href="{link}">' for link in assets.modules("docs")]
    articles = [guide.article() for guide in read_guides()]
    return read_template("docs.html").substitute(
        assets.links(), modules="\n".join(preloads), guides="\n".join(articles)
    )
