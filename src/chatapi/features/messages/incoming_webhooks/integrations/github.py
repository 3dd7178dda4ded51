"""Events of GitHub repositories."""

from collections.abc import Callable, Mapping

from chatapi.core.errors import BadRequestError
from chatapi.features.messages.incoming_webhooks.document import Document
from chatapi.features.messages.incoming_webhooks.integration import (
    IgnoredEvent,
    Integration,
    WebhookMessage,
    WebhookRequest,
)
from chatapi.features.messages.incoming_webhooks.markup import link, one_line, quote, words

_EVENT = "X-GitHub-Event"
_SIGNATURE = "X-Hub-Signature-256"
_MAX_COMMITS = 20
_SHORT_SHA = 7
_QUIET_ACTIONS = frozenset({"labeled", "unlabeled", "synchronize", "edited"})
"""Actions that change nothing worth a message."""

Text = tuple[str, str]
"""What follows the repository in the topic, and the content."""


def read(request: WebhookRequest) -> WebhookMessage | IgnoredEvent:
    event = request.header(_EVENT)
    if not event:
        raise BadRequestError(f"The header {_EVENT} is missing")
    document = request.document()
    describe = _DESCRIBE.get(event)
    action = document.text("action")
    if describe is None or action in _QUIET_ACTIONS:
        return IgnoredEvent(f"{event}:{action}" if action else event)
    place, content = describe(document)
    repository = document.text("repository.name") or document.text("organization.login", "GitHub")
    topic = f"{repository} / {place}" if place else repository
    return WebhookMessage(topic, content, event)


def _who(document: Document) -> str:
    return f"**{one_line(document.get_text('sender.login'), 100)}**"


def _ping(document: Document) -> Text:
    return "", f"GitHub sends events here now: {one_line(document.text('zen', 'ready'))}"


def _push(document: Document) -> Text:
    kind, _, name = document.get_text("ref").removeprefix("refs/").partition("/")
    what = "tag" if kind == "tags" else "branch"
    pusher = f"**{one_line(document.text('pusher.name') or document.get_text('sender.login'))}**"
    if document.is_true("deleted"):
        return name, f"{pusher} deleted the {what} {one_line(name)}."
    commits = document.items("commits")
    verb = "force-pushed" if document.is_true("forced") else "pushed"
    count = f"{len(commits)} commit{'' if len(commits) == 1 else 's'}"
    content = f"{pusher} {verb} {link(count, document.text('compare'))} to {what} {one_line(name)}."
    for commit in commits[:_MAX_COMMITS]:
        subject = commit.get_text("message").partition("\n")[0]
        sha = commit.get_text("id")[:_SHORT_SHA]
        content += f"\n* {one_line(subject)} ({link(sha, commit.text('url'))})"
    if len(commits) > _MAX_COMMITS:
        content += f"\n* … and {len(commits) - _MAX_COMMITS} more"
    return name, content


def _created(document: Document) -> Text:
    return _ref(document, "created")


def _deleted(document: Document) -> Text:
    return _ref(document, "deleted")


def _ref(document: Document, verb: str) -> Text:
    what, name = document.get_text("ref_type"), document.text("ref")
    return name, f"{_who(document)} {verb} the {one_line(what)} {one_line(name)}.".replace(
        " .", "."
    )


def _issue(document: Document) -> Text:
    issue = document.get("issue")
    body = quote(issue.text("body")) if document.text("action") == "opened" else ""
    return _place("issue", issue), f"{_did(document)} {_number('issue', issue)}.{body}"


def _pull_request(document: Document) -> Text:
    pull = document.get("pull_request")
    action = document.get_text("action")
    body = quote(pull.text("body")) if action == "opened" else ""
    did = _did(document)
    if action == "closed" and pull.is_true("merged"):
        did = f"{_who(document)} merged"
    branches = ""
    if action == "opened":
        head, base = pull.text("head.ref"), pull.text("base.ref")
        branches = f" from {one_line(head)} into {one_line(base)}" if head and base else ""
    return _place("PR", pull), f"{did} {_number('PR', pull)}{branches}.{body}"


def _issue_comment(document: Document) -> Text:
    issue = document.get("issue")
    kind = "PR" if issue.at("pull_request") else "issue"
    return _place(kind, issue), _comment(document, document.get("comment"), _number(kind, issue))


def _review(document: Document) -> Text:
    pull, review = document.get("pull_request"), document.get("review")
    state = words(review.text("state", "commented"))
    action = words(document.get_text("action"))
    content = f"{_who(document)} {one_line(action)} a {link('review', review.text('html_url'))} of"
    content += f" {_number('PR', pull)}: {one_line(state)}.{quote(review.text('body'))}"
    return _place("PR", pull), content


def _review_comment(document: Document) -> Text:
    pull = document.get("pull_request")
    return _place("PR", pull), _comment(document, document.get("comment"), _number("PR", pull))


def _commit_comment(document: Document) -> Text:
    comment = document.get("comment")
    sha = comment.get_text("commit_id")[:_SHORT_SHA]
    return "commits", _comment(document, comment, f"commit {one_line(sha)}")


def _comment(document: Document, comment: Document, about: str) -> str:
    did = "commented" if document.text("action") == "created" else "changed a comment"
    where = link(did, comment.text("html_url"))
    return f"{_who(document)} {where} on {about}.{quote(comment.text('body'))}"


def _release(document: Document) -> Text:
    release = document.get("release")
    name = release.text("name") or release.get_text("tag_name")
    content = f"{_did(document)} release {link(name, release.text('html_url'))}."
    return "releases", content + quote(release.text("body"))


def _fork(document: Document) -> Text:
    fork = document.get("forkee")
    made = link(fork.get_text("full_name"), fork.text("html_url"))
    return "", f"{_who(document)} forked the repository to {made}."


def _workflow_run(document: Document) -> Text:
    run = document.get("workflow_run")
    state = run.text("conclusion") or run.get_text("status")
    name = link(run.text("name", "workflow"), run.text("html_url"))
    branch = run.text("head_branch")
    return branch, f"Workflow {name} on {one_line(branch)}: **{one_line(words(state))}**."


def _did(document: Document) -> str:
    return f"{_who(document)} {one_line(words(document.get_text('action')))}"


def _number(kind: str, thing: Document) -> str:
    label = f"#{thing.get_text('number')} {thing.get_text('title')}"
    return f"{kind} {link(label, thing.text('html_url'))}"


def _place(kind: str, thing: Document) -> str:
    return f"{kind} #{thing.get_text('number')} {thing.get_text('title')}"


_DESCRIBE: Mapping[str, Callable[[Document], Text]] = {
    "ping": _ping,
    "push": _push,
    "create": _created,
    "delete": _deleted,
    "issues": _issue,
    "issue_comment": _issue_comment,
    "pull_request": _pull_request,
    "pull_request_review": _review,
    "pull_request_review_comment": _review_comment,
    "commit_comment": _commit_comment,
    "release": _release,
    "fork": _fork,
    "workflow_run": _workflow_run,
}

INTEGRATION = Integration(
    "github",
    "GitHub",
    read,
    events=tuple(sorted(_DESCRIBE)),
    signature_header=_SIGNATURE,
    is_signed=lambda request, secret: request.is_signed(_SIGNATURE, secret, "sha256="),
)
