// The guides, which are part of the page: they are shown one at a time, with buttons to copy code.
import { copyButton } from "./copy_button.js";
import { el } from "./elements.js";

const EXAMPLE_ORIGIN = "http://127.0.0.1:8000";

/**
 * Takes the guides of the page over.
 *
 * @returns {{ name: string, title: string, element: HTMLElement }[]}
 */
export function collectGuides() {
  const articles = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("article.guide")]);
  return articles.map((element) => {
    element.remove();
    element.querySelectorAll("pre").forEach(prepareCode);
    element.querySelectorAll("table").forEach(prepareTable);
    const title = element.querySelector("h1")?.textContent ?? "";
    return { name: element.id.slice("guide/".length), title, element };
  });
}

/** Code is written for a server on this machine; it is shown for the server of this page. */
function prepareCode(block) {
  const code = block.querySelector("code");
  code.textContent = code.textContent.replaceAll(EXAMPLE_ORIGIN, location.origin);
  block.tabIndex = 0;
  const frame = el("div", { class: "sample" });
  block.replaceWith(frame);
  frame.append(block, copyButton(() => code.textContent.trimEnd()));
}

function prepareTable(table) {
  const frame = el("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Table" });
  table.replaceWith(frame);
  frame.append(table);
}
