"""create_app(settings): the only place where the service is assembled."""

import asyncio
import gc
import signal
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import cached_property, partial
from types import FrameType
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from msgspec.structs import replace
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from chatapi import __version__
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import Clock, SystemClock
from chatapi.core.logging import configure_logging
from chatapi.core.measurements import Measurements
from chatapi.core.open_files import raise_open_file_limit
from chatapi.core.service_manager import notify_ready
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.migrate import upgrade_database
from chatapi.events.buses import bus_for
from chatapi.features.messages import accept_forwarded_messages, post_notices
from chatapi.features.registry import load_from_features
from chatapi.features.users import emit_user_visibility
from chatapi.http.middleware import ApiMiddleware
from chatapi.http.openapi import build_document, document_route
from chatapi.http.pages import page_routes
from chatapi.http.route import FeatureRouter, RouteIndex
from chatapi.jobs import run_jobs, warm_up

if TYPE_CHECKING:
    from chatapi.tracing import TraceRecorder

_ROUTERS = tuple(load_from_features("router", FeatureRouter))
FEATURES: Sequence[FeatureRouter] = tuple(router for router in _ROUTERS if router.include_in_schema)

_OBJECTS_BEFORE_LOOKING_FOR_GARBAGE = 10_000


class ChatApp(FastAPI):
    """FastAPI with our own middleware in place of its middleware stack."""

    runtime: Runtime

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass requests directly to the middleware: a waiting poll keeps every call frame alive."""
        if scope["type"] == "http":
            scope["app"] = self
            await self._api_middleware(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    @override
    def build_middleware_stack(self) -> ASGIApp:
        return self.router

    @override
    def openapi(self) -> dict[str, Any]:
        """Written from guards, `Params`, payloads and error classes, which FastAPI cannot read."""
        return build_document(FEATURES)

    @cached_property
    def _api_middleware(self) -> ASGIApp:
        """Created with the first request, when all routes have been added."""
        endpoints = (route for router in _ROUTERS for route in router.chat_routes)
        index = RouteIndex([*endpoints, *self.routes])
        middleware = ApiMiddleware(
            index.find,
            self.runtime.settings,
            self.runtime.limits,
            self.runtime.compressor,
            index.unlimited_paths,
            measurements=self.runtime.measurements,
            is_ending=lambda: self.runtime.hub.is_closing,
        )
        traced: ASGIApp = self.state.trace_requests(middleware)
        return traced


def create_app(
    settings: Settings | None = None, clock: Clock | None = None, database: Database | None = None
) -> ChatApp:
    """Create the whole service; without arguments, configured by the environment."""
    settings = settings or Settings()
    measurements = _measurements_for(settings)
    runtime = Runtime.assemble(
        settings,
        clock or SystemClock(),
        bus_for(settings),
        post_notices,
        emit_user_visibility,
        database=database,
        measurements=measurements,
    )
    recorder = _trace_recorder_for(settings)
    if recorder is not None:
        runtime = replace(runtime, tracing=recorder)
    accept_forwarded_messages(runtime)
    app = ChatApp(
        title="chatapi",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        swagger_ui_oauth2_redirect_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.runtime = app.state.runtime = runtime
    app.state.serve_metrics = nullcontext
    app.state.trace_requests = lambda middleware: middleware
    app.state.close_tracing = _nothing
    app.state.warm_up = _nothing
    # Each by itself: FastAPI builds every route once more for a router within a router.
    for router in _ROUTERS:
        app.include_router(router)
    # Set last: a router that is included wraps the lifespan once more, and none has its own.
    app.router.lifespan_context = _lifespan
    app.router.routes.extend([document_route(app.openapi), *page_routes()])
    if settings.metrics == "on":
        _add_metrics(app)
    if recorder is not None:
        _add_tracing(app, recorder)
    return app


def _measurements_for(settings: Settings) -> Measurements:
    if settings.metrics == "off":
        return Measurements()
    # Servers without metrics do not load the library.
    from chatapi.metrics import MetricsRecorder  # noqa: PLC0415

    return MetricsRecorder()


def _add_metrics(app: ChatApp) -> None:
    """Add `/metrics` to the app, or prepare the server that has it on a port of its own."""
    from chatapi.metrics import metrics_route, serve_separately  # noqa: PLC0415

    settings = app.runtime.settings
    route = metrics_route(app.runtime)
    if settings.metrics_port:
        app.state.serve_metrics = partial(
            serve_separately, route, settings.metrics_host, settings.metrics_port
        )
    else:
        app.router.routes.append(route)


def _trace_recorder_for(settings: Settings) -> "TraceRecorder | None":
    if settings.tracing == "off":
        return None
    # Servers without tracing do not load the libraries, and need not have them.
    from chatapi.tracing import TraceRecorder  # noqa: PLC0415

    return TraceRecorder()


def _add_tracing(app: ChatApp, recorder: "TraceRecorder") -> None:
    from chatapi.tracing import TracedRequests, trace_database  # noqa: PLC0415

    trace_database(app.runtime.database, recorder)
    app.state.trace_requests = partial(TracedRequests, recorder=recorder)
    app.state.close_tracing = recorder.close


async def _nothing() -> None:
    """For services without tracing, and those that do not warm up."""


def create_served_app() -> ChatApp:
    """The app of a process that only serves.

    `chatapi serve` has upgraded the database: a process that is restarted later needs no database
    to start, and serves as soon as there is one.
    """
    app = create_app(Settings(migrate_on_start=False))
    app.state.warm_up = partial(warm_up, app.runtime)
    # Exclude everything loaded so far from garbage collection: it lives as long as the process.
    gc.freeze()
    # A request leaves no garbage that reference counting does not find. Waiting polls are many
    # objects: scanning them as often as Python does by default took a tenth of their time.
    gc.set_threshold(_OBJECTS_BEFORE_LOOKING_FOR_GARBAGE, 20, 10)
    gc.enable()
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None, None]:
    runtime: Runtime = app.state.runtime
    configure_logging(runtime.settings)
    raise_open_file_limit()
    if runtime.settings.migrate_on_start:
        await upgrade_database(runtime.database)
    await runtime.start()
    await runtime.queues.begin_epoch()
    background = [asyncio.create_task(work) for work in (run_jobs(runtime), app.state.warm_up())]
    stop_listening = _on_terminate(runtime.hub.wake_all_polls)
    try:
        async with app.state.serve_metrics():
            notify_ready()
            yield
    finally:
        stop_listening()
        for task in background:
            task.cancel()
        await asyncio.gather(*background, return_exceptions=True)
        await runtime.close()
        await app.state.close_tracing()


def _on_terminate(react: Callable[[], None]) -> Callable[[], None]:
    """Handle SIGTERM and SIGINT before the server does.

    The server waits for open requests before it ends the lifespan; polls would delay it.
    """
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    loop = asyncio.get_running_loop()
    previous = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(react)
        then = previous[signal.Signals(number)]
        if callable(then):
            then(number, frame)

    for number in previous:
        signal.signal(number, handle)

    def restore() -> None:
        for number, handler in previous.items():
            signal.signal(number, handler)

    return restore
