"""How a client applies events about state shared by the realm."""

from tests.model.client_view.view import Event, View, applies, drop, put


@applies("realm")
def change_realm(view: View, event: Event) -> None:
    if not view.knows("realm_name"):
        return
    changes = {event["property"]: event["value"]} if event["op"] == "update" else event["data"]
    for name, value in changes.items():
        view.state[f"realm_{name}"] = value
    # Older names of the same settings, which older clients derive like this.
    if "message_edit_history_visibility_policy" in changes:
        policy = changes["message_edit_history_visibility_policy"]
        view.state["realm_allow_edit_history"] = policy != "none"
    if "topics_policy" in changes:
        is_required = changes["topics_policy"] == "disable_empty_topic"
        view.state["realm_mandatory_topics"] = is_required
    if "jitsi_server_url" in changes:
        chosen = changes["jitsi_server_url"] or view.state["server_jitsi_server_url"]
        view.state["jitsi_server_url"] = chosen or ""


@applies("realm_emoji")
def change_emoji(view: View, event: Event) -> None:
    if not view.knows("realm_emoji"):
        return
    match event["op"]:
        case "add":
            view.state["realm_emoji"][event["emoji"]["id"]] = event["emoji"]
        case "update_one":
            view.state["realm_emoji"][event["emoji_id"]].update(event["data"])
        case _:
            view.state["realm_emoji"] = event["realm_emoji"]


@applies("realm_linkifiers")
def replace_linkifiers(view: View, event: Event) -> None:
    if view.knows("realm_linkifiers"):
        view.state["realm_linkifiers"] = event["realm_linkifiers"]


@applies("realm_filters")
def replace_filters(view: View, event: Event) -> None:
    if view.knows("realm_filters"):
        view.state["realm_filters"] = event["realm_filters"]


@applies("realm_playgrounds")
def replace_playgrounds(view: View, event: Event) -> None:
    if view.knows("realm_playgrounds"):
        view.state["realm_playgrounds"] = event["realm_playgrounds"]


@applies("realm_domains")
def change_domains(view: View, event: Event) -> None:
    if not view.knows("realm_domains"):
        return
    domains = view.state["realm_domains"]
    if event["op"] == "remove":
        drop(domains, "domain", event["domain"])
    else:
        put(domains, "domain", event["realm_domain"])


@applies("realm_user_settings_defaults")
def change_default_settings(view: View, event: Event) -> None:
    if view.knows("realm_user_settings_defaults"):
        view.state["realm_user_settings_defaults"][event["property"]] = event["value"]


@applies("channel_folder")
def change_folders(view: View, event: Event) -> None:
    if not view.knows("channel_folders"):
        return
    folders = view.state["channel_folders"]
    match event["op"]:
        case "add":
            put(folders, "id", event["channel_folder"])
        case "update":
            for folder in folders:
                if folder["id"] == event["channel_folder_id"]:
                    folder.update(event["data"])
        case "reorder":
            for folder in folders:
                folder["order"] = event["order"].index(folder["id"])
        case unknown:
            raise AssertionError(unknown)
