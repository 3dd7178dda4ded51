"""How a client applies events about its own user's personal state."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.model.client_view.view import Event, View, applies, drop, put

_INHERITED = 0
_OF_DEVICE = (
    "push_key_id",
    "push_token_id",
    "pending_push_token_id",
    "push_token_last_updated_timestamp",
    "push_registration_error_code",
)


@applies("user_settings")
def change_setting(view: View, event: Event) -> None:
    if view.knows("user_settings"):
        view.state["user_settings"][event["property"]] = event["value"]
    if event["property"] == "enable_drafts_synchronization" and view.knows("drafts"):
        # The service deletes them; what a client stores itself is not part of this state.
        view.state["drafts"] = view.state["drafts"] if event["value"] else []
    for legacy in (
        "twenty_four_hour_time",
        "pm_content_in_desktop_notifications",
        "receives_typing_notifications",
    ):
        if legacy == event["property"] and view.knows(legacy):
            view.state[legacy] = event["value"]


@dataclass(frozen=True)
class _Listed:
    """A list of objects that are added, changed and removed one by one."""

    section: str
    id_key: str
    added: Callable[[Event], list[Event]]
    updated: Callable[[Event], Event]
    removed: str

    def apply(self, view: View, event: Event) -> None:
        if not view.knows(self.section):
            return
        entries = view.state[self.section]
        match event["op"]:
            case "add":
                for entry in self.added(event):
                    put(entries, self.id_key, entry)
            case "update":
                put(entries, self.id_key, self.updated(event))
            case _:
                drop(entries, self.id_key, event[self.removed])


_drafts = _Listed("drafts", "id", lambda e: e["drafts"], lambda e: e["draft"], "draft_id")
_snippets = _Listed(
    "saved_snippets",
    "id",
    lambda e: [e["saved_snippet"]],
    lambda e: e["saved_snippet"],
    "saved_snippet_id",
)
_scheduled = _Listed(
    "scheduled_messages",
    "scheduled_message_id",
    lambda e: e["scheduled_messages"],
    lambda e: e["scheduled_message"],
    "scheduled_message_id",
)
_reminders = _Listed(
    "reminders", "reminder_id", lambda e: e["reminders"], lambda e: e, "reminder_id"
)
applies("drafts")(_drafts.apply)
applies("saved_snippets")(_snippets.apply)
applies("scheduled_messages")(_scheduled.apply)
applies("reminders")(_reminders.apply)


@applies("navigation_view")
def change_navigation_views(view: View, event: Event) -> None:
    if not view.knows("navigation_views"):
        return
    views = view.state["navigation_views"]
    match event["op"]:
        case "add":
            put(views, "fragment", event["navigation_view"])
        case "update":
            for each in views:
                if each["fragment"] == event["fragment"]:
                    each.update(event["data"])
        case _:
            drop(views, "fragment", event["fragment"])


@applies("device")
def change_devices(view: View, event: Event) -> None:
    if not view.knows("devices"):
        return
    devices, key = view.state["devices"], str(event["device_id"])
    match event["op"]:
        case "add":
            devices[key] = dict.fromkeys(_OF_DEVICE)
        case "update":
            devices[key].update({name: event[name] for name in _OF_DEVICE if name in event})
        case _:
            del devices[key]


@applies("onboarding_steps")
def replace_onboarding_steps(view: View, event: Event) -> None:
    if view.knows("onboarding_steps"):
        view.state["onboarding_steps"] = event["onboarding_steps"]


@applies("alert_words")
def replace_alert_words(view: View, event: Event) -> None:
    if view.knows("alert_words"):
        view.state["alert_words"] = event["alert_words"]


@applies("muted_users")
def replace_muted_users(view: View, event: Event) -> None:
    if view.knows("muted_users"):
        view.state["muted_users"] = event["muted_users"]


@applies("muted_topics")
def replace_muted_topics(view: View, event: Event) -> None:
    if view.knows("muted_topics"):
        view.state["muted_topics"] = event["muted_topics"]


@applies("user_topic")
def change_topic_policy(view: View, event: Event) -> None:
    if not view.knows("user_topics"):
        return
    topics = view.state["user_topics"]
    key = (event["stream_id"], event["topic_name"].lower())
    topics[:] = [each for each in topics if (each["stream_id"], each["topic_name"].lower()) != key]
    if event["visibility_policy"] != _INHERITED:
        names = ("stream_id", "topic_name", "last_updated", "visibility_policy")
        topics.append({name: event[name] for name in names})
