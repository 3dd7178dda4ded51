// The response to a request that was sent from the page.
import { el, lazyDetails } from "./elements.js";
import { indented, jsonView } from "./json_view.js";

/** Shows one response after the other, each in place of the one before. */
export class ResponseView {
  constructor() {
    this.status = el("p", { class: "status", role: "status" });
    this.content = el("div", { class: "content" });
    this.element = el("section", { class: "response", "aria-label": "Response", hidden: true }, this.status, this.content);
  }

  showWaiting(text) {
    this.element.hidden = false;
    this.element.dataset.state = "waiting";
    this.status.replaceChildren(text);
    this.content.replaceChildren();
  }

  /** @param {import("./send.js").Head} head */
  showHead(head) {
    this.element.dataset.state = "reading";
    this.head = head;
    this.showStatus(head.milliseconds, null);
    this.events = el("ol", { class: "events", "aria-label": "Events" });
    this.content.replaceChildren(headerList(head.headers), this.events);
  }

  showStatus(milliseconds, size) {
    const { status, statusText } = /** @type {import("./send.js").Head} */ (this.head);
    const kind = status < 300 ? "good" : "bad";
    const facts = [`${Math.round(milliseconds)} ms`, size !== null && sizeText(size)].filter(Boolean);
    this.status.replaceChildren(
      el("strong", { class: kind }, `${status} ${statusText}`.trim()),
      el("span", { class: "quiet" }, facts.join(" · ")),
    );
  }

  showEvent({ id, data }) {
    const label = [typeOf(data), id && ` #${id}`];
    this.events.append(el("li", {}, el("strong", {}, label), jsonView(indented(data), `Event ${id}`)));
  }

  showBody({ text, size, milliseconds }) {
    this.showStatus(milliseconds, size);
    this.events.remove();
    this.content.append(jsonView(indented(text), "Body of the response"));
    this.element.dataset.state = "done";
  }

  showEnd(text) {
    this.element.dataset.state = "done";
    this.content.append(el("p", { class: "quiet" }, text));
  }

  showProblem(text) {
    this.element.hidden = false;
    this.element.dataset.state = "failed";
    this.status.replaceChildren(el("strong", { class: "bad" }, text));
    this.content.replaceChildren();
  }
}

function headerList(headers) {
  return lazyDetails(`${headers.length} headers`, () =>
    el(
      "dl",
      { class: "headers" },
      headers.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
    ),
  );
}

function typeOf(data) {
  try {
    return JSON.parse(data).type ?? "event";
  } catch {
    return "event";
  }
}

function sizeText(bytes) {
  return bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KiB`;
}
