// JSON as coloured text. Every piece is set as text.
import { el } from "./elements.js";

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MOST_COLOURED = 60_000;

/**
 * The text in a block that can be scrolled; coloured unless it is very long.
 *
 * @param {string} text
 * @param {string} [label]
 */
export function jsonView(text, label = "JSON") {
  const code = el("code", {}, text.length > MOST_COLOURED ? text : coloured(text));
  return el("pre", { class: "json", tabindex: "0", role: "region", "aria-label": label }, code);
}

function coloured(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    nodes.push(text.slice(end, match.index));
    nodes.push(...colouredToken(match));
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)];
}

function colouredToken([whole, string, colon, word]) {
  if (string !== undefined) {
    return [el("span", { class: colon ? "key" : "string" }, string), colon ?? ""];
  }
  return [el("span", { class: word === undefined ? "number" : "word" }, whole)];
}

/**
 * The text indented if it is JSON, else as it is.
 *
 * @param {string} text
 */
export function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
