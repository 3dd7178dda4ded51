"""GET /metrics."""

from prometheus_client import PlatformCollector, ProcessCollector
from prometheus_client.exposition import choose_encoder
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chatapi.auth.runtime import Runtime
from chatapi.metrics.recorder import MetricsRecorder
from chatapi.metrics.state import StateCollector

PATH = "/metrics"


def metrics_route(runtime: Runtime) -> Route:
    """The route that returns what was recorded, and the state of the process and its runtime."""
    if not isinstance(runtime.measurements, MetricsRecorder):
        raise TypeError("the runtime was assembled without a recorder")
    registry = runtime.measurements.registry
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    state = StateCollector(runtime)
    registry.register(state)

    async def show_metrics(request: Request) -> Response:
        await state.ask()
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        headers = {"content-type": content_type, "cache-control": "no-store"}
        return Response(encode(registry), headers=headers)

    return Route(PATH, show_metrics)
