// Starts the docs page: guides at once, operations when the document is there.
import { loadDocument } from "./api_document.js";
import { el } from "./elements.js";
import { collectGuides } from "./guides.js";
import { decodeHash } from "./hash.js";
import { showSession } from "./login.js";
import { operationView } from "./operation_view.js";
import { overview, tagView } from "./overview.js";
import { showSearch } from "./search_box.js";
import { fillGuides, fillOperations, markCurrent, prepareMenu } from "./sidebar.js";

const sidebar = /** @type {HTMLElement} */ (document.getElementById("sidebar"));
const place = /** @type {HTMLElement} */ (document.getElementById("view"));
const guides = collectGuides();
let api = null;
let shown = { element: null, title: "", close: () => {} };

function viewOf(hash) {
  const [kind, name] = decodeHash(hash).split("/");
  if (kind === "guide") {
    const guide = guides.find((candidate) => candidate.name === name);
    return guide && { ...guide, close: () => {} };
  }
  if (!api) {
    return { element: el("p", { class: "quiet" }, "Loading the operations …"), title: "", close: () => {} };
  }
  if (kind === "tag") {
    return api.tags.has(name) && tagView(api.tags.get(name));
  }
  return kind ? api.operations.has(kind) && operationView(api, api.operations.get(kind)) : overview(api, guides);
}

function notFound() {
  const element = el("article", {}, el("h1", { tabindex: "-1" }, "Not found"), el("p", {}, "There is nothing at this address. ", el("a", { href: "#" }, "Overview")));
  return { element, title: "Not found", close: () => {} };
}

function show() {
  const hash = location.hash === "#main" ? "" : location.hash;
  shown.close();
  shown = viewOf(hash) || notFound();
  place.replaceChildren(shown.element);
  document.title = shown.title ? `${shown.title} · chatapi` : "chatapi: the API";
  const section = document.getElementById(decodeHash(hash));
  markCurrent(sidebar, hash.startsWith("#guide/") ? hash.split("/").slice(0, 2).join("/") : hash || "#");
  if (section && section !== shown.element) {
    section.scrollIntoView();
  } else {
    scrollTo(0, 0);
  }
}

function navigate() {
  if (location.hash === "#main") {
    return;
  }
  show();
  // So that a screen reader begins at the new content.
  place.querySelector("h1")?.focus({ preventScroll: true });
}

async function start() {
  prepareMenu(/** @type {HTMLElement} */ (document.getElementById("menu")), sidebar);
  showSession(document.getElementById("session"));
  fillGuides(sidebar, guides);
  addEventListener("hashchange", navigate);
  show();
  try {
    api = await loadDocument();
  } catch (error) {
    place.prepend(el("p", { class: "notice", role: "alert" }, `The operations could not be loaded: ${error.message}`));
    return;
  }
  fillOperations(sidebar, api);
  showSearch(/** @type {HTMLElement} */ (document.getElementById("search")), api, guides);
  show();
}

start();
