// The contents of the page: guides, then operations by group and tag. On a narrow screen it is a menu.
import { el, methodBadge } from "./elements.js";
import { decodeHash } from "./hash.js";

/**
 * Fills the sidebar; returns a function that marks the place that is shown.
 *
 * @param {HTMLElement} place
 * @param {{ name: string, title: string }[]} guides
 */
export function fillGuides(place, guides) {
  const items = guides.map((guide) => item(`#guide/${guide.name}`, guide.title));
  place.append(el("h2", {}, "Guides"), el("ul", {}, item("#", "Overview"), items));
}

/** @param {HTMLElement} place @param {any} api */
export function fillOperations(place, api) {
  for (const group of api.groups) {
    place.append(el("h2", { class: "group" }, group.name), ...group.tags.map(tagNode));
  }
}

function tagNode(tag) {
  return el(
    "details",
    { "data-tag": tag.name },
    el("summary", {}, tag.name),
    el("ul", {}, tag.operations.map((operation) => item(`#${operation.id}`, operation.summary, operation.method))),
  );
}

function item(href, text, method = "") {
  return el("li", {}, el("a", { href }, el("span", {}, text), method && methodBadge(method)));
}

/**
 * Marks the link to what is shown, and opens the tag it is in.
 *
 * @param {HTMLElement} place
 * @param {string} hash
 */
export function markCurrent(place, hash) {
  place.querySelectorAll("[aria-current]").forEach((link) => link.removeAttribute("aria-current"));
  const link = [...place.querySelectorAll("a")].find((candidate) => candidate.getAttribute("href") === hash);
  const tag = hash.startsWith("#tag/") ? decodeHash(hash).slice("tag/".length) : null;
  const details = link?.closest("details") ?? place.querySelector(`details[data-tag="${CSS.escape(tag ?? "")}"]`);
  if (details) {
    details.open = true;
  }
  link?.setAttribute("aria-current", "page");
  const shown = link ?? details;
  if (shown && place.scrollHeight > place.clientHeight) {
    const top = shown.getBoundingClientRect().top - place.getBoundingClientRect().top;
    if (top < 0 || top > place.clientHeight - 40) {
      place.scrollTop += top - place.clientHeight / 3;
    }
  }
}

/**
 * The button that shows the sidebar where there is no room for it.
 *
 * @param {HTMLElement} button
 * @param {HTMLElement} sidebar
 */
export function prepareMenu(button, sidebar) {
  const show = (isOpen) => {
    button.setAttribute("aria-expanded", String(isOpen));
    document.body.classList.toggle("menu-open", isOpen);
  };
  button.hidden = false;
  button.addEventListener("click", () => show(button.getAttribute("aria-expanded") !== "true"));
  sidebar.addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).closest("a")) {
      show(false);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.body.classList.contains("menu-open")) {
      show(false);
      button.focus();
    }
  });
}
