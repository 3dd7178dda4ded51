"""Steps: administrators change lists of the organization, users their devices."""

from tests.model.actions.chance import among, either
from tests.model.actions.step import Act, action, numbers, powerful
from tests.model.scene import pick

_DOMAINS = ("example.com", "example.org")
_DEFAULTS = (("starred_message_counts", False), ("color_scheme", 2), ("color_scheme", 1))


@action(device=numbers, is_removed=either)
async def change_devices(act: Act, device: int, is_removed: bool) -> None:
    response = await act.call("post", "/register_client_device")
    if "device_id" in response.body:
        act.scene.remember("devices", response.body["device_id"])
    chosen = pick(act.scene.made.get("devices", []), device)
    if chosen is None:
        return
    if is_removed:
        await act.call("post", "/remove_client_device", device_id=chosen)
    else:
        await act.call(
            "post", "/mobile_push/register", device_id=chosen, push_key_id=device, push_key="a2V5"
        )


@action(by=powerful, domain=among(_DOMAINS), allow_subdomains=either, is_removed=either)
async def change_domains(act: Act, domain: str, allow_subdomains: bool, is_removed: bool) -> None:
    if is_removed:
        await act.call("delete", f"/realm/domains/{domain}")
        return
    values = {"domain": domain, "allow_subdomains": allow_subdomains}
    await act.call("post", "/realm/domains", **values)
    await act.call("patch", f"/realm/domains/{domain}", allow_subdomains=not allow_subdomains)


@action(by=powerful, playground=numbers, is_removed=either)
async def change_playgrounds(act: Act, playground: int, is_removed: bool) -> None:
    if is_removed:
        chosen = pick(act.scene.made.get("playgrounds", []), playground)
        await act.call("delete", f"/realm/playgrounds/{chosen or 0}")
        return
    response = await act.call(
        "post",
        "/realm/playgrounds",
        name=f"Playground {playground}",
        pygments_language="Python",
        url_template="https://example.com/{code}",
    )
    if "id" in response.body:
        act.scene.remember("playgrounds", response.body["id"])


@action(by=powerful, change=among(_DEFAULTS))
async def change_default_settings(act: Act, change: tuple[str, object]) -> None:
    name, value = change
    await act.call("patch", "/realm/user_settings_defaults", **{name: value})


@action(step=among(("intro_inbox_view_modal", "intro_recent_view_modal")))
async def see_introduction(act: Act, step: str) -> None:
    await act.call("post", "/users/me/onboarding_steps", onboarding_step=step)
