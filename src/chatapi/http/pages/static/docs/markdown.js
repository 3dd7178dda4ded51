// Descriptions are written in a small part of Markdown: paragraphs, lists, code, bold, italics, links.
import { el } from "./elements.js";

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;
const SAFE_LINK = /^(https?:\/\/|#|\/)/;

/**
 * The elements of a text; what is no known markup is shown as it was written.
 *
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function renderMarkdown(text) {
  return text
    .trim()
    .split(/\n\s*\n/)
    .filter(Boolean)
    .flatMap(renderBlock);
}

function renderBlock(block) {
  const lines = block.split("\n");
  if (/^```/.test(lines[0])) {
    return [el("pre", { tabindex: "0" }, el("code", {}, lines.slice(1).join("\n").replace(/\n?```\s*$/, "")))];
  }
  const firstItem = lines.findIndex((line) => /^\s*[-*] /.test(line));
  if (firstItem < 0) {
    return [el("p", {}, renderInline(lines.join(" ")))];
  }
  const before = lines.slice(0, firstItem).join(" ");
  return [before && el("p", {}, renderInline(before)), renderList(lines.slice(firstItem))].filter(Boolean);
}

function renderList(lines) {
  const items = [];
  for (const line of lines) {
    if (/^\s*[-*] /.test(line)) {
      items.push(line.replace(/^\s*[-*] /, ""));
    } else {
      items[items.length - 1] += ` ${line.trim()}`;
    }
  }
  return el("ul", {}, items.map((item) => el("li", {}, renderInline(item))));
}

/**
 * The nodes of a text in one line.
 *
 * @param {string} text
 * @returns {(string | HTMLElement)[]}
 */
export function renderInline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(end, match.index), renderMark(match));
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}

/** @param {string[]} match */
function renderMark([whole, code, bold, italic, label, target]) {
  if (code !== undefined) {
    return el("code", {}, code);
  }
  if (bold !== undefined) {
    return el("strong", {}, renderInline(bold));
  }
  if (italic !== undefined) {
    return el("em", {}, renderInline(italic));
  }
  return SAFE_LINK.test(target) ? el("a", { href: target }, renderInline(label)) : whole;
}

/**
 * A text without its markup, for searching.
 *
 * @param {string} text
 */
export function plainText(text) {
  return text.replace(INLINE, (_whole, code, bold, italic, label) => code ?? bold ?? italic ?? label);
}
