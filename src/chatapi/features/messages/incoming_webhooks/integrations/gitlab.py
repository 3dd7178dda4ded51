"""Events of GitLab projects."""

import hmac
from collections.abc import Callable, Mapping

from chatapi.features.messages.incoming_webhooks.document import Document
from chatapi.features.messages.incoming_webhooks.integration import (
    IgnoredEvent,
    Integration,
    WebhookMessage,
    WebhookRequest,
)
from chatapi.features.messages.incoming_webhooks.markup import link, one_line, quote, words

_TOKEN = "X-Gitlab-Token"  # noqa: S105 (the name of a header)
_MAX_COMMITS = 20
_SHORT_SHA = 8
_NOTHING = "0" * 40
_QUIET_ACTIONS = frozenset({"update"})
"""Edits of titles, labels and the like, which are not worth a message."""
_DID = {
    "open": "opened",
    "close": "closed",
    "reopen": "reopened",
    "merge": "merged",
    "approved": "approved",
    "unapproved": "withdrew the approval of",
}
_QUIET_STATES = frozenset({"created", "pending", "running", "waiting_for_resource", "preparing"})
"""A pipeline or a job is posted when it has ended."""

Text = tuple[str, str]
"""What follows the project in the topic, and the content."""


def read(request: WebhookRequest) -> WebhookMessage | IgnoredEvent:
    document = request.document()
    event = document.get_text("object_kind")
    describe = _DESCRIBE.get(event)
    action = document.text("object_attributes.action")
    state = document.text("object_attributes.status") or document.text("build_status")
    if describe is None or action in _QUIET_ACTIONS or state in _QUIET_STATES:
        return IgnoredEvent(event)
    place, content = describe(document)
    project = document.text("project.name") or document.text("project_name", "GitLab")
    return WebhookMessage(f"{project} / {place}" if place else project, content, event)


def _who(document: Document) -> str:
    name = document.text("user.name") or document.text("user_name", "Somebody")
    return f"**{one_line(name, 100)}**"


def _push(document: Document) -> Text:
    kind, _, name = document.get_text("ref").removeprefix("refs/").partition("/")
    what = "tag" if kind == "tags" else "branch"
    who = _who(document)
    if document.text("after") == _NOTHING:
        return name, f"{who} deleted the {what} {one_line(name)}."
    if what == "tag":
        return name, f"{who} pushed the tag {one_line(name)}."
    commits = document.items("commits")
    total = document.text("total_commits_count", str(len(commits)))
    home = document.text("project.web_url")
    compare = f"{home}/-/compare/{document.text('before')}...{document.text('after')}"
    count = link(f"{total} commit{'' if total == '1' else 's'}", compare)
    content = f"{who} pushed {count} to branch {one_line(name)}."
    for commit in commits[:_MAX_COMMITS]:
        subject = commit.get_text("message").partition("\n")[0]
        sha = commit.get_text("id")[:_SHORT_SHA]
        content += f"\n* {one_line(subject)} ({link(sha, commit.text('url'))})"
    return name, content


def _issue(document: Document) -> Text:
    return _thing(document, "issue", "#")


def _merge_request(document: Document) -> Text:
    return _thing(document, "MR", "!")


def _thing(document: Document, kind: str, sign: str) -> Text:
    thing = document.get("object_attributes")
    action = thing.text("action", "changed")
    label = f"{sign}{thing.get_text('iid')} {thing.get_text('title')}"
    body = quote(thing.text("description")) if action == "open" else ""
    did = _DID.get(action, words(action))
    content = f"{_who(document)} {one_line(did)} {kind} {link(label, thing.text('url'))}.{body}"
    return f"{kind} {label}", content


def _note(document: Document) -> Text:
    note = document.get("object_attributes")
    place = about = one_line(words(note.text("noteable_type", "the project")))
    for key, kind, sign in (("issue", "issue", "#"), ("merge_request", "MR", "!")):
        if thing := document.at(key):
            label = f"{sign}{thing.get_text('iid')} {thing.get_text('title')}"
            place, about = f"{kind} {label}", f"{kind} {one_line(label)}"
    where = link("commented", note.text("url"))
    return place, f"{_who(document)} {where} on {about}.{quote(note.text('note'))}"


def _pipeline(document: Document) -> Text:
    run = document.get("object_attributes")
    number, ref = run.get_text("id"), run.text("ref")
    home = document.text("project.web_url")
    name = link(f"#{number}", f"{home}/-/pipelines/{number}")
    state = one_line(words(run.get_text("status")))
    return ref, f"Pipeline {name} on {one_line(ref)}: **{state}**."


def _job(document: Document) -> Text:
    ref = document.text("ref")
    home = document.text("project.web_url") or document.text("repository.homepage")
    number = document.get_text("build_id")
    name = link(document.get_text("build_name"), f"{home}/-/jobs/{number}")
    state = one_line(words(document.get_text("build_status")))
    return ref, f"Job {name} on {one_line(ref)}: **{state}**."


def _release(document: Document) -> Text:
    name = link(document.get_text("name"), document.text("url"))
    did = {"create": "published", "update": "changed", "delete": "deleted"}.get(
        document.text("action"), "changed"
    )
    return "releases", f"Release {name} was {did}.{quote(document.text('description'))}"


def _wiki(document: Document) -> Text:
    page = document.get("object_attributes")
    name = link(page.get_text("title"), page.text("url"))
    return "wiki", f"{_who(document)} changed the wiki page {name}."


_DESCRIBE: Mapping[str, Callable[[Document], Text]] = {
    "push": _push,
    "tag_push": _push,
    "issue": _issue,
    "merge_request": _merge_request,
    "note": _note,
    "pipeline": _pipeline,
    "build": _job,
    "release": _release,
    "wiki_page": _wiki,
}


def _has_token(request: WebhookRequest, secret: str) -> bool:
    return hmac.compare_digest(request.header(_TOKEN).encode(), secret.encode())


INTEGRATION = Integration(
    "gitlab",
    "GitLab",
    read,
    events=tuple(sorted(_DESCRIBE)),
    signature_header=_TOKEN,
    is_signed=_has_token,
)
