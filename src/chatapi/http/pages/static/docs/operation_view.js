// One operation: what it does, what it takes, what it answers, and the panel to try it.
import { el, lazyDetails, methodBadge } from "./elements.js";
import { indented, jsonView } from "./json_view.js";
import { renderInline, renderMarkdown } from "./markdown.js";
import { sampleOf } from "./schema.js";
import { fieldNode, schemaTree } from "./schema_tree.js";
import { tryPanel } from "./try_panel.js";

const ACCESS = {
  none: "Anyone, without logging in.",
  optional: "Logged-in users, and visitors where the organization allows it.",
  required: "Logged-in users.",
};
const PLACES = { path: "In the path", query: "In the query", header: "Headers" };

/**
 * @param {any} api
 * @param {import("./api_document.js").Operation} operation
 */
export function operationView(api, operation) {
  const panel = tryPanel(api, operation);
  const element = el(
    "article",
    { class: "operation" },
    el(
      "header",
      {},
      el("p", { class: "crumb" }, el("a", { href: `#tag/${encodeURIComponent(operation.tag)}` }, operation.tag)),
      el("h1", { tabindex: "-1" }, operation.summary),
      el("p", { class: "address" }, methodBadge(operation.method), " ", el("code", {}, breakable(operation.path))),
    ),
    el("div", { class: "columns" }, el("div", { class: "reference" }, reference(api, operation)), panel.element),
  );
  return { element, title: operation.summary, close: panel.close };
}

function reference(api, operation) {
  return [
    operation.deprecated && el("p", { class: "notice" }, "Deprecated: new clients should not use it."),
    renderMarkdown(operation.description),
    el("p", { class: "access" }, el("strong", {}, "Who may call it: "), ACCESS[operation.access], rightsOf(operation)),
    Object.keys(PLACES).map((place) => parameters(api, operation, place)),
    requestBody(api, operation),
    operation.answers.filter(isSuccess).map((answer) => success(api, answer)),
    errors(api, operation.answers.filter((answer) => !isSuccess(answer))),
  ];
}

/** A path that may be broken after each slash. */
function breakable(path) {
  return path.split("/").flatMap((part, place) => (place ? [el("wbr"), `/${part}`] : [part]));
}

/** Says where an error of the operation means a missing permission. */
function rightsOf(operation) {
  const texts = operation.answers.map((answer) => answer.description).join("\n");
  return /administrator/i.test(texts) ? " Some requests need an administrator; see the errors." : "";
}

function isSuccess(answer) {
  return answer.status.startsWith("2");
}

function parameters(api, operation, place) {
  const here = operation.parameters.filter((parameter) => parameter.place === place);
  return (
    here.length > 0 && [
      el("h2", {}, PLACES[place]),
      el(
        "ul",
        { class: "tree" },
        here.map((parameter) =>
          el("li", {}, fieldNode(api, parameter.name, described(parameter), parameter.required, false)),
        ),
      ),
    ]
  );
}

function described(parameter) {
  return { ...parameter.schema, description: parameter.description, deprecated: parameter.deprecated };
}

function requestBody(api, operation) {
  const [first] = operation.bodies;
  if (!first) {
    return null;
  }
  const required = new Set(first.schema.required ?? []);
  const members = Object.entries(first.schema.properties ?? {});
  return [
    el("h2", {}, "In the body"),
    el("p", { class: "quiet" }, "As ", operation.bodies.map(({ mediaType }, place) => [place ? " or " : "", el("code", {}, mediaType)])),
    el(
      "ul",
      { class: "tree" },
      members.map(([name, schema]) => el("li", {}, fieldNode(api, name, schema, required.has(name), false))),
    ),
  ];
}

function success(api, answer) {
  return [
    el("h2", {}, `Answer: ${answer.status}`),
    answer.contents.map((content) => answerContent(api, content, answer.contents.length > 1)),
    answer.headers.length > 0 && lazyDetails("Headers of the answer", () => headerList(answer.headers)),
  ];
}

function answerContent(api, content, isNamed) {
  const { description } = content.schema;
  return [
    isNamed && el("h3", {}, content.mediaType),
    description && renderMarkdown(description),
    schemaTree(api, content.schema),
    lazyDetails("Example", () => exampleBlock(api, content), { class: "example" }),
  ];
}

function exampleBlock(api, content) {
  const example = content.example ?? sampleOf(api, content.schema);
  return jsonView(typeof example === "string" ? indented(example) : JSON.stringify(example, null, 2), "Example");
}

function headerList(headers) {
  return el(
    "dl",
    { class: "headers" },
    headers.map(({ name, description = "" }) => [el("dt", {}, name), el("dd", {}, renderInline(description))]),
  );
}

function errors(api, answers) {
  return (
    answers.length > 0 && [
      el("h2", {}, "Errors"),
      el("p", { class: "quiet" }, "What to do about each code is in the ", el("a", { href: "#guide/errors" }, "errors reference"), "."),
      answers.map((answer) =>
        el(
          "section",
          { class: "error" },
          el("h3", {}, answer.status),
          renderMarkdown(answer.description),
          answer.contents.map((content) => lazyDetails("Fields", () => schemaTree(api, content.schema))),
        ),
      ),
    ]
  );
}
