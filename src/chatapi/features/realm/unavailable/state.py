"""Empty parts of the POST /register response, which clients require nevertheless."""

from chatapi.auth.context import RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.realm.unavailable.payloads import (
    BillingState,
    EmbeddedBotsState,
    GiphyState,
    KlipyState,
    StopWordsState,
    TenorState,
    VideoCallsState,
)
from chatapi.features.state import public_section


@public_section("giphy")
async def load_giphy(_ctx: RealmContext, _profile: ClientProfile) -> GiphyState:
    return {"giphy_api_key": ""}


@public_section("tenor")
async def load_tenor(_ctx: RealmContext, _profile: ClientProfile) -> TenorState:
    return {"tenor_api_key": ""}


@public_section("klipy")
async def load_klipy(_ctx: RealmContext, _profile: ClientProfile) -> KlipyState:
    return {"klipy_api_key": ""}


@public_section("video_calls")
async def load_video_calls(_ctx: RealmContext, _profile: ClientProfile) -> VideoCallsState:
    return {"has_zoom_token": False, "has_webex_token": False}


@public_section("realm_billing")
async def load_billing(_ctx: RealmContext, _profile: ClientProfile) -> BillingState:
    return {"realm_billing": {"has_pending_sponsorship_request": False}}


@public_section("stop_words")
async def load_stop_words(_ctx: RealmContext, _profile: ClientProfile) -> StopWordsState:
    return {"stop_words": []}


@public_section("realm_embedded_bots")
async def load_embedded_bots(_ctx: RealmContext, _profile: ClientProfile) -> EmbeddedBotsState:
    return {"realm_embedded_bots": []}
