"""The navigation views part of the POST /register response."""

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.personal.navigation_views.payloads import ViewsPayload
from chatapi.features.personal.navigation_views.service import ViewService
from chatapi.features.state import state_section


@state_section("navigation_views")
async def load_navigation_views(ctx: Context, profile: ClientProfile) -> ViewsPayload:
    del profile
    return await ViewService(ctx).list_own()
