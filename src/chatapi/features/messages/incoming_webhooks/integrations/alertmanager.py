"""Alerts of Prometheus' Alertmanager."""

from collections.abc import Iterator

from chatapi.features.messages.incoming_webhooks.document import Document
from chatapi.features.messages.incoming_webhooks.integration import (
    Integration,
    WebhookMessage,
    WebhookRequest,
)
from chatapi.features.messages.incoming_webhooks.markup import link, one_line

_MAX_ALERTS = 50
_TITLES = ("annotations.summary", "annotations.title", "labels.alertname")
_DETAILS = ("annotations.description", "annotations.message")


def read(request: WebhookRequest) -> WebhookMessage:
    document = request.document()
    document.get("alerts")
    alerts = document.items("alerts")
    status = document.get_text("status")
    lines: list[str] = []
    for state, symbol in (("firing", ":alert:"), ("resolved", ":check:")):
        chosen = [each for each in alerts if each.text("status", status) == state]
        if chosen:
            lines.append(f"{symbol} **{state.capitalize()}** ({len(chosen)})")
            lines += [line for each in chosen[:_MAX_ALERTS] for line in _describe(each)]
        if len(chosen) > _MAX_ALERTS:
            lines.append(f"* … and {len(chosen) - _MAX_ALERTS} more")
    topic = (
        document.text("groupLabels.alertname")
        or document.text("commonLabels.alertname")
        or document.text("receiver", "Alertmanager")
    )
    return WebhookMessage(topic=topic, content="\n".join(lines) or f"**{one_line(status)}**")


def _describe(alert: Document) -> Iterator[str]:
    title = next((text for path in _TITLES if (text := alert.text(path))), "alert")
    source = alert.text("generatorURL")
    yield f"* {link(title, source)}"
    for path in _DETAILS:
        if text := alert.text(path):
            yield f"  {one_line(text, 500)}"
            break
    labels = ", ".join(
        f"{name}={value}" for name, value in alert.texts("labels") if name != "alertname"
    )
    if labels:
        yield f"  {one_line(labels, 500)}"


INTEGRATION = Integration("alertmanager", "Alertmanager", read)
