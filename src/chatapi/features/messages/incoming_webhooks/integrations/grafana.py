"""Alerts of Grafana, of its alerting since version 8 and of the one before."""

from collections.abc import Iterator

from chatapi.features.messages.incoming_webhooks.document import Document
from chatapi.features.messages.incoming_webhooks.integration import (
    Integration,
    WebhookMessage,
    WebhookRequest,
)
from chatapi.features.messages.incoming_webhooks.markup import link, one_line

_MAX_ALERTS = 50
_SYMBOLS = {"firing": ":alert:", "alerting": ":alert:", "resolved": ":check:", "ok": ":check:"}


def read(request: WebhookRequest) -> WebhookMessage:
    document = request.document()
    if document.at("alerts").value is None:
        return _legacy(document)
    alerts = document.items("alerts")
    lines = [f"**{one_line(document.text('title') or document.get_text('status'))}**"]
    lines += [line for each in alerts[:_MAX_ALERTS] for line in _describe(each)]
    if len(alerts) > _MAX_ALERTS:
        lines.append(f"* … and {len(alerts) - _MAX_ALERTS} more")
    topic = document.text("groupLabels.alertname") or document.text("commonLabels.alertname")
    return WebhookMessage(
        topic=topic or document.text("title", "Grafana"),
        content="\n".join(lines),
        event=_event(document.text("status")),
    )


def _describe(alert: Document) -> Iterator[str]:
    status = alert.get_text("status")
    name = alert.text("labels.alertname", "alert")
    source = alert.text("generatorURL")
    yield f"* {_SYMBOLS.get(status, '')} **{link(name, source)}**: {one_line(status)}".replace(
        "*  *", "* *"
    )
    for path in ("annotations.summary", "annotations.description", "annotations.message"):
        if text := alert.text(path):
            yield f"  {one_line(text, 500)}"
    values = ", ".join(f"{metric} = {value}" for metric, value in alert.texts("values"))
    if values or alert.text("valueString"):
        yield f"  {one_line(values or alert.text('valueString'), 300)}"
    links = [
        link(label, url)
        for label, path in (
            ("dashboard", "dashboardURL"),
            ("panel", "panelURL"),
            ("silence", "silenceURL"),
            ("image", "imageURL"),
        )
        if (url := alert.text(path))
    ]
    if links:
        yield f"  {' · '.join(links)}"


def _legacy(document: Document) -> WebhookMessage:
    title = document.get_text("title")
    state = document.text("state")
    symbol = _SYMBOLS.get(state, "")
    lines = [f"{symbol} **{link(title, document.text('ruleUrl'))}**".strip()]
    if message := document.text("message"):
        lines.append(one_line(message, 1_000))
    lines += [
        f"* {one_line(match.text('metric'))}: {one_line(match.text('value'))}"
        for match in document.items("evalMatches")[:_MAX_ALERTS]
    ]
    if image := document.text("imageUrl"):
        lines.append(link("image", image))
    return WebhookMessage(
        topic=document.text("ruleName", title), content="\n".join(lines), event=_event(state)
    )


def _event(state: str) -> str:
    return f"alert_{state or 'unknown'}"


INTEGRATION = Integration("grafana", "Grafana", read)
