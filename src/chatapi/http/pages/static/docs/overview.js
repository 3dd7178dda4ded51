// The first view, and the list of a tag's operations.
import { el, methodBadge } from "./elements.js";
import { renderMarkdown } from "./markdown.js";

/** @param {any} api @param {{ name: string, title: string }[]} guides */
export function overview(api, guides) {
  const element = el(
    "article",
    { class: "overview" },
    el("h1", { tabindex: "-1" }, "The chatapi API"),
    el("p", { class: "quiet" }, `Version ${api.version} · ${api.operations.size} operations · `, el("a", { href: "/openapi.json" }, "openapi.json")),
    el("div", { class: "text" }, renderMarkdown(api.description)),
    el("h2", {}, "Guides"),
    el("ul", { class: "cards" }, guides.map((guide) => el("li", {}, el("a", { href: `#guide/${guide.name}` }, guide.title)))),
    api.groups.map((group) => [
      el("h2", { class: "group" }, group.name),
      el("ul", { class: "cards" }, group.tags.map(tagCard)),
    ]),
  );
  return { element, title: "The API", close: () => {} };
}

function tagCard(tag) {
  return el("li", {}, el("a", { href: `#tag/${encodeURIComponent(tag.name)}` }, tag.name), el("p", {}, tag.description));
}

/** @param {import("./api_document.js").Tag} tag */
export function tagView(tag) {
  const element = el(
    "article",
    { class: "tag" },
    el("h1", { tabindex: "-1" }, tag.name),
    renderMarkdown(tag.description),
    el("ul", { class: "operations" }, tag.operations.map(operationRow)),
  );
  return { element, title: tag.name, close: () => {} };
}

function operationRow(operation) {
  return el(
    "li",
    {},
    el("a", { href: `#${operation.id}` }, operation.summary),
    el("p", { class: "address" }, methodBadge(operation.method), " ", el("code", {}, operation.path)),
  );
}
