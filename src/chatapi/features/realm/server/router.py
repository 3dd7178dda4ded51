"""Endpoints of the server itself."""

from chatapi.auth.guards import Probe, Server
from chatapi.features.realm.server.errors import NotReadyError
from chatapi.features.realm.server.payloads import (
    HealthPayload,
    ReadinessPayload,
    ServerSettingsPayload,
)
from chatapi.features.realm.server.service import ProbeService, ServerService
from chatapi.http.route import FeatureRouter, raises

router = FeatureRouter("Server", "What anybody may know before logging in.")
probes = FeatureRouter(
    "Health", "For those who watch over the process.", prefix="", is_limited=False
)


@router.get("/server_settings")
async def get_server_settings(ctx: Server) -> ServerSettingsPayload:
    """Get server settings.

    Needs no authentication. Keys that begin with `realm_` are left out where the host name
    of the request leads to no organization.
    """
    return ServerService(ctx).describe()


@probes.get("/health")
async def get_health(ctx: Probe) -> HealthPayload:
    """Check whether the process is alive.

    Responds as long as the process can respond to anything; it does not query the database.
    """
    del ctx
    return {"status": "ok"}


@probes.get("/ready", responses=raises(NotReadyError))
async def get_readiness(ctx: Probe) -> ReadinessPayload:
    """Check whether the process can serve requests.

    The database must respond within a second, and a SQLite file must be the one the process has
    opened. Without the bus between processes the result is `degraded`: requests are served, and
    events reach other processes a little later.
    """
    return await ProbeService(ctx).check_ready()
