// The fields of a request: what is typed here is sent, and shown in the code samples.
import { el } from "./elements.js";
import { formBody, jsonBody } from "./request_body.js";
import { valueField } from "./value_field.js";

const BODY_NAMES = {
  "application/json": "JSON",
  "application/x-www-form-urlencoded": "Form",
  "multipart/form-data": "Form with file",
};
const ANSWER_NAMES = {
  "application/json": "JSON",
  "text/event-stream": "Server-sent events",
};

/**
 * @typedef {{ kind: "json", text: string, problem: string }
 *   | { kind: "form", fields: [string, string][], problem: string }
 *   | { kind: "multipart", fields: [string, string][], files: [string, File][], problem: string }} Body
 * @typedef {{ method: string, url: string, headers: [string, string][], body: Body | null,
 *   accept: string | null, access: string, isLongPoll: boolean, problem: string }} Draft
 */

export class RequestForm {
  /**
   * @param {any} api
   * @param {import("./api_document.js").Operation} operation
   * @param {() => void} onChange
   */
  constructor(api, operation, onChange) {
    this.operation = operation;
    this.onChange = onChange;
    this.fields = operation.parameters.map((parameter) => ({ parameter, field: valueField(api, parameter) }));
    this.bodies = operation.bodies.map((content) =>
      content.mediaType === "application/json" ? jsonBody(api, content) : formBody(api, content),
    );
    this.body = this.bodies[0] ?? null;
    this.accept = null;
    this.element = el("div", { class: "request-form", on: { input: onChange, change: onChange } }, this.rows());
  }

  rows() {
    const place = el("div", {}, this.body?.element);
    return [
      this.parameterRows("path", "Path"),
      this.parameterRows("query", "Query"),
      this.bodies.length > 0 && el("h3", {}, "Body"),
      this.bodies.length > 1 && this.choice("Send as", "body", this.operation.bodies, BODY_NAMES, (index) => {
        this.body = this.bodies[index];
        place.replaceChildren(this.body.element);
      }),
      place,
      this.acceptChoice(),
      this.parameterRows("header", "Headers"),
    ];
  }

  parameterRows(place, heading) {
    const rows = this.fields.filter(({ parameter }) => parameter.place === place).map(({ field }) => field.row);
    return rows.length > 0 && [el("h3", {}, heading), rows];
  }

  acceptChoice() {
    const success = this.operation.answers.find((answer) => answer.status.startsWith("2"));
    const contents = success?.contents ?? [];
    if (contents.length < 2) {
      return null;
    }
    return this.choice("Answer as", "accept", contents, ANSWER_NAMES, (index) => {
      this.accept = contents[index].mediaType;
    });
  }

  choice(legend, name, contents, names, choose) {
    const options = contents.map((content, index) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name,
          value: content.mediaType,
          checked: index === 0,
          on: { change: () => choose(index) },
        }),
        names[content.mediaType] ?? content.mediaType,
      ),
    );
    return el("fieldset", { class: "choice" }, el("legend", {}, legend), options);
  }

  /** @returns {Draft} */
  draft() {
    const values = this.fields.map(({ parameter, field }) => ({ parameter, text: field.text() }));
    const query = new URLSearchParams();
    let path = this.operation.path;
    const headers = /** @type {[string, string][]} */ ([]);
    for (const { parameter, text } of values) {
      if (parameter.place === "path") {
        path = path.replace(`{${parameter.name}}`, encodePath(text, parameter.name));
      } else if (text !== "" && parameter.place === "query") {
        query.append(parameter.name, text);
      } else if (text !== "" && parameter.place === "header") {
        headers.push([parameter.name, text]);
      }
    }
    const missing = values.find(({ parameter, text }) => parameter.required && text === "");
    const body = this.body?.read() ?? null;
    const problem = missing ? `${missing.parameter.name} is missing.` : (body?.problem ?? "");
    return {
      method: this.operation.method,
      url: `${location.origin}${path}${query.size ? `?${query}` : ""}`,
      headers,
      body,
      accept: this.accept,
      access: this.operation.access,
      isLongPoll: this.operation.method === "GET" && this.operation.path.endsWith("/events"),
      problem,
    };
  }
}

/** A path parameter may contain slashes, which separate; an empty one is shown by its name. */
function encodePath(text, name) {
  return text === "" ? `{${name}}` : text.split("/").map(encodeURIComponent).join("/");
}
