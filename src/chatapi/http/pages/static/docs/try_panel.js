// "Try it": the form, the button that sends it, the code for the same request, and the response.
import { el } from "./elements.js";
import { openLogin } from "./login.js";
import { rememberIds } from "./remembered_ids.js";
import { RequestForm } from "./request_form.js";
import { ResponseView } from "./response_view.js";
import { sampleTabs } from "./sample_tabs.js";
import { send } from "./send.js";
import { currentEmail, onSessionChange } from "./session.js";

/**
 * @param {any} api
 * @param {import("./api_document.js").Operation} operation
 */
export function tryPanel(api, operation) {
  const samples = sampleTabs();
  const form = new RequestForm(api, operation, () => samples.show(form.draft()));
  const response = new ResponseView();
  const sender = new Sender(operation, form, response);
  const login = el("p", { class: "notice login-hint" });
  const showLogin = () => {
    login.hidden = operation.access !== "required" || currentEmail() !== null;
    samples.show(form.draft());
  };
  login.append("This call needs a user. ", el("button", { type: "button", class: "link", on: { click: openLogin } }, "Log in"));
  showLogin();
  const forget = onSessionChange(showLogin);
  const element = el(
    "section",
    { class: "try", "aria-labelledby": "try-title" },
    el("h2", { id: "try-title" }, "Try it"),
    login,
    form.element,
    sender.buttons,
    response.element,
    el("h2", {}, "Code"),
    samples.element,
  );
  return { element, close: () => (forget(), sender.cancel()) };
}

/** Sends the form, one request at a time; a request that waits can be cancelled. */
class Sender {
  constructor(operation, form, response) {
    this.operation = operation;
    this.form = form;
    this.response = response;
    this.controller = null;
    this.sendButton = el("button", { type: "button", class: "primary send", on: { click: () => this.send() } }, "Send");
    this.cancelButton = el("button", { type: "button", class: "cancel", hidden: true, on: { click: () => this.cancel() } }, "Cancel");
    this.buttons = el("div", { class: "buttons" }, this.sendButton, this.cancelButton);
  }

  cancel() {
    this.controller?.abort();
  }

  async send() {
    const draft = this.form.draft();
    if (draft.problem) {
      this.response.showProblem(draft.problem);
      return;
    }
    this.begin(draft);
    try {
      const body = await send(draft, this.controller.signal, {
        onHead: (head) => this.response.showHead(head),
        onEvent: (event) => this.response.showEvent(event),
      });
      this.finish(body);
    } catch (error) {
      this.fail(error);
    } finally {
      this.controller = null;
      this.sendButton.disabled = false;
      this.cancelButton.hidden = true;
    }
  }

  begin(draft) {
    this.controller = new AbortController();
    this.sendButton.disabled = true;
    this.cancelButton.hidden = false;
    this.response.showWaiting(draft.isLongPoll ? "Waiting for events …" : "Sending …");
  }

  finish(body) {
    if (!body) {
      this.response.showEnd("The stream has ended.");
      return;
    }
    this.response.showBody(body);
    try {
      rememberIds(this.operation, JSON.parse(body.text));
    } catch {
      // Only JSON has ids.
    }
  }

  fail(error) {
    if (error.name === "AbortError" && this.response.element.dataset.state === "reading") {
      this.response.showEnd("Cancelled.");
    } else {
      this.response.showProblem(error.name === "AbortError" ? "Cancelled." : `No response: ${error.message}`);
    }
  }
}
