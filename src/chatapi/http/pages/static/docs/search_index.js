// Full-text search over operations, parameters, fields, descriptions, events and guides.
import { plainText } from "./markdown.js";
import { alternatives } from "./schema.js";

/**
 * @typedef {{ kind: string, name: string, text: string, weight: number }} Passage
 * @typedef {{ href: string, title: string, method: string, detail: string, passages: Passage[],
 *   haystack: string }} Page
 * @typedef {{ page: Page, passage: Passage, score: number }} Hit
 */

const DEEPEST_FIELD = 5;
const MOST_HITS = 30;
const LONGEST_EXCERPT = 140;
const SHOWN_BEFORE = 40;

/**
 * @param {any} api
 * @param {{ name: string, title: string, element: HTMLElement }[]} guides
 * @returns {Page[]}
 */
export function buildIndex(api, guides) {
  const operations = [...api.operations.values()].map((operation) => operationPage(api, operation));
  return [...guides.flatMap(guidePages), ...operations].map((page) => ({
    ...page,
    haystack: page.passages.map((passage) => `${passage.name} ${passage.text}`).join("\n").toLowerCase(),
  }));
}

function operationPage(api, operation) {
  const passages = [
    passage("", operation.summary, operation.description, 10),
    passage("", `${operation.method} ${operation.path}`, operation.id, 8),
    ...operation.parameters.map((parameter) => passage("parameter", parameter.name, parameter.description, 5)),
  ];
  const seen = new Set();
  operation.bodies.forEach((body) => collectFields(api, body.schema, passages, seen, "parameter", 0));
  operation.answers
    .filter((answer) => answer.status.startsWith("2"))
    .flatMap((answer) => answer.contents)
    .forEach((content) => collectFields(api, content.schema, passages, seen, "field", 0));
  operation.answers.forEach((answer) => passages.push(passage("error", answer.status, answer.description, 1)));
  return {
    href: `#${operation.id}`,
    title: operation.summary,
    method: operation.method,
    detail: operation.path,
    passages,
  };
}

/** A section of a guide, from its heading to the next, is a page of its own. */
function guidePages({ name, title, element }) {
  const pages = [newGuidePage(`#guide/${name}`, title, title)];
  for (const child of element.children) {
    if (/^H[23]$/.test(child.tagName)) {
      pages.push(newGuidePage(`#${child.id}`, child.textContent ?? "", title));
    } else if (child.tagName !== "H1") {
      pages[pages.length - 1].passages.push(passage("", "", child.textContent ?? "", 2));
    }
  }
  return pages;
}

function newGuidePage(href, title, guide) {
  return { href, title, method: "", detail: `Guide: ${guide}`, passages: [passage("", title, "", 9)] };
}

function collectFields(api, schema, passages, seen, kind, depth) {
  if (seen.has(schema.$ref) || depth > DEEPEST_FIELD) {
    return;
  }
  if (schema.$ref) {
    seen.add(schema.$ref);
  }
  const resolved = api.resolve(schema);
  for (const [value, target] of Object.entries(resolved.discriminator?.mapping ?? {})) {
    const about = api.resolve({ $ref: target }).description ?? "";
    passages.push(passage(resolved.discriminator.propertyName === "type" ? "event" : "variant", value, about, 4));
  }
  for (const [name, member] of Object.entries(resolved.properties ?? {})) {
    passages.push(passage(kind, name, api.resolve(member).description ?? "", 3));
    collectFields(api, member, passages, seen, kind, depth + 1);
  }
  const inside = [resolved.items, resolved.additionalProperties, ...(alternatives(resolved) ?? [])];
  inside
    .filter((part) => part && typeof part === "object")
    .forEach((part) => collectFields(api, part, passages, seen, kind, depth + 1));
}

/** @returns {Passage} */
function passage(kind, name, text, weight) {
  return { kind, name, text: plainText(text).replace(/\s+/g, " "), weight };
}

/**
 * Pages that contain every word, best first, each with the passage that fits best.
 *
 * @param {Page[]} index
 * @param {string} query
 * @returns {Hit[]}
 */
export function search(index, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) {
    return [];
  }
  return index
    .filter((page) => words.every((word) => page.haystack.includes(word)))
    .map((page) => bestHit(page, words))
    .sort((first, second) => second.score - first.score)
    .slice(0, MOST_HITS);
}

function bestHit(page, words) {
  let best = { page, passage: page.passages[0], score: 0 };
  for (const candidate of page.passages) {
    const score = words.reduce((sum, word) => sum + scoreOf(candidate, word), 0);
    if (score > best.score) {
      best = { page, passage: candidate, score };
    }
  }
  return best;
}

function scoreOf({ name, text, weight }, word) {
  const lower = name.toLowerCase();
  if (lower === word) {
    return weight * 4;
  }
  if (lower.split(/[^a-z0-9]+/).includes(word)) {
    return weight * 3;
  }
  if (lower.includes(word)) {
    return weight * 2;
  }
  return text.toLowerCase().includes(word) ? weight : 0;
}

/**
 * The part of a text around the first of the words; other words are not cut.
 *
 * @param {string} text
 * @param {string} query
 */
export function excerpt(text, query) {
  const [word = ""] = query.toLowerCase().split(/\s+/).filter((part) => text.toLowerCase().includes(part));
  const found = text.toLowerCase().indexOf(word);
  const start = found > SHOWN_BEFORE ? wordAfter(text, found - SHOWN_BEFORE, found) : 0;
  const most = start + LONGEST_EXCERPT;
  const end = most < text.length ? Math.max(text.lastIndexOf(" ", most), found + word.length) : text.length;
  return `${start > 0 ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
}

/** Where the first word after a place begins, at the latest at another place. */
function wordAfter(text, place, latest) {
  const space = text.indexOf(" ", place);
  return space === -1 || space >= latest ? latest : space + 1;
}
