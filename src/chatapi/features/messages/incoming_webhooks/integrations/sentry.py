"""Issues and alerts of Sentry."""

from chatapi.features.messages.incoming_webhooks.document import Document
from chatapi.features.messages.incoming_webhooks.integration import (
    IgnoredEvent,
    Integration,
    WebhookMessage,
    WebhookRequest,
)
from chatapi.features.messages.incoming_webhooks.markup import link, one_line, quote, words

_SIGNATURE = "Sentry-Hook-Signature"


def read(request: WebhookRequest) -> WebhookMessage | IgnoredEvent:
    document = request.document()
    if document.at("data").value is None:
        # The form of the older plugin, which sends no header.
        return _plugin(document)
    data = document.get("data")
    match request.header("Sentry-Hook-Resource"):
        case "issue":
            return _issue(document, data)
        case "event_alert" | "error" as resource:
            return _event(document, data, resource)
        case "metric_alert":
            return _metric_alert(document, data)
        case other:
            return IgnoredEvent(other or "unknown")


def _issue(document: Document, data: Document) -> WebhookMessage:
    issue = data.get("issue")
    action = document.get_text("action")
    title = issue.get_text("title")
    url = issue.text("web_url") or issue.text("permalink") or issue.text("url")
    by = document.text("actor.name")
    content = f"Issue {link(title, url)} was {words(action)}"
    content += f" by {one_line(by)}." if by else "."
    content += quote(issue.text("culprit"))
    project = issue.text("project.slug") or issue.text("project.name")
    return WebhookMessage(_topic(project, title), content, event=f"issue_{action}")


def _event(document: Document, data: Document, resource: str) -> WebhookMessage:
    event = data.at("event") or data.get("error")
    title = event.get_text("title")
    content = f"**{link(title, event.text('web_url') or event.text('url'))}**"
    rule = data.text("triggered_rule") or document.text("data.issue_alert.title")
    if rule:
        content += f"\nAlert rule: {one_line(rule)}"
    content += quote(event.text("message") or event.text("culprit"))
    return WebhookMessage(_topic("", title), content, event=resource)


def _metric_alert(document: Document, data: Document) -> WebhookMessage:
    title = data.text("description_title") or data.get_text("metric_alert.title")
    content = f"**{link(title, data.text('web_url'))}**: {one_line(document.text('action'))}"
    content += quote(data.text("description_text"))
    return WebhookMessage(_topic("", title), content, event="metric_alert")


def _plugin(document: Document) -> WebhookMessage:
    title = document.text("event.title") or document.get_text("message")
    content = f"**{link(title, document.text('url'))}**"
    if level := document.text("level"):
        content += f"\nLevel: {one_line(level)}"
    content += quote(document.text("culprit"))
    project = document.text("project_slug") or document.text("project_name")
    return WebhookMessage(_topic(project, title), content, event="error")


def _topic(project: str, title: str) -> str:
    return f"{project} / {title}" if project else title


INTEGRATION = Integration(
    "sentry",
    "Sentry",
    read,
    events=("issue_created", "issue_resolved", "issue_assigned", "event_alert", "metric_alert"),
    signature_header=_SIGNATURE,
    is_signed=lambda request, secret: request.is_signed(_SIGNATURE, secret),
)
